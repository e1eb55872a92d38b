//! The protocol: lists, calls and resources.
//!
//! Both revisions are served: 2026-07-28, where every request says who asks, and the older
//! handshake. How a client waits for a person is in `waiting`. What a client sends about a task
//! changes nothing.

use std::io;
use std::sync::Arc;

use exacta_core::life::lifecycle::State;
use exacta_server::{Guest, RequestHead};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ContentBlock,
    DetailedTask, GetTaskParams, GetTaskResult, Implementation, JsonObject,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    Resource, ResourceContents, ResourceTemplate, ServerCapabilities, ServerConfig, Task,
    TaskPayload, TaskStatus, Tool, ToolAnnotations, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::desk::{Desk, Refusal};
use super::promise::Promises;
use super::resources::{RECORD, TEMPLATES};
use super::shapes::{
    Handed, Next, Nothing, PlanAnswer, Question, StatusAnswer, ThisPlan, ToRun, ToUndo,
};
use super::tools::{Effect, TOOLS};
use super::waiting::not_asked;

/// How the tools are meant.
const INSTRUCTIONS: &str = "Exacta is the gate in front of this project. Change files by \
    proposing a plan (plan_propose), not by writing them. A plan that may run alone is started \
    with plan_run. One that waits is decided by a person, never by you: call plan_wait. Issues say \
    what to change. plan_check judges without storing anything.";
/// How often a client should ask about a task.
const POLL_MS: u64 = 2_000;
/// How long a list of tools is good for.
const LIST_TTL_MS: u64 = 3_600_000;

/// So many calls are at the gate at once; the others wait.
const AT_ONCE: usize = 16;

/// The server: of one client, or of whoever comes with a token.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// The desk of the one client; without it the request says who asks.
    desk: Option<Arc<Desk>>,
    promises: Arc<Promises>,
    turns: Arc<Semaphore>,
}

impl Server {
    /// For one client at one desk.
    pub(super) fn of_one(desk: Desk) -> io::Result<Self> {
        Self::new(Some(Arc::new(desk)))
    }

    /// For clients whose requests say who they are.
    pub(super) fn of_guests() -> io::Result<Self> {
        Self::new(None)
    }

    fn new(desk: Option<Arc<Desk>>) -> io::Result<Self> {
        let promises = Arc::new(Promises::new()?);
        Ok(Self { desk, promises, turns: Arc::new(Semaphore::new(AT_ONCE)) })
    }

    pub(super) fn promises(&self) -> &Promises {
        &self.promises
    }

    /// The desk of whoever sent this request.
    pub(super) fn desk(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Arc<Desk>, ErrorData> {
        if let Some(desk) = &self.desk {
            return Ok(Arc::clone(desk));
        }
        let head = context.extensions.get::<RequestHead>();
        let guest = head.and_then(|head| head.extensions.get::<Guest>());
        let guest = guest.ok_or_else(|| {
            ErrorData::invalid_request("nobody has said who asks; nothing was done", None)
        })?;
        Ok(Arc::new(Desk::of_guest(guest)))
    }

    /// Asks the desk on a thread that may block.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        question: impl FnOnce(&Desk) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<Result<T, Refusal>, ErrorData> {
        let desk = self.desk(context)?;
        let broke_off =
            || ErrorData::internal_error("the call broke off; nothing more is known", None);
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| broke_off())?;
        let asked = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            question(&desk)
        });
        asked.await.map_err(|_| broke_off())
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_tasks().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("exacta", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = TOOLS.iter().map(tool).collect();
        Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(LIST_TTL_MS))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        TOOLS.iter().find(|tool| tool.name == name).map(tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == "plan_propose" {
            return self.propose(request, &context).await;
        }
        if request.request_state.is_some() || request.input_responses.is_some() {
            return Err(not_asked());
        }
        let arguments = request.arguments.unwrap_or_default();
        let answer = match request.name.as_ref() {
            "plan_wait" => return self.wait(arguments, &context).await,
            "plan_check" => {
                let handed: Handed = read(arguments)?;
                self.ask(&context, move |desk| desk.check(&handed))
                    .await?
                    .map(|check| value(&check))
            }
            "plan_show" => {
                let ThisPlan { plan_id } = read(arguments)?;
                self.ask(&context, move |desk| desk.show(&plan_id)).await?.map(|plan| value(&plan))
            }
            "plan_status" => {
                let ThisPlan { plan_id } = read(arguments)?;
                self.ask(&context, move |desk| desk.status(&plan_id))
                    .await?
                    .map(|status| value(&status))
            }
            "plan_explain" => {
                let question: Question = read(arguments)?;
                self.ask(&context, move |desk| desk.explain(&question))
                    .await?
                    .map(|found| value(&found))
            }
            "audit_verify" => {
                let Nothing {} = read(arguments)?;
                self.ask(&context, Desk::verify).await?.map(|report| value(&report))
            }
            "plan_run" => {
                let wanted: ToRun = read(arguments)?;
                self.ask(&context, move |desk| desk.run(&wanted)).await?.map(|ran| value(&ran))
            }
            "run_undo" => {
                let ToUndo { run_id } = read(arguments)?;
                self.ask(&context, move |desk| desk.undo(&run_id))
                    .await?
                    .map(|undone| value(&undone))
            }
            other => {
                let said = format!("there is no tool `{other}`; tools/list has them all");
                return Err(ErrorData::invalid_params(said, None));
            }
        };
        match answer {
            Ok(value) => Ok(CallToolResult::structured(value?).into()),
            Err(refusal) => Ok(refused(&refusal).into()),
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let plan = request.task_id.clone();
        let found = self
            .ask(&context, move |desk| {
                let stands = desk.status(&plan)?;
                let answer = desk.proposed_before(stands.status.plan_id.as_str())?;
                Ok((stands, answer))
            })
            .await?;
        let (stands, answer) = found.map_err(|refusal| unknown_task(&refusal))?;
        let task = task_of(&request.task_id, &stands);
        let payload = if stands.next == Next::PlanWait {
            TaskPayload::Working
        } else {
            let Value::Object(result) = value(&of_plan(&answer)?)? else {
                return Err(ErrorData::internal_error("a result is not an object", None));
            };
            TaskPayload::Completed { result }
        };
        Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
    }

    /// Nothing that a client says about a task decides on a plan.
    async fn update_task(
        &self,
        _request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let said = "a plan is decided by a person in Exacta; nothing was changed";
        Err(ErrorData::invalid_params(said, None))
    }

    /// A client may stop waiting; the plan stays as it is.
    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let found = self.ask(&context, move |desk| desk.status(&request.task_id)).await?;
        found.map(|_| ()).map_err(|refusal| unknown_task(&refusal))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let (uri, name, words) = RECORD;
        let record =
            Resource::new(uri, name).with_description(words).with_mime_type("application/json");
        Ok(ListResourcesResult::with_all_items(vec![record]))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = TEMPLATES.iter().map(|(uri, name, words)| {
            ResourceTemplate::new(*uri, *name)
                .with_description(*words)
                .with_mime_type("application/json")
        });
        Ok(ListResourceTemplatesResult::with_all_items(templates.collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let found = self.ask(&context, move |desk| desk.read(&uri)).await?;
        let found = found.map_err(|refusal| {
            ErrorData::resource_not_found(refusal.error.clone(), value(&refusal).ok())
        })?;
        let text = ResourceContents::TextResourceContents {
            uri: request.uri,
            mime_type: Some("application/json".into()),
            text: found.to_string(),
            meta: None,
        };
        Ok(ReadResourceResult::new(vec![text]).into())
    }
}

fn unknown_task(refusal: &Refusal) -> ErrorData {
    ErrorData::invalid_params(refusal.error.clone(), value(refusal).ok())
}

/// The arguments of a call; what is wrong with them is said so that they can be mended.
pub(super) fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, ErrorData> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        ErrorData::invalid_params(format!("the arguments do not fit the tool: {error}"), None)
    })
}

