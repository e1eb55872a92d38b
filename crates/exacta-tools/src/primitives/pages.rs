//! A page for each primitive, for the reference: made from its schema and a few words.

use std::fmt::Write as _;

use exacta_core::judge::policy::Policy;
use exacta_core::model::registry::{self, Effect};
use serde_json::Value;

use super::set::registry;
use crate::net::Network;

/// The page of one primitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrimitivePage {
    /// Its name.
    pub name: &'static str,
    /// Its effect in one word.
    pub effect: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// The page as Markdown.
    pub text: String,
}

/// What a schema cannot say.
struct Words {
    name: &'static str,
    about: &'static str,
    needs: &'static str,
    gives: &'static [(&'static str, &'static str)],
    fails: &'static [(&'static str, &'static str)],
    notes: &'static str,
}

const WEB_FAILS: [(&str, &str); 8] = [
    (
        "ADDRESS_REFUSED",
        "the address is not `https`, not in its one spelling, or not allowed by policy; also for each redirect",
    ),
    ("ADDRESS_NOT_PUBLIC", "the name leads to an address inside a private network"),
    ("HTTP_STATUS", "the server answered with an error"),
    ("HTTP_TOO_LONG", "the answer is longer than 5 MiB"),
    ("HTTP_BOMB", "the answer grows a hundredfold when it is unpacked"),
    ("HTTP_TIMEOUT", "the answer took longer than 30 s"),
    ("HTTP_REDIRECTS", "more than 3 redirects"),
    ("ROBOTS_DISALLOWED", "the site's robots.txt does not allow programs to read it"),
];

const MAIL_FAILS: [(&str, &str); 8] = [
    ("MAIL_OFF", "sending is off; `tools.mail.send` turns it on"),
    ("MAIL_NOT_SET_UP", "policy names no server or no sender"),
    (
        "MAIL_REFUSED",
        "a recipient is not allowed, named twice or one of more than 20; a header would not be one line; or the server refused: nothing was sent",
    ),
    (
        "MAIL_UNPROTECTED",
        "the server offers no TLS or shows a certificate that is not its own: nothing was sent",
    ),
    ("MAIL_LIMIT", "the day's mails are used up"),
    ("SUPPRESSED", "quiet hours; the step is skipped"),
    (
        "MAIL_LOST",
        "the connection broke. Before `DATA` nothing was sent; after it the outcome is unknown until a person resolves it, and it is never sent again by itself",
    ),
    ("SECRET_MISSING", "the secret to sign in with is not there"),
];

