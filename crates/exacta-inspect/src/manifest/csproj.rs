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
        let value = |name: &str| {
            node.attribute(name).or_else(|| {
                node.children().find(|one| one.tag_name().name() == name).and_then(|one| one.text())
            })
        };
        let name = value("Include").or_else(|| value("Update"));
        match node.tag_name().name() {
            "PackageReference" | "PackageVersion" | "GlobalPackageReference" => {
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
            "ProjectReference" | "Reference" => {
                if let Some(name) = name {
                    let source =
                        value("HintPath").map(|path| format!("path {path}")).unwrap_or_default();
                    manifest.require(name, Dependency { source, line, ..Dependency::default() });
                }
            }
            "Exec" => {
                let command = node.attribute("Command").unwrap_or_default();
                manifest.run(&format!("Exec {command}"), command, line);
            }
            tag @ ("PreBuildEvent" | "PostBuildEvent") => {
                manifest.run(tag, node.text().unwrap_or_default().trim(), line);
            }
            "Import" => {
                if let Some(project) = node.attribute("Project") {
                    manifest.run(&format!("Import {project}"), project, line);
                }
            }
            "RestoreSources" | "RestoreAdditionalProjectSources" => {
                manifest.fetch_from("restore", node.text().unwrap_or_default().trim(), line);
            }
            _ => {}
        }
    }
    Ok(manifest)
}
