//! Which program runs a file, or obeys it.

use alloc::string::String;

use super::autorun::{AutoRun, auto_run};
use super::autorun_names::PROGRAMS;
use super::fold::fold_key;
use super::rules::RelPath;

/// The program that runs or obeys the file without being asked, in words that fit before
/// "runs or obeys it"; `None` where nothing does.
#[must_use]
pub fn auto_run_program(path: &RelPath) -> Option<String> {
    let why = auto_run(path)?;
    let folded = fold_key(path.as_str());
    Some(listed(&folded).or_else(|| by_name(&folded)).unwrap_or_else(|| usual(why).into()))
}

/// What the list says.
fn listed(folded: &str) -> Option<String> {
    let name = folded.rsplit('/').next().unwrap_or(folded);
    let folders = || folded.rsplit('/').skip(1);
    let entry = PROGRAMS.iter().find(|(form, entry, below, _)| match *form {
        "name" => name == *entry,
        "prefix" => {
            name.starts_with(entry)
                || entry.starts_with('.') && folders().any(|part| part.starts_with(entry))
        }
        "suffix" => name.ends_with(entry),
        "folder" => folders().any(|part| part == *entry),
        "pair" => in_pair(folded, entry, below),
        _ => false,
    });
    entry.map(|(_, _, _, program)| (*program).into())
}

fn in_pair(folded: &str, outer: &str, below: &str) -> bool {
    let mut rest = folded;
    while let Some((folder, inner)) = rest.split_once('/') {
        if folder == outer && inner.starts_with(below) {
            return true;
        }
        rest = inner;
    }
    false
}

/// `.toolrc.json` and `tool.config.js` carry the name of their program.
fn by_name(folded: &str) -> Option<String> {
    let name = folded.rsplit('/').next().unwrap_or(folded);
    let program = match name.strip_prefix('.') {
        Some(rest) => rest.split('.').next()?.strip_suffix("rc")?,
        None => name.split_once(".config.").or_else(|| name.split_once(".conf."))?.0,
    };
    (program.len() > 1).then(|| program.into())
}

fn usual(why: AutoRun) -> &'static str {
    match why {
        AutoRun::Workflow => "the build service",
        AutoRun::VersionControl => "git",
        AutoRun::HookManager => "the hook manager",
        AutoRun::EditorSettings => "an editor",
        AutoRun::AgentSettings => "a coding agent",
        AutoRun::BuildScript => "the build",
        AutoRun::TestSetup => "the test runner",
        AutoRun::Container => "the container engine",
        AutoRun::ShellSettings => "a shell or an interpreter",
        AutoRun::PackageManagerSettings => "the package manager",
        AutoRun::Environment => "every program that reads local settings",
        AutoRun::DevContainer => "the development environment",
        AutoRun::Service => "the system or a server",
        AutoRun::Tool => "a tool that keeps its settings there",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_runs_by_itself_names_its_program() {
        for (path, program) in [
            ("conftest.py", Some("pytest")),
            ("a/Makefile", Some("make")),
            (".github/workflows/ci.yml", Some("GitHub")),
            (".newtoolrc.json", Some("newtool")),
            ("newtool.config.js", Some("newtool")),
            (".vscode/tasks.json", Some("Visual Studio Code")),
            ("some.service", Some("the system or a server")),
            ("src/main.rs", None),
        ] {
            let found = auto_run_program(&RelPath::parse(path).unwrap());
            assert_eq!(found.as_deref(), program, "{path}");
        }
    }
}
