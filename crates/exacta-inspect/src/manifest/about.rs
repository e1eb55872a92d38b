//! What a project says it is about.
//!
//! In a library of ciphers every function may guard something, whatever it is called. Its
//! manifest says so: name, description, keywords, categories.

use serde_json::Value;

use super::toml_text::Document;

use crate::detect::{SecurityWord, in_name};
use crate::fold::{fold, words};

/// Larger manifests are not read.
const MOST: usize = 256 << 10;

/// The security word that one of the manifests uses of the project.
pub(crate) fn about(manifests: &[&[u8]]) -> Option<SecurityWord> {
    manifests.iter().find_map(|bytes| {
        let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() <= MOST)?;
        let sayings = if text.trim_start().starts_with('{') { json(text) } else { toml(text) };
        sayings.iter().find_map(|saying| in_name(&words(&fold(saying))))
    })
}

fn json(text: &str) -> Vec<String> {
    let Ok(Value::Object(root)) = serde_json::from_str(text) else { return Vec::new() };
    let mut sayings = Vec::new();
    for key in ["name", "description", "keywords"] {
        match root.get(key) {
            Some(Value::String(saying)) => sayings.push(saying.clone()),
            Some(Value::Array(list)) => {
                sayings.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
    sayings
}

fn toml(text: &str) -> Vec<String> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let root = document.root();
    let mut sayings = Vec::new();
    for table in [root.at("package"), root.at("project"), root.at("tool").at("poetry")] {
        for key in ["name", "description"] {
            sayings.extend(table.string(key).map(str::to_owned));
        }
        for key in ["keywords", "categories"] {
            sayings.extend(table.strings(key).into_iter().map(|(saying, _)| saying.to_owned()));
        }
    }
    sayings
}

#[cfg(test)]
mod tests {
    use super::*;
    use exacta_core::judge::facts::Area;

    #[test]
    fn manifests_say_what_a_project_is_about() {
        for (manifest, area) in [
            ("[package]\nname = \"x\"\ncategories = [\"cryptography\"]\n", Some(Area::Crypto)),
            (
                "[project]\nname = \"x\"\ndescription = \"OAuth for all\"\n",
                Some(Area::Authentication),
            ),
            ("[tool.poetry]\nname = \"jwt-tools\"\n", Some(Area::Authentication)),
            ("{\"name\": \"x\", \"keywords\": [\"http\", \"csrf\"]}", Some(Area::Session)),
            ("[package]\nname = \"parser\"\ndescription = \"tokens and hashes\"\n", None),
            ("[dependencies]\nrustls = \"1\"\n", None),
            ("{\"name\": \"web\", \"dependencies\": {\"jsonwebtoken\": \"1\"}}", None),
            ("not a manifest", None),
            ("", None),
        ] {
            let found = about(&[manifest.as_bytes()]).map(|word| word.area);
            assert_eq!(found, area, "{manifest}");
        }
    }
}
