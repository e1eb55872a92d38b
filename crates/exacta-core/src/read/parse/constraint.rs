//! Constraints, from a draft's JSON and from the words of a person.

use alloc::string::String;
use alloc::vec::Vec;

use super::json::{self, Json};
use super::object::{Field, Object, field, nearest, schema};
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::plan::Constraint;
use crate::model::registry::{self, PRIMITIVES};
use crate::text::pointer::Pointer;
use crate::text::shown::shown;

const FIELDS: &[Field] = &[
    field("kind", &[]),
    field("globs", &[]),
    field("max", &[]),
    field("domains", &[]),
    field("recipients", &[]),
    field("tools", &[]),
    field("checks", &[]),
];

/// The most constraints of a draft; each is checked against every change.
pub(super) const MAX_CONSTRAINTS: usize = 64;
/// The most globs, hosts, addresses, tools or checks of all constraints of a draft together.
pub(super) const MAX_ENTRIES: usize = 1000;

/// Reads a constraint object such as `{"kind": "max_files", "max": 3}`.
pub fn constraint_from_json(
    value: Json,
    pointer: &Pointer,
    issues: &mut Vec<Issue>,
) -> Option<Constraint> {
    let before = issues.len();
    let mut object = Object::read(value, pointer.clone(), FIELDS, "the constraint", issues)?;
    let kind = object.text("kind", issues);
    let Some(kind) = kind else {
        if issues.len() == before {
            issues.push(
                object
                    .finding("missing_field", "the constraint has no `kind`")
                    .help(nearest("", Constraint::KINDS.into_iter())),
            );
        }
        return None;
    };
    let constraint = Reading { object: &mut object, kind: &kind, pointer, issues }.constraint()?;
    for name in ["globs", "max", "domains", "recipients", "tools", "checks"] {
        if object.has(name) {
            issues.push(
                object
                    .finding("unknown_field", format!("`{kind}` has no `{name}`"))
                    .at(pointer.key(name))
                    .help("remove it"),
            );
        }
    }
    (issues.len() == before).then_some(constraint)
}

/// A constraint whose kind is known, while its other fields are read.
struct Reading<'r> {
    object: &'r mut Object,
    kind: &'r str,
    pointer: &'r Pointer,
    issues: &'r mut Vec<Issue>,
}

impl Reading<'_> {
    fn constraint(mut self) -> Option<Constraint> {
        Some(match self.kind {
            "paths_within" => Constraint::PathsWithin { globs: self.globs()? },
            "paths_except" => Constraint::PathsExcept { globs: self.globs()? },
            "must_touch" => Constraint::MustTouch { globs: self.globs()? },
            "no_delete" => Constraint::NoDelete,
            "no_new_dependencies" => Constraint::NoNewDependencies,
            "tests_required" => Constraint::TestsRequired { checks: self.list_if_given("checks")? },
            "max_files" => Constraint::MaxFiles { max: self.max()? },
            "max_changed_lines" => Constraint::MaxChangedLines { max: self.max()? },
            "domains" => Constraint::Domains { domains: self.list("domains")? },
            "recipients" => Constraint::Recipients { recipients: self.list("recipients")? },
            "no_tool" => {
                let tools = self.list_if_given("tools")?;
                Constraint::NoTool { tools: known_tools(tools, self.pointer, self.issues)? }
            }
            unknown => {
                self.issues.push(
                    schema(
                        "constraint_kind",
                        format!("the constraint kind `{unknown}` is unknown"),
                    )
                    .at(self.pointer.key("kind"))
                    .help(nearest(unknown, Constraint::KINDS.into_iter())),
                );
                return None;
            }
        })
    }

    fn globs(&mut self) -> Option<Vec<String>> {
        globs(self.list("globs")?, self.object, self.issues)
    }

    fn list_if_given(&mut self, name: &str) -> Option<Vec<String>> {
        if self.object.has(name) { self.list(name) } else { Some(Vec::new()) }
    }

    fn list(&mut self, name: &str) -> Option<Vec<String>> {
        match self.object.strings(name, self.issues) {
            Some(list) if list.len() > MAX_ENTRIES => {
                self.issues.push(too_many(
                    self.pointer.key(name),
                    format!("`{name}` has {} entries; {MAX_ENTRIES} is the most", list.len()),
                ));
                None
            }
            Some(list) if !list.is_empty() => Some(list),
            _ => {
                let message = format!("`{}` needs a non-empty `{name}`", self.kind);
                self.issues.push(
                    self.object
                        .finding("missing_field", message)
                        .help(format!("add a `{name}` array of strings")),
                );
                None
            }
        }
    }

    fn max(&mut self) -> Option<u64> {
        if !self.object.has("max") {
            self.issues.push(
                self.object
                    .finding("missing_field", format!("`{}` needs `max`", self.kind))
                    .help("add `max` as an integer"),
            );
        }
        self.object.count("max", 0, self.issues)
    }
}

