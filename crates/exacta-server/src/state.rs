//! What every handler shares: the projects, who is signed in, and the way to the gate.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use exacta_core::model::id::ProjectId;
use exacta_engine::gate::{Gate, GateError, Shown};
use exacta_engine::machine::Machine;
use exacta_engine::project::{LoadPolicy, Project};
use exacta_engine::proof::{SignIns, SignedIn};
use exacta_engine::trust::{AgentToken, Signer, TrustStore};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

use crate::address::Address;
use crate::agents::AgentService;
use crate::api::again::Answers;
use crate::api::events::Feed;
use crate::load::{self, Loads};
use crate::page::Looks;
use crate::passkey::Challenges;
use crate::problem::Problem;
use crate::rate::Rates;
use crate::underway::Running;

/// So many commands are carried out at once; the others wait.
const AT_ONCE: usize = 16;
/// So many event streams are open at once.
const STREAMS: usize = 1200;
/// How long a command waits for its turn before its caller is told to come again.
const PATIENCE: Duration = Duration::from_secs(20);

/// A project that this server serves.
pub struct Served {
    /// Its id.
    pub id: ProjectId,
    /// What people call it: the name of its folder.
    pub name: String,
    /// Where it lies.
    pub path: String,
    /// The project.
    pub project: Project,
    /// Loads the policy in force.
    pub policy: Arc<LoadPolicy>,
    /// The tokens of its agents.
    pub tokens: Vec<AgentToken>,
    /// What its pages show besides.
    pub looks: Looks,
    /// How many entries its record has, as far as this server knows.
    pub(crate) news: watch::Sender<u64>,
    /// The newest of them, as event streams send them.
    pub(crate) feed: Mutex<Feed>,
}

impl Served {
    /// A project and the agents that may hand in plans there.
    #[must_use]
    pub fn new(
        id: ProjectId,
        (name, path): (String, String),
        project: Project,
        policy: Arc<LoadPolicy>,
        tokens: Vec<AgentToken>,
    ) -> Self {
        let (looks, news, feed) = (Looks::default(), watch::Sender::new(0), Mutex::default());
        Self { id, name, path, project, policy, tokens, looks, news, feed }
    }

    /// The same, with more to show on its pages.
    #[must_use]
    pub fn with_looks(self, looks: Looks) -> Self {
        Self { looks, ..self }
    }

    /// Has everybody who listens look again.
    pub(crate) fn tell(&self) {
        self.news.send_modify(|_| {});
    }

    /// Tells whenever the record grows; the value is the number of its entries.
    #[must_use]
    pub fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }
}

/// What a server is made of.
pub struct Config {
    /// Where it is called.
    pub address: Address,
    /// Where it is called from elsewhere, over TLS.
    pub outside: Option<Address>,
    /// What it serves.
    pub projects: Vec<Served>,
    /// Where the credential is kept.
    pub outer: TrustStore,
    /// Verifies orders for sign-in links.
    pub signer: Signer,
    /// Tells time and makes names.
    pub machine: Arc<dyn Machine>,
    /// The name under which a signed-in person is recorded.
    pub person: String,
    /// Writes what a plan does as a patch.
    pub patch: Patch,
    /// Another protocol for agents, at `/mcp`.
    pub agents: Option<AgentService>,
    /// Asks the operator's model for a draft.
    pub planner: Option<AskPlanner>,
}

/// A draft that the operator's model wrote.
pub struct PlannedText {
    /// Its text, as untrusted as any.
    pub text: Vec<u8>,
    /// The model, as policy registers it.
    pub proposer: String,
    /// The request that it answers.
    pub request: exacta_core::life::binding::PlannerRequest,
}

/// Asks the operator's model for a draft, for the project in a folder and an intent; the error
/// says why there is none.
pub type AskPlanner =
    Arc<dyn Fn(&std::path::Path, &str) -> Result<PlannedText, String> + Send + Sync>;

/// Writes what a plan does as a patch; `None` when that cannot be said.
pub type Patch = fn(&Shown) -> Option<Vec<u8>>;

/// What every handler shares.
#[derive(Clone)]
pub struct AppState(Arc<Inner>);

