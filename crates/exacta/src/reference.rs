//! Reference documents, generated from the code so that they cannot go stale.
//!
//! A test compares them with what stands in `docs/reference/`; with `EXACTA_BLESS=1` it
//! writes them.

use std::fmt::Write as _;

use clap::ValueEnum as _;
use exacta_core::judge::policy::{self, Policy};
use exacta_core::model::code::Code;
use exacta_core::model::registry::PRIMITIVES;
use exacta_core::read::parse::{Field, PLAN_FIELDS, STEP_FIELDS};

use crate::exit::Exit;
use crate::wire::Format;

/// Every generated document: its path below `docs/reference/` and its text.
#[must_use]
pub fn documents() -> Vec<(String, String)> {
    let mut all = vec![
        ("cli.md".into(), cli()),
        ("errors.md".into(), errors()),
        ("draft.md".into(), draft()),
        ("policy.md".into(), policy()),
        ("openapi.json".into(), exacta_server::openapi().unwrap_or_default()),
    ];
    for (name, text) in primitives() {
        all.push((format!("primitives/{name}.md"), text));
    }
    for format in Format::value_variants() {
        all.push((format!("schemas/{}", format.file()), format.text().unwrap_or_default()));
    }
    all
}

const NOTE: &str = "<!-- Generated from the code; edit the code instead. -->\n\n";

fn cli() -> String {
    let mut text = format!("{NOTE}# Command line\n\nstdout is data, stderr is talk.\n\n");
    text.push_str("| exit code | meaning |\n| --- | --- |\n");
    for (code, meaning) in Exit::TABLE {
        let _ = writeln!(text, "| {code} | {meaning} |");
    }
    let mut command = crate::cli::command().term_width(100);
    command.build();
    help(&mut command, "exacta", &mut text);
    text
}

fn help(command: &mut clap::Command, name: &str, text: &mut String) {
    let _ = write!(
        text,
        "\n## {name}\n\n```text\n{}\n```\n",
        command.render_long_help().to_string().trim_end()
    );
    let mut inner: Vec<_> = command
        .get_subcommands()
        .filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
        .cloned()
        .collect();
    for sub in &mut inner {
        let full = format!("{name} {}", sub.get_name());
        help(sub, &full, text);
    }
}

fn errors() -> String {
    let mut text = format!(
        "{NOTE}# Finding codes\n\nCodes are stable; `exacta explain CODE` prints the page.\n\n"
    );
    text.push_str("| code | meaning |\n| --- | --- |\n");
    for code in Code::ALL {
        let name = code.as_str();
        let _ = writeln!(text, "| [{name}](../errors/{name}.md) | {} |", code.summary());
    }
    text
}

fn policy() -> String {
    let files: Vec<_> =
        Policy::default().project_config.iter().map(|glob| format!("`{glob}`")).collect();
    format!(
        "{NOTE}# Policy keys\n\nWhat layers are and how they tighten each other: \
         [policy](../concepts/policy.md).\n\n{}\nThe built-in `project_config`: {}.\n",
        policy::reference(),
        files.join(", ")
    )
}

/// A page for each primitive, and one that lists them.
fn primitives() -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut index = format!(
        "{NOTE}# Primitives\n\nWhat tool steps can call. What each may reach is set in \
         [policy](../policy.md), under `tools`.\n\n| name | effect | what it does |\n| --- | --- | --- |\n"
    );
    for page in exacta_tools::primitives::pages() {
        let name = page.name;
        let _ = writeln!(index, "| [{name}]({name}.md) | {} | {} |", page.effect, page.about);
        all.push((name.to_owned(), format!("{NOTE}{}", page.text)));
    }
    all.push(("README".into(), index));
    all
}

fn draft() -> String {
    let mut text =
        format!("{NOTE}# Draft format\n\nThe schema is in `schemas/draft.schema.json`.\n");
    table("Plan fields", PLAN_FIELDS, &mut text);
    table("Step fields", STEP_FIELDS, &mut text);
    text.push_str("\n## Primitives\n\n| name | effect | can be taken back | in Custom | allowed by default |\n| --- | --- | --- | --- | --- |\n");
    for primitive in PRIMITIVES {
        let effect = serde_json::to_value(primitive.effect).unwrap_or_default();
        let yes = |flag: bool| if flag { "yes" } else { "no" };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            primitive.name,
            effect.as_str().unwrap_or_default(),
            yes(primitive.reversible),
            yes(primitive.in_custom),
            yes(primitive.by_default)
        );
    }
    text
}

fn table(title: &str, fields: &[Field], text: &mut String) {
    let _ = write!(text, "\n## {title}\n\n| field | other spellings |\n| --- | --- |\n");
    for field in fields {
        let aliases: Vec<_> = field.aliases.iter().map(|alias| format!("`{alias}`")).collect();
        let _ = writeln!(text, "| `{}` | {} |", field.name, aliases.join(", "));
    }
}