fn value<T: Serialize>(answer: &T) -> Result<Value, ErrorData> {
    serde_json::to_value(answer)
        .map_err(|error| ErrorData::internal_error(format!("no JSON form: {error}"), None))
}

pub(super) fn structured<T: Serialize>(
    answer: &T,
    is_error: bool,
) -> Result<CallToolResult, ErrorData> {
    let value = value(answer)?;
    Ok(if is_error {
        CallToolResult::structured_error(value)
    } else {
        CallToolResult::structured(value)
    })
}

/// A plan as the result of a call; one that came to nothing is an error that the agent can mend.
pub(super) fn of_plan(answer: &PlanAnswer) -> Result<CallToolResult, ErrorData> {
    let failed = matches!(answer.plan.state, None | Some(State::Rejected));
    let mut result = structured(answer, failed)?;
    result.content.insert(0, ContentBlock::text(answer.say.clone()));
    Ok(result)
}

/// An error as the result of a call. It has no structured content, because that would have to
/// be of the shape that the tool promises.
pub(super) fn refused(refusal: &Refusal) -> CallToolResult {
    let code = refusal.code.as_str();
    let mut said = format!("{code}: {}", refusal.error);
    if !refusal.help.is_empty() {
        said = format!("{said}\n{}", refusal.help);
    }
    let mut content = vec![ContentBlock::text(said)];
    content.extend(ContentBlock::json(refusal).ok());
    CallToolResult::error(content)
}

/// A plan that waits, as a task of the same name.
pub(super) fn task_of(task_id: &str, stands: &StatusAnswer) -> Task {
    let created = stands.status.created_at.clone();
    let task = Task::new(task_id, TaskStatus::Working, created.clone(), created)
        .with_status_message(stands.say.clone())
        .with_poll_interval_ms(POLL_MS);
    match stands.status.expires_in_sec {
        Some(left) => task.with_ttl_ms(left.saturating_mul(1000)),
        None => task,
    }
}

fn tool(known: &super::tools::Tool) -> Tool {
    let (input, output) = ((known.input)(), (known.output)());
    let annotations = ToolAnnotations::with_title(known.title)
        .read_only(known.effect == Effect::Reads)
        .destructive(known.effect == Effect::Acts)
        .idempotent(known.idempotent)
        .open_world(false);
    let tool = Tool::new(known.name, known.description, Arc::new(input))
        .with_title(known.title)
        .with_raw_output_schema(Arc::new(output))
        .with_annotations(annotations);
    if known.effect == Effect::Reads {
        return tool;
    }
    if known.name == "plan_propose" {
        return tool;
    }
    // Claude Code then asks its user on every call, in every mode.
    let mut meta = JsonObject::new();
    meta.insert("anthropic/requiresUserInteraction".into(), true.into());
    tool.with_meta(MetaObject(meta))
}
