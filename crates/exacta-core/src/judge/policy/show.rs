//! A policy as a list of keys, values and origins, for people and for `--json`.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::caps::Cap;
use super::effective::Merged;
use super::layer::Origin;
use super::ledger::json;

/// One key with its value and where that came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Row {
    /// The key, with dots.
    pub key: String,
    /// Its value; money as text in US dollars.
    pub value: Value,
    /// The layers it came from.
    pub origins: Vec<Origin>,
}

impl Row {
    /// The value as a policy file takes it: money is a number there.
    #[must_use]
    pub fn written(&self) -> String {
        match &self.value {
            Value::String(usd) if self.key.ends_with("_usd") || self.key.starts_with("prices.") => {
                usd.clone()
            }
            value => value.to_string(),
        }
    }
}

impl Merged {
    /// Every key with its value, in the order of the reference.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        let policy = &self.policy;
        let budget = &policy.session_budget;
        let mut rows = vec![
            self.row("version", json(&policy.version)),
            self.row("profile", json(&policy.profile)),
            self.row("autonomy_ceiling", json(&policy.autonomy_ceiling)),
            self.row("decide", json(&policy.decide)),
            self.row("commit", json(&policy.commit)),
            self.row("editor_decides", json(&policy.editor_decides)),
            self.row("ttl_minutes", json(&policy.ttl_minutes)),
            self.row("token_budget", json(&policy.token_budget)),
            self.row("retention_days", json(&policy.retention_days)),
            self.row("allowed_domains", json(&policy.allowed_domains)),
            self.row("allowed_recipients", json(&policy.allowed_recipients)),
            self.row("primitives", json(&policy.primitives)),
            self.row("unasked_primitives", json(&policy.unasked_primitives)),
            self.row("known_urls", json(&policy.known_urls)),
            self.row("project_config", json(&policy.project_config)),
            self.row("constraints", json(&policy.constraints)),
        ];
        for (word, cap) in Cap::WORDS {
            rows.push(self.row(&format!("caps.{word}"), shown_cap(*cap, cap.of(&policy.caps))));
        }
        rows.push(self.row("session_budget.risk", json(&budget.risk)));
        rows.push(self.row("session_budget.files", json(&budget.files)));
        rows.push(self.row("session_budget.lines", json(&budget.lines)));
        rows.push(self.row("session_budget.minutes", json(&budget.minutes)));
        rows.push(self.row("prices.default", usd(policy.micro_usd_per_million_tokens)));
        for (model, price) in &policy.prices {
            rows.push(self.row(&format!("prices.models.{model}"), usd(*price)));
        }
        rows.extend(policy.proposers.iter().map(|e| self.entry("proposers", e.0, json(e.1))));
        for (id, skill) in &policy.skills {
            let caps = skill.caps.iter().map(|(cap, most)| {
                let word = Cap::WORDS.iter().find(|(_, listed)| listed == cap);
                (word.map_or("", |(word, _)| word).into(), shown_cap(*cap, *most))
            });
            let caps = Value::Object(caps.collect());
            let value = serde_json::json!({ "caps": caps, "primitives": skill.primitives });
            rows.push(self.entry("skills", id, value));
        }
        rows.extend(policy.checks.iter().map(|e| self.entry("checks", e.0, json(e.1))));
        let tools = &policy.tools;
        let (mail, notify) = (&tools.mail, &tools.notify);
        for (key, value) in [
            ("tools.editor", json(&tools.editor)),
            ("tools.ports", json(&tools.ports)),
            ("tools.inbox", json(&tools.inbox)),
            ("tools.vault", json(&tools.vault)),
            ("tools.daily_cost_usd", usd(tools.daily_cost_micro_usd)),
            ("tools.mail.send", json(&mail.send)),
            ("tools.mail.server", json(&mail.server)),
            ("tools.mail.port", json(&mail.port)),
            ("tools.mail.security", json(&mail.security)),
            ("tools.mail.user", json(&mail.user)),
            ("tools.mail.password", json(&mail.password)),
            ("tools.mail.from", json(&mail.from)),
            ("tools.mail.daily_limit", json(&mail.daily_limit)),
            ("tools.mail.quiet_hours", json(&mail.quiet_hours)),
            ("tools.notify.terminal", json(&notify.terminal)),
            ("tools.notify.desktop", json(&notify.desktop)),
            ("tools.notify.webhook", json(&notify.webhook)),
            ("tools.notify.ntfy", json(&notify.ntfy)),
            ("tools.notify.secret", json(&notify.secret)),
            ("tools.notify.mail", json(&notify.mail)),
            ("tools.notify.daily_limit", json(&notify.daily_limit)),
        ] {
            // What nobody has set up is not there; a file cannot say "none".
            if !value.is_null() {
                rows.push(self.row(key, value));
            }
        }
        for (id, endpoint) in &tools.endpoints {
            let mut value = json(endpoint);
            if let Value::Object(fields) = &mut value {
                fields.remove("micro_usd");
                if let Some(price) = endpoint.micro_usd {
                    fields.insert("price_usd".into(), usd(price));
                }
            }
            rows.push(self.entry("tools.endpoints", id, value));
        }
        rows.extend(tools.secrets.iter().map(|e| self.entry("tools.secrets", e.0, json(e.1))));
        for (index, rule) in policy.rules.iter().enumerate() {
            let origins = vec![rule.layer.into()];
            rows.push(Row { key: format!("rule[{index}]"), value: json(rule), origins });
        }
        rows
    }

    /// A list shows every layer that had a part in it, one value the last that set it.
    fn row(&self, key: &str, value: Value) -> Row {
        let all = self.origins(key);
        let origins = match (&value, all.last()) {
            (Value::Array(_), _) | (_, None) => all.to_vec(),
            (_, Some(last)) => vec![*last],
        };
        Row { key: key.into(), value, origins }
    }

    /// What operators register: every layer that had a part in the entry or its fields.
    fn entry(&self, table: &str, id: &str, value: Value) -> Row {
        let key = format!("{table}.{id}");
        let mut origins = Vec::new();
        for (name, layers) in &self.origins {
            let rest = name.strip_prefix(&key);
            if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) {
                origins.extend(layers.iter().copied());
            }
        }
        origins.sort_unstable();
        origins.dedup();
        Row { key, value, origins }
    }
}

/// A cap as shown: money in US dollars.
pub(super) fn shown_cap(cap: Cap, value: u64) -> Value {
    match cap {
        Cap::Cost => usd(value),
        _ => json(&value),
    }
}

/// Millionths of a US dollar as text without trailing zeros.
pub(super) fn usd(micro: u64) -> Value {
    let (whole, rest) = (micro / 1_000_000, micro % 1_000_000);
    let text = format!("{whole}.{rest:06}");
    Value::String(text.trim_end_matches('0').trim_end_matches('.').into())
}
