//! Code that is loaded from an address.

use std::sync::LazyLock;

use exacta_core::judge::facts::FactKind;

use super::book::{Book, Rule};
use super::line::Line;
use super::scan::Found;
use super::side::Side;
use super::subject::Subject;

static RULES: &[Rule<()>] = &[
    Rule {
        triggers: &["from", "import", "require", "importscripts"],
        pattern: r"(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*|\bimportScripts\s*\(\s*)['\x22`]((?:https?:)?//[^'\x22`\s]+)",
        cased: true,
        applies: |subject| subject.web(),
        kind: (),
    },
    Rule {
        triggers: &["<script"],
        pattern: r"(?i)<script\b[^>]*\ssrc\s*=\s*['\x22]?((?:https?:)?//[^'\x22\s>]+)",
        cased: true,
        applies: super::book::anywhere,
        kind: (),
    },
    Rule {
        triggers: &[".src"],
        pattern: r"(?i)\bscript\w*\.src\s*=\s*['\x22`]((?:https?:)?//[^'\x22`\s]+)",
        cased: true,
        applies: |subject| subject.web(),
        kind: (),
    },
    Rule {
        triggers: &[
            "pip install",
            "npm install",
            "npm i ",
            "cargo install",
            "go install",
            "gem install",
        ],
        pattern: r"\b(?:pip[0-9.]* install|npm (?:install|i)|cargo install|gem install)\b.*?((?:git\+)?(?:https?|ssh|git)://[^'\x22`\s]+)",
        cased: true,
        applies: |subject| subject.shell_like(),
        kind: (),
    },
];

static BOOK: LazyLock<Book<()>> = LazyLock::new(|| Book::new(RULES));

/// Reports the address.
pub(super) fn detect(
    subject: &Subject<'_>,
    side: &Side<'_>,
    line: &Line<'_>,
    found: &mut Vec<Found>,
) {
    for hit in BOOK.search(subject, &line.plain, &line.lower) {
        let url = line.part(hit.group.0, hit.group.1);
        let dormant = line.is_dormant(side, hit.start, hit.end);
        found.push(Found { dormant, ..Found::new(line, FactKind::UrlImport { url }) });
    }
}

#[cfg(test)]
mod tests {
    use super::super::on_one_line::found_beside;
    use super::*;

    fn urls(path: &str, raw: &str) -> usize {
        found_beside(detect, path, raw).len()
    }

    #[test]
    fn imports_from_addresses_are_found() {
        assert!(BOOK.sound());
        for (path, raw) in [
            ("a.ts", "import { serve } from \"https://deno.land/std/http.ts\";"),
            ("a.js", "import 'https://cdn.example/x.js'"),
            ("a.js", "const m = await import(\"https://esm.sh/x\")"),
            ("a.html", "<script src=\"https://cdn.example/x.js\"></script>"),
            ("a.html", "<script async src=//cdn.example/x.js></script>"),
        ] {
            assert_eq!(urls(path, raw), 1, "{raw}");
        }
        for (path, raw) in [
            ("a.ts", "import { serve } from \"./http\";"),
            ("a.ts", "const url = \"https://example.com\";"),
            ("a.html", "<script src=\"/static/x.js\"></script>"),
            ("a.html", "<a href=\"https://example.com\">from</a>"),
        ] {
            assert_eq!(urls(path, raw), 0, "{raw}");
        }
    }
}
