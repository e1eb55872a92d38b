//! The preset recipes: fixed sequences of steps, filled from an intent.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::overlay::Overlay;
use crate::model::plan::Recipe;
use crate::model::web::host_and_port;

/// A preset recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Which.
    pub recipe: Recipe,
    /// Its name, as plans write it.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The primitives of its steps, in order.
    pub steps: &'static [&'static str],
}

/// Every preset.
pub const PRESETS: [Preset; 3] = [
    Preset {
        recipe: Recipe::WebsiteMonitor,
        name: "WebsiteMonitor",
        about: "watches a page and notifies you when it changes",
        steps: &["ReadWeb", "NotifyUser"],
    },
    Preset {
        recipe: Recipe::InboxTriage,
        name: "InboxTriage",
        about: "sorts forwarded mail and leaves a list of it in the outbox",
        steps: &["ReadForwardedEmail", "TriageEmail", "NotifyUser"],
    },
    Preset {
        recipe: Recipe::DailyBrief,
        name: "DailyBrief",
        about: "sums up sources in a few lines, each with its source",
        steps: &["ReadSources", "AggregateDailySummary", "WriteOutcomeDraft", "NotifyUser"],
    },
];

/// The preset of this name.
#[must_use]
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// What a user says beside the intent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// The part of the page to watch, as a CSS selector.
    pub selector: Option<String>,
    /// Text of the page that does not count.
    pub ignore: Vec<String>,
    /// Forwarded mail, as text.
    pub inbox: Option<String>,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecipeFault {
    /// No address in the intent.
    #[error("the intent names no address to read")]
    NoAddress,
    /// Several addresses where one is meant.
    #[error("the intent names {0} addresses; a page is watched one at a time")]
    ManyAddresses(usize),
    /// An address that is refused.
    #[error("the address `{0}` is refused: {1}")]
    Address(String, String),
    /// Not an `https` address.
    #[error("the address `{0}` does not start with `https://`")]
    Plain(String),
    /// Planners make these.
    #[error("a `Custom` plan comes from a planner, not from an intent")]
    Custom,
}

/// The text of the draft that a preset makes of an intent.
///
/// # Errors
/// When the intent lacks what the recipe needs.
pub fn draft(
    recipe: Recipe,
    intent: &str,
    extras: &Extras,
    overlay: &Overlay,
) -> Result<String, RecipeFault> {
    let value = match recipe {
        Recipe::WebsiteMonitor => monitor(intent, extras, overlay)?,
        Recipe::InboxTriage => triage(intent, extras, overlay),
        Recipe::DailyBrief => brief(intent, overlay)?,
        Recipe::Custom => return Err(RecipeFault::Custom),
    };
    Ok(format!("{value:#}\n"))
}

fn monitor(intent: &str, extras: &Extras, overlay: &Overlay) -> Result<Value, RecipeFault> {
    let addresses = addresses(intent)?;
    let [address] = addresses.as_slice() else {
        return Err(RecipeFault::ManyAddresses(addresses.len()));
    };
    let host = host(address)?;
    let mut read = json!({
        "url": address, "watch": true, "sensitivity_percent": overlay.sensitivity_percent(),
    });
    if let Value::Object(args) = &mut read {
        if let Some(selector) = &extras.selector {
            args.insert("selector".into(), json!(selector));
        }
        if !extras.ignore.is_empty() {
            args.insert("ignore".into(), json!(extras.ignore));
        }
    }
    Ok(json!({
        "plan_version": 1,
        "recipe": "WebsiteMonitor",
        "goal": format!("Watch {address} and report when it changes"),
        "intent": intent,
        "inputs": {"web_source_url": address},
        "web_allowed_domains": [host],
        "allowed_primitives": ["ReadWeb", "NotifyUser"],
        "steps": [
            step(1, &format!("Read {address} and compare it with what was reported last"), &[], "ReadWeb", &read),
            step(2, "Report what changed on the page", &[1], "NotifyUser", &notify(
                &format!("{host} changed"), "step_1.output.alert", Some("step_1.output.watch"), overlay)),
        ],
    }))
}

