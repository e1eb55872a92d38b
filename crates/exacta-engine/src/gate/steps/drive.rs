//! Has the runner do the steps. It works on threads of its own; the record is written here, on
//! the thread that has the gate, and so is whoever watches told.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use super::graph::StepRun;
use super::note::Lasts;
use crate::gate::command::Caller;
use crate::gate::error::GateError;
use crate::gate::handle::Gate;
use crate::tools::{
    Cancel, JournalFault, StepApprover, StepDecision, StepEntry, StepJournal, StepProgress,
    StepRequest, StepSign, ToolGraph, ToolPorts, ToolRun, ToolRunFault,
};

/// How often it is looked whether somebody wants the run to stop.
const TICK: Duration = Duration::from_millis(50);
/// How many ticks pass between two looks at the record.
const TICKS_A_LOOK: u32 = 10;

/// What comes from the runner's threads.
enum Message {
    Append(Vec<StepEntry>, Lasts, Sender<Result<(), JournalFault>>),
    Asks(StepRequest),
    Sign(StepSign),
    Over(Result<ToolRun, ToolRunFault>),
}

/// The way from the runner's threads to the gate's.
struct Line(Sender<Message>);

impl Line {
    fn note(&self, entries: &[StepEntry], lasts: Lasts) -> Result<(), JournalFault> {
        let gone = || JournalFault("the run is over".into());
        let (done, answer) = channel();
        self.0.send(Message::Append(entries.to_vec(), lasts, done)).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())?
    }
}

impl StepJournal for Line {
    fn append(&self, entries: &[StepEntry]) -> Result<(), JournalFault> {
        self.note(entries, Lasts::Now)
    }

    fn write(&self, entries: &[StepEntry]) -> Result<(), JournalFault> {
        self.note(entries, Lasts::WithTheNext)
    }
}

impl StepApprover for Line {
    /// Nobody answers here: the question goes on the record, and the run pauses before the step
    /// until somebody has decided by a command.
    fn ask(&self, request: &StepRequest) -> StepDecision {
        let _ = self.0.send(Message::Asks(request.clone()));
        StepDecision::Waiting
    }
}

impl StepProgress for Line {
    fn report(&self, sign: &StepSign) {
        let _ = self.0.send(Message::Sign(sign.clone()));
    }
}

/// Which way the runner goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Forward,
    Back,
}

impl Gate<'_> {
    /// Runs what is not over, or takes back what was done.
    pub(super) fn drive(
        &self,
        caller: &Caller<'_>,
        run: &StepRun<'_>,
        graph: &ToolGraph,
        way: Way,
    ) -> Result<ToolRun, GateError> {
        let (sender, messages) = channel();
        let line = || Arc::new(Line(sender.clone()));
        let cancel = Cancel::default();
        let ports = ToolPorts {
            journal: line(),
            approver: line(),
            progress: line(),
            cancel: cancel.clone(),
        };
        let over = sender.clone();
        thread::scope(|scope| {
            scope.spawn(move || {
                let done = match way {
                    Way::Forward => run.runner.run(graph, &ports),
                    Way::Back => run.runner.roll_back(graph, &ports),
                };
                // Nobody is left to hear of it when the record broke.
                let _ = over.send(Message::Over(done));
            });
            self.serve(caller, run, &messages, &cancel, way)
        })
    }

    fn serve(
        &self,
        caller: &Caller<'_>,
        run: &StepRun<'_>,
        messages: &Receiver<Message>,
        cancel: &Cancel,
        way: Way,
    ) -> Result<ToolRun, GateError> {
        let mut broken: Option<GateError> = None;
        let mut ticks: u32 = 0;
        loop {
            if way == Way::Forward && caller.watch.cancelled() {
                cancel.cancel();
            }
            match messages.recv_timeout(TICK) {
                Ok(Message::Append(entries, lasts, done)) => {
                    let noted = match &broken {
                        Some(error) => Err(JournalFault(error.to_string())),
                        None => self
                            .note_entries(&caller.actor, run.run_id, &entries, lasts)
                            .map_err(|error| {
                                let fault = JournalFault(error.to_string());
                                broken = Some(error);
                                fault
                            }),
                    };
                    let _ = done.send(noted);
                }
                Ok(Message::Asks(request)) => {
                    if broken.is_none() {
                        broken = self.note_question(&caller.actor, run.run_id, &request).err();
                    }
                }
                Ok(Message::Sign(sign)) => caller.watch.step(&sign),
                Ok(Message::Over(done)) => {
                    return match (broken, done) {
                        (Some(error), _) => Err(error),
                        (None, Ok(done)) => Ok(done),
                        (None, Err(fault)) => Err(GateError::Tools(fault)),
                    };
                }
                Err(RecvTimeoutError::Timeout) => {
                    ticks = ticks.wrapping_add(1);
                    if way == Way::Forward && self.is_to_stop(run, ticks) {
                        cancel.cancel();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let fault = ToolRunFault::Unavailable("the runner ended".into());
                    return Err(broken.unwrap_or(GateError::Tools(fault)));
                }
            }
        }
    }

    /// Whether somebody else wants the run to stop, by a command.
    fn is_to_stop(&self, run: &StepRun<'_>, ticks: u32) -> bool {
        // A look that fails is made again; writing the record says what is wrong with it.
        if ticks.is_multiple_of(TICKS_A_LOOK) && self.log.look_again().is_err() {
            return false;
        }
        self.log.ledger().run(run.run_id).is_some_and(|entry| entry.cancelled)
    }
}
