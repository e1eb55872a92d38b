//! Sorts mail by rules that are data, and says for each message why.

use serde::{Deserialize, Serialize};

use super::letters::Letter;

/// One rule: the first that holds gives its label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// What a message is called for which the rule holds.
    pub label: String,
    /// The subject holds one of these, in any case.
    #[serde(default)]
    pub subject_has: Vec<String>,
    /// The sender's address or name holds one of these, in any case.
    #[serde(default)]
    pub sender_has: Vec<String>,
    /// The text holds one of these, in any case.
    #[serde(default)]
    pub text_has: Vec<String>,
    /// It went to many, or not.
    #[serde(default)]
    pub bulk: Option<bool>,
    /// Something is attached, or not.
    #[serde(default)]
    pub attached: Option<bool>,
}

/// A message and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sorted {
    /// The message.
    pub id: String,
    /// Its conversation.
    pub thread: String,
    /// Who wrote it.
    pub sender: String,
    /// Its subject.
    pub subject: String,
    /// The label.
    pub label: String,
    /// Why.
    pub reason: String,
}

/// What a message is called for which no rule holds.
const REST: &str = "other";

/// The rules for those who have none: written to many, pressing, waiting for an answer.
pub fn built_in() -> Vec<Rule> {
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
    vec![
        Rule { label: "newsletter".into(), bulk: Some(true), ..Rule::default() },
        Rule {
            label: "notification".into(),
            sender_has: words(&["noreply", "no-reply", "donotreply", "notifications@"]),
            ..Rule::default()
        },
        Rule {
            label: "urgent".into(),
            subject_has: words(&["urgent", "asap", "deadline", "immediately"]),
            ..Rule::default()
        },
        Rule {
            label: "needs_reply".into(),
            text_has: words(&["?", "please reply", "let me know", "could you", "can you"]),
            ..Rule::default()
        },
    ]
}

/// Sorts every message.
pub fn triage(letters: &[Letter], rules: &[Rule]) -> Vec<Sorted> {
    let sort = |letter: &Letter| {
        let found = rules.iter().find_map(|rule| Some((rule, holds(rule, letter)?)));
        let (label, reason) = found.map_or_else(
            || (REST.to_owned(), "no rule holds".to_owned()),
            |(rule, reason)| (rule.label.clone(), reason),
        );
        Sorted {
            id: letter.id.clone(),
            thread: letter.thread.clone(),
            sender: letter.sender.clone(),
            subject: letter.subject.clone(),
            label,
            reason,
        }
    };
    letters.iter().map(sort).collect()
}

/// Why a rule holds; none when it does not. Every condition it has must hold; a rule
/// without one never does.
fn holds(rule: &Rule, letter: &Letter) -> Option<String> {
    let mut reasons = Vec::new();
    let sender = format!("{} {}", letter.sender, letter.sender_name);
    for (where_, words, text) in [
        ("subject", &rule.subject_has, letter.subject.as_str()),
        ("sender", &rule.sender_has, sender.as_str()),
        ("text", &rule.text_has, letter.text.as_str()),
    ] {
        if words.is_empty() {
            continue;
        }
        let text = text.to_lowercase();
        let word =
            words.iter().find(|word| !word.is_empty() && text.contains(&word.to_lowercase()))?;
        reasons.push(format!("the {where_} has `{word}`"));
    }
    for (wanted, is, yes, no) in [
        (rule.bulk, letter.bulk, "it went to many", "it went to few"),
        (
            rule.attached,
            !letter.attached.is_empty(),
            "something is attached",
            "nothing is attached",
        ),
    ] {
        match wanted {
            Some(wanted) if wanted != is => return None,
            Some(true) => reasons.push(yes.to_owned()),
            Some(false) => reasons.push(no.to_owned()),
            None => {}
        }
    }
    (!reasons.is_empty()).then(|| reasons.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter(sender: &str, subject: &str, text: &str, bulk: bool) -> Letter {
        let id = format!("{subject}@x");
        Letter {
            thread: id.clone(),
            id,
            sender: sender.into(),
            subject: subject.into(),
            text: text.into(),
            bulk,
            ..Letter::default()
        }
    }

    #[test]
    fn every_message_gets_a_label_and_a_reason() {
        let letters = [
            letter("a@x", "URGENT: server", "fire", false),
            letter("a@x", "Lunch", "Could you come at one?", false),
            letter("noreply@shop", "Your order", "on its way", false),
            letter("news@x", "Urgent offers", "buy?", true),
            letter("b@x", "FYI", "see attached", false),
        ];
        let sorted = triage(&letters, &built_in());
        let labels: Vec<&str> = sorted.iter().map(|one| one.label.as_str()).collect();
        assert_eq!(labels, ["urgent", "needs_reply", "notification", "newsletter", "other"]);
        assert_eq!(sorted.first().unwrap().reason, "the subject has `urgent`");
        assert!(sorted.iter().all(|one| !one.reason.is_empty() && one.thread == one.id));
    }

    #[test]
    fn a_rule_holds_when_all_of_it_does() {
        let rule = Rule {
            label: "x".into(),
            subject_has: vec!["bill".into()],
            sender_has: vec!["bank".into()],
            bulk: Some(false),
            ..Rule::default()
        };
        let sort = |letter: &Letter| {
            triage(std::slice::from_ref(letter), std::slice::from_ref(&rule)).remove(0).label
        };
        assert_eq!(sort(&letter("me@bank", "Your bill", "", false)), "x");
        assert_eq!(sort(&letter("me@bank", "Your bill", "", true)), "other");
        assert_eq!(sort(&letter("me@shop", "Your bill", "", false)), "other");
        let empty = Rule { label: "x".into(), ..Rule::default() };
        assert_eq!(triage(&[letter("a", "b", "c", false)], &[empty]).remove(0).label, "other");
    }
}
