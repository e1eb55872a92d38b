//! Files that run by themselves, known by the shape of their names.
//!
//! No list of names is complete: tools are made every week, and they read settings from
//! places that look alike. So a name of such a shape counts unless the list of harmless names
//! has it, and the list gives a reason for each.

use super::autorun::AutoRun;

/// How a harmless name counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Harmless {
    Name,
    Folder,
}

include!(concat!(env!("OUT_DIR"), "/harmless.rs"));

/// Endings of files that a program runs.
const SCRIPTS: &[&str] = &["js", "cjs", "mjs", "ts", "cts", "mts"];
/// Endings of settings that begin with a dot and end in `rc`.
const SETTINGS: &[&str] =
    &["js", "cjs", "mjs", "ts", "cts", "mts", "json", "json5", "jsonc", "yaml", "yml", "toml"];

/// Why the file at this folded path runs by itself, as far as its shape tells.
pub(super) fn by_shape(folded: &str) -> Option<AutoRun> {
    let name = folded.rsplit('/').next().unwrap_or(folded);
    let harmless = is_harmless(folded, name);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let in_source = folded.split('/').any(|part| matches!(part, "src" | "lib" | "app"));
    if stem.ends_with(".config") && SCRIPTS.contains(&ending) && !in_source {
        return Some(AutoRun::BuildScript);
    }
    if steers(folded, stem, ending) {
        return Some(AutoRun::AgentSettings);
    }
    let settings = name.starts_with('.')
        && !name.starts_with("..")
        && (name.ends_with("rc") || stem.ends_with("rc") && SETTINGS.contains(&ending));
    if settings && !harmless && name.len() > 3 {
        return Some(AutoRun::Tool);
    }
    if is_local(stem, ending) {
        return Some(AutoRun::Environment);
    }
    if deployed(folded) {
        return Some(AutoRun::Service);
    }
    let root_plugin = folded.split('/').next() == Some("plugins") && SCRIPTS.contains(&ending);
    if root_plugin {
        return Some(AutoRun::Tool);
    }
    let folders = folded.rsplit_once('/').map_or("", |(folders, _)| folders);
    let hidden = |part: &str| part.starts_with('.') && !part.starts_with("..") && part.len() > 1;
    let dotted = folders.split('/').any(hidden) || (hidden(name) && !folded.contains('/'));
    (dotted && !harmless).then_some(AutoRun::Tool)
}

/// Words for agents that lie at the root of a project: who they are, what they may use, what
/// they remember, and the names of their programs.
const AGENTS: &[&str] = &[
    "ai",
    "amazonq",
    "bootstrap",
    "chatgpt",
    "claude",
    "cline",
    "codex",
    "constitution",
    "copilot",
    "cursor",
    "cursorrules",
    "gemini",
    "gpt",
    "grok",
    "heartbeat",
    "identity",
    "knowledge",
    "llm",
    "opencode",
    "persona",
    "soul",
    "tools",
    "user",
    "windsurf",
];

/// Folders of words that agents read before they begin.
const MEMORIES: &[&str] = &[
    "agents",
    "chatmodes",
    "cline_docs",
    "cursorrules",
    "memory-bank",
    "memory_bank",
    "openspec",
    "personas",
    "steering",
    "subagents",
];

/// Whether a document is one for agents: by its name at the root, whatever is put behind it
/// (`CLAUDE-patterns.md`), by its folder, or as the copy for one machine (`GEMINI.local.md`).
fn steers(folded: &str, stem: &str, ending: &str) -> bool {
    if !matches!(ending, "md" | "mdc" | "markdown") {
        return false;
    }
    let first = stem.split(['-', '_', '.', ' ']).next().unwrap_or(stem);
    let whole = AGENTS.contains(&stem);
    // The first word of a longer name is that of a program only.
    let program = AGENTS.contains(&first) && !matches!(first, "user" | "tools" | "identity");
    let copy = ["local", "private", "override"].iter().any(|word| stem.ends_with(word))
        && stem.contains('.');
    let mut folders = folded.rsplit('/').skip(1);
    copy || !folded.contains('/') && (whole || program)
        || folders.any(|folder| MEMORIES.contains(&folder))
}

/// `settings-local.py`, `config.local.json`: read beside the file that is in the record.
fn is_local(stem: &str, ending: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "js",
        "cjs",
        "mjs",
        "ts",
        "json",
        "yml",
        "yaml",
        "toml",
        "ini",
        "cfg",
        "conf",
        "properties",
        "xml",
        "sh",
        "py",
        "rb",
        "php",
        "lua",
        "el",
        "vim",
        "mk",
        "cmake",
        "gradle",
    ];
    let last = stem.rsplit(['-', '.']).next();
    (last == Some("local") || matches!(stem, "local_settings" | "settings_local"))
        && ENDINGS.contains(&ending)
}

/// A tree that is put onto a machine as it is: `etc/…` at its top, or one folder below.
fn deployed(folded: &str) -> bool {
    let mut parts = folded.split('/');
    let first = parts.next().unwrap_or_default();
    let second = parts.next().unwrap_or_default();
    let third = parts.next();
    let system = |folder: &str| matches!(folder, "etc" | "sbin" | "initramfs");
    system(first) && !second.is_empty() || system(second) && third.is_some()
}

