//! Server-sent events: what is added to the record, as it is added.
//!
//! A stream can be taken up where it broke off: the id of an event says how far it had come in
//! each project. Who listens is looked at again before each event and every second; a right
//! that was taken back ends the stream. Nothing is queued for a slow reader beyond one batch:
//! the stream remembers a place in the record, not what was missed.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event as Sse, KeepAlive, Sse as Stream};
use axum::response::{IntoResponse as _, Response};
use exacta_core::model::id::ProjectId;
use exacta_core::record::{Actor, ActorKind, Entry};
use exacta_engine::gate::{Gate, GateError};
use futures_util::future::select_all;
use futures_util::stream::unfold;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;

use super::body::{Asked, one};
use super::doc::{self, Api, Who};
use super::find;
use super::shapes::EventV1;
use crate::problem::Problem;
use crate::state::{AppState, Served};
use crate::who::{Visitor, owner};

/// How often it is looked whether the listener still may.
const TICK: Duration = Duration::from_secs(1);
/// How many entries are read at once.
const BATCH: usize = 256;
/// How many of the newest lines are kept for every stream to share.
const KEPT: usize = 4096;

pub(super) fn add(api: &mut Api) {
    let operation =
        doc::get("/api/v1/events", "events", "What happens, as it happens.", Who::Either)
            .query::<Which>(api)
            .header("Last-Event-ID", "The id of the last event that was received.")
            .other(
                200,
                "server-sent events; the data of each is an `EventV1`",
                "text/event-stream",
            );
    api.add(operation, events);
}

/// Which events.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Which {
    /// Only this project.
    project: Option<String>,
}

/// An entry as every stream sends it.
pub(crate) struct Line {
    seq: u64,
    name: String,
    data: String,
    /// Whose plan it is about.
    owner: Option<(Actor, Option<String>)>,
}

/// The newest lines of a project.
#[derive(Default)]
pub(crate) struct Feed {
    lines: VecDeque<Arc<Line>>,
}

impl Feed {
    /// The lines from a number on, if they are all here.
    fn from(&self, next: u64) -> Option<Vec<Arc<Line>>> {
        let first = self.lines.front()?.seq;
        let lines = self.lines.iter().skip_while(|line| line.seq < next).take(BATCH);
        (first <= next).then(|| lines.cloned().collect())
    }
}

impl Served {
    /// Lines from a number on, from the feed or the record; on a thread that may block.
    fn lines(&self, next: u64) -> Result<Vec<Arc<Line>>, GateError> {
        let mut feed = self.feed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let known = feed.lines.back().map_or(0, |line| line.seq);
        if known < *self.news.borrow() {
            let from = if known == 0 { next } else { known + 1 };
            let fresh = self.read_lines(from)?;
            feed.lines.extend(fresh);
            let surplus = feed.lines.len().saturating_sub(KEPT);
            feed.lines.drain(..surplus);
        }
        if let Some(lines) = feed.from(next) {
            return Ok(lines);
        }
        drop(feed);
        // Whoever was away for long reads the record itself.
        let mut lines = self.read_lines(next)?;
        lines.truncate(BATCH);
        Ok(lines)
    }

    fn read_lines(&self, from: u64) -> Result<Vec<Arc<Line>>, GateError> {
        self.ask_here(|gate| {
            let entries = gate.entries_from(from)?;
            Ok(entries.iter().map(|entry| Arc::new(line(gate, entry, &self.id))).collect())
        })
    }
}

fn line(gate: &Gate<'_>, entry: &Entry, project: &ProjectId) -> Line {
    let event = EventV1::of(entry, project);
    let of_run = || {
        let run = entry.event.run_id().and_then(|run| gate.run_named(run).ok())?;
        Some(run.plan_id)
    };
    let plan = entry.event.plan_id().cloned().or_else(of_run);
    let plan = plan.and_then(|plan| gate.plan_named(&plan).ok());
    Line {
        seq: entry.seq,
        name: event.event.clone(),
        data: serde_json::to_string(&event).unwrap_or_default(),
        owner: plan.and_then(|plan| owner(gate, &plan)),
    }
}