const WORDS: [Words; 12] = [
    Words {
        name: "ReadWeb",
        about: "reads one page as text; told to watch it, says whether it changed",
        needs: "`allowed_domains`; `tools.ports` for a port other than 443",
        gives: &[
            ("address", "where the page came from, after redirects"),
            ("title, text", "the page as people read it, or the text of what `selector` selects"),
            ("not_modified", "whether the server said that nothing changed"),
            (
                "watch, first, changed, alert, added, removed",
                "only with `watch`: what changed since it was last reported",
            ),
        ],
        fails: &WEB_FAILS,
        notes: "With `watch`, the page is compared with what was *reported* last, not with what was read last: hand `watch` on to the step that reports (`NotifyUser` or `WriteOutcomeDraft`). A change counts when a second look shows it too. An error, a captcha page or an empty selection fails the step and is not a change. Ignored text is in neither comparison nor alert. Sensitivity is the share of words that must differ: 90 any, 80 0.2 %, 70 0.5 %, 60 0.8 %, 50 1 %, 40 2.5 %, 30 5 %, 20 10 %, 10 20 %.",
    },
    Words {
        name: "ReadSources",
        about: "reads several feeds (RSS, Atom, JSON) or pages; one that fails stops no other",
        needs: "`allowed_domains`",
        gives: &[
            (
                "items",
                "what the sources say: source, title, place, published, summary, and whether it is new",
            ),
            ("failed", "the sources that could not be read, and why"),
            ("watch", "what a step that reports needs, so that items count as known from then on"),
        ],
        fails: &WEB_FAILS,
        notes: "Only when every source fails does the step fail.",
    },
    Words {
        name: "ReadForwardedEmail",
        about: "reads forwarded mail: `.eml`, mbox or Maildir",
        needs: "`inputs.inbox_source_text` in the plan, or `tools.inbox` in policy",
        gives: &[(
            "letters",
            "each message: id, thread, sender, subject, date, text, attached names, whether it went to many",
        )],
        fails: &[
            ("INBOX_MISSING", "there is nowhere to read from"),
            ("INBOX_UNREADABLE", "what is there is not mail, or too long"),
        ],
        notes: "Looking changes nothing: no flag, no file name and no access time.",
    },
    Words {
        name: "ReadVaultFile",
        about: "reads one text file of the folder that policy names",
        needs: "`tools.vault`, and `ReadVaultFile` in `primitives`; never in `Custom` plans",
        gives: &[("text, bytes", "what the file holds")],
        fails: &[
            ("VAULT_MISSING", "policy names no vault"),
            (
                "VAULT_FAILED",
                "the path leaves the folder, goes through a link, or is not a text file of 1 MiB at most",
            ),
        ],
        notes: "",
    },
    Words {
        name: "AggregateDailySummary",
        about: "sums up items in a few lines, each with its source",
        needs: "nothing",
        gives: &[
            (
                "text",
                "the summary; says \"Nothing new.\" when there is nothing, and names each source that could not be read",
            ),
            ("bullets", "the same lines as data"),
            ("nothing_new", "whether there was nothing"),
        ],
        fails: &[],
        notes: "Sources take turns, newest first, so that a loud one does not drown the others.",
    },
    Words {
        name: "NotifyUser",
        about: "tells the operator, by the ways that policy names",
        needs: "`tools.notify`; for mail also `tools.mail`",
        gives: &[
            ("delivered", "whether it was said"),
            ("ways", "how"),
            ("reason", "why not: nothing to say, quiet hours, the day's limit"),
        ],
        fails: &[("NOTIFY_FAILED", "no way worked")],
        notes: "Never asks: it reaches the operator alone, as plain text in our own form. An empty message is not delivered. Once a run, also through an interruption. What could not be said is said in the next run.",
    },
    Words {
        name: "TriageEmail",
        about: "sorts mail by rules, each message with a reason, and leaves the list in the outbox",
        needs: "the messages of `ReadForwardedEmail`",
        gives: &[
            ("sorted", "each message with label, reason, thread and sender"),
            ("counts, summary", "how many of each"),
            ("draft", "the file in the outbox"),
        ],
        fails: &[("ARGS_INVALID", "the messages or rules are not what they should be")],
        notes: "Rules are data: the first that holds gives its label, and all of its conditions must hold. Without `rules` the built-in ones know newsletters, notifications, urgent mail and mail that waits for an answer. Taken back by removing the file, unless somebody edited it.",
    },
    Words {
        name: "WriteOutcomeDraft",
        about: "leaves a text in the outbox, `.exacta/outbox`",
        needs: "nothing",
        gives: &[("draft, bytes", "the file in the outbox")],
        fails: &[("FOLDER_FAILED", "the outbox cannot be written")],
        notes: "Taken back by removing the file, unless somebody edited it.",
    },
    Words {
        name: "WriteEmailDraft",
        about: "leaves a mail in the outbox for a person to send",
        needs: "`allowed_recipients`",
        gives: &[
            ("draft", "the `.eml` file in the outbox"),
            ("recipients", "everybody it is addressed to"),
        ],
        fails: &[(
            "MAIL_REFUSED",
            "a recipient is not a bare address, is named twice, or is one of more than 20; or a header would not be one line",
        )],
        notes: "Taken back by removing the file, unless somebody edited it.",
    },
    Words {
        name: "ScheduleRun",
        about: "has a recipe handed in again and again while `exacta serve` runs",
        needs: "`primitives` with `ScheduleRun`",
        gives: &[
            ("schedule", "its name, as `exacta recipe schedule remove` takes it"),
            ("when, next", "when it is due, in words, and the first time"),
        ],
        fails: &[
            ("ARGS_INVALID", "it is not clear when it is due"),
            ("SCHEDULE", "there are a hundred schedules already"),
        ],
        notes: "Give `every` (`30m`, `2h`, `1d`) or `daily` (`07:30`, in `zone`) with `days`. A firing makes a fresh plan of the recipe and hands it in: policy and the decision table say what becomes of it, like for every other plan. What was missed while no server ran is made up for once. After three failures in a row the operator is told. Taken back by removing the schedule.",
    },
    Words {
        name: "SendEmail",
        about: "sends one mail, at most once",
        needs: "`allowed_recipients`, `tools.mail` with `send = true`",
        gives: &[
            ("message_id", "the mail's name, the same on every attempt"),
            ("recipients", "everybody it went to"),
            ("server", "what the server said"),
        ],
        fails: &MAIL_FAILS,
        notes: "Always asks, and again right before. TLS always; bytes that arrive before it begins are not believed. The start is on the record, durably, before `DATA` is said.",
    },
    Words {
        name: "CallApi",
        about: "calls an address that the operator configured, exactly so",
        needs: "`tools.endpoints`, with a price",
        gives: &[("status, answer", "what the service said")],
        fails: &[
            ("ENDPOINT_UNKNOWN", "the address is not configured"),
            ("PRICE_UNKNOWN", "the endpoint has no price; unknown is not zero"),
            (
                "HTTP_STATUS",
                "refused (4xx): nothing happened; broken (5xx), timed out (408) or sent elsewhere (3xx): unknown until a person resolves it",
            ),
        ],
        notes: "Always asks, and again right before. Sends `Idempotency-Key`; follows no redirect.",
    },
];

