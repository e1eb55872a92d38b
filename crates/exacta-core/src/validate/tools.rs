//! Tool steps: the primitive exists and is allowed, and so is everything it reaches.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::atomic::atomic;
use super::graph::Graph;
use super::named::{addresses, named_text};
use super::reach::{PATH_KEYS, RECIPIENT_KEYS, Reach, URL_KEYS, args_pointer, reach};
use crate::code::Code;
use crate::diagnostic::Issue;
use crate::parse::json::Json;
use crate::parse::nearest;
use crate::plan::{Action, Draft, Execution, Recipe, Step, ToolCall};
use crate::pointer::Pointer;
use crate::policy::Policy;
use crate::registry::{self, PRIMITIVES, Primitive};
use crate::web::{host_listed, host_of, mail_key};

/// The most steps of a `Custom` plan.
const CUSTOM_STEPS: usize = 10;

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
    for (index, step) in draft.steps.iter().enumerate() {
        let Action::Tool(call) = &step.action else { continue };
        let Some(primitive) = registry::find(&call.name) else {
            issues.push(unknown_tool(index, step, call));
            continue;
        };
        let check = StepCheck { draft, index, step, policy, primitive, lists: &lists };
        check.allowed(custom, issues);
        check.arguments(call, graph, issues);
        let reach = reach(draft, index, call, primitive);
        check.urls(&reach, issues);
        check.recipients(&reach, issues);
    }
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
        } else if !self.policy.primitives.contains(name) {
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

    /// Unknown arguments of closed primitives, and references to earlier outputs.
    fn arguments(&self, call: &ToolCall, graph: &Graph, issues: &mut Vec<Issue>) {
        if let (Some(known), Json::Obj(members)) = (self.primitive.arguments, &call.args) {
            for (name, _) in members.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
                issues.push(
                    Issue::error(
                        Code::PlanSchemaInvalid,
                        "tool_args",
                        format!("`{}` has no argument `{name}`", call.name),
                    )
                    .step(self.step.step_id.clone())
                    .at(args_pointer(self.index).key(name))
                    .help(nearest(name, known.iter().copied())),
                );
            }
        }
        let mut stack = vec![(None, args_pointer(self.index), &call.args)];
        while let Some((key, pointer, value)) = stack.pop() {
            let key: Option<&str> = key;
            match value {
                Json::Arr(elements) => stack
                    .extend(elements.iter().enumerate().map(|(i, e)| (key, pointer.index(i), e))),
                Json::Obj(members) => {
                    if let Some((_, target)) = members.iter().find(|(name, _)| name == "$ref") {
                        self.reference(key, &pointer, target, members.len(), graph, issues);
                    }
                    stack.extend(
                        members.iter().map(|(name, v)| (Some(name.as_str()), pointer.key(name), v)),
                    );
                }
                _ => {}
            }
        }
    }

    fn reference(
        &self,
        key: Option<&str>,
        pointer: &Pointer,
        target: &Json,
        members: usize,
        graph: &Graph,
        issues: &mut Vec<Issue>,
    ) {
        let steers = key.is_some_and(|key| {
            URL_KEYS.contains(&key)
                || RECIPIENT_KEYS.contains(&key)
                || PATH_KEYS.contains(&key)
                || key == "name"
        });
        if steers {
            issues.push(
                self.refused(
                    "ref_target",
                    "an earlier output may not fill an address, a recipient, a path or a name"
                        .into(),
                )
                .at(pointer.clone())
                .help("write the value out, so that it can be reviewed"),
            );
        }
        let id = target.as_str().map(|text| text.split(['.', '/', '#']).next().unwrap_or(text));
        let needed = id.is_some_and(|id| {
            graph
                .needs
                .get(self.index)
                .into_iter()
                .flatten()
                .any(|need| self.draft.steps.get(*need).is_some_and(|step| step.step_id == id))
        });
        if !needed || members != 1 {
            issues.push(
                Issue::error(
                    Code::PlanSchemaInvalid,
                    "ref",
                    "`$ref` stands alone and names a step that this step depends on",
                )
                .step(self.step.step_id.clone())
                .at(pointer.clone())
                .help("write `{\"$ref\": \"step_1.output\"}` and list step_1 in `dependencies`"),
            );
        }
    }

    fn urls(&self, reach: &Reach, issues: &mut Vec<Issue>) {
        let named = self.lists.addresses.as_ref();
        if reach.urls.is_empty() && named.is_some() && self.primitive.url_input.is_some() {
            issues.push(
                self.refused(
                    "custom_url",
                    format!("`{}` has no address to read", self.primitive.name),
                )
                .help("give `args.url`, or name the address in the intent"),
            );
        }
        for (url, pointer) in &reach.urls {
            let host = match host_of(url) {
                Ok(host) => host,
                Err(fault) => {
                    issues.push(
                        self.refused("url", format!("the address is refused: {fault}"))
                            .at(pointer.clone())
                            .help("write the full address in its plain form, such as `https://example.com/page`"),
                    );
                    continue;
                }
            };
            if !host_listed(host, &self.policy.allowed_domains) {
                issues.push(
                    self.refused("domain", format!("the host `{host}` is not allowed by policy"))
                        .at(pointer.clone())
                        .help("the operator can add it to `allowed_domains`"),
                );
            }
            if self.lists.domains.as_ref().is_some_and(|list| !host_listed(host, list)) {
                issues.push(
                    Issue::error(
                        Code::PlanClaimContradicted,
                        "web_allowed_domains",
                        format!(
                            "the step reads `{host}`, which `web_allowed_domains` does not list"
                        ),
                    )
                    .step(self.step.step_id.clone())
                    .at(pointer.clone())
                    .help("list every host the steps read, or leave the list out"),
                );
            }
            if named.is_some_and(|named| !named.contains(url.as_str())) {
                issues.push(
                    self.refused(
                        "custom_url",
                        format!("`{url}` occurs neither in the intent nor in `inputs`"),
                    )
                    .at(pointer.clone())
                    .help("a `Custom` plan reads only addresses that the user gave"),
                );
            }
        }
    }

    fn recipients(&self, reach: &Reach, issues: &mut Vec<Issue>) {
        for (address, pointer) in &reach.recipients {
            let Some(key) = mail_key(address) else {
                issues.push(
                    self.refused(
                        "recipient",
                        format!("`{}` is not a bare mail address", address.escape_debug()),
                    )
                    .at(pointer.clone())
                    .help("write the address alone, such as `name@example.com`"),
                );
                continue;
            };
            if !self.lists.recipients.contains(&key) {
                issues.push(
                    self.refused(
                        "recipient",
                        format!("the recipient `{key}` is not allowed by policy"),
                    )
                    .at(pointer.clone())
                    .help("the operator can add it to `allowed_recipients`"),
                );
            }
            if self.lists.hints.as_ref().is_some_and(|hints| !hints.contains(&key)) {
                issues.push(
                    Issue::error(
                        Code::PlanClaimContradicted,
                        "recipient_hints",
                        format!(
                            "the step writes to `{key}`, which `recipient_hints` does not list"
                        ),
                    )
                    .step(self.step.step_id.clone())
                    .at(pointer.clone())
                    .help("list every recipient, or leave the list out"),
                );
            }
        }
    }
}