/// Where a listener has come to.
struct Listener {
    state: AppState,
    visitor: Visitor,
    /// Each project with the number of the next entry.
    places: Vec<(Arc<Served>, u64)>,
    pending: VecDeque<(usize, Arc<Line>)>,
    _room: OwnedSemaphorePermit,
}

async fn events(
    State(state): State<AppState>,
    visitor: Visitor,
    headers: HeaderMap,
    Asked(which): Asked<Which>,
) -> Result<Response, Problem> {
    let projects = match &which.project {
        Some(id) => vec![find::project(&state, &visitor, Some(id))?],
        None => visitor.projects(&state),
    };
    let last = one(&headers, "last-event-id")?.map(places_of).transpose()?.unwrap_or_default();
    let room = Arc::clone(&state.streams)
        .try_acquire_owned()
        .map_err(|_| Problem::too_many("too many event streams are open"))?;
    let mut places = Vec::new();
    for served in projects {
        let head = state.ask(&served, |gate| Ok(gate.head().entries)).await?;
        let next = match last.get(served.id.as_str()) {
            Some(seq) => (*seq).min(head) + 1,
            None => head + 1,
        };
        places.push((served, next));
    }
    let listener = Listener { state, visitor, places, pending: VecDeque::new(), _room: room };
    let stream = unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((Ok::<_, Infallible>(event), listener))
    });
    Ok(Stream::new(stream).keep_alive(KeepAlive::new()).into_response())
}

impl Listener {
    async fn next(&mut self) -> Option<Sse> {
        loop {
            if self.state.stopping.is_cancelled() || !self.still_may().await {
                return None;
            }
            while let Some((place, line)) = self.pending.pop_front() {
                let (_, next) = self.places.get_mut(place)?;
                *next = line.seq + 1;
                if self.sees(&line) {
                    let event = Sse::default().id(self.id()).event(&line.name).data(&line.data);
                    return Some(event);
                }
            }
            let mut news: Vec<_> = self.places.iter().map(|(served, _)| served.news()).collect();
            self.fill().await?;
            if self.pending.is_empty() {
                let changed = news.iter_mut().map(|news| Box::pin(news.changed()));
                tokio::select! {
                    _ = select_all(changed) => {}
                    () = tokio::time::sleep(TICK) => {}
                    () = self.state.stopping.cancelled() => return None,
                }
            }
        }
    }

    async fn still_may(&self) -> bool {
        let (visitor, state) = (self.visitor.clone(), self.state.clone());
        tokio::task::spawn_blocking(move || visitor.still_may(&state)).await.unwrap_or(false)
    }

    /// Reads what is new.
    async fn fill(&mut self) -> Option<()> {
        let wanted: Vec<(usize, Arc<Served>, u64)> = self
            .places
            .iter()
            .enumerate()
            .filter(|(_, (served, next))| *served.news.borrow() >= *next)
            .map(|(place, (served, next))| (place, Arc::clone(served), *next))
            .collect();
        for (place, served, next) in wanted {
            let lines = tokio::task::spawn_blocking(move || served.lines(next)).await.ok()?;
            let lines = lines.ok()?.into_iter().filter(|line| line.seq >= next);
            self.pending.extend(lines.map(|line| (place, line)));
        }
        Some(())
    }

    fn sees(&self, line: &Line) -> bool {
        match &self.visitor {
            Visitor::Person(_) => true,
            Visitor::Agent(agent) => line.owner.as_ref().is_some_and(|(actor, proposer)| {
                actor.kind == ActorKind::Agent
                    && *actor == agent.actor
                    && *proposer == agent.proposer
            }),
        }
    }

    /// How far the stream has come in each project.
    fn id(&self) -> String {
        let mut id = String::new();
        for (served, next) in &self.places {
            let comma = if id.is_empty() { "" } else { "," };
            let _ = write!(id, "{comma}{}:{}", served.id, next - 1);
        }
        id
    }
}

/// Reads the id of an event.
fn places_of(id: &str) -> Result<BTreeMap<String, u64>, Problem> {
    let bad = || Problem::invalid("`Last-Event-ID` is not the id of an event of this stream");
    let pairs = id.split(',').map(|pair| {
        let (project, seq) = pair.split_once(':').ok_or_else(bad)?;
        Ok((project.to_owned(), seq.parse().map_err(|_| bad())?))
    });
    pairs.collect()
}