/// The shared part.
pub struct Inner {
    /// Where the server is called.
    pub address: Arc<Address>,
    /// Where it is called from elsewhere, over TLS.
    pub outside: Option<Arc<Address>>,
    /// What passkeys were asked to sign.
    pub(crate) challenges: Challenges,
    /// What it serves, in the order given.
    pub projects: Vec<Arc<Served>>,
    /// Who is signed in.
    pub sign_ins: SignIns,
    /// Where the credential is kept.
    pub outer: TrustStore,
    /// Verifies orders for sign-in links.
    pub signer: Signer,
    /// Tells time and makes names.
    pub machine: Arc<dyn Machine>,
    /// The name under which a signed-in person is recorded.
    pub person: String,
    /// Writes what a plan does as a patch.
    pub patch: Patch,
    /// Another protocol for agents, at `/mcp`.
    pub agents: Option<AgentService>,
    /// Asks the operator's model for a draft.
    pub planner: Option<AskPlanner>,
    /// What this server runs.
    pub running: Running,
    /// How much each caller may ask for.
    pub(crate) rates: Rates,
    /// How much of what they send and get is in memory.
    pub(crate) loads: Loads,
    /// What was read a moment ago.
    pub(crate) answers: Answers,
    /// So many event streams are open at once.
    pub(crate) streams: Arc<Semaphore>,
    /// Is cancelled when the server stops.
    pub stopping: CancellationToken,
    /// Notes are written one after the other.
    pub(crate) notes: Mutex<()>,
    turns: Arc<Semaphore>,
}

impl std::ops::Deref for AppState {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl AppState {
    /// A server's state.
    #[must_use]
    pub fn new(config: Config) -> Self {
        let Config {
            address,
            outside,
            projects,
            outer,
            signer,
            machine,
            person,
            patch,
            agents,
            planner,
        } = config;
        Self(Arc::new(Inner {
            address: Arc::new(address),
            outside: outside.map(Arc::new),
            challenges: Challenges::default(),
            projects: projects.into_iter().map(Arc::new).collect(),
            sign_ins: SignIns::default(),
            outer,
            signer,
            machine,
            person,
            patch,
            agents,
            planner,
            running: Running::default(),
            rates: Rates::default(),
            loads: Loads::default(),
            answers: Answers::default(),
            streams: Arc::new(Semaphore::new(STREAMS)),
            stopping: CancellationToken::new(),
            notes: Mutex::default(),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
        }))
    }

    /// The project with this id.
    #[must_use]
    pub fn project(&self, id: &str) -> Option<&Arc<Served>> {
        self.projects.iter().find(|served| served.id.as_str() == id)
    }

    /// Has the gate of a project do something, off the threads that serve connections. This
    /// is the only way from a request to the gate.
    ///
    /// # Errors
    /// What the gate says, as a response; 429 when there was no turn in time.
    pub async fn ask<T: Send + 'static>(
        &self,
        served: &Arc<Served>,
        act: impl FnOnce(&Gate<'_>) -> Result<T, GateError> + Send + 'static,
    ) -> Result<T, Problem> {
        let turn = tokio::time::timeout(PATIENCE, Arc::clone(&self.turns).acquire_owned()).await;
        let Ok(Ok(turn)) = turn else {
            return Err(Problem::too_many("the server is busy; nothing was done"));
        };
        let served = Arc::clone(served);
        // What a request weighs it weighs until this is done, whether its caller waits or not.
        let weight = load::mine();
        let done = tokio::task::spawn_blocking(move || {
            let _held = (turn, weight);
            served.ask_here(act)
        });
        match done.await {
            Ok(reply) => reply.map_err(Into::into),
            Err(_) => {
                Err(Problem::internal("the command broke off; the record says how far it came"))
            }
        }
    }

    /// What a form carries that was made for this person and this thing, such as the hash of
    /// a plan.
    #[must_use]
    pub fn form_token(&self, person: &SignedIn, what: &str) -> String {
        person.word_for(what)
    }
}

impl Served {
    /// Has the gate do something, on this thread, and tells whoever listens when the record
    /// has grown.
    ///
    /// # Errors
    /// What the gate says.
    pub fn ask_here<T>(
        &self,
        act: impl FnOnce(&Gate<'_>) -> Result<T, GateError>,
    ) -> Result<T, GateError> {
        let gate = self.project.gate()?;
        let reply = act(&gate);
        // What a gate did besides is on the record; doors without a terminal read it there.
        drop(gate.take_notices());
        let entries = gate.head().entries;
        self.news.send_if_modified(|known| {
            let grown = entries > *known;
            *known = entries.max(*known);
            grown
        });
        reply
    }
}