/// A finding about a list that is too long to check.
pub(super) fn too_many(at: Pointer, message: String) -> Issue {
    Issue::error(Code::PlanTooLarge, "constraints", message)
        .at(at)
        .help("say it with fewer constraints; a glob can cover many files")
}

/// A name that no tool has would forbid nothing, so it is refused here.
fn known_tools(
    tools: Vec<String>,
    pointer: &Pointer,
    issues: &mut Vec<Issue>,
) -> Option<Vec<String>> {
    let before = issues.len();
    for (index, name) in tools.iter().enumerate() {
        if registry::find(name).is_none() {
            issues.push(
                schema("no_tool", format!("the tool `{}` is unknown", shown(name.as_bytes())))
                    .at(pointer.key("tools").index(index))
                    .help(nearest(name, PRIMITIVES.iter().map(|primitive| primitive.name))),
            );
        }
    }
    (issues.len() == before).then_some(tools)
}

/// A glob that does not compile would match nothing, so it is refused here.
fn globs(globs: Vec<String>, object: &Object, issues: &mut Vec<Issue>) -> Option<Vec<String>> {
    // All at once is much faster; only a bad list is looked through one by one.
    if crate::text::glob::compile_all(&globs).is_ok() {
        return Some(globs);
    }
    let single =
        globs.iter().find_map(|glob| Some((glob, crate::text::glob::compile(glob).err()?)));
    let message = match single {
        Some((glob, error)) => format!("`{}` is not a glob: {error}", shown(glob.as_bytes())),
        None => "the globs are too large together".into(),
    };
    issues.push(
        object
            .finding("glob", message)
            .help("use `*` inside a folder and `**` across folders, such as `src/**`"),
    );
    None
}

/// Reads what a person typed: a JSON object, `kind`, or `kind=value,value`.
///
/// # Errors
/// What is wrong with the words.
pub fn constraint_from_words(words: &str) -> Result<Constraint, Issue> {
    let value = if words.trim_start().starts_with('{') {
        json::read(words).map_err(|_| bad_words(words))?
    } else {
        let (kind, rest) = words.split_once('=').map_or((words, None), |(k, r)| (k, Some(r)));
        let mut members = vec![("kind".into(), Json::Str(kind.trim().into()))];
        if let Some(rest) = rest {
            if rest.split(',').any(|part| part.trim().is_empty()) {
                return Err(bad_words(words));
            }
            let list =
                || Json::Arr(rest.split(',').map(|part| Json::Str(part.trim().into())).collect());
            if matches!(kind.trim(), "no_delete" | "no_new_dependencies") {
                let message = format!("`{}` takes no value", kind.trim());
                return Err(
                    schema("constraint", message).help(format!("write `{}` alone", kind.trim()))
                );
            }
            members.push(match kind.trim() {
                "max_files" | "max_changed_lines" => (
                    "max".into(),
                    rest.trim().parse().map(Json::Int).map_err(|_| bad_words(words))?,
                ),
                "domains" => ("domains".into(), list()),
                "recipients" => ("recipients".into(), list()),
                "no_tool" => ("tools".into(), list()),
                "tests_required" => ("checks".into(), list()),
                _ => ("globs".into(), list()),
            });
        }
        Json::Obj(members)
    };
    let mut issues = Vec::new();
    let constraint = constraint_from_json(value, &Pointer::root(), &mut issues);
    match (constraint, issues.into_iter().next()) {
        (Some(constraint), None) => Ok(constraint),
        (_, Some(issue)) if matches!(&*issue.rule, "constraint_kind" | "no_tool" | "glob") => {
            Err(issue)
        }
        (_, Some(issue)) => Err(Issue { help: bad_words(words).help, ..issue }),
        (None, None) => Err(bad_words(words)),
    }
}

fn bad_words(words: &str) -> Issue {
    Issue::error(Code::PlanSchemaInvalid, "constraint", format!("`{words}` is not a constraint"))
        .help("write `no_delete`, `max_files=3`, `paths_within=src/**,docs/**` or a JSON object")
}
