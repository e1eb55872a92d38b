//! `pom.xml`.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::{Document, Node};

use super::model::{Dependency, Lines, Manifest};

/// Dependencies, plugins and the parent; plugins that run commands are scripts.
pub(super) fn read(text: &str) -> Result<Manifest, String> {
    let document = Document::parse(text).map_err(|error| error.to_string())?;
    let mut manifest = Manifest::default();
    let lines = Lines::new(text);
    let root = document.root_element();
    let properties = properties(root);
    let mut used: BTreeSet<&str> = BTreeSet::new();
    for node in root.descendants().filter(Node::is_element) {
        let line = Some(lines.at(node.range().start));
        match node.tag_name().name() {
            tag @ ("dependency" | "plugin" | "parent" | "extension") => {
                let (Some(artifact), group) = (child(node, "artifactId"), child(node, "groupId"))
                else {
                    continue;
                };
                let name = format!("{}:{artifact}", group.unwrap_or("org.apache.maven.plugins"));
                let version = resolve(&properties, child(node, "version").unwrap_or_default());
                used.extend(child(node, "version").and_then(property));
                let source = child(node, "systemPath").unwrap_or_default().to_owned();
                if tag == "plugin" && runs_commands(artifact) {
                    manifest.run(artifact, configuration(node), line);
                }
                manifest
                    .require(&name, Dependency { version, source, detail: String::new(), line });
            }
            "repository" | "pluginRepository" | "snapshotRepository" => {
                if let Some(url) = child(node, "url") {
                    manifest.fetch_from(child(node, "id").unwrap_or(url), url, line);
                }
            }
            _ => {}
        }
    }
    for (name, (value, at)) in properties {
        if is_version(name) && !used.contains(name) {
            let (version, line) = (value.to_owned(), Some(lines.at(at)));
            let name = format!("property {name}");
            manifest.require(&name, Dependency { version, line, ..Dependency::default() });
        }
    }
    Ok(manifest)
}

fn child<'d>(node: Node<'d, '_>, name: &str) -> Option<&'d str> {
    node.children().find(|one| one.tag_name().name() == name)?.text().map(str::trim)
}

/// Name, value and place of each property of the file.
fn properties<'d>(root: Node<'d, '_>) -> BTreeMap<&'d str, (&'d str, usize)> {
    root.children()
        .filter(|one| one.tag_name().name() == "properties")
        .flat_map(|list| list.children().filter(Node::is_element))
        .map(|one| {
            let value = one.text().map(str::trim).unwrap_or_default();
            (one.tag_name().name(), (value, one.range().start))
        })
        .collect()
}

/// The property that `${name}` stands for.
fn property(version: &str) -> Option<&str> {
    version.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'))
}

/// `${some.version}` stands for a property of the same file.
fn resolve(properties: &BTreeMap<&str, (&str, usize)>, version: &str) -> String {
    let value = property(version).and_then(|name| properties.get(name));
    value.map_or(version, |(value, _)| value).to_owned()
}

/// Whether a property is a version by its name, for a parent or a module to use.
fn is_version(name: &str) -> bool {
    let name = name.to_lowercase();
    name.ends_with("version") || name.starts_with("version.")
}

fn runs_commands(artifact: &str) -> bool {
    ["exec", "antrun", "groovy", "script", "ant-", "frontend"]
        .iter()
        .any(|word| artifact.contains(word))
}

/// What the plugin is told, but not which version of it is used.
fn configuration(node: Node<'_, '_>) -> String {
    let words: Vec<&str> = node
        .children()
        .filter(|child| matches!(child.tag_name().name(), "configuration" | "executions"))
        .flat_map(|child| child.descendants())
        .filter(Node::is_text)
        .filter_map(|text| text.text())
        .flat_map(str::split_whitespace)
        .collect();
    words.join(" ")
}
