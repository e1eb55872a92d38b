//! The files of `corpus/` at the root of the repository.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The path of a corpus file or folder.
#[must_use]
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(name)
}

/// The bytes of a corpus file.
#[must_use]
pub fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).unwrap_or_else(|error| panic!("corpus/{name}: {error}"))
}

/// The text of a corpus file.
#[must_use]
pub fn text(name: &str) -> String {
    String::from_utf8(bytes(name)).expect("a corpus file in UTF-8")
}

/// The names of the files in a corpus folder, sorted.
#[must_use]
pub fn names(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(path(folder)).expect("a corpus folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}

/// A file with one JSON object a line, as maps from field to text.
#[must_use]
pub fn json_lines(name: &str) -> Vec<Value> {
    let text = text(name);
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
}

/// The text of a field of a corpus case.
#[must_use]
pub fn field<'a>(case: &'a Value, name: &str) -> &'a str {
    case.get(name).and_then(Value::as_str).unwrap_or_else(|| panic!("{case} has no `{name}`"))
}
