//! Stored data: migrations that may have run, schemas and rights.

use exacta_core::judge::facts::{DataChange, FactKind};

use super::look::{Look, Told};
use crate::excerpt::excerpt;

pub(super) fn detect(look: &Look<'_>, out: &mut Vec<Told>) {
    if look.subject.test || look.subject.prose || !look.acts() {
        return;
    }
    if is_migration(look.subject.path.as_str()) {
        let change = if look.existed { DataChange::Migration } else { DataChange::Schema };
        let (line, in_before) = look.first();
        let text = excerpt(look.subject.path.name());
        out.push(Told { line, in_before, kind: FactKind::StoredData { change, text } });
        return;
    }
    let schema = look.subject.ends_in(&["sql", "prisma", "ddl"])
        || matches!(look.subject.path.name(), "schema.rb" | "structure.sql");
    let lines = look.come().map(|(at, line)| (at, line, false));
    let lines = lines.chain(look.gone().map(|(at, line)| (at, line, true)));
    for (at, line, in_before) in lines {
        let change = statement(line).or_else(|| schema.then_some(DataChange::Schema));
        if let Some(change) = change {
            let kind = FactKind::StoredData { change, text: excerpt(line) };
            out.push(Told::at(at, in_before, kind));
            return;
        }
    }
}

/// Whether the file is one of a series that is run once.
pub(super) fn is_migration(path: &str) -> bool {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let code = [
        "sql", "py", "rb", "php", "js", "ts", "go", "java", "cs", "ex", "exs", "kt", "xml", "yaml",
        "yml", "rs",
    ];
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    if !code.contains(&ending) || name == "__init__.py" || name == "mod.rs" {
        return false;
    }
    let folders = || path.rsplit('/').skip(1);
    let in_series = folders().any(|part| {
        matches!(
            part,
            "migrations"
                | "migration"
                | "migrate"
                | "migrators"
                | "changelogs"
                | "upgrades"
                | "evolutions"
        )
    });
    let flyway = ending == "sql" && name.starts_with('v') && name.contains("__");
    let alembic = folders().next() == Some("versions") && ending == "py";
    let numbered = name.starts_with(|c: char| c.is_ascii_digit()) && ending == "sql";
    in_series && name != "env.py" && name != "schema.rs" || flyway || alembic || numbered
}

/// What a statement at the start of a line changes.
fn statement(line: &str) -> Option<DataChange> {
    let line = line.trim_start().trim_start_matches(['"', '\'', '`', '(']);
    let lower: String = line.chars().take(60).collect::<String>().to_ascii_lowercase();
    let starts = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
    if starts(&[
        "grant ",
        "revoke ",
        "create user",
        "create role",
        "alter user",
        "alter role",
        "create policy",
        "drop policy",
        "alter default privileges",
    ]) {
        return Some(DataChange::Grant).filter(|_| !lower.starts_with("grant_"));
    }
    starts(&[
        "create table",
        "alter table",
        "drop table",
        "drop database",
        "drop schema",
        "drop column",
        "truncate table",
        "create index",
        "drop index",
        "create view",
        "drop view",
        "create trigger",
        "drop trigger",
        "create or replace",
        "create database",
    ])
    .then_some(DataChange::Schema)
}
