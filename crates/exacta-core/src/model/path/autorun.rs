//! Files that run without being asked for, or that steer an agent.
//!
//! Whoever changes such a file decides what happens on the next commit, build, test,
//! shell or agent session, so a plan that touches one always asks. The path alone
//! decides; case does not matter, because some file systems ignore it.

use core::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::autorun_names::{FOLDERS, GIT_HOOKS, NAMES, PAIRS, PREFIXES, SUFFIXES};
use super::autorun_shapes::by_shape;
use super::fold::fold_key;
use super::rules::RelPath;
use super::shapes::{
    FOLDER_SHAPES, NAME_SHAPES, PAIR_SHAPES, PREFIX_SHAPES, SUFFIX_ENDS, Shapes, at, fits,
};

/// Why a file runs by itself.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum AutoRun {
    /// A build service runs it on every push.
    Workflow,
    /// Version control reads it on checkout, commit or clone.
    VersionControl,
    /// A hook manager runs it on commit or push.
    HookManager,
    /// An editor reads it when the folder is opened.
    EditorSettings,
    /// A coding agent takes orders from it.
    AgentSettings,
    /// A build executes it.
    BuildScript,
    /// A test run executes it.
    TestSetup,
    /// A container is built or started from it.
    Container,
    /// A shell or interpreter reads it when it starts.
    ShellSettings,
    /// A package manager or toolchain obeys it.
    PackageManagerSettings,
    /// Programs take their environment from it.
    Environment,
    /// A development environment is set up from it.
    DevContainer,
    /// The system starts it by the clock or at boot.
    Service,
    /// A tool reads it whenever it runs.
    Tool,
}

impl fmt::Display for AutoRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Workflow => "workflow",
            Self::VersionControl => "version control",
            Self::HookManager => "hook manager",
            Self::EditorSettings => "editor settings",
            Self::AgentSettings => "agent settings",
            Self::BuildScript => "build script",
            Self::TestSetup => "test setup, runs whenever tests run",
            Self::Container => "container",
            Self::ShellSettings => "shell settings",
            Self::PackageManagerSettings => "package manager settings",
            Self::Environment => "environment",
            Self::DevContainer => "development container",
            Self::Service => "service",
            Self::Tool => "settings of a tool",
        })
    }
}

/// Why the file at this path runs by itself or steers an agent; `None` if it does not.
///
/// Manifests and lock files are not among them: scoring asks about those by a rule of
/// its own.
#[must_use]
pub fn auto_run(path: &RelPath) -> Option<AutoRun> {
    let folded = fold_key(path.as_str());
    classify(&folded).or_else(|| by_shape(&folded))
}

/// Whether the list has it.
pub(super) fn is_listed(path: &RelPath) -> bool {
    classify(&fold_key(path.as_str())).is_some()
}

/// What the list of names says of a path in folded form.
pub(super) fn classify(folded: &str) -> Option<AutoRun> {
    let name = folded.rsplit('/').next().unwrap_or(folded);
    if let Some(why) = file_name(name) {
        return Some(why);
    }
    let parent = folded.rsplit('/').nth(1).unwrap_or_default();
    let hook = name.strip_suffix(".sh").unwrap_or(name);
    if parent.ends_with("hooks") && GIT_HOOKS.contains(&hook) {
        return Some(AutoRun::VersionControl);
    }
    let mut rest = folded;
    while let Some((folder, below)) = rest.split_once('/') {
        if let Some(why) = in_folder(folder, below) {
            return Some(why);
        }
        rest = below;
    }
    None
}

fn file_name(name: &str) -> Option<AutoRun> {
    if (name.starts_with(".env") && name != ".envrc") || name == ".flaskenv" {
        return Some(AutoRun::Environment);
    }
    let (Some(first), Some(last)) = (name.bytes().next(), name.bytes().next_back()) else {
        return None;
    };
    exact(NAMES, &NAME_SHAPES, name)
        .or_else(|| {
            let may = at(&PREFIX_SHAPES, first) != 0;
            may.then(|| find(PREFIXES, |prefix| name.starts_with(prefix))).flatten()
        })
        .or_else(|| {
            let may = at(&SUFFIX_ENDS, last) != 0;
            may.then(|| find(SUFFIXES, |suffix| name.ends_with(suffix))).flatten()
        })
}

fn in_folder(folder: &str, below: &str) -> Option<AutoRun> {
    let pair = || {
        let pair =
            PAIRS.iter().find(|(_, outer, inner)| *outer == folder && below.starts_with(inner));
        pair.map(|(why, ..)| *why)
    };
    let compiled = || below.rsplit_once('.').is_some_and(|(_, ending)| ending == "scala");
    fits(&PAIR_SHAPES, folder)
        .then(pair)
        .flatten()
        .or_else(|| exact(FOLDERS, &FOLDER_SHAPES, folder))
        // sbt compiles all of them before it builds.
        .or_else(|| (folder == "project" && compiled()).then_some(AutoRun::BuildScript))
        .or_else(|| {
            let hidden = folder.starts_with('.');
            let begins = |prefix: &str| {
                prefix.starts_with('.') && !prefix.ends_with('.') && folder.starts_with(prefix)
            };
            hidden.then(|| find(PREFIXES, begins)).flatten()
        })
}