/// Every page, in the order of the registry.
pub fn pages() -> Vec<PrimitivePage> {
    let Ok(network) = Network::new() else { return Vec::new() };
    let Ok(tools) = registry(&Policy::default(), &network) else { return Vec::new() };
    let facts = tools.facts();
    WORDS
        .iter()
        .filter_map(|words| {
            let schema = &facts.iter().find(|tool| tool.name == words.name)?.args_schema;
            let judged = registry::find(words.name)?;
            let effect = match judged.effect {
                Effect::Read => "read",
                Effect::DraftWrite => "draft_write",
                Effect::BulkWrite => "bulk_write",
                Effect::Publish => "publish",
                Effect::Send => "send",
            };
            let text = page(words, schema, effect, judged);
            Some(PrimitivePage { name: words.name, effect, about: words.about, text })
        })
        .collect()
}

fn page(words: &Words, schema: &Value, effect: &str, judged: &registry::Primitive) -> String {
    let mut text = format!("# {}\n\nIt {}.\n\n", words.name, words.about);
    let yes = |flag: bool| if flag { "yes" } else { "no" };
    let asks = match judged.effect {
        Effect::Read => "no",
        Effect::DraftWrite => "yes; policy may lift it for preset recipes",
        _ => "always, and again right before the effect",
    };
    let back = if judged.effect == Effect::Read { "not needed" } else { yes(judged.reversible) };
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "| effect | asks | can be taken back | in Custom plans | needs |\n\
         | --- | --- | --- | --- | --- |\n| {effect} | {asks} | {back} | {} | {} |\n",
        yes(judged.in_custom),
        words.needs
    );
    text.push_str("\n## Arguments\n\n| name | required | takes |\n| --- | --- | --- |\n");
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let members = schema.get("properties").and_then(Value::as_object);
    for (name, member) in members.into_iter().flatten() {
        let must = yes(required.contains(&name.as_str()));
        let _ = writeln!(text, "| `{name}` | {must} | {} |", takes(member));
    }
    text.push_str("\n## Gives\n\n| name | what |\n| --- | --- |\n");
    for (name, what) in words.gives {
        let names: Vec<String> = name.split(", ").map(|name| format!("`{name}`")).collect();
        let _ = writeln!(text, "| {} | {what} |", names.join(", "));
    }
    if !words.fails.is_empty() {
        text.push_str("\n## Fails\n\n| code | when |\n| --- | --- |\n");
        for (code, when) in words.fails {
            let _ = writeln!(text, "| `{code}` | {when} |");
        }
    }
    if !words.notes.is_empty() {
        let _ = write!(text, "\n{}\n", words.notes);
    }
    text
}

/// What a member takes, in words.
fn takes(schema: &Value) -> String {
    if let Some(list) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = list.iter().map(|word| format!("`{word}`")).collect();
        return words.join(", ");
    }
    if let Some(list) = schema.get("anyOf").and_then(Value::as_array) {
        return list.iter().map(takes).collect::<Vec<_>>().join(", or ");
    }
    let number = |name: &str| schema.get(name).and_then(Value::as_u64);
    match schema.get("type").and_then(Value::as_str) {
        Some("string") if schema.get("pattern").is_some() => "an `https` address".into(),
        Some("string") => match number("maxLength") {
            Some(most) => format!("text of at most {most} characters"),
            None => "text".into(),
        },
        Some("integer") => match (number("minimum"), number("maximum")) {
            (Some(least), Some(most)) => format!("a whole number from {least} to {most}"),
            _ => "a whole number".into(),
        },
        Some("boolean") => "`true` or `false`".into(),
        Some("array") => {
            let inner = schema.get("items").map_or_else(|| "values".into(), takes);
            match number("maxItems") {
                Some(most) => format!("a list of at most {most}: {inner}"),
                None => format!("a list: {inner}"),
            }
        }
        Some("object") => match schema.get("properties").and_then(Value::as_object) {
            Some(members) => {
                let names: Vec<String> = members.keys().map(|name| format!("`{name}`")).collect();
                format!("an object of {}", names.join(", "))
            }
            None => "an object".into(),
        },
        _ => "a value".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_primitive_that_runs_has_a_page() {
        let network = Network::new().unwrap();
        let tools = registry(&Policy::default(), &network).unwrap();
        let mut names: Vec<String> = tools.facts().into_iter().map(|tool| tool.name).collect();
        let mut pages: Vec<String> = pages().iter().map(|page| page.name.to_owned()).collect();
        names.sort();
        pages.sort();
        assert_eq!(names, pages);
    }
}
