//! Who asks: a person with a session, or an agent with a token.
//!
//! Handlers name what they need as an argument: [`Person`] for whatever decides, [`Agent`] or
//! [`Visitor`] for the rest. None of them can be made from text.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use exacta_core::life::ledger::PlanEntry;
use exacta_core::model::digest::Digest;
use exacta_core::record::{Actor, ActorKind};
use exacta_engine::gate::{Caller, Gate};
use exacta_engine::proof::{Proof, SignedIn};
use exacta_engine::trust::{ANY_AGENT, AgentToken};

use crate::address::Entrance;
use crate::problem::Problem;
use crate::rate::Asker;
use crate::state::{AppState, Served};

/// The cookie of a session. Host-only, and bound to a name that nobody else on this machine
/// answers to.
pub const COOKIE: &str = "exacta_session";

/// A person who signed in. May decide.
#[derive(Clone, Debug)]
pub struct Person {
    /// Their session.
    pub signed_in: SignedIn,
    /// How the record names them.
    pub actor: Actor,
}

impl Person {
    /// What shows the right to decide.
    #[must_use]
    pub fn proof(&self) -> Proof {
        self.signed_in.proof()
    }
}

/// An agent with a token for one project. Never decides.
#[derive(Clone)]
pub struct Agent {
    /// The project that the token is for.
    pub project: Arc<Served>,
    /// Who, as policy registers them.
    pub proposer: Option<String>,
    /// How the record names them.
    pub actor: Actor,
    /// The token, to look whether it still holds.
    pub token: AgentToken,
}

impl Agent {
    /// Whether a plan is this agent's own: it handed it in, or it was renewed or selected
    /// from one that it handed in.
    #[must_use]
    pub fn owns(&self, gate: &Gate<'_>, plan: &PlanEntry) -> bool {
        owner(gate, plan)
            .is_some_and(|(actor, proposer)| actor == self.actor && proposer == self.proposer)
    }
}

/// The agent that a plan goes back to, and how policy registers it.
#[must_use]
pub fn owner(gate: &Gate<'_>, plan: &PlanEntry) -> Option<(Actor, Option<String>)> {
    /// No plan has so many ancestors.
    const MOST: usize = 1000;
    let mut plan = plan.clone();
    for _ in 0..MOST {
        if plan.by.kind == ActorKind::Agent {
            return Some((plan.by, plan.created.proposer));
        }
        let older = plan.created.derived_from.as_ref().or(plan.created.parent.as_ref())?;
        plan = gate.plan_named(older).ok()?;
    }
    None
}

/// Who gives a command and under which key, to be taken to the gate's thread.
pub(crate) struct Asking {
    pub(crate) actor: Actor,
    pub(crate) key: Option<String>,
}

impl Asking {
    pub(crate) fn caller(self) -> Caller<'static> {
        Caller::new(self.actor).with_key(self.key)
    }
}

/// Either of them.
#[derive(Clone)]
pub enum Visitor {
    /// A person.
    Person(Person),
    /// An agent.
    Agent(Agent),
}

impl Visitor {
    /// How the record names them.
    #[must_use]
    pub fn actor(&self) -> &Actor {
        match self {
            Self::Person(person) => &person.actor,
            Self::Agent(agent) => &agent.actor,
        }
    }

    /// The projects that they may look at.
    #[must_use]
    pub fn projects(&self, state: &AppState) -> Vec<Arc<Served>> {
        match self {
            Self::Person(_) => state.projects.clone(),
            Self::Agent(agent) => vec![Arc::clone(&agent.project)],
        }
    }

    /// Whether they may look at this plan.
    #[must_use]
    pub fn sees(&self, gate: &Gate<'_>, plan: &PlanEntry) -> bool {
        match self {
            Self::Person(_) => true,
            Self::Agent(agent) => agent.owns(gate, plan),
        }
    }

    /// Whether their right has not been taken back meanwhile.
    #[must_use]
    pub fn still_may(&self, state: &AppState) -> bool {
        match self {
            Self::Person(person) => state.sign_ins.holds(&person.signed_in, Instant::now()),
            Self::Agent(agent) => agent.token.holds(),
        }
    }
}

