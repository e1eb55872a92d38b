//! The table of the lifecycle: every state, every verb.

use alloc::string::String;

use super::clock::{Deadline, Moment};
use super::refusal::Refusal;
use super::state::{Cause, State};

/// What became of an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Use {
    /// No run has started.
    Unused,
    /// A run started; whether it ended does not matter here.
    Spent {
        /// The run.
        run_id: String,
    },
}

/// Everything about a plan that its life depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Life {
    /// Its state on the record.
    pub state: State,
    /// When it expires.
    pub deadline: Deadline,
    /// Whether its session is still held.
    pub session_held: bool,
    /// Whether its approval was used.
    pub used: Use,
    /// Why it was rejected, if it was.
    pub rejection: Option<String>,
    /// Why it expired, if it did.
    pub expiry: Option<Cause>,
}

/// What somebody wants of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verb {
    /// The decision table lets it pass.
    AutoApprove,
    /// A person approves it.
    Approve,
    /// A person approves some of its steps as the plan `derived`.
    Select {
        /// The derived plan.
        derived: String,
    },
    /// A person or the decision table rejects it.
    Reject {
        /// Why.
        reason: String,
    },
    /// A person wants another plan.
    RequestChanges {
        /// What they want.
        request: String,
    },
    /// A person puts it off.
    Pause,
    /// Something it was made for is gone.
    Expire {
        /// What.
        cause: Cause,
    },
    /// A fresh plan of the same draft takes its place.
    Renew {
        /// The fresh plan.
        renewed: String,
    },
    /// A run of it starts.
    Start,
}

/// What happens to the plan itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It becomes `auto_approved`.
    AutoApproved,
    /// It becomes `user_approved`.
    UserApproved,
    /// It becomes `rejected`.
    Rejected {
        /// Why.
        reason: String,
    },
    /// It becomes `expired`.
    Expired {
        /// Why.
        cause: Cause,
    },
    /// It stays pending, put off.
    Paused,
    /// Its approval is spent.
    Started,
}

/// The answer of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Verdict {
    /// What goes on the record; an expiry is recorded even when the verb is refused.
    pub step: Option<Step>,
    /// Why the verb was refused, if it was.
    pub refusal: Option<Refusal>,
}

impl Verdict {
    fn done(step: Step) -> Self {
        Self { step: Some(step), refusal: None }
    }

    /// Nothing to record, nothing refused.
    fn nothing() -> Self {
        Self { step: None, refusal: None }
    }

    fn refused(refusal: Refusal) -> Self {
        Self { step: None, refusal: Some(refusal) }
    }

    fn expired(cause: Cause) -> Self {
        let step = Step::Expired { cause: cause.clone() };
        Self { step: Some(step), refusal: Some(Refusal::Expired { cause }) }
    }
}

/// What a verb does to a plan now. `newest` is the newest moment on the record.
pub fn judge(life: &Life, verb: Verb, now: &Moment, newest: Option<&Moment>) -> Verdict {
    match (&life.state, &life.used) {
        (State::Rejected, _) => {
            let reason = life.rejection.clone().unwrap_or_default();
            Verdict::refused(Refusal::Rejected { reason })
        }
        // A fresh plan of an expired or used one changes nothing about that one.
        (State::Expired, _) | (_, Use::Spent { .. }) if matches!(verb, Verb::Renew { .. }) => {
            Verdict::nothing()
        }
        (State::Expired, _) => {
            let cause = life.expiry.clone().unwrap_or(Cause::SessionEnded);
            Verdict::refused(Refusal::Expired { cause })
        }
        (_, Use::Spent { run_id }) => Verdict::refused(Refusal::Used { run_id: run_id.clone() }),
        (State::Pending | State::AutoApproved | State::UserApproved, Use::Unused) => {
            let renews = matches!(verb, Verb::Renew { .. });
            match over(life, now, newest) {
                // Renewing is what one does with a plan whose time is over.
                Some(cause) if renews => Verdict::done(Step::Expired { cause }),
                Some(cause) => Verdict::expired(cause),
                None if life.state == State::Pending => pending(verb),
                None => approved(verb),
            }
        }
    }
}

/// Why the plan's time is over, if it is.
fn over(life: &Life, now: &Moment, newest: Option<&Moment>) -> Option<Cause> {
    if let Some(overdue) = life.deadline.overdue(now, newest) {
        return Some(Cause::Deadline { overdue });
    }
    (!life.session_held).then_some(Cause::SessionEnded)
}

fn pending(verb: Verb) -> Verdict {
    match verb {
        Verb::AutoApprove => Verdict::done(Step::AutoApproved),
        Verb::Approve => Verdict::done(Step::UserApproved),
        Verb::Reject { reason } => Verdict::done(Step::Rejected { reason }),
        Verb::Pause => Verdict::done(Step::Paused),
        Verb::Start => Verdict::refused(Refusal::NotApproved),
        Verb::Select { .. }
        | Verb::RequestChanges { .. }
        | Verb::Expire { .. }
        | Verb::Renew { .. } => ends(verb),
    }
}

fn approved(verb: Verb) -> Verdict {
    match verb {
        Verb::Start => Verdict::done(Step::Started),
        Verb::AutoApprove
        | Verb::Approve
        | Verb::Select { .. }
        | Verb::Reject { .. }
        | Verb::Pause => Verdict::refused(Refusal::AlreadyApproved),
        Verb::RequestChanges { .. } | Verb::Expire { .. } | Verb::Renew { .. } => ends(verb),
    }
}

