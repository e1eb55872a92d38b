//! The policy in force: every value and where it came from, and what asks most.

use exacta_engine::gate::Asked;
use exacta_engine::policy::Loaded;
use exacta_engine::project::LoadPolicy;
use maud::{Markup, html};

use super::frame::{Frame, Here, frame};

/// One value.
pub(super) struct Row {
    /// Its key.
    pub(super) key: String,
    /// Its value, as a policy file writes it.
    pub(super) value: String,
    /// Where it came from.
    pub(super) source: String,
}

/// Everything that the page of a policy shows.
pub(super) struct PolicyView<'a> {
    /// The project's id and name.
    pub(super) project: (&'a str, &'a str),
    /// The values.
    pub(super) rows: &'a [Row],
    /// The files that were read, by layer.
    pub(super) files: &'a [(String, String)],
    /// Values that a layer asked for and that would have loosened the policy.
    pub(super) ignored: &'a [String],
    /// What asked how often, most first.
    pub(super) asked: &'a [Asked],
}

/// The whole page.
#[must_use]
pub(super) fn policy(view: &PolicyView<'_>) -> Markup {
    let title = format!("Policy of {}", view.project.1);
    let about = Frame {
        title: &title,
        here: Here::Policy,
        project: Some(view.project),
        notice: None,
        kind: "policy",
    };
    let (built_in, chosen): (Vec<&Row>, Vec<&Row>) =
        view.rows.iter().partition(|row| row.source == BUILT_IN);
    let body = html! {
        h1 { "Policy" }
        p { "The system sets a floor, the operator may tighten it, the project may tighten it again. "
            "It is changed in its files, not here." }
        @if !view.files.is_empty() {
            table.plain { caption.hide { "files" } tbody {
                @for (layer, path) in view.files { tr { th scope="row" { (layer) } td { code.break { (path) } } } }
            } }
        }
        section { h2 { "Set by somebody" }
            @if chosen.is_empty() { p.quiet { "Nothing: everything is as it comes." } } @else { (values(&chosen)) }
        }
        @if !view.ignored.is_empty() {
            section { h2 { "Asked for, but looser than a layer before allows" }
                ul { @for one in view.ignored { li { (one) } } } }
        }
        section { h2 { "What asks most" }
            @if view.asked.is_empty() { p.quiet { "Nobody was asked yet." } } @else {
                table.plain.counts-of { thead { tr { th { "reason" } th { "plans" } th { "approved" } th { "rejected" } th { "open" } } }
                    tbody { @for one in view.asked.iter().take(MOST) {
                        tr { th scope="row" { (one.reason) } td { (one.plans) } td { (one.approved) } td { (one.rejected) } td { (one.open) } }
                    } } }
            }
        }
        @if !built_in.is_empty() {
            section { h2 { "As it comes" } (values(&built_in)) }
        }
    };
    frame(&about, &body)
}

/// The most reasons that are listed.
const MOST: usize = 20;
/// What the source of a value is called that nobody set.
const BUILT_IN: &str = "built-in";

fn values(rows: &[&Row]) -> Markup {
    html! {
        table.plain { thead { tr { th { "key" } th { "value" } th { "from" } } }
            tbody { @for row in rows {
                tr { th scope="row" { code { (row.key) } } td { code.break { (row.value) } } td.quiet { (row.source) } }
            } } }
    }
}

/// The page of a project's policy.
pub(super) fn page(
    project: &(String, String),
    load: &LoadPolicy,
    loaded: Option<Result<Loaded, String>>,
    asked: &[Asked],
) -> Result<Markup, String> {
    let (rows, files, ignored) = if let Some(loaded) = loaded.transpose()? {
        let files = loaded
            .files
            .iter()
            .map(|file| (file.layer.as_str().to_owned(), file.path.display().to_string()));
        let files: Vec<(String, String)> = files.collect();
        let ignored: Vec<String> =
            loaded.merged.ignored.iter().map(|one| one.issue().message).collect();
        let rows: Vec<Row> = loaded
            .merged
            .rows()
            .iter()
            .map(|row| {
                let origins: Vec<&str> = row.origins.iter().map(|one| one.as_str()).collect();
                let (key, value) = (row.key.clone(), row.written());
                Row { key, value, source: origins.join(", ") }
            })
            .collect();
        (rows, files, ignored)
    } else {
        let policy = load().map_err(|error| error.to_string())?;
        let row = |key: &str, value: String| Row { key: key.into(), value, source: String::new() };
        let rows = vec![
            row("profile", policy.profile.as_str().into()),
            row("autonomy_ceiling", policy.autonomy_ceiling.as_str().into()),
            row("ttl_minutes", policy.ttl_minutes.to_string()),
        ];
        (rows, Vec::new(), Vec::new())
    };
    Ok(policy(&PolicyView {
        project: (&project.0, &project.1),
        rows: &rows,
        files: &files,
        ignored: &ignored,
        asked,
    }))
}
