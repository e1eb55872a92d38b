//! Tool steps: the primitive exists and is allowed, and so is everything it reaches.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::atomic::atomic;
use super::counts;
use super::findings::Findings;
use super::graph::Graph;
use super::keys::Sense;
use super::named::{addresses, named_text};
use super::reach::{Reach, args_pointer, reach};
use super::refs::References;
use crate::judge::policy::Policy;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::path::RelPath;
use crate::model::plan::{Action, Draft, Execution, Recipe, Step, ToolCall};
use crate::model::registry::{self, PRIMITIVES, Primitive};
use crate::model::web::{host_and_port, host_listed, mail_key};
use crate::read::parse::json::Json;
use crate::read::parse::nearest;
use crate::text::pointer::Pointer;

/// The most steps of a `Custom` plan.
const CUSTOM_STEPS: usize = 10;

/// Primitives that make a mail.
const MAIL: [&str; 2] = ["SendEmail", "WriteEmailDraft"];

/// Whether a text is more than a line to anybody: by control characters, by the separators of
/// Unicode, or by the escapes that some mailers undo.
fn ends_a_line(text: &str) -> bool {
    let hidden = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let escaped = text.as_bytes().windows(3).any(|three| {
        matches!(three, [b'%', b'0', last] if matches!(last, b'a' | b'A' | b'd' | b'D' | b'0'))
    });
    escaped || text.chars().any(hidden)
}

/// Checks every tool step. `intent` is what the person asked for.
pub fn tools(
    draft: &Draft,
    graph: &Graph,
    policy: &Policy,
    intent: Option<&str>,
    issues: &mut Vec<Issue>,
) {
    let custom = draft.recipe == Some(Recipe::Custom);
    if custom && draft.steps.len() > CUSTOM_STEPS {
        issues.push(
            Issue::error(
                Code::PlanStepCapExceeded,
                "custom_steps",
                format!(
                    "a `Custom` plan has {CUSTOM_STEPS} steps at most, this one has {}",
                    draft.steps.len()
                ),
            )
            .at(Pointer::root().key("steps"))
            .help("split the plan"),
        );
    }
    let named = if custom { named_text(draft, intent) } else { String::new() };
    let lists = Lists {
        primitives: draft.allowed_primitives.as_ref().map(|list| names(list)),
        domains: draft.web_allowed_domains.as_ref().map(|list| list.iter().cloned().collect()),
        recipients: policy.allowed_recipients.iter().filter_map(|a| mail_key(a)).collect(),
        hints: draft
            .recipient_hints
            .as_ref()
            .map(|list| list.iter().filter_map(|hint| mail_key(hint)).collect()),
        addresses: custom.then(|| addresses(&named)),
    };
    counts::of_inputs(draft, issues);
    let mut references = References::new(draft);
    for (index, step) in draft.steps.iter().enumerate() {
        let Action::Tool(call) = &step.action else { continue };
        let Some(primitive) = registry::find(&call.name) else {
            issues.push(unknown_tool(index, step, call));
            continue;
        };
        let check = StepCheck { draft, index, step, policy, primitive, lists: &lists };
        check.allowed(custom, issues);
        let mut findings = Findings::new(issues, index);
        check.arguments(call, &mut findings);
        if MAIL.contains(&primitive.name) {
            check.subject(call, &mut findings);
        }
        counts::of_step(index, step, call, &mut findings);
        references.look(index, step, call, &mut findings);
        let reach = reach(draft, index, call, primitive);
        check.missing(&reach, &mut findings);
        check.urls(&reach, &mut findings);
        check.recipients(&reach, &mut findings);
        check.files(&reach, &mut findings);
        findings.finish();
    }
    references.report(graph, issues);
    if draft.execution == Execution::Atomic {
        atomic(draft, graph, issues);
    }
}

/// What steps are looked up in, made once for all of them.
struct Lists<'a> {
    primitives: Option<BTreeSet<&'a str>>,
    domains: Option<BTreeSet<String>>,
    /// Policy's recipients.
    recipients: BTreeSet<String>,
    hints: Option<BTreeSet<String>>,
    /// In a `Custom` plan, every address the user named.
    addresses: Option<BTreeSet<&'a str>>,
}

fn names(list: &[String]) -> BTreeSet<&str> {
    list.iter().map(String::as_str).collect()
}

