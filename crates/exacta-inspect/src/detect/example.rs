//! Values that are meant to be replaced.

use std::sync::LazyLock;

use exacta_core::judge::facts::FactKind;

use super::line::Line;
use super::phrases::{Phrases, undisguised};
use super::scan::Found;
use super::subject::Subject;
use crate::fold::unleet;

static TABLE: &[((), &[&str])] = &[(
    (),
    &[
        "changeme",
        "change me",
        "replaceme",
        "replace me",
        "your api key",
        "your apikey",
        "your key here",
        "your token",
        "your access token",
        "your secret",
        "your secret key",
        "your client id",
        "your client secret",
        "your password",
        "your password here",
        "your username here",
        "your email here",
        "your domain here",
        "your project id",
        "your organization here",
        "your url here",
        "your name here",
        "insert key here",
        "insert token here",
        "insert your",
        "enter your api key",
        "api key here",
        "token here",
        "secret here",
        "password here",
        "dummy api key",
        "fill me in",
        "todo replace",
    ],
)];

static PHRASES: LazyLock<Phrases<()>> = LazyLock::new(|| Phrases::new(TABLE, undisguised));

/// Reports the first example value of a line. Prose, tests and samples may hold them.
pub(super) fn detect(subject: &Subject<'_>, line: &Line<'_>, found: &mut Vec<Found>) {
    if subject.prose || subject.test || subject.sample || line.comment {
        return;
    }
    let words = unleet(&line.words);
    if let Some((text, ())) = PHRASES.first(&words)
        && in_value(line)
    {
        found.push(Found::new(line, FactKind::ExampleValue { text: text.to_owned() }));
    }
}

/// Whether the line gives a value to something: prose in messages ("enter your
/// password") does not.
fn in_value(line: &Line<'_>) -> bool {
    line.plain.contains(['=', ':']) || line.plain.contains("('") || line.plain.contains("(\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, raw: &str) -> bool {
        !super::super::on_one_line::found(detect, path, raw).is_empty()
    }

    #[test]
    fn example_values_are_found_where_they_would_be_used() {
        for raw in [
            "api_key = \"your-api-key\"",
            "API_KEY=YOUR_API_KEY_HERE",
            "password: changeme",
            "password: ch\u{430}ngeme",
            "token = '<your-token>'",
            "const key = 'y0ur-api-key'",
        ] {
            assert!(found("src/config.py", raw), "{raw}");
            assert!(!found("docs/setup.md", raw), "{raw}");
            assert!(!found("tests/test_config.py", raw), "{raw}");
        }
        for raw in ["name = \"your\"", "exchange_method = x", "raise Error('bad key')"] {
            assert!(!found("src/config.py", raw), "{raw}");
        }
    }
}
