//! One run: starts what may start, writes the record, listens to what ends.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use exacta_core::model::plan::Execution;
use exacta_engine::tools::{
    SkipCause, Spent, StepDecision, StepEnd, StepEntry, StepOutcome, StepRequest, StepSign,
    ToolGraph, ToolPorts, ToolRun, ToolRunFault, ToolStep,
};
use serde_json::Value;
use tokio::task::{JoinSet, spawn_blocking, yield_now};
use tokio_util::sync::CancellationToken;

use super::pending::Pending;
use super::prepare::{Prepared, Ready};
use super::runner::Shared;
use super::walk::Walk;
use super::writer::Writer;
use crate::guard::Meter;

/// So long the end of one step waits for others to go onto the record with: less than a sync
/// takes.
const TOGETHER: Duration = Duration::from_micros(50);

/// A run under way.
pub(super) struct Drive {
    pub(super) shared: Arc<Shared>,
    pub(super) graph: ToolGraph,
    pub(super) ports: ToolPorts,
    pub(super) writer: Writer,
    /// None when the dependencies cannot be resolved.
    pub(super) walk: Option<Walk>,
    pub(super) meter: Meter,
    pub(super) cancel: CancellationToken,
    pub(super) inputs: Arc<Value>,
    usable: Arc<BTreeSet<String>>,
    /// Which steps were started, now or by the record.
    pub(super) started: Vec<bool>,
    pending: Pending,
}

/// What a task of the run ends with.
enum Event {
    Over(Box<Over>),
    Decided { at: usize, decision: StepDecision },
}

/// A call that is over.
struct Over {
    at: usize,
    outcome: StepOutcome,
    /// The entry of its start, when that is not on the record.
    start: Option<StepEntry>,
    meter: Meter,
    took: Duration,
}

/// Steps that are somewhere between ready and over.
#[derive(Default)]
struct Afoot {
    tasks: JoinSet<Event>,
    running: usize,
    asking: BTreeMap<usize, Ready>,
    approved: VecDeque<Ready>,
}

impl Drive {
    pub(super) fn new(
        shared: Arc<Shared>,
        graph: ToolGraph,
        ports: ToolPorts,
    ) -> Result<Self, ToolRunFault> {
        let irreversible = |step: &_| shared.irreversible(step);
        let walk = Walk::new(&graph.steps, graph.execution, &irreversible).ok();
        let cancel = CancellationToken::new();
        let signal = cancel.clone();
        ports.cancel.on_cancel(move || signal.cancel());
        let writer = Writer::start(Arc::clone(&ports.journal))?;
        let meter = Meter::new(graph.caps, graph.spent, graph.spent_today);
        let inputs = Arc::new(graph.inputs.clone());
        let usable = Arc::new(graph.usable.clone());
        let started = graph.steps.iter().map(|step| step.known.started.is_some()).collect();
        Ok(Self {
            shared,
            graph,
            ports,
            writer,
            walk,
            meter,
            cancel,
            inputs,
            usable,
            started,
            pending: Pending::default(),
        })
    }

    /// Runs what is not over.
    pub(super) async fn run(mut self) -> Result<ToolRun, ToolRunFault> {
        let Some(mut walk) = self.walk.take() else { return Ok(self.blocked()) };
        self.take_up(&mut walk);
        self.refuse_second_ends(&mut walk);
        let mut afoot = Afoot::default();
        let mut stop_seen = false;
        loop {
            let (starting, asks) = self.choose(&mut walk, &mut afoot);
            // The end of a step is on the record before what depends on it starts, and a
            // start before its tool is called.
            self.pending.write(&self.writer).await?;
            for ready in starting {
                afoot.running = afoot.running.saturating_add(1);
                self.spawn(ready, &mut afoot);
            }
            for (ready, request) in asks {
                self.ask(ready, request, &mut afoot);
            }
            if afoot.running == 0 && afoot.asking.is_empty() && afoot.approved.is_empty() {
                break;
            }
            tokio::select! {
                biased;
                () = self.cancel.cancelled(), if !stop_seen => {
                    stop_seen = true;
                    self.stop(&mut walk, &mut afoot);
                }
                joined = afoot.tasks.join_next() => {
                    if let Some(Ok(event)) = joined {
                        self.hear(event, &mut walk, &mut afoot);
                    }
                    // What ends at about the same time goes onto the record together.
                    let end = Instant::now() + TOGETHER;
                    loop {
                        yield_now().await;
                        while let Some(joined) = afoot.tasks.try_join_next() {
                            if let Ok(event) = joined {
                                self.hear(event, &mut walk, &mut afoot);
                            }
                        }
                        if afoot.running == 0 || Instant::now() >= end {
                            break;
                        }
                    }
                }
            }
            self.writer.fault()?;
        }
        if self.cancel.is_cancelled() {
            walk.stop();
        }
        let roll_back =
            walk.is_stopped() && !walk.is_through() && self.graph.execution == Execution::Atomic;
        self.conclude(walk, roll_back).await
    }

