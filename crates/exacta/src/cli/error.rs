//! What can go wrong with a command before or after the gate has its say.

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

use exacta_core::model::code::Code;
use exacta_core::text::shown::visible;
use exacta_engine::capture::CaptureError;
use exacta_engine::checks::NotRun;
use exacta_engine::gate::GateError;
use exacta_engine::intake::IntakeError;
use exacta_engine::policy::{PlacesError, PolicyError};
use exacta_engine::trust::TrustError;
use exacta_engine::workspace::RootError;

use super::hints;
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire::{ErrorReport, RefusedFile};

/// A command failed. Findings about a plan are not errors; they are its result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The words make no sense together.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        help: String,
    },
    /// Whoever asks did not show that they may decide; nothing happened.
    #[error("{message}")]
    Undecided {
        /// What was missing.
        message: String,
        /// What to do.
        help: String,
    },
    /// A file of the user's is not one that can be relied on.
    #[error("{message}")]
    Refused {
        /// What is wrong with it.
        message: String,
        /// What to do.
        help: String,
    },
    /// What a merge would do is not handed in; the project is as it was.
    #[error("{error}")]
    NotMerged {
        /// How the program ends.
        exit: Exit,
        /// Why, with the files.
        error: Box<IntakeError>,
    },
    /// What a captured command did is not handed in; the project is as it was.
    #[error("{message}")]
    NotProposed {
        /// How the program ends.
        exit: Exit,
        /// Why.
        message: String,
        /// What to do.
        help: Cow<'static, str>,
    },
    /// A file cannot be written.
    #[error("`{}` cannot be written: {source}", path.display())]
    WriteFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file named on the command line cannot be read.
    #[error("`{}` cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The same for a file that may also come from standard input.
    #[error("`{}` cannot be read: {source}", path.display())]
    ReadPlan {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Standard input cannot be read.
    #[error("standard input cannot be read: {0}")]
    Stdin(io::Error),
    /// The folder of `-C` cannot be entered.
    #[error("`{}` cannot be entered: {source}", path.display())]
    Enter {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A program named on the command line cannot be started.
    #[error("`{}` cannot be started: {source}", visible(program.as_bytes()))]
    NotStarted {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The project cannot be opened.
    #[error(transparent)]
    Root(#[from] RootError),
    /// A policy file blocks everything.
    #[error("{}", blocked(.0))]
    Policy(#[from] PolicyError),
    /// It cannot be told where the operator's policy lies.
    #[error(transparent)]
    Places(#[from] PlacesError),
    /// The gate did not carry out the command.
    #[error("{}", visible(.0.to_string().as_bytes()))]
    Gate(#[from] GateError),
    /// A command could not be captured; nothing was proposed.
    #[error("{}; nothing is proposed", visible(.0.to_string().as_bytes()))]
    Capture(#[from] CaptureError),
    /// It cannot be told where the gate keeps its key.
    #[error(transparent)]
    TrustStore(#[from] TrustError),
    /// What was given as a hash is none.
    #[error("{message}")]
    WrongHash {
        /// What is wrong.
        message: String,
    },
    /// We do not know which program we are, so we cannot start it again as a child.
    #[error("this program cannot find itself: {0}")]
    Itself(io::Error),
    /// Output cannot be written.
    #[error("output cannot be written: {0}")]
    Write(#[from] io::Error),
    /// The same, after something was done.
    #[error("output cannot be written: {0}; entries were added to the record before that")]
    Unsaid(io::Error),
    /// A value of ours has no JSON form.
    #[error("internal error: {0}")]
    Json(#[from] serde_json::Error),
}

impl CliError {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } => Exit::Usage,
            Self::Undecided { .. } => Exit::Waits,
            Self::Policy(_)
            | Self::Refused { .. }
            | Self::Capture(
                CaptureError::NoView(_)
                | CaptureError::NotRun(NotRun::NoConfinement(_))
                | CaptureError::TooMuch(_),
            ) => Exit::Refused,
            Self::Gate(error) => Exit::of(error.kind()),
            Self::Capture(
                CaptureError::Cancelled | CaptureError::NotRun(NotRun::Killed(_) | NotRun::Unheard),
            ) => Exit::RunFailed,
            Self::WrongHash { .. } => Exit::Stale,
            Self::NotProposed { exit, .. } | Self::NotMerged { exit, .. } => *exit,
            _ => Exit::Failure,
        }
    }

    /// The stable code; each has a page.
    pub(crate) fn code(&self) -> Code {
        match self {
            Self::Gate(error) => error.code(),
            Self::Policy(PolicyError::Invalid { .. }) => Code::PolicyInvalid,
            Self::Policy(_) | Self::Places(_) => Code::PolicyRefused,
            Self::Usage { .. } | Self::Enter { .. } | Self::Refused { .. } => Code::Usage,
            Self::Undecided { .. } => Code::ProofRequired,
            Self::NotProposed { .. } | Self::Capture(_) | Self::NotStarted { .. } => {
                Code::CaptureFailed
            }
            Self::NotMerged { .. } => Code::MergeNotProposed,
            Self::WriteFile { .. } | Self::Write(_) | Self::Unsaid(_) => Code::OutputFailed,
            Self::Read { .. } | Self::ReadPlan { .. } | Self::Stdin(_) => Code::InputUnreadable,
            Self::Root(_) => Code::WorkspaceFailed,
            Self::TrustStore(_) => Code::StateUnusable,
            Self::WrongHash { .. } => Code::HashMismatch,
            Self::Itself(_) | Self::Json(_) => Code::Internal,
        }
    }

    /// Says what went wrong and what to do.
    pub(crate) fn print(&self, printer: &mut Printer) {
        printer.complain(&self.to_string(), &self.help());
    }

    /// The same as data; `plan` is what the user called the plan.
    pub(crate) fn report(&self, plan: Option<&str>) -> ErrorReport {
        let hints = match self {
            Self::Gate(error) => error.hints(),
            _ => Vec::new(),
        };
        let (code, error, help) = (self.code(), self.to_string(), self.help());
        let (exit_code, plan_id) = (self.exit().code(), plan.map(Into::into));
        let files = match self {
            Self::NotMerged { error, .. } => error.files(),
            _ => Vec::new(),
        };
        let files = files.into_iter().map(|(path, why)| RefusedFile { path, why }).collect();
        ErrorReport { ok: false, exit_code, code, error, help, hints, plan_id, files }
    }

    fn help(&self) -> String {
        let help = match self {
            Self::Gate(error) => return hints::words(&error.hints()),
            Self::Capture(
                CaptureError::Cancelled | CaptureError::NotRun(NotRun::Killed(_) | NotRun::Unheard),
            ) => "the project is as it was, and the copy is gone",
            Self::Capture(CaptureError::TooMuch(_)) => {
                "let the command do less at a time, or write large files outside the project"
            }
            Self::Capture(
                CaptureError::NoView(_) | CaptureError::NotRun(NotRun::NoConfinement(_)),
            ) => "the command is never run unconfined; `exacta doctor` says what is missing here",
            Self::Capture(_) => "the project is as it was",
            Self::TrustStore(_) => {
                "make it a folder, not a link, that only you can enter (`chmod 700`), or set `HOME` \
                 or `XDG_STATE_HOME` to another folder of yours"
            }
            Self::NotProposed { help, .. } => help,
            Self::NotMerged { error, .. } => return error.help().into_owned(),
            Self::Usage { help, .. }
            | Self::Undecided { help, .. }
            | Self::Refused { help, .. } => help.as_str(),
            Self::Read { source, .. } | Self::ReadPlan { source, .. }
                if source.kind() == io::ErrorKind::PermissionDenied =>
            {
                "you may not read it; change its permissions, or work as its owner"
            }
            Self::Read { .. } => "check the path",
            Self::ReadPlan { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "check the path; `-` reads standard input, and a branch is handed in with \
                 `exacta propose --branch NAME`"
            }
            Self::ReadPlan { source, .. } if source.kind() == io::ErrorKind::IsADirectory => {
                "name the files in it; patches of a series are handed in together: \
                 `exacta propose FOLDER/*.patch`"
            }
            Self::ReadPlan { .. } => "name one file, or `-` for standard input",
            Self::NotStarted { .. } => {
                "name a program that you may run, by its path or as in a shell"
            }
            Self::WriteFile { .. } => "name a folder that you may write to",
            Self::Enter { .. } | Self::Root(_) => "name a folder that exists and that you may read",
            Self::Policy(PolicyError::Refused { refusal, .. }) => refusal.help(),
            Self::Policy(PolicyError::Invalid { .. }) => "`exacta policy check` shows them all",
            Self::Places(_) => "set `HOME` or `XDG_CONFIG_HOME` to an absolute path",
            Self::WrongHash { .. } => "copy the whole hash, 64 lower-case hexadecimal digits",
            Self::Itself(_) => "nothing was done; `/proc` must be mounted",
            Self::Write(source) if source.kind() == io::ErrorKind::PermissionDenied => {
                "something here may not be written or read by you; `exacta doctor` looks"
            }
            Self::Unsaid(_) => "`exacta log` and `exacta list` say what was done",
            Self::Stdin(_) | Self::Write(_) | Self::Json(_) => "",
        };
        help.into()
    }
}

/// What blocks, and the first mistake with its place.
fn blocked(error: &PolicyError) -> String {
    let PolicyError::Invalid { issues, .. } = error else { return error.to_string() };
    let Some(first) = issues.first() else { return error.to_string() };
    let place = first.place.map_or_else(String::new, |place| format!("line {}: ", place.line));
    format!("{error}; {place}{}", visible(first.message.as_bytes()))
}