fn exact(table: &[(AutoRun, &[&str])], shapes: &Shapes, name: &str) -> Option<AutoRun> {
    fits(shapes, name).then(|| find(table, |entry| entry == name)).flatten()
}

fn find(table: &[(AutoRun, &[&str])], test: impl Fn(&str) -> bool) -> Option<AutoRun> {
    table.iter().find(|(_, entries)| entries.iter().any(|entry| test(entry))).map(|(why, _)| *why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use serde_json::Value;

    /// Found by the manifest rule instead.
    const MANIFESTS: [&str; 2] = ["package.json", "package-lock.json"];

    #[test]
    fn agrees_with_the_corpus() {
        let corpus = include_str!("../../../../../corpus/literals/paths.jsonl");
        let mut seen = (0, 0);
        for line in corpus.lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let input = case["input"].as_str().unwrap();
            match case["expect"].as_str().unwrap() {
                "human" if !MANIFESTS.contains(&input) => {
                    assert!(auto_run(&RelPath::parse(input).unwrap()).is_some(), "{input}");
                    seen.0 += 1;
                }
                "accept" => {
                    assert_eq!(auto_run(&RelPath::parse(input).unwrap()), None, "{input}");
                    seen.1 += 1;
                }
                _ => {}
            }
        }
        assert!(seen.0 >= 15 && seen.1 >= 20, "{seen:?}");
    }

    #[test]
    fn what_design_names_is_classified_at_any_depth_and_in_any_case() {
        for (path, why) in [
            (".github/workflows/ci.yml", AutoRun::Workflow),
            (".gitattributes", AutoRun::VersionControl),
            (".gitmodules", AutoRun::VersionControl),
            (".husky/pre-commit", AutoRun::HookManager),
            (".pre-commit-config.yaml", AutoRun::HookManager),
            (".vscode/tasks.json", AutoRun::EditorSettings),
            (".idea/workspace.xml", AutoRun::EditorSettings),
            (".cursorrules", AutoRun::AgentSettings),
            (".cursor/rules/a.mdc", AutoRun::AgentSettings),
            (".mcp.json", AutoRun::AgentSettings),
            (".claude/settings.json", AutoRun::AgentSettings),
            (".github/copilot-instructions.md", AutoRun::AgentSettings),
            ("AGENTS.md", AutoRun::AgentSettings),
            ("CLAUDE.md", AutoRun::AgentSettings),
            ("CLAUDE.local.md", AutoRun::AgentSettings),
            ("build.rs", AutoRun::BuildScript),
            ("setup.py", AutoRun::BuildScript),
            ("conftest.py", AutoRun::TestSetup),
            ("Makefile", AutoRun::BuildScript),
            ("justfile", AutoRun::BuildScript),
            ("Dockerfile", AutoRun::Container),
            ("api.Dockerfile", AutoRun::Container),
            ("docker-compose.override.yml", AutoRun::Container),
            (".bashrc", AutoRun::ShellSettings),
            (".envrc", AutoRun::ShellSettings),
            (".prettierrc", AutoRun::Tool),
            (".nycrc", AutoRun::Tool),
            (".npmrc", AutoRun::PackageManagerSettings),
            (".cargo/config.toml", AutoRun::PackageManagerSettings),
            (".env", AutoRun::Environment),
            (".env.production", AutoRun::Environment),
            (".devcontainer/devcontainer.json", AutoRun::DevContainer),
            (".devcontainer.json", AutoRun::DevContainer),
            ("pytest.ini", AutoRun::TestSetup),
            ("tox.ini", AutoRun::TestSetup),
            (".babelrc", AutoRun::BuildScript),
            (".babelrc.json", AutoRun::BuildScript),
            (".huskyrc", AutoRun::HookManager),
            (".huskyrc.json", AutoRun::HookManager),
            ("BUILD", AutoRun::BuildScript),
            ("BUILD.bazel", AutoRun::BuildScript),
            ("WORKSPACE", AutoRun::BuildScript),
            (".bazelrc", AutoRun::BuildScript),
            ("gradle.properties", AutoRun::PackageManagerSettings),
            ("buildSrc/src/main/kotlin/x.kt", AutoRun::BuildScript),
            ("conanfile.py", AutoRun::BuildScript),
            (".storybook/main.ts", AutoRun::BuildScript),
            ("vue.config.js", AutoRun::BuildScript),
            ("gatsby-node.js", AutoRun::BuildScript),
            ("commitlint.config.cjs", AutoRun::HookManager),
            ("vitest.setup.ts", AutoRun::TestSetup),
            ("jest.setup.js", AutoRun::TestSetup),
            ("hatch_build.py", AutoRun::BuildScript),
            ("hooks/pre-commit", AutoRun::VersionControl),
            ("git-hooks/post-checkout.sh", AutoRun::VersionControl),
            ("hooks/update", AutoRun::VersionControl),
            ("docker-entrypoint.sh", AutoRun::Container),
            (".pdbrc", AutoRun::ShellSettings),
            (".pylintrc", AutoRun::BuildScript),
            ("Setup.hs", AutoRun::BuildScript),
            ("project/plugins.sbt", AutoRun::BuildScript),
            ("build.sbt", AutoRun::BuildScript),
            ("config.ru", AutoRun::BuildScript),
            (".rspec", AutoRun::BuildScript),
            (".coveragerc", AutoRun::BuildScript),
            ("mypy.ini", AutoRun::BuildScript),
            ("tasks.py", AutoRun::BuildScript),
            ("dodo.py", AutoRun::BuildScript),
            ("wscript", AutoRun::BuildScript),
            ("waf", AutoRun::BuildScript),
            ("xmake.lua", AutoRun::BuildScript),
            ("premake5.lua", AutoRun::BuildScript),
            ("Rakefile", AutoRun::BuildScript),
            ("Vagrantfile", AutoRun::BuildScript),
            ("docs/conf.py", AutoRun::BuildScript),
            ("phpunit.xml", AutoRun::BuildScript),
            ("dune", AutoRun::BuildScript),
            (".ghci", AutoRun::ShellSettings),
            (".pnp.cjs", AutoRun::PackageManagerSettings),
            ("compose.override.yaml", AutoRun::Container),
            (".mise.local.toml", AutoRun::PackageManagerSettings),
            (".config/mise/config.toml", AutoRun::PackageManagerSettings),
            ("deploy.gradle", AutoRun::BuildScript),
            ("ci.gradle.kts", AutoRun::BuildScript),
            ("project/Hooks.scala", AutoRun::BuildScript),
            ("foo.cabal", AutoRun::BuildScript),
            ("debian/rules", AutoRun::BuildScript),
            ("lib/tasks/x.rake", AutoRun::BuildScript),
            (".config/nextest.toml", AutoRun::TestSetup),
            (".builds/ci.yml", AutoRun::Workflow),
            (".bsp/x.json", AutoRun::EditorSettings),
            (".github/hooks/x.json", AutoRun::AgentSettings),
            ("CONVENTIONS.md", AutoRun::AgentSettings),
            (".config/git/config", AutoRun::VersionControl),
            (".config/systemd/user/x.path", AutoRun::Service),
            ("etc/profile.d/x.sh", AutoRun::ShellSettings),
            (".flaskenv", AutoRun::Environment),
            ("node_modules/.bin/tsc", AutoRun::BuildScript),
            (".venv/bin/activate", AutoRun::ShellSettings),
            ("vendor/lib/HEAD", AutoRun::VersionControl),
        ] {
            for spelling in
                [String::from(path), format!("deep/er/{path}"), path.to_ascii_uppercase()]
            {
                let parsed = RelPath::parse(&spelling).unwrap();
                assert_eq!(auto_run(&parsed), Some(why), "{spelling}");
            }
        }
    }

    #[test]
    fn ordinary_files_are_left_alone() {
        for path in [
            "src/main.rs",
            "src/makefile_parser.rs",
            "docs/environment.md",
            "src/environment.ts",
            "README.md",
            "LICENSE",
            ".gitignore",
            ".editorconfig",
            ".github/ISSUE_TEMPLATE/bug.md",
            ".github/CODEOWNERS",
            "src/builder.rs",
            "lib/docker.py",
            "src/agents/mod.rs",
            "src/user.service.ts",
            "tests/test_setup.py",
            "env/lib.py",
            "src/config/vscode.ts",
            "claude/main.py",
            "roo.txt",
            "src/hooks/update.ts",
            "src/hooks/useUpdate.ts",
            "hooks/README.md",
            "update",
            "src/build.ts",
            "build/out.txt",
            "docs/workspace.md",
            ".storybook/theme.css",
            "nx.json",
            "turbo.json",
            "tsconfig.json",
            "src/tasks.rs",
            "src/conf.py",
            "project/plan.md",
            "wafer.txt",
            "src/compose.ts",
            "src/head.rs",
            "src/project.scala.md",
            "project/notes.txt",
            "debian/control",
            ".config/app.toml",
        ] {
            assert_eq!(auto_run(&RelPath::parse(path).unwrap()), None, "{path}");
        }
    }
}
