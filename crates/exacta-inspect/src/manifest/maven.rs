//! `pom.xml`.

use roxmltree::{Document, Node};

use super::model::{Dependency, Lines, Manifest};

/// Dependencies, plugins and the parent; plugins that run commands are scripts.
pub(super) fn read(text: &str) -> Result<Manifest, String> {
    let document = Document::parse(text).map_err(|error| error.to_string())?;
    let mut manifest = Manifest::default();
    let lines = Lines::new(text);
    let root = document.root_element();
    for node in root.descendants().filter(Node::is_element) {
        let line = Some(lines.at(node.range().start));
        match node.tag_name().name() {
            tag @ ("dependency" | "plugin" | "parent" | "extension") => {
                let (Some(artifact), group) = (child(node, "artifactId"), child(node, "groupId"))
                else {
                    continue;
                };
                let name = format!("{}:{artifact}", group.unwrap_or("org.apache.maven.plugins"));
                let version = resolve(root, child(node, "version").unwrap_or_default());
                let source = child(node, "systemPath").unwrap_or_default().to_owned();
                if tag == "plugin" && runs_commands(artifact) {
                    manifest.run(artifact, configuration(node), line);
                }
                manifest.require(&name, Dependency { version, source, line });
            }
            "repository" | "pluginRepository" | "snapshotRepository" => {
                if let Some(url) = child(node, "url") {
                    manifest.fetch_from(child(node, "id").unwrap_or(url), url, line);
                }
            }
            _ => {}
        }
    }
    Ok(manifest)
}

fn child<'d>(node: Node<'d, '_>, name: &str) -> Option<&'d str> {
    node.children().find(|one| one.tag_name().name() == name)?.text().map(str::trim)
}

/// `${some.version}` stands for a property of the same file.
fn resolve(root: Node<'_, '_>, version: &str) -> String {
    let Some(name) = version.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) else {
        return version.to_owned();
    };
    root.children()
        .find(|one| one.tag_name().name() == "properties")
        .and_then(|properties| child(properties, name))
        .unwrap_or(version)
        .to_owned()
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