    /// Takes back what was done and starts nothing.
    pub(super) async fn roll_back(mut self) -> Result<ToolRun, ToolRunFault> {
        let Some(mut walk) = self.walk.take() else { return Ok(self.blocked()) };
        self.take_up(&mut walk);
        walk.stop();
        self.pending.write(&self.writer).await?;
        self.conclude(walk, true).await
    }

    /// Nothing can start.
    fn blocked(&self) -> ToolRun {
        let outcome = StepOutcome::Skipped { because: SkipCause::Blocked };
        let end = |step: &ToolStep| StepEnd {
            step_id: step.step_id.clone(),
            outcome: outcome.clone(),
            left_behind: None,
        };
        ToolRun { steps: self.graph.steps.iter().map(end).collect(), spent: self.graph.spent }
    }

    /// Starts where the record says the run is.
    fn take_up(&mut self, walk: &mut Walk) {
        for at in walk.order().to_vec() {
            let Some(step) = self.graph.steps.get(at) else { continue };
            let known = &step.known;
            let outcome = match (&known.ended, &known.decided, &known.started) {
                (Some(StepOutcome::Ok { .. }), ..) if known.rolled_back => StepOutcome::RolledBack,
                (Some(ended), ..) if ended.is_final() => ended.clone(),
                (_, Some((StepDecision::Declined { reason }, _)), _) => {
                    StepOutcome::Declined { reason: reason.clone() }
                }
                (_, Some((StepDecision::Suppressed { reason }, _)), _) => {
                    StepOutcome::Suppressed { reason: reason.clone() }
                }
                (.., Some(_)) if self.shared.guarded(step) => {
                    let message = "the run was interrupted after the step had begun".to_owned();
                    self.pending.lasting(StepEntry::Unknown {
                        step_id: step.step_id.clone(),
                        message: message.clone(),
                        spent: Spent::default(),
                    });
                    StepOutcome::OutcomeUnknown { message }
                }
                _ => continue,
            };
            walk.settle(at, outcome);
        }
    }

    /// An atomic run has one step at most that cannot be taken back; of more, none runs.
    fn refuse_second_ends(&mut self, walk: &mut Walk) {
        if self.graph.execution != Execution::Atomic {
            return;
        }
        let steps = self.graph.steps.iter().enumerate();
        let ends: Vec<usize> =
            steps.filter(|(_, step)| self.shared.irreversible(step)).map(|(at, _)| at).collect();
        if ends.len() < 2 {
            return;
        }
        for at in ends {
            if walk.fate(at).is_none() {
                let message =
                    "an all-or-nothing run has one step at most that cannot be taken back";
                let outcome =
                    StepOutcome::Failed { code: "NOT_ATOMIC".into(), message: message.into() };
                self.over(at, outcome, walk, &self.meter.for_step(), Duration::ZERO);
            }
        }
    }

    /// What may start now, and whom to ask about.
    fn choose(
        &mut self,
        walk: &mut Walk,
        afoot: &mut Afoot,
    ) -> (Vec<Ready>, Vec<(Ready, StepRequest)>) {
        let (mut starting, mut asks) = (Vec::new(), Vec::new());
        if walk.is_stopped() {
            afoot.asking.clear();
            afoot.approved.clear();
        }
        let slots = self.graph.parallel.max(1).saturating_sub(afoot.running);
        while starting.len() < slots && !walk.is_stopped() && !self.cancel.is_cancelled() {
            if let Some(ready) = afoot.approved.pop_front() {
                self.begin(&ready);
                starting.push(ready);
                continue;
            }
            let Some(at) = walk.next() else { break };
            match self.prepare(at, walk) {
                Prepared::Over(outcome) => {
                    self.over(at, outcome, walk, &self.meter.for_step(), Duration::ZERO);
                }
                Prepared::Staged => walk.settle(at, StepOutcome::Ok { output: Value::Null }),
                Prepared::Asks(ready, request) => asks.push((ready, request)),
                Prepared::Starts(ready) => {
                    self.begin(&ready);
                    starting.push(ready);
                }
            }
        }
        (starting, asks)
    }

