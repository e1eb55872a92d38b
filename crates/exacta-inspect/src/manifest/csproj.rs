//! Project files of .NET, `Directory.Packages.props` and `packages.config`.

use roxmltree::{Document, Node};

use super::model::{Dependency, Lines, Manifest};

/// Packages, projects and libraries referred to; commands that the build runs.
pub(super) fn read(text: &str) -> Result<Manifest, String> {
    let document = Document::parse(text).map_err(|error| error.to_string())?;
    let mut manifest = Manifest::default();
    let lines = Lines::new(text);
    for node in document.root_element().descendants().filter(Node::is_element) {
        let line = Some(lines.at(node.range().start));
        let value = |name: &str| value(node, name);
        let name = value("Include").or_else(|| value("Update"));
        let tag = node.tag_name().name();
        for sdk in sdks(node) {
            let (name, version) = sdk.split_once('/').unwrap_or((sdk, ""));
            let version = value("Version").unwrap_or(version).to_owned();
            if !(version.is_empty() && comes_with_the_tools(name)) {
                let name = format!("Sdk {name}");
                manifest.require(&name, Dependency { version, line, ..Dependency::default() });
            }
        }
        if is_task(node) {
            let text = text.get(node.range()).unwrap_or_default();
            let words: Vec<&str> = text.split_whitespace().collect();
            let words = words.join(" ");
            manifest.run(&format!("{tag} {words}"), words, line);
        }
        // Names of items and properties are the same in any case.
        match tag.to_ascii_lowercase().as_str() {
            "packagereference"
            | "packageversion"
            | "globalpackagereference"
            | "packagedownload"
            | "dotnetclitoolreference" => {
                let version = value("Version")
                    .or_else(|| value("VersionOverride"))
                    .unwrap_or_default()
                    .to_owned();
                if let Some(name) = name {
                    manifest.require(name, Dependency { version, line, ..Dependency::default() });
                }
            }
            "package" => {
                if let Some(id) = node.attribute("id") {
                    let version = node.attribute("version").unwrap_or_default().to_owned();
                    manifest.require(id, Dependency { version, line, ..Dependency::default() });
                }
            }
            "projectreference" | "reference" | "analyzer" | "comreference" | "nativereference" => {
                if let Some(name) = name {
                    let source =
                        value("HintPath").map(|path| format!("path {path}")).unwrap_or_default();
                    manifest.require(name, Dependency { source, line, ..Dependency::default() });
                }
            }
            "exec" => {
                let command = value("Command").unwrap_or_default();
                manifest.run(&format!("Exec {command}"), command, line);
            }
            "prebuildevent" | "prelinkevent" | "postbuildevent" => {
                manifest.run(tag, node.text().unwrap_or_default().trim(), line);
            }
            "import" => {
                if let Some(project) = value("Project") {
                    manifest.run(&format!("Import {project}"), project, line);
                }
            }
            "restoresources" | "restoreadditionalprojectsources" => {
                manifest.fetch_from("restore", node.text().unwrap_or_default().trim(), line);
            }
            _ => {}
        }
    }
    Ok(manifest)
}

/// What an element says under a name: as an attribute or in an element of its own.
fn value<'d>(node: Node<'d, '_>, name: &str) -> Option<&'d str> {
    let attribute = node.attributes().find(|one| one.name().eq_ignore_ascii_case(name));
    attribute.map(|one| one.value()).or_else(|| {
        let mut inside = node.children();
        inside.find(|one| one.tag_name().name().eq_ignore_ascii_case(name))?.text()
    })
}

/// The kits that an element builds with, each with its version behind a slash where it has
/// one. They are programs that every build runs.
fn sdks<'d>(node: Node<'d, '_>) -> impl Iterator<Item = &'d str> {
    let name = match node.tag_name().name() {
        "Project" | "Import" => node.attribute("Sdk"),
        "Sdk" => node.attribute("Name"),
        _ => None,
    };
    name.into_iter().flat_map(|names| names.split(';')).map(str::trim).filter(|sdk| !sdk.is_empty())
}

/// Whether a kit is part of the tools themselves.
fn comes_with_the_tools(sdk: &str) -> bool {
    sdk == "Microsoft.NET.Sdk" || sdk.starts_with("Microsoft.NET.Sdk.")
}

/// Whether the build does something there that has no reading of its own: a task of a
/// target, or the declaration of one.
fn is_task(node: Node<'_, '_>) -> bool {
    let of_target = node.parent().is_some_and(|parent| parent.tag_name().name() == "Target");
    let tag = node.tag_name().name();
    let harmless = ["PropertyGroup", "ItemGroup", "Message", "Warning", "Error", "OnError", "Exec"];
    tag == "UsingTask" || of_target && !harmless.contains(&tag)
}
