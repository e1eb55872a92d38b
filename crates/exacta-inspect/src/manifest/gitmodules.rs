//! `.gitmodules`.

use std::collections::BTreeMap;

/// Address, path and branch of each submodule, with the line its section starts on.
pub(super) fn read(text: &str) -> BTreeMap<String, (usize, String)> {
    let mut modules: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut current = String::new();
    for (number, raw) in text.lines().enumerate() {
        let line = raw.trim();
        if let Some(section) = line.strip_prefix('[') {
            section
                .trim_end_matches(']')
                .trim_start_matches("submodule")
                .trim()
                .trim_matches('"')
                .clone_into(&mut current);
            modules.insert(current.clone(), (number, String::new()));
        } else if let Some((key, value)) = line.split_once('=')
            && let Some((_, place)) = modules.get_mut(&current)
            && matches!(key.trim(), "url" | "branch" | "path" | "update")
        {
            if !place.is_empty() {
                place.push(' ');
            }
            place.push_str(value.trim());
        }
    }
    modules
}