impl FromRequestParts<AppState> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let claims = parts.headers.get_all(header::AUTHORIZATION).iter().count();
        match claims {
            0 => person(parts, state).map(Self::Person),
            1 => agent(&parts.headers, state).map(Self::Agent),
            _ => Err(Problem::invalid("`Authorization` is there more than once")),
        }
    }
}

impl FromRequestParts<AppState> for Person {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        match Visitor::from_request_parts(parts, state).await? {
            Visitor::Person(person) => Ok(person),
            Visitor::Agent(_) => {
                Err(Problem::not_allowed("an agent does not decide; nothing was done"))
            }
        }
    }
}

/// For pages that show something else to whoever is not signed in.
impl OptionalFromRequestParts<AppState> for Person {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &AppState,
    ) -> Result<Option<Self>, Self::Rejection> {
        Ok(<Self as FromRequestParts<AppState>>::from_request_parts(parts, state).await.ok())
    }
}

impl FromRequestParts<AppState> for Agent {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        match Visitor::from_request_parts(parts, state).await? {
            Visitor::Agent(agent) => Ok(agent),
            Visitor::Person(_) => Err(Problem::not_allowed("this is for agents; nothing was done")),
        }
    }
}

fn person(parts: &Parts, state: &AppState) -> Result<Person, Problem> {
    // A cookie that came to a plain address was not sent to us alone.
    if parts.extensions.get::<Entrance>() != Some(&Entrance::Name) {
        return Err(Problem::not_signed_in());
    }
    let (_, signed_in) =
        session_of(&parts.headers, state, Instant::now()).ok_or_else(Problem::not_signed_in)?;
    let actor = Actor { kind: ActorKind::Person, name: state.person.clone() };
    Ok(Person { signed_in, actor })
}

/// The session of a request, if exactly one of its cookies is one. A page under a name beside
/// the room's can add cookies that claim to be it; they keep nobody out.
fn session_of<'h>(
    headers: &'h HeaderMap,
    state: &AppState,
    now: Instant,
) -> Option<(&'h str, SignedIn)> {
    let mut found =
        cookies(headers).filter_map(|secret| Some((secret, state.sign_ins.person(secret, now)?)));
    let first = found.next()?;
    found.all(|(_, other)| other == first.1).then_some(first)
}

/// Every cookie that claims to be a session.
fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    /// No browser of ours has so many.
    const MOST: usize = 32;
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    lines
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(name, _)| *name == COOKIE)
        .map(|(_, value)| value)
        .take(MOST)
}

/// Who asks, as far as that matters for how much they may ask for. It opens nothing.
pub(crate) fn asker(
    state: &AppState,
    entrance: Entrance,
    headers: &HeaderMap,
    now: Instant,
) -> Asker {
    if headers.contains_key(header::AUTHORIZATION) {
        let digest = bearer(headers);
        let known = |digest: &Digest| {
            let mut tokens = state.projects.iter().flat_map(|served| &served.tokens);
            tokens.any(|token| token.digest == *digest)
        };
        return digest.filter(known).map_or(Asker::Mistaken, Asker::Known);
    }
    if cookies(headers).next().is_none() {
        return Asker::Nobody;
    }
    let session = Some(entrance).filter(|entrance| *entrance == Entrance::Name);
    let session = session.and_then(|_| session_of(headers, state, now));
    session.map_or(Asker::Mistaken, |(secret, _)| Asker::Known(Digest::of(secret.as_bytes())))
}

/// The hash of the token that a request carries.
fn bearer(headers: &HeaderMap) -> Option<Digest> {
    let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let (scheme, token) = sent.and_then(|sent| sent.split_once(' '))?;
    scheme.eq_ignore_ascii_case("bearer").then(|| Digest::of(token.trim().as_bytes()))
}

fn agent(headers: &HeaderMap, state: &AppState) -> Result<Agent, Problem> {
    let digest = bearer(headers).ok_or_else(Problem::not_signed_in)?;
    let known = state.projects.iter().find_map(|served| {
        let token = served.tokens.iter().find(|token| token.digest == digest)?;
        token.holds().then_some((served, token))
    });
    let (served, token) = known.ok_or_else(Problem::not_signed_in)?;
    let proposer = token.proposer.clone();
    let name = proposer.clone().unwrap_or_else(|| ANY_AGENT.into());
    let actor = Actor { kind: ActorKind::Agent, name };
    Ok(Agent { project: Arc::clone(served), proposer, actor, token: token.clone() })
}