fn is_harmless(folded: &str, name: &str) -> bool {
    HARMLESS.iter().any(|(how, entry)| match how {
        Harmless::Name => name == *entry,
        Harmless::Folder => folded.rsplit('/').skip(1).any(|part| part == *entry),
    })
}

#[cfg(test)]
mod tests {
    use super::super::autorun::auto_run;
    use super::super::rules::RelPath;
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn shapes_count_and_harmless_names_do_not() {
        for (path, expected) in [
            ("newtool.config.mjs", Some(AutoRun::BuildScript)),
            ("packages/a/newtool.config.ts", Some(AutoRun::BuildScript)),
            ("src/app.config.ts", None),
            (".newtoolrc", Some(AutoRun::Tool)),
            (".newtoolrc.yaml", Some(AutoRun::Tool)),
            (".newtool/hooks.toml", Some(AutoRun::Tool)),
            (".newtool", Some(AutoRun::Tool)),
            ("settings-local.py", Some(AutoRun::Environment)),
            ("etc/newd/newd.conf", Some(AutoRun::Service)),
            ("rootfs/etc/hosts", Some(AutoRun::Service)),
            ("plugins/a.js", Some(AutoRun::Tool)),
            ("tools.md", Some(AutoRun::AgentSettings)),
            ("identity.md", Some(AutoRun::AgentSettings)),
            ("user.md", Some(AutoRun::AgentSettings)),
            ("bootstrap.md", Some(AutoRun::AgentSettings)),
            ("heartbeat.md", Some(AutoRun::AgentSettings)),
            ("opencode.md", Some(AutoRun::AgentSettings)),
            ("gemini.local.md", Some(AutoRun::AgentSettings)),
            ("claude-patterns.md", Some(AutoRun::AgentSettings)),
            ("amazonq.md", Some(AutoRun::AgentSettings)),
            ("copilot.md", Some(AutoRun::AgentSettings)),
            ("ai.md", Some(AutoRun::AgentSettings)),
            ("ai-instructions.md", Some(AutoRun::AgentSettings)),
            ("constitution.md", Some(AutoRun::AgentSettings)),
            ("memory-bank/x.md", Some(AutoRun::AgentSettings)),
            ("steering/x.md", Some(AutoRun::AgentSettings)),
            ("personas/x.md", Some(AutoRun::AgentSettings)),
            ("readme.md", None),
            ("changelog.md", None),
            ("contributing.md", None),
            ("security.md", None),
            ("docs/tools.md", None),
            ("docs/user.md", None),
            ("user-guide.md", None),
            (".gitignore", None),
            (".github/CODEOWNERS", None),
            (".changeset/x.md", None),
            ("src/main.rs", None),
            ("docs/etc.md", None),
            ("src/arc.js", None),
        ] {
            assert_eq!(by_shape(path), expected, "{path}");
        }
    }

    #[test]
    fn names_that_tools_run_ask_and_ordinary_ones_do_not() {
        let list = include_str!("../../../../../corpus/judgement/names.txt");
        let (mut runs, mut ordinary) = ((0, 0), (0, 0));
        let mut missed = Vec::new();
        for line in list.lines() {
            let Some((sign @ ("+" | "-"), path)) = line.split_once(' ') else { continue };
            let asks = auto_run(&RelPath::parse(path).unwrap()).is_some();
            let counts = if sign == "+" { &mut runs } else { &mut ordinary };
            counts.0 += u32::from(asks);
            counts.1 += 1;
            if asks != (sign == "+") {
                missed.push(line);
            }
        }
        assert!(runs.1 >= 300 && runs.0 * 100 >= runs.1 * 97, "{runs:?} {missed:?}");
        assert!(ordinary.1 >= 300 && ordinary.0 * 100 <= ordinary.1 * 5, "{ordinary:?} {missed:?}");
    }

    /// Two more lists, each name with where it comes from.
    #[test]
    fn names_from_the_documentation_of_tools_ask_and_ordinary_ones_do_not() {
        let runs = include_str!("../../../../../corpus/names/runs.txt");
        let ordinary = include_str!("../../../../../corpus/names/ordinary.txt");
        let [runs, ordinary] = [(runs, true), (ordinary, false)].map(|(list, expected)| {
            let (mut all, mut asked, mut missed) = (0, 0, Vec::new());
            for line in list.lines().filter(|line| !line.starts_with('#')) {
                let (path, source) = line.split_once('\t').unwrap();
                assert!(source.len() > 4, "{line}");
                let asks = auto_run(&RelPath::parse(path).unwrap()).is_some();
                all += 1;
                asked += u32::from(asks);
                if asks != expected {
                    missed.push(path);
                }
            }
            (all, asked, missed)
        });
        let (all, asked, missed) = runs;
        assert!(all >= 300 && asked * 100 >= all * 97, "{asked} of {all}: {missed:?}");
        let (all, asked, missed) = ordinary;
        assert!(all >= 300 && asked * 100 <= all * 5, "{asked} of {all}: {missed:?}");
    }

    #[test]
    fn every_harmless_name_has_a_reason() {
        for line in include_str!("../../../data/harmless_names.txt").lines() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            assert!(line.split_once('\t').is_some_and(|(_, reason)| reason.len() > 5), "{line}");
        }
    }
}
