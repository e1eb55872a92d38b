//! What an import brings in from outside the file's own package, as one name.

use exacta_core::judge::facts::Language;

/// The package or module that the statement names; `None` where it is the project's own by
/// its form.
pub(super) fn imported(language: Language, statement: &str) -> Option<String> {
    let statement = statement.get(..statement.len().min(400)).unwrap_or(statement).trim();
    let word = |text: &str| -> String {
        text.trim().chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-')).collect()
    };
    let quoted = || {
        let mut parts = statement.rsplit(['"', '\'']);
        parts.next();
        parts.next()
    };
    let name = match language {
        Language::Python => {
            let rest =
                statement.strip_prefix("from ").or_else(|| statement.strip_prefix("import "))?;
            if rest.trim_start().starts_with('.') {
                return None;
            }
            word(rest)
        }
        Language::JavaScript | Language::TypeScript => {
            let module = quoted()?;
            let module = module.strip_prefix("node:").unwrap_or(module);
            if module.starts_with(['.', '#', '~']) || module.starts_with("@/") {
                return None;
            }
            let mut parts = module.split('/');
            let first = parts.next().unwrap_or_default();
            match (first.starts_with('@'), parts.next()) {
                (true, Some(second)) => format!("{first}/{second}"),
                _ => first.to_owned(),
            }
        }
        Language::Go => {
            let module = quoted()?;
            // Packages of the language's own library have no host.
            if !module.split('/').next().unwrap_or_default().contains('.') {
                return None;
            }
            module.split('/').take(3).collect::<Vec<_>>().join("/")
        }
        Language::Rust => {
            let rest = statement.split("use ").nth(1)?;
            let first = word(rest.trim_start_matches("::"));
            if matches!(first.as_str(), "crate" | "self" | "super" | "std" | "core" | "alloc") {
                return None;
            }
            first
        }
        Language::Java => {
            let rest = statement.strip_prefix("import ")?.trim_start_matches("static ");
            rest.split(['.', ';']).take(2).collect::<Vec<_>>().join(".")
        }
        Language::C | Language::Cpp => {
            let rest = statement.split_once('<')?.1;
            rest.split(['>', '.']).next().unwrap_or_default().to_owned()
        }
    };
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_is_known_by_its_package() {
        for (language, statement, expected) in [
            (Language::Python, "from a.b import c", Some("a")),
            (Language::Python, "from .b import c", None),
            (Language::JavaScript, "import x from '@s/p/q';", Some("@s/p")),
            (Language::JavaScript, "import './x';", None),
            (Language::Go, "\"fmt\"", None),
            (Language::Go, "x \"example.org/a/b/c\"", Some("example.org/a/b")),
            (Language::Rust, "pub use crate::a;", None),
            (Language::Rust, "use serde::Serialize;", Some("serde")),
            (Language::Java, "import static org.junit.Assert.*;", Some("org.junit")),
            (Language::C, "#include <curl/curl.h>", Some("curl/curl")),
            (Language::C, "#include \"a.h\"", None),
        ] {
            assert_eq!(imported(language, statement).as_deref(), expected, "{statement}");
        }
    }
}
