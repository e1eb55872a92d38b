//! Whatever the layers say, a further layer never loosens the policy.
//!
//! "Looser" is written here a second time, key by key and without the code of the merge.

use std::collections::BTreeSet;

use exacta_core::judge::policy::{
    Cap, Check, Condition, Decide, Layer, LayerName, Locality, Merged, PlanView, Policy, Profile,
    Proposer, Rule, Runs, Skill, Source, Then, merge, rules,
};
use exacta_core::model::change::{Change, FileMode, Op};
use exacta_core::model::digest::Digest;
use exacta_core::model::path::RelPath;
use exacta_core::model::plan::{Constraint, Draft, Recipe};
use exacta_core::model::registry::Effect;
use exacta_core::model::web::host_listed;
use exacta_core::read::dry_run::Totals;
use exacta_testkit::{Budget, Rng};

use crate::drafted;

/// What the generator asks of the dice.
trait Dice {
    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T>;
    fn some(&mut self, list: &[&str]) -> BTreeSet<String>;
    fn one<T: Clone>(&mut self, list: &[T]) -> T;
    fn roll(&mut self, sides: u64) -> u64;
}

impl Dice for Rng {
    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.percent(33).then(|| make(self))
    }

    fn some(&mut self, list: &[&str]) -> BTreeSet<String> {
        list.iter().filter(|_| self.percent(50)).map(|name| (*name).into()).collect()
    }

    fn one<T: Clone>(&mut self, list: &[T]) -> T {
        self.pick(list).clone()
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.bits() % sides
    }
}

const HOSTS: &[&str] = &["a.x", "b.x", "*.x", "*.a.x", "c.a.x", "y", "*.y", "d.y"];
const PROBES: &[&str] = &["a.x", "b.x", "x", "c.a.x", "q.a.x", "z.x", "y", "d.y", "e.y", "other"];
const NAMES: &[&str] = &["p", "q", "r"];
const TOOLS: &[&str] = &["ReadWeb", "CallApi", "SendEmail", "ReadVaultFile"];
const PATHS: &[&str] = &["src/**", "docs/*", "**/*.sql", "Cargo.toml"];

fn number(dice: &mut Rng) -> u64 {
    dice.one(&[0, 1, 5, 10, 30, 65, 500, 200_000, 5_000_000])
}

fn rule(dice: &mut Rng, layer: LayerName, number: usize) -> Rule {
    let list = |set: BTreeSet<String>| set.into_iter().collect::<Vec<_>>();
    let condition = Condition {
        paths: dice.maybe(|dice| list(dice.some(PATHS))),
        ops: dice.maybe(|dice| vec![dice.one(&[Op::Create, Op::Delete])]),
        tools: dice.maybe(|dice| list(dice.some(TOOLS))),
        effects: dice.maybe(|dice| vec![dice.one(&[Effect::Read, Effect::Send])]),
        min_risk: dice.maybe(|dice| dice.roll(101)),
        min_changed_lines: dice.maybe(|dice| dice.roll(300)),
        proposers: dice.maybe(|dice| list(dice.some(NAMES))),
        recipes: dice.maybe(|dice| vec![dice.one(&[Recipe::Custom, Recipe::DailyBrief])]),
    };
    let then = dice.one(&[Then::Deny, Then::Ask]);
    Rule { layer, number, condition, then, reason: "r".into() }
}

pub(crate) fn layer(dice: &mut Rng, name: LayerName) -> Layer {
    let profiles = [Profile::Manual, Profile::Conservative, Profile::Balanced];
    let digest = Digest::of(&dice.bits().to_le_bytes());
    let mut layer = Layer {
        profile: dice.maybe(|dice| dice.one(&profiles)),
        autonomy_ceiling: dice.maybe(|dice| dice.one(&profiles)),
        decide: dice.maybe(|dice| dice.one(&[Decide::Terminal, Decide::Credential, Decide::Hash])),
        ttl_minutes: dice.maybe(number),
        token_budget: dice.maybe(number),
        retention_days: dice.maybe(number),
        allowed_domains: dice.maybe(|dice| dice.some(HOSTS)),
        allowed_recipients: dice.maybe(|dice| dice.some(NAMES)),
        primitives: dice.maybe(|dice| dice.some(TOOLS)),
        unasked_primitives: dice.maybe(|dice| dice.some(TOOLS)),
        known_urls: dice.maybe(|dice| dice.some(HOSTS)),
        project_config: dice.maybe(|dice| dice.some(PATHS)),
        default_price: dice.maybe(number),
        session_risk: dice.maybe(number),
        session_files: dice.maybe(number),
        session_minutes: dice.maybe(number),
        ..Layer::empty(Source { layer: name, digest })
    };
    for (_, cap) in Cap::WORDS {
        layer.caps.extend(dice.maybe(number).map(|value| (*cap, value)));
    }
    for id in NAMES {
        layer.prices.extend(dice.maybe(number).map(|price| ((*id).into(), price)));
        layer.proposers.extend(dice.maybe(|dice| {
            let proposer = Proposer {
                provider: dice.one(NAMES).into(),
                model: dice.one(NAMES).into(),
                class: dice.one(&[Locality::LocalOnly, Locality::UntrustedCloud]),
                skills: dice.maybe(|dice| dice.some(NAMES)),
            };
            ((*id).into(), proposer)
        }));
        layer.skills.extend(dice.maybe(|dice| {
            let caps = [Cap::Files, Cap::Steps].into_iter();
            let caps = caps.filter_map(|cap| dice.maybe(number).map(|most| (cap, most))).collect();
            ((*id).into(), Skill { primitives: dice.maybe(|dice| dice.some(TOOLS)), caps })
        }));
        layer.checks.extend(dice.maybe(|dice| {
            let command = vec![dice.one(NAMES).into()];
            let runs = if dice.roll(2) == 0 { Runs::Always } else { Runs::Named };
            let check = Check { command, runs, timeout_seconds: 600 };
            ((*id).into(), check)
        }));
    }
    layer.constraints.extend(dice.maybe(|dice| Constraint::MaxFiles { max: dice.roll(5) }));
    let rules = usize::try_from(dice.roll(3)).unwrap();
    layer.rules = (1..=rules).map(|number| rule(dice, name, number)).collect();
    layer
}

