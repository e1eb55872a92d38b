//! Lays the layers over the built-in values.
//!
//! One rule for every key: a trusted layer (system, operator) may set what no layer
//! before it has set; everything else may only tighten what is in force, and what would
//! loosen is reported and ignored.

use alloc::collections::btree_map::Entry;
use alloc::string::String;

use serde_json::Value;

use super::caps::Cap;
use super::effective::{Merged, Why};
use super::layer::{Layer, LayerName};
use super::ledger::{Ledger, json};
use super::model::Policy;
use super::registered::{Proposer, Skill};
use super::show::{shown_cap, usd};
use super::tighten::{as_it_was, at_least, at_most, fewer, fewer_hosts, fewer_of_any, more, proof};
use super::tools;

/// Merges layers over the built-in values, in their order.
#[must_use]
pub fn merge(layers: &[Layer]) -> Merged {
    let mut merge = Merge { policy: Policy::default(), books: Ledger::default() };
    for name in LayerName::ALL {
        for layer in layers.iter().filter(|layer| layer.source.layer == name) {
            merge.policy.sources.push(layer.source);
            merge.words_and_numbers(name, layer);
            merge.lists(name, layer);
            merge.prices(name, layer);
            merge.registered(name, layer);
            merge.additions(name, layer);
            tools::merge(name, &layer.tools, &mut merge.policy.tools, &mut merge.books);
        }
    }
    let Ledger { origins, ignored, .. } = merge.books;
    Merged { policy: merge.policy, origins, ignored }
}

struct Merge {
    policy: Policy,
    books: Ledger,
}

impl Merge {
    fn words_and_numbers(&mut self, name: LayerName, layer: &Layer) {
        let Self { policy, books } = self;
        let budget = &mut policy.session_budget;
        books.set(name, "profile", &mut policy.profile, layer.profile.as_ref(), at_most);
        let ceiling = layer.autonomy_ceiling.as_ref();
        books.set(name, "autonomy_ceiling", &mut policy.autonomy_ceiling, ceiling, at_most);
        books.set(name, "decide", &mut policy.decide, layer.decide.as_ref(), proof);
        books.set(name, "commit", &mut policy.commit, layer.commit.as_ref(), at_most);
        let editor = layer.editor_decides.as_ref();
        books.set(name, "editor_decides", &mut policy.editor_decides, editor, at_most);
        for (key, slot, wanted, tighten) in [
            ("ttl_minutes", &mut policy.ttl_minutes, layer.ttl_minutes, at_most as fn(&_, &_) -> _),
            ("token_budget", &mut policy.token_budget, layer.token_budget, at_most),
            ("session_budget.risk", &mut budget.risk, layer.session_risk, at_most),
            ("session_budget.files", &mut budget.files, layer.session_files, at_most),
            ("session_budget.lines", &mut budget.lines, layer.session_lines, at_most),
            ("retention_days", &mut policy.retention_days, layer.retention_days, at_least),
            ("session_budget.minutes", &mut budget.minutes, layer.session_minutes, at_least),
        ] {
            books.set(name, key, slot, wanted.as_ref(), tighten);
        }
        for (word, cap) in Cap::WORDS {
            let slot = cap.slot(&mut policy.caps);
            let show = |value: &u64| shown_cap(*cap, *value);
            let key = format!("caps.{word}");
            books.set_shown(name, &key, slot, layer.caps.get(cap), at_most, show);
        }
    }

    fn lists(&mut self, name: LayerName, layer: &Layer) {
        let Self { policy, books } = self;
        let domains = layer.allowed_domains.as_ref();
        books.set(name, "allowed_domains", &mut policy.allowed_domains, domains, fewer_hosts);
        let recipients = layer.allowed_recipients.as_ref();
        books.set(name, "allowed_recipients", &mut policy.allowed_recipients, recipients, fewer);
        books.set(name, "primitives", &mut policy.primitives, layer.primitives.as_ref(), fewer);
        let unasked = layer.unasked_primitives.as_ref();
        books.set(name, "unasked_primitives", &mut policy.unasked_primitives, unasked, fewer);
        books.set(name, "known_urls", &mut policy.known_urls, layer.known_urls.as_ref(), fewer);
        let files = layer.project_config.as_ref();
        books.set(name, "project_config", &mut policy.project_config, files, more);
    }

