//! Waiting for a person, by what the client can do: a task, a page to open, or an answer that
//! says to call `plan_wait`. What a client sends back meanwhile decides nothing.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use exacta_core::model::digest::Digest;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CreateTaskResult, ElicitRequest, ElicitRequestParams,
    InputRequest, InputRequiredResult, JsonObject, ProgressNotificationParam,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use super::desk::Refusal;
use super::promise::{Broken, Call};
use super::server::{Server, of_plan, read, refused, structured, task_of};
use super::shapes::{Handed, Next, Patience, PlanAnswer, StatusAnswer};

/// The longest wait of one call.
const LONGEST_WAIT: u64 = 45;
/// The wait that is meant when none is said.
const USUAL_WAIT: u64 = 30;
/// The wait of a call that was sent again after the page was opened.
const SECOND_WAIT: u64 = 5;
/// How often the record is looked at meanwhile.
const BETWEEN_LOOKS: Duration = Duration::from_millis(300);
/// How often the client is told that we still wait.
const BETWEEN_WORDS: Duration = Duration::from_secs(5);

/// What a client can do while a plan waits.
enum Can {
    Task,
    OpenPage,
    CallAgain,
}

impl Can {
    fn of(context: &RequestContext<RoleServer>) -> Self {
        // Only a client of the newer revision says what it can do with every request, and only
        // such a one understands an answer that asks for more.
        let newer = context.meta.client_capabilities();
        let opens = newer.as_ref().and_then(|client| client.elicitation.as_ref());
        if context.client_capabilities().is_some_and(|client| client.supports_tasks()) {
            Self::Task
        } else if opens.is_some_and(|elicitation| elicitation.url.is_some()) {
            Self::OpenPage
        } else {
            Self::CallAgain
        }
    }
}

impl Server {
    pub(super) async fn propose(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let call = self.called("plan_propose", &arguments, context)?;
        if let Some(state) = &request.request_state {
            return self.asked_again(&call, state, context).await;
        }
        if request.input_responses.is_some() {
            return Err(not_asked());
        }
        let handed: Handed = read(arguments)?;
        let answer = match self.ask(context, move |desk| desk.propose(handed)).await? {
            Ok(answer) => answer,
            Err(refusal) => return Ok(refused(&refusal).into()),
        };
        self.waits(&call, &answer, context).await
    }

    /// A plan as the client can wait for it.
    async fn waits(
        &self,
        call: &Call,
        answer: &PlanAnswer,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let (Next::PlanWait, Some(plan_id)) = (answer.next, &answer.plan.plan_id) {
            let named = plan_id.to_string();
            match (Can::of(context), &answer.review_url, &answer.plan.check.plan_hash) {
                (Can::Task, _, _) => {
                    if let Ok(stands) = self.ask(context, move |desk| desk.status(&named)).await? {
                        return Ok(CreateTaskResult::new(task_of(plan_id.as_str(), &stands)).into());
                    }
                }
                (Can::OpenPage, Some(url), Some(hash)) => {
                    let state = self.promises().make(call, &named, &hash.to_string());
                    return Ok(to_open(url, &named, &answer.say, state).into());
                }
                (Can::OpenPage | Can::CallAgain, _, _) => {}
            }
        }
        Ok(of_plan(answer)?.into())
    }

    /// The same call once more, after the client opened the page: how the plan stands.
    async fn asked_again(
        &self,
        call: &Call,
        state: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (plan_id, plan_hash) = self.promises().open(call, state).map_err(|broken| {
            ErrorData::invalid_params(
                match broken {
                    Broken::Foreign => {
                        "`requestState` is not one that this server gave for this call; \
                             nothing was done"
                    }
                    Broken::Late => {
                        "`requestState` is too old; plan_status says how the plan stands"
                    }
                },
                None,
            )
        })?;
        let named = plan_id.to_owned();
        let first = self.ask(context, move |desk| desk.proposed_before(&named)).await?;
        let same = first.as_ref().is_ok_and(|plan| {
            plan.plan.check.plan_hash.is_some_and(|hash| hash.to_string() == plan_hash)
        });
        if !same {
            let said = "the plan of `requestState` is no longer there; nothing was done";
            return Err(ErrorData::invalid_params(said, None));
        }
        let stands = match self.stands(plan_id, SECOND_WAIT, context).await? {
            Ok(stands) => stands,
            Err(refusal) => return Ok(refused(&refusal).into()),
        };
        let now = stands.status.plan_id.to_string();
        match self.ask(context, move |desk| desk.proposed_before(&now)).await? {
            Ok(answer) => self.waits(call, &answer, context).await,
            Err(refusal) => Ok(refused(&refusal).into()),
        }
    }

    pub(super) async fn wait(
        &self,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let patience: Patience = read(arguments)?;
        let most = patience.timeout_s.unwrap_or(USUAL_WAIT).min(LONGEST_WAIT);
        match self.stands(&patience.plan_id, most, context).await? {
            Ok(stands) => Ok(structured(&stands, false)?.into()),
            Err(refusal) => Ok(refused(&refusal).into()),
        }
    }

    /// Where a plan stands once somebody has decided, or when time is over.
    async fn stands(
        &self,
        plan: &str,
        most: u64,
        context: &RequestContext<RoleServer>,
    ) -> Result<Result<StatusAnswer, Refusal>, ErrorData> {
        let (start, mut told) = (Instant::now(), Duration::ZERO);
        loop {
            let named = plan.to_owned();
            let stands = match self.ask(context, move |desk| desk.status(&named)).await? {
                Ok(stands) => stands,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let passed = start.elapsed();
            if stands.next != Next::PlanWait || passed.as_secs() >= most {
                return Ok(Ok(stands));
            }
            if passed >= told + BETWEEN_WORDS
                && let Some(token) = context.meta.get_progress_token()
            {
                told = passed;
                let word = ProgressNotificationParam::new(token, passed.as_secs_f64())
                    .with_message("still waiting for a person");
                // A client that does not listen is none that waits for it.
                let _ = context.peer.notify_progress(word).await;
            }
            tokio::select! {
                () = tokio::time::sleep(BETWEEN_LOOKS) => {}
                () = context.ct.cancelled() => {
                    return Err(ErrorData::internal_error("the wait was called off", None));
                }
            }
        }
    }

    fn called(
        &self,
        tool: &str,
        arguments: &JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<Call, ErrorData> {
        let words = serde_json::to_string(arguments)
            .map_err(|error| ErrorData::internal_error(format!("no JSON form: {error}"), None))?;
        let principal = self.desk(context)?.principal().to_owned();
        Ok(Call { principal, words: Digest::of(format!("{tool}\n{words}").as_bytes()) })
    }
}

/// Nothing was asked of this client, so it has nothing to answer.
pub(super) fn not_asked() -> ErrorData {
    let said = "this call asked for no input; nothing that a client answers decides on a plan";
    ErrorData::invalid_params(said, None)
}

/// Asks the client to show its user the page of a plan.
fn to_open(url: &str, plan_id: &str, say: &str, state: String) -> InputRequiredResult {
    let page = ElicitRequestParams::UrlElicitationParams {
        meta: None,
        message: say.to_owned(),
        url: url.to_owned(),
        elicitation_id: plan_id.to_owned(),
    };
    let asked = InputRequest::Elicitation(ElicitRequest::new(page));
    InputRequiredResult::new(Some(BTreeMap::from([("review".to_owned(), asked)])), Some(state))
}