/// The keys in which `now` is looser than `before`, as far as `of` covers them.
fn looser(before: &Policy, now: &Policy) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    let mut check = |key: &str, ok: bool| {
        if !ok {
            keys.push(key.into());
        }
    };
    check("profile", now.profile <= before.profile);
    check("autonomy_ceiling", now.autonomy_ceiling <= before.autonomy_ceiling);
    check("effective profile", now.effective_profile() <= before.effective_profile());
    check("decide", now.decide == before.decide || before.decide == Decide::Hash);
    check("ttl_minutes", now.ttl_minutes <= before.ttl_minutes);
    check("token_budget", now.token_budget <= before.token_budget);
    check("retention_days", now.retention_days >= before.retention_days);
    for host in PROBES {
        let may = |policy: &Policy| host_listed(host, &policy.allowed_domains);
        check("allowed_domains", may(before) || !may(now));
    }
    check("allowed_recipients", now.allowed_recipients.is_subset(&before.allowed_recipients));
    check("primitives", now.primitives.is_subset(&before.primitives));
    check("unasked_primitives", now.unasked_primitives.is_subset(&before.unasked_primitives));
    check("known_urls", now.known_urls.is_subset(&before.known_urls));
    check("project_config", now.project_config.is_superset(&before.project_config));
    for skill in [None, Some("p"), Some("q"), Some("r")] {
        let (was, is) = (before.caps_for(skill), now.caps_for(skill));
        check("caps", Cap::WORDS.iter().all(|(_, cap)| cap.of(&is) <= cap.of(&was)));
        for tool in TOOLS {
            let may = |policy: &Policy| policy.allows_primitive(tool, skill);
            check("skills", may(before) || !may(now));
        }
        for proposer in NAMES {
            let may = |policy: &Policy| policy.check_skill(Some(proposer), skill).is_ok();
            check("proposers", may(before) || !may(now));
        }
    }
    for model in [None, Some("p"), Some("q"), Some("r")] {
        check("prices", now.price_for(model) >= before.price_for(model));
    }
    let (was, is) = (&before.session_budget, &now.session_budget);
    check("session_budget.risk", is.risk <= was.risk);
    check("session_budget.files", is.files <= was.files);
    check("session_budget.minutes", is.minutes >= was.minutes);
    check("constraints", before.constraints.iter().all(|c| now.constraints.contains(c)));
    check("rule", before.rules.iter().all(|rule| now.rules.contains(rule)));
    let known = |id: &String, proposer: &Proposer| {
        before.proposers.get(id).is_none_or(|was| {
            (&was.provider, &was.model, was.class)
                == (&proposer.provider, &proposer.model, proposer.class)
        })
    };
    check("proposers", now.proposers.iter().all(|(id, proposer)| known(id, proposer)));
    check("checks", before.checks.iter().all(|(id, check)| now.checks.get(id) == Some(check)));
    keys
}

#[test]
fn a_further_layer_never_loosens() {
    let budget = Budget::of_processor("policy layers", 100_000, 60, 1_000_000);
    let mut seed = 0;
    while budget.allows(seed) {
        let mut dice = Rng::new(seed);
        let system = (dice.roll(4) != 0).then(|| layer(&mut dice, LayerName::System));
        let operator = (dice.roll(4) != 0).then(|| layer(&mut dice, LayerName::Operator));
        let project = layer(&mut dice, LayerName::Project);
        let below: Vec<Layer> = system.iter().chain(&operator).cloned().collect();
        let before = merge(&below);
        let now = merge(&[below, vec![project]].concat());
        assert_eq!(looser(&before.policy, &now.policy), Vec::<String>::new(), "seed {seed}");
        assert_eq!(now.ignored[..before.ignored.len()], before.ignored[..], "seed {seed}");
        assert_eq!(now.policy.checks, before.policy.checks, "seed {seed}");
        assert!(now.policy.skills.keys().eq(before.policy.skills.keys()), "seed {seed}");
        if let (Some(system), Some(_)) = (system, operator) {
            floor_holds(seed, &system, &before);
        }
        seed += 1;
    }
    budget.report(seed);
}