fn triage(intent: &str, extras: &Extras, overlay: &Overlay) -> Value {
    let inputs = match &extras.inbox {
        Some(text) => json!({"inbox_source_text": text}),
        None => json!({}),
    };
    json!({
        "plan_version": 1,
        "recipe": "InboxTriage",
        "goal": "Sort forwarded mail and list it with reasons",
        "intent": intent,
        "inputs": inputs,
        "allowed_primitives": ["ReadForwardedEmail", "TriageEmail", "NotifyUser"],
        "steps": [
            step(1, "Read the forwarded mail", &[], "ReadForwardedEmail", &json!({})),
            step(2, "Sort the mail by rules, with a reason each", &[1], "TriageEmail", &json!({
                "letters": {"$ref": "step_1.output.letters"},
                "reply_length": overlay.reply_length().as_str(),
            })),
            step(3, "Report how many messages there are of each kind", &[2], "NotifyUser",
                &notify("Mail, sorted", "step_2.output.summary", None, overlay)),
        ],
    })
}

fn brief(intent: &str, overlay: &Overlay) -> Result<Value, RecipeFault> {
    let mut sources = addresses(intent)?;
    sources.truncate(overlay.max_sources().into());
    let mut hosts: Vec<String> = Vec::new();
    for source in &sources {
        let host = host(source)?;
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    Ok(json!({
        "plan_version": 1,
        "recipe": "DailyBrief",
        "goal": format!("Sum up {} in {} lines at most", hosts.join(", "), overlay.max_bullets()),
        "intent": intent,
        "inputs": {"daily_sources": sources},
        "web_allowed_domains": hosts,
        "allowed_primitives":
            ["ReadSources", "AggregateDailySummary", "WriteOutcomeDraft", "NotifyUser"],
        "steps": [
            step(1, &format!("Read what is new on {}", hosts.join(", ")), &[], "ReadSources",
                &json!({"sources": sources, "max_sources": overlay.max_sources()})),
            step(2, "Sum up the items, each line with its source", &[1], "AggregateDailySummary", &json!({
                "items": {"$ref": "step_1.output.items"},
                "failed": {"$ref": "step_1.output.failed"},
                "max_bullets": overlay.max_bullets(),
            })),
            step(3, "Keep the brief in the outbox", &[2], "WriteOutcomeDraft", &json!({
                "heading": "Daily brief", "body": {"$ref": "step_2.output.text"},
            })),
            step(4, "Report the brief", &[1, 2, 3], "NotifyUser", &notify(
                "Daily brief", "step_2.output.text", Some("step_1.output.watch"), overlay)),
        ],
    }))
}

fn step(number: u8, title: &str, dependencies: &[u8], tool: &str, args: &Value) -> Value {
    let dependencies: Vec<String> =
        dependencies.iter().map(|number| format!("step_{number}")).collect();
    json!({
        "step_id": format!("step_{number}"),
        "title": title,
        "dependencies": dependencies,
        "tool": {"name": tool, "args": args},
    })
}

fn notify(heading: &str, message: &str, watch: Option<&str>, overlay: &Overlay) -> Value {
    let mut args = json!({"heading": heading, "message": {"$ref": message}});
    if let Value::Object(args) = &mut args {
        if let Some(watch) = watch {
            args.insert("watch".into(), json!({"$ref": watch}));
        }
        if !overlay.quiet().is_empty() {
            args.insert("quiet".into(), json!(overlay.quiet()));
        }
    }
    args
}

fn host(address: &str) -> Result<String, RecipeFault> {
    let found = host_and_port(address);
    let (host, _) =
        found.map_err(|fault| RecipeFault::Address(address.into(), fault.to_string()))?;
    Ok(host.into())
}

/// The addresses that an intent names, without the punctuation of its prose.
fn addresses(intent: &str) -> Result<Vec<String>, RecipeFault> {
    let mut found: Vec<String> = Vec::new();
    for word in intent.split(|c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '`')) {
        let Some(start) = word.find("http") else { continue };
        let address = word.get(start..).unwrap_or_default();
        if !address.starts_with("https://") && !address.starts_with("http://") {
            continue;
        }
        let end: &[char] = &['.', ',', ';', ':', '!', '?', ')', ']', '}', '\''];
        let address = address.trim_end_matches(end);
        if address.starts_with("http://") {
            return Err(RecipeFault::Plain(address.into()));
        }
        if !found.iter().any(|one| one == address) {
            found.push(address.to_string());
        }
    }
    if found.is_empty() { Err(RecipeFault::NoAddress) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(recipe: Recipe, intent: &str) -> Result<Value, RecipeFault> {
        draft(recipe, intent, &Extras::default(), &Overlay::default())
            .map(|text| serde_json::from_str(&text).unwrap())
    }

    #[test]
    fn an_intent_fills_the_fixed_sequence() {
        for preset in PRESETS {
            let plan = made(preset.recipe, "watch https://news.example/a.").unwrap();
            let tools: Vec<&str> = plan["steps"]
                .as_array()
                .unwrap()
                .iter()
                .map(|step| step["tool"]["name"].as_str().unwrap())
                .collect();
            assert_eq!(tools, preset.steps, "{}", preset.name);
            assert_eq!(plan["recipe"], preset.name);
        }
        let plan = made(Recipe::WebsiteMonitor, "watch https://news.example/a.").unwrap();
        assert_eq!(plan["inputs"]["web_source_url"], "https://news.example/a");
        assert_eq!(plan["web_allowed_domains"], json!(["news.example"]));
    }

    #[test]
    fn an_intent_that_lacks_something_is_told_so() {
        use Recipe::{Custom, DailyBrief, WebsiteMonitor};
        assert_eq!(made(WebsiteMonitor, "watch the news"), Err(RecipeFault::NoAddress));
        let two = "https://a.example/ and https://b.example/";
        assert_eq!(made(WebsiteMonitor, two), Err(RecipeFault::ManyAddresses(2)));
        assert!(made(DailyBrief, two).is_ok());
        assert!(matches!(made(DailyBrief, "http://a.example/"), Err(RecipeFault::Plain(_))));
        assert!(matches!(made(DailyBrief, "https://127.0.0.1/"), Err(RecipeFault::Address(..))));
        assert_eq!(made(Custom, two), Err(RecipeFault::Custom));
    }

    #[test]
    fn an_overlay_moves_numbers_and_nothing_else() {
        let mut overlay = Overlay::default();
        overlay.set("bullets", "9").unwrap();
        overlay.set("sources", "2").unwrap();
        overlay.set("sensitivity", "0.9").unwrap();
        overlay.set("quiet", "22:00-07:00").unwrap();
        overlay.set("reply_length", "long").unwrap();
        let intent = "https://a.example/ https://b.example/ https://c.example/";
        for preset in PRESETS {
            let intent =
                if preset.recipe == Recipe::WebsiteMonitor { "https://a.example/" } else { intent };
            let text = draft(preset.recipe, intent, &Extras::default(), &overlay).unwrap();
            let with: Value = serde_json::from_str(&text).unwrap();
            let without = made(preset.recipe, intent).unwrap();
            assert_ne!(with, without, "{}", preset.name);
            assert_eq!(with["allowed_primitives"], without["allowed_primitives"]);
            // A list may become narrower with fewer sources, never wider.
            let hosts = |plan: &Value| plan["web_allowed_domains"].as_array().cloned();
            let known = hosts(&without).unwrap_or_default();
            assert!(hosts(&with).unwrap_or_default().iter().all(|host| known.contains(host)));
            assert_eq!(with.get("recipient_hints"), without.get("recipient_hints"));
            for (one, two) in
                with["steps"].as_array().unwrap().iter().zip(without["steps"].as_array().unwrap())
            {
                assert_eq!(one["tool"]["name"], two["tool"]["name"]);
                assert_eq!(one.get("requires_approval"), two.get("requires_approval"));
            }
        }
        let brief: Value = serde_json::from_str(
            &draft(Recipe::DailyBrief, intent, &Extras::default(), &overlay).unwrap(),
        )
        .unwrap();
        assert_eq!(brief["inputs"]["daily_sources"].as_array().unwrap().len(), 2);
    }
}
