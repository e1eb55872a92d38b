//! The gate: every command of every door goes through [`Gate::handle`].
//!
//! Input: a [`Command`], one struct and one file each, and its [`Caller`]. Output: the
//! command's own reply. Errors: [`GateError`], with a stable code, what was kept safe and what
//! to do. Doors decide nothing. A plan comes in through [`Propose`], is decided on by
//! [`Approve`], [`Reject`], [`RequestChanges`], [`Pause`] and [`Renew`], and acts through
//! [`Run`], [`Undo`] and [`Redo`]. What they share is below: the plan's life, the stored plan,
//! the preflight and the projections.

mod approval;
mod approve;
mod asked;
mod binding;
mod cached_facts;
mod change_policy;
mod changes;
mod check;
mod collect;
mod command;
mod comment;
mod configuration;
mod confirm_policy;
mod create;
mod error;
mod forget;
mod frozen;
mod handle;
mod hint;
mod identity;
mod inverse_patch;
mod life;
mod list;
mod moved;
mod names;
mod notice;
mod outcome;
mod outlook;
mod parts;
mod patience;
mod pause;
mod preflight;
mod projected;
mod projections;
mod propose;
mod propose_undo;
mod receipt;
mod recover;
mod reject;
mod renew;
mod renew_waiting;
mod results;
mod run;
mod select;
mod show;
mod start;
mod status;
mod steps;
mod stored;
mod sweep;
mod undo;
mod verify;
mod why;

pub use approve::{Approve, Selection};
pub use asked::Asked;
pub use change_policy::{ChangePolicy, PolicyChanged};
pub use changes::RequestChanges;
pub use check::{Check, CheckReport};
pub use collect::{Collect, Collected};
pub use command::{Caller, Command};
pub use comment::{Comment, CommentPlace};
pub use confirm_policy::ConfirmPolicy;
pub use error::{ErrorKind, GateError, NotUndoable};
pub use forget::{Forget, Forgotten};
pub use handle::Gate;
pub(crate) use handle::Ports;
pub use hint::Hint;
pub use identity::{Held, ProjectIdentity, Secrets};
pub use list::{List, Listed};
pub use moved::{GoOnHere, WentOn};
pub use notice::{Notice, Recovery};
pub use outcome::Decided;
pub use outlook::Outlook;
pub use parts::{DecideParts, Parts};
pub use pause::Pause;
pub use projections::{Projections, audit_file, plan_file};
pub use propose::{Propose, Proposed, SourceKind};
pub use propose_undo::{Foreseen, ProposeUndo, UndoPart, UndoParts, UndoProposed};
pub use receipt::RECEIPT_TYPE;
pub use recover::{Recover, RecoverIfInterrupted, Recovered};
pub use reject::Reject;
pub use renew::Renew;
pub use renew_waiting::{RenewWaiting, RenewedWaiting};
pub use run::{Ran, Run, RunReceipt};
pub use show::{RecordHead, Shown};
pub use start::{NoteFailedStart, PrepareRun};
pub use status::{PlanStatus, StatusReport};
pub use steps::{CancelRun, Resolve, StepDecide, StepDecided, StepQuestion, guard_arguments};
pub use sweep::{Sweep, Swept};
pub use undo::{ConflictReason, Direction, Redo, Undo, UndoState, Undone};
pub use verify::check_record;