/// The verbs that end a plan in `expired`.
fn ends(verb: Verb) -> Verdict {
    let cause = match verb {
        Verb::Select { derived } => Cause::StepsSelected { derived },
        Verb::RequestChanges { request } => Cause::ChangesRequested { request },
        Verb::Expire { cause } => cause,
        Verb::Renew { renewed } => Cause::Renewed { renewed },
        Verb::AutoApprove | Verb::Approve | Verb::Reject { .. } | Verb::Pause | Verb::Start => {
            return Verdict::nothing();
        }
    };
    Verdict::done(Step::Expired { cause })
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::clock::Overdue;
    use super::*;

    fn now() -> Moment {
        Moment { boot: "b".into(), boottime_ms: 100, wall_ms: 1000 }
    }

    fn life(state: State, used: Use) -> Life {
        Life {
            state,
            deadline: Deadline::after(&now(), 10),
            session_held: true,
            used,
            rejection: (state == State::Rejected).then(|| "no".into()),
            expiry: (state == State::Expired).then_some(Cause::SessionEnded),
        }
    }

    fn verbs() -> Vec<Verb> {
        vec![
            Verb::AutoApprove,
            Verb::Approve,
            Verb::Select { derived: "d".into() },
            Verb::Reject { reason: "r".into() },
            Verb::RequestChanges { request: "q".into() },
            Verb::Pause,
            Verb::Expire { cause: Cause::SessionEnded },
            Verb::Renew { renewed: "n".into() },
            Verb::Start,
        ]
    }

    fn word(verdict: &Verdict) -> String {
        let step = match &verdict.step {
            None => "-",
            Some(Step::AutoApproved) => "auto_approved",
            Some(Step::UserApproved) => "user_approved",
            Some(Step::Rejected { .. }) => "rejected",
            Some(Step::Expired { cause }) => cause.as_str(),
            Some(Step::Paused) => "paused",
            Some(Step::Started) => "started",
        };
        let refusal = match &verdict.refusal {
            None => "",
            Some(Refusal::NotApproved) => "!not_approved",
            Some(Refusal::Rejected { .. }) => "!rejected",
            Some(Refusal::Expired { .. }) => "!expired",
            Some(Refusal::AlreadyApproved) => "!already_approved",
            Some(Refusal::Used { .. }) => "!used",
        };
        format!("{step}{refusal}")
    }

    /// Every state and use × every verb × in time, too late, session over.
    #[test]
    fn the_whole_table() {
        const APPROVED: [&str; 9] = [
            "-!already_approved",
            "-!already_approved",
            "-!already_approved",
            "-!already_approved",
            "changes_requested",
            "-!already_approved",
            "session_ended",
            "renewed",
            "started",
        ];
        const SPENT: [&str; 9] =
            ["-!used", "-!used", "-!used", "-!used", "-!used", "-!used", "-!used", "-", "-!used"];
        let spent = || Use::Spent { run_id: "run".into() };
        let rows: [(State, Use, [&str; 9]); 7] = [
            (
                State::Pending,
                Use::Unused,
                [
                    "auto_approved",
                    "user_approved",
                    "steps_selected",
                    "rejected",
                    "changes_requested",
                    "paused",
                    "session_ended",
                    "renewed",
                    "-!not_approved",
                ],
            ),
            (State::AutoApproved, Use::Unused, APPROVED),
            (State::UserApproved, Use::Unused, APPROVED),
            (State::AutoApproved, spent(), SPENT),
            (State::UserApproved, spent(), SPENT),
            (State::Rejected, Use::Unused, ["-!rejected"; 9]),
            (
                State::Expired,
                Use::Unused,
                [
                    "-!expired",
                    "-!expired",
                    "-!expired",
                    "-!expired",
                    "-!expired",
                    "-!expired",
                    "-!expired",
                    "-",
                    "-!expired",
                ],
            ),
        ];
        let mut cells = 0;
        for (state, used, expected) in rows {
            let life = life(state, used.clone());
            for (verb, expected) in verbs().into_iter().zip(expected) {
                let told = word(&judge(&life, verb.clone(), &now(), None));
                assert_eq!(told, expected, "{state} {used:?} {verb:?}");
                cells += 1;
                let alive =
                    used == Use::Unused && !matches!(state, State::Rejected | State::Expired);
                let late = Moment { wall_ms: 1010, ..now() };
                let over = Life { session_held: false, ..life.clone() };
                for (told, cause) in [
                    (word(&judge(&life, verb.clone(), &late, None)), "deadline"),
                    (word(&judge(&over, verb.clone(), &now(), None)), "session_ended"),
                ] {
                    let expected = match (alive, &verb) {
                        (false, _) => expected.into(),
                        (true, Verb::Renew { .. }) => cause.into(),
                        (true, _) => format!("{cause}!expired"),
                    };
                    assert_eq!(told, expected, "{state} {used:?} {verb:?} {cause}");
                    cells += 1;
                }
            }
        }
        assert_eq!(cells, 7 * 9 * 3);
    }

    #[test]
    fn a_clock_that_was_turned_back_expires_the_plan() {
        let newest = Moment { boottime_ms: 101, ..now() };
        let life = life(State::UserApproved, Use::Unused);
        let verdict = judge(&life, Verb::Start, &now(), Some(&newest));
        let cause = Cause::Deadline { overdue: Overdue::ClockTurnedBack };
        assert_eq!(verdict, Verdict::expired(cause));
    }
}