fn unknown_tool(index: usize, step: &Step, call: &ToolCall) -> Issue {
    Issue::error(
        Code::PlanInvalidTool,
        "tool_exists",
        format!("the tool `{}` does not exist", call.name),
    )
    .step(step.step_id.clone())
    .at(Draft::step_pointer(index).key("tool"))
    .help(nearest(&call.name, PRIMITIVES.iter().map(|primitive| primitive.name)))
}

/// One tool step and what it is checked against.
struct StepCheck<'a> {
    draft: &'a Draft,
    index: usize,
    step: &'a Step,
    policy: &'a Policy,
    primitive: &'static Primitive,
    lists: &'a Lists<'a>,
}

impl StepCheck<'_> {
    fn refused(&self, rule: &'static str, message: String) -> Issue {
        Issue::error(Code::PlanToolNotAllowed, rule, message)
            .step(self.step.step_id.clone())
            .at(Draft::step_pointer(self.index).key("tool"))
    }

    fn allowed(&self, custom: bool, issues: &mut Vec<Issue>) {
        let name = self.primitive.name;
        if custom && !self.primitive.in_custom {
            issues.push(
                self.refused("custom_tool", format!("`{name}` is not available to `Custom` plans"))
                    .help("use a preset recipe for this"),
            );
        } else if !self.policy.allows_primitive(name, self.draft.skill_id.as_deref()) {
            issues.push(
                self.refused("tool_allowed", format!("`{name}` is not allowed by policy"))
                    .help("the operator can allow it by name"),
            );
        }
        if self.lists.primitives.as_ref().is_some_and(|list| !list.contains(name)) {
            issues.push(
                Issue::error(
                    Code::PlanClaimContradicted,
                    "allowed_primitives",
                    format!("the step uses `{name}`, which `allowed_primitives` does not list"),
                )
                .step(self.step.step_id.clone())
                .at(Draft::step_pointer(self.index).key("tool"))
                .help("list every primitive the steps use, or leave `allowed_primitives` out"),
            );
        }
    }

    fn allows_port(&self, port: u16) -> bool {
        self.policy.tools.ports.contains(&u64::from(port))
    }

    /// Unknown arguments of closed primitives.
    fn arguments(&self, call: &ToolCall, findings: &mut Findings<'_>) {
        if let (Some(known), Json::Obj(members)) = (self.primitive.arguments, &call.args) {
            for (name, _) in members.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
                findings.add(|| {
                    Issue::error(
                        Code::PlanSchemaInvalid,
                        "tool_args",
                        format!("`{}` has no argument `{name}`", call.name),
                    )
                    .step(self.step.step_id.clone())
                    .at(args_pointer(self.index).key(name))
                    .help(nearest(name, known.iter().copied()))
                });
            }
        }
    }

    /// A subject is one line of text: in a mail its end would begin another header.
    fn subject(&self, call: &ToolCall, findings: &mut Findings<'_>) {
        let Json::Obj(members) = &call.args else { return };
        for (name, value) in members.iter().filter(|(name, _)| name == "subject") {
            let wrong = match value {
                Json::Str(text) => ends_a_line(text).then_some("has a line end or a hidden one"),
                // Another step fills it in; what it gives is looked at when it runs.
                Json::Obj(members) if members.iter().any(|(name, _)| name == "$ref") => None,
                _ => Some("is no text"),
            };
            if let Some(wrong) = wrong {
                findings.add(|| {
                    self.refused("subject", format!("the subject {wrong}"))
                        .at(args_pointer(self.index).key(name))
                        .help("write the subject as one line of text, without control characters")
                });
            }
        }
    }

    /// What goes out needs to say where to. A reader without an address only reads nothing,
    /// unless the plan is the planner's own.
    fn missing(&self, reach: &Reach<'_>, findings: &mut Findings<'_>) {
        let name = self.primitive.name;
        let no_url = reach.urls.is_empty() && !reach.referred.has(Sense::URL);
        let no_recipient = reach.recipients.is_empty() && !reach.referred.has(Sense::RECIPIENT);
        if no_url && name == "CallApi" {
            findings.add(|| {
                self.refused("url_missing", format!("`{name}` has no address to call"))
                    .help("give `args.url`")
            });
        } else if no_url && self.lists.addresses.is_some() && self.primitive.url_input.is_some() {
            findings.add(|| {
                self.refused("custom_url", format!("`{name}` has no address to read"))
                    .help("give `args.url`, or name the address in the intent")
            });
        }
        let shapeless = reach.shapeless.is_empty();
        if no_recipient && shapeless && name == "SendEmail" {
            findings.add(|| {
                self.refused("recipient_missing", format!("`{name}` has no recipient"))
                    .help("give `args.to`")
            });
        }
    }

    fn files(&self, reach: &Reach<'_>, findings: &mut Findings<'_>) {
        for (path, place) in &reach.files {
            if let Err(fault) = RelPath::parse(path) {
                findings.add(|| {
                    self.refused("file", format!("the file name is refused: {fault}"))
                        .at(reach.pointer(*place))
                        .help("name the file by its path in the project")
                });
            }
        }
        for (kind, place) in &reach.shapeless {
            findings.add(|| {
                self.refused("address_type", format!("an address or a file is text, not {kind}"))
                    .at(reach.pointer(*place))
                    .help("write a string")
            });
        }
    }

    fn urls(&self, reach: &Reach<'_>, findings: &mut Findings<'_>) {
        let named = self.lists.addresses.as_ref();
        for (url, place) in &reach.urls {
            let (host, port) = match host_and_port(url) {
                Ok(found) => found,
                Err(fault) => {
                    findings.add(|| {
                        self.refused("url", format!("the address is refused: {fault}"))
                            .at(reach.pointer(*place))
                            .help("write the full address in its plain form, such as `https://example.com/page`")
                    });
                    continue;
                }
            };
            if let Some(port) = port.filter(|port| !self.allows_port(*port)) {
                findings.add(|| {
                    self.refused("port", format!("port {port} is not allowed by policy"))
                        .at(reach.pointer(*place))
                        .help("leave the port out, or have the operator add it to `tools.ports`")
                });
            }
            if !host_listed(host, &self.policy.allowed_domains) {
                findings.add(|| {
                    self.refused("domain", format!("the host `{host}` is not allowed by policy"))
                        .at(reach.pointer(*place))
                        .help("the operator can add it to `allowed_domains`")
                });
            }
            if self.lists.domains.as_ref().is_some_and(|list| !host_listed(host, list)) {
                findings.add(|| {
                    Issue::error(
                        Code::PlanClaimContradicted,
                        "web_allowed_domains",
                        format!(
                            "the step reads `{host}`, which `web_allowed_domains` does not list"
                        ),
                    )
                    .step(self.step.step_id.clone())
                    .at(reach.pointer(*place))
                    .help("list every host the steps read, or leave the list out")
                });
            }
            if named.is_some_and(|named| !named.contains(url)) {
                findings.add(|| {
                    self.refused(
                        "custom_url",
                        format!("`{url}` occurs neither in the intent nor in `inputs`"),
                    )
                    .at(reach.pointer(*place))
                    .help("a `Custom` plan reads only addresses that the user gave")
                });
            }
        }
    }

    fn recipients(&self, reach: &Reach<'_>, findings: &mut Findings<'_>) {
        for (address, place) in &reach.recipients {
            let Some(key) = mail_key(address) else {
                findings.add(|| {
                    self.refused(
                        "recipient",
                        format!("`{}` is not a bare mail address", address.escape_debug()),
                    )
                    .at(reach.pointer(*place))
                    .help("write the address alone, such as `name@example.com`")
                });
                continue;
            };
            if !self.lists.recipients.contains(&key) {
                findings.add(|| {
                    self.refused(
                        "recipient",
                        format!("the recipient `{key}` is not allowed by policy"),
                    )
                    .at(reach.pointer(*place))
                    .help("the operator can add it to `allowed_recipients`")
                });
            }
            if self.lists.hints.as_ref().is_some_and(|hints| !hints.contains(&key)) {
                findings.add(|| {
                    Issue::error(
                        Code::PlanClaimContradicted,
                        "recipient_hints",
                        format!(
                            "the step writes to `{key}`, which `recipient_hints` does not list"
                        ),
                    )
                    .step(self.step.step_id.clone())
                    .at(reach.pointer(*place))
                    .help("list every recipient, or leave the list out")
                });
            }
        }
    }
}
