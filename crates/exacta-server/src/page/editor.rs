//! Opening a file of a plan in the user's own editor, on this machine alone.

use std::path::Path as FilePath;
use std::process::{Command, Stdio};

use axum::Extension;
use axum::extract::{Form, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use exacta_core::model::path::RelPath;

use super::decisions::genuine;
use super::forms::{Fields, field};
use super::routes::{Fault, plan_id, served, signed_in};
use crate::address::Came;
use crate::problem::Problem;
use crate::state::{AppState, Served};
use crate::who::Person;

/// Whether whoever looks can have files opened: they sit at this machine, and the operator
/// named an editor.
pub(super) fn is_there(served: &Served, came: &Came) -> bool {
    came.local && (served.policy)().is_ok_and(|policy| policy.tools.editor.is_some())
}

pub(super) async fn open(
    State(state): State<AppState>,
    person: Option<Person>,
    Extension(came): Extension<Came>,
    Path((project, plan)): Path<(String, String)>,
    Form(fields): Form<Fields>,
) -> Result<Response, Fault> {
    let person = signed_in(person)?;
    let (served, plan_id) = (served(&state, &project)?, plan_id(&plan)?);
    genuine(&state, &person, &fields, field(&fields, "plan_hash").unwrap_or_default())?;
    if !came.local {
        return Err(Problem::not_allowed("files are opened for who sits at this machine").into());
    }
    let path = RelPath::parse(field(&fields, "path").unwrap_or_default())
        .map_err(|_| Problem::invalid("`path` is not a path of a plan"))?;
    let line: u32 = field(&fields, "line").and_then(|line| line.parse().ok()).unwrap_or(1);
    let (wanted, of) = (path.clone(), plan_id.clone());
    let touched = move |gate: &exacta_engine::gate::Gate<'_>| {
        let shown = gate.show(&of)?;
        Ok(shown.examined.changes().iter().any(|change| change.path == wanted))
    };
    if !state.ask(&served, touched).await? {
        return Err(Problem::no_such("file in the plan").into());
    }
    let policy = (served.policy)().map_err(|error| Problem::internal(error.to_string()))?;
    let argv = policy.tools.editor.unwrap_or_default();
    let file = FilePath::new(&served.path).join(path.as_str());
    start(&argv, &file, line)?;
    if field(&fields, "quiet").is_some() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let back = format!("/projects/{}/plans/{plan_id}", served.id);
    Ok(Redirect::to(&back).into_response())
}

/// Starts the operator's program; it goes on by itself.
fn start(argv: &[String], file: &FilePath, line: u32) -> Result<(), Problem> {
    let missing = || Problem::invalid("policy names no editor; `tools.editor` does");
    let (program, rest) = argv.split_first().ok_or_else(missing)?;
    let file = file.to_str().ok_or_else(|| Problem::internal("the path is not text"))?;
    let filled = |word: &String| word.replace("{line}", &line.to_string()).replace("{file}", file);
    let mut arguments: Vec<String> = rest.iter().map(filled).collect();
    if !argv.iter().any(|word| word.contains("{file}")) {
        arguments.push(file.to_owned());
    }
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.map_err(|error| {
        Problem::internal(format!("the editor `{program}` was not started: {error}"))
    })?;
    // Somebody has to wait for it when it ends.
    std::thread::spawn(move || child.wait());
    Ok(())
}