    /// Puts the start of a step on the record, unless its effect point does.
    fn begin(&mut self, ready: &Ready) {
        if let Some(started) = self.started.get_mut(ready.at) {
            let before = std::mem::replace(started, true);
            if !ready.call.guarded && !before {
                if ready.call.primitive.only_reads() {
                    self.pending.repeatable(ready.started_entry());
                } else {
                    self.pending.lasting(ready.started_entry());
                }
            }
        }
    }

    fn spawn(&self, ready: Ready, afoot: &mut Afoot) {
        let entry = ready.started_entry();
        let Ready { at, mut call, .. } = ready;
        let shared = Arc::clone(&self.shared);
        let usable = Arc::clone(&self.usable);
        afoot.tasks.spawn(async move {
            let began = Instant::now();
            let outcome = match shared.guard_again(&call, &usable) {
                Some(refused) => refused,
                None => call.run().await,
            };
            let start = (call.guarded && !call.ctx.effect.is_passed()).then_some(entry);
            let (meter, took) = (call.ctx.meter, began.elapsed());
            Event::Over(Box::new(Over { at, outcome, start, meter, took }))
        });
    }

    fn ask(&self, ready: Ready, request: StepRequest, afoot: &mut Afoot) {
        let at = ready.at;
        self.ports.progress.report(&StepSign::Asking { step_id: request.step_id.clone() });
        let approver = Arc::clone(&self.ports.approver);
        afoot.asking.insert(at, ready);
        afoot.tasks.spawn(async move {
            let answer = spawn_blocking(move || approver.ask(&request)).await;
            Event::Decided { at, decision: answer.unwrap_or(StepDecision::Waiting) }
        });
    }

    fn hear(&mut self, event: Event, walk: &mut Walk, afoot: &mut Afoot) {
        match event {
            Event::Over(over) => {
                let Over { at, outcome, start, meter, took } = *over;
                afoot.running = afoot.running.saturating_sub(1);
                if let Some(start) = start.filter(|_| outcome.is_ok()) {
                    self.pending.lasting(start);
                }
                self.over(at, outcome, walk, &meter, took);
            }
            Event::Decided { at, decision } => {
                // A question that the end of the run has settled has no answer any more.
                let Some(ready) = afoot.asking.remove(&at) else { return };
                if decision != StepDecision::Waiting {
                    self.pending.lasting(ready.decided_entry(decision.clone()));
                }
                let outcome = match decision {
                    StepDecision::Approved => {
                        afoot.approved.push_back(ready);
                        return;
                    }
                    StepDecision::Declined { reason } => StepOutcome::Declined { reason },
                    StepDecision::Suppressed { reason } => StepOutcome::Suppressed { reason },
                    StepDecision::Waiting => StepOutcome::Waiting,
                };
                self.report_over(at, &outcome, Duration::ZERO);
                walk.settle(at, outcome);
            }
        }
    }

    /// The run was stopped: nothing starts any more, and questions are withdrawn.
    fn stop(&mut self, walk: &mut Walk, afoot: &mut Afoot) {
        walk.stop();
        let asked: Vec<usize> = afoot.asking.keys().copied().collect();
        for at in asked {
            self.over(at, StepOutcome::Cancelled, walk, &self.meter.for_step(), Duration::ZERO);
        }
        afoot.asking.clear();
        afoot.approved.clear();
    }

    /// Records the end of a step.
    fn over(
        &mut self,
        at: usize,
        outcome: StepOutcome,
        walk: &mut Walk,
        meter: &Meter,
        took: Duration,
    ) {
        let Some(step) = self.graph.steps.get(at) else { return };
        let outcome = self.shared.sound(step, outcome);
        let (step_id, spent) = (step.step_id.clone(), meter.spent());
        self.report_over(at, &outcome, took);
        match &outcome {
            StepOutcome::OutcomeUnknown { message } => {
                let message = message.clone();
                self.pending.lasting(StepEntry::Unknown { step_id, message, spent });
            }
            // A failure decides where the run goes; what was read may be read again.
            StepOutcome::Ok { .. } if self.shared.only_reads(step) => {
                let outcome = outcome.clone();
                self.pending.repeatable(StepEntry::Finished { step_id, outcome, spent });
            }
            _ => {
                let outcome = outcome.clone();
                self.pending.lasting(StepEntry::Finished { step_id, outcome, spent });
            }
        }
        walk.settle(at, outcome);
    }

    fn report_over(&self, at: usize, outcome: &StepOutcome, took: Duration) {
        let Some(step) = self.graph.steps.get(at) else { return };
        self.ports.progress.report(&StepSign::Over {
            step_id: step.step_id.clone(),
            outcome: outcome.clone(),
            took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        });
    }
}