/// What the system layer says itself holds whatever the operator wants: here the keys
/// that it leaves open are set to what came out, and nothing may be looser then.
fn floor_holds(seed: u64, system: &Layer, both: &Merged) {
    let floor = merge(core::slice::from_ref(system)).policy;
    let open: BTreeSet<&str> = [
        ("profile", system.profile.is_none()),
        ("autonomy_ceiling", system.autonomy_ceiling.is_none()),
        ("effective profile", system.profile.is_none() || system.autonomy_ceiling.is_none()),
        ("decide", system.decide.is_none()),
        ("ttl_minutes", system.ttl_minutes.is_none()),
        ("token_budget", system.token_budget.is_none()),
        ("retention_days", system.retention_days.is_none()),
        ("allowed_domains", system.allowed_domains.is_none()),
        ("allowed_recipients", system.allowed_recipients.is_none()),
        ("primitives", system.primitives.is_none()),
        ("skills", system.primitives.is_none()),
        ("unasked_primitives", system.unasked_primitives.is_none()),
        ("known_urls", system.known_urls.is_none()),
        ("project_config", system.project_config.is_none()),
        ("caps", system.caps.len() < Cap::WORDS.len()),
        ("prices", system.default_price.is_none()),
        ("proposers", true),
        ("session_budget.risk", system.session_risk.is_none()),
        ("session_budget.files", system.session_files.is_none()),
        ("session_budget.minutes", system.session_minutes.is_none()),
    ]
    .into_iter()
    .filter_map(|(key, open)| open.then_some(key))
    .collect();
    let loosened: Vec<String> = looser(&floor, &both.policy)
        .into_iter()
        .filter(|key| !open.contains(key.as_str()))
        .collect();
    assert_eq!(loosened, Vec::<String>::new(), "seed {seed}");
    for (cap, most) in &system.caps {
        assert!(cap.of(&both.policy.caps) <= *most, "seed {seed}");
    }
    for (model, price) in &system.prices {
        assert!(both.policy.price_for(Some(model)) >= *price, "seed {seed}");
    }
}

#[test]
fn a_further_or_broken_rule_never_loosens_a_verdict() {
    let path = |path: &str| RelPath::parse(path).unwrap();
    let change = |name: &str, before: Option<&[u8]>, after: Option<&[u8]>| Change {
        path: path(name),
        before: before.map(Digest::of),
        after: after.map(Digest::of),
        mode_before: before.map(|_| FileMode::REGULAR),
        mode_after: after.map(|_| FileMode::REGULAR),
        step: "step_1".into(),
        renamed_from: None,
    };
    let changes = [
        change("src/a.rs", None, Some(b"a")),
        change("docs/x", Some(b"a"), Some(b"b")),
        change("db/1.sql", Some(b"a"), None),
    ];
    // 0: runs, 1: asks, 2: denied.
    let strictness = |policy: &Policy, plan: &PlanView<'_>| {
        let verdicts = rules(policy, plan);
        let of = |then: Then| match then {
            Then::Ask => 1,
            Then::Deny => 2,
        };
        verdicts.iter().map(|verdict| of(verdict.then)).max().unwrap_or(0)
    };
    let budget = Budget::of_processor("policy rules", 100_000, 60, 1_000_000);
    let drafts: Vec<Draft> = TOOLS.iter().map(|tool| drafted(&[tool])).collect();
    let mut seed = 0;
    while budget.allows(seed) {
        let mut dice = Rng::new(seed ^ 0x5eed);
        let totals = Totals { changed_lines: dice.roll(300), ..Totals::default() };
        let plan = PlanView {
            draft: dice.pick(&drafts),
            changes: &changes,
            totals: &totals,
            risk: Some(dice.roll(101)),
            proposer: dice.maybe(|dice| dice.one(NAMES)),
        };
        let mut policy = Policy::default();
        let mut last = 0;
        for number in 1..=4 {
            policy.rules.push(rule(&mut dice, LayerName::Project, number));
            let now = strictness(&policy, &plan);
            assert!(now >= last, "seed {seed}");
            last = now;
        }
        let broken = dice.roll(4);
        let rule = &mut policy.rules[usize::try_from(broken).unwrap()];
        rule.condition.paths = Some(vec!["a[".into()]);
        assert_eq!(strictness(&policy, &plan), 2, "seed {seed}");
        seed += 1;
    }
    budget.report(seed);
}