    /// A price may not undercut what an earlier layer set for the model or for all.
    fn prices(&mut self, name: LayerName, layer: &Layer) {
        let Self { policy, books } = self;
        let key_of = |model: &String| format!("prices.models.{model}");
        let show = |price: &u64| usd(*price);
        let set_before = books.is_set("prices.default");
        let default = &mut policy.micro_usd_per_million_tokens;
        if name.is_trusted() {
            let wanted = layer.default_price.as_ref();
            books.set_shown(name, "prices.default", default, wanted, at_least, show);
        } else if let Some(price) = &layer.default_price {
            books.ignore(name, "prices.default", usd(*price), usd(*default), Why::NotThisLayer);
        }
        for (model, price) in &layer.prices {
            let key = key_of(model);
            if !name.is_trusted() {
                let now = policy.prices.get(model).unwrap_or(default);
                books.ignore(name, &key, usd(*price), usd(*now), Why::NotThisLayer);
                continue;
            }
            let slot = policy.prices.entry(model.clone()).or_insert(*default);
            if set_before {
                books.tighten(name, &key, slot, price, at_least, show);
            } else {
                books.set_shown(name, &key, slot, Some(price), at_least, show);
            }
        }
    }

    fn registered(&mut self, name: LayerName, layer: &Layer) {
        for (id, wanted) in &layer.proposers {
            self.proposer(name, id, wanted);
        }
        for (id, wanted) in &layer.skills {
            self.skill(name, id, wanted);
        }
        for (id, wanted) in &layer.checks {
            let key = format!("checks.{id}");
            let Self { policy, books } = self;
            if !name.is_trusted() {
                let now = json(&policy.checks.get(id));
                books.ignore(name, &key, json(wanted), now, Why::NotThisLayer);
                continue;
            }
            let slot = policy.checks.entry(id.clone()).or_insert_with(|| wanted.clone());
            books.set(name, &key, slot, Some(wanted), as_it_was);
        }
    }

    /// Who a proposer is stays as first registered; its skills can only get fewer.
    fn proposer(&mut self, name: LayerName, id: &str, wanted: &Proposer) {
        let Self { policy, books } = self;
        let key = format!("proposers.{id}");
        if !name.is_trusted() {
            let now = json(&policy.proposers.get(id));
            books.ignore(name, &key, json(wanted), now, Why::NotThisLayer);
            return;
        }
        match policy.proposers.entry(id.into()) {
            Entry::Vacant(free) => {
                free.insert(wanted.clone());
                books.took(name, &key);
            }
            Entry::Occupied(mut taken) => {
                let now = taken.get_mut();
                let at = |field: &str| format!("{key}.{field}");
                let (provider, model) = (&mut now.provider, &mut now.model);
                books.tighten(name, &at("provider"), provider, &wanted.provider, as_it_was, json);
                books.tighten(name, &at("model"), model, &wanted.model, as_it_was, json);
                books.tighten(name, &at("class"), &mut now.class, &wanted.class, as_it_was, json);
                let (skills, list) = (&mut now.skills, &wanted.skills);
                books.tighten(name, &at("skills"), skills, list, fewer_of_any, json);
            }
        }
    }

    /// A skill that is known can only get narrower; a project makes no new ones, because
    /// a proposer may be listed for a skill that nobody has defined yet.
    fn skill(&mut self, name: LayerName, id: &str, wanted: &Skill) {
        let Self { policy, books } = self;
        let key = format!("skills.{id}");
        match policy.skills.entry(id.into()) {
            Entry::Vacant(free) if name.is_trusted() => {
                free.insert(wanted.clone());
                books.took(name, &key);
            }
            Entry::Vacant(_) => {
                books.ignore(name, &key, json(wanted), Value::Null, Why::NotThisLayer);
            }
            Entry::Occupied(mut taken) => {
                let Skill { primitives, caps } = taken.get_mut();
                let list = &wanted.primitives;
                let at = format!("{key}.primitives");
                books.tighten(name, &at, primitives, list, fewer_of_any, json);
                for (word, cap) in Cap::WORDS {
                    let Some(value) = wanted.caps.get(cap) else { continue };
                    let at = format!("{key}.caps.{word}");
                    let slot = caps.entry(*cap).or_insert(u64::MAX);
                    let show = |value: &u64| shown_cap(*cap, *value);
                    books.tighten(name, &at, slot, value, at_most, show);
                }
            }
        }
    }

    /// Constraints and rules can only be added.
    fn additions(&mut self, name: LayerName, layer: &Layer) {
        let Self { policy, books } = self;
        for constraint in &layer.constraints {
            if !policy.constraints.contains(constraint) {
                policy.constraints.push(constraint.clone());
                books.took(name, "constraints");
            }
        }
        for rule in &layer.rules {
            policy.rules.push(rule.clone());
            books.took(name, "rule");
        }
    }
}
