//! Why a tool failed, and what that means for its effect.

/// Whether an outside effect can have happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterEffect {
    /// It has happened.
    Sent,
    /// It has not, for certain: nothing left, or the other side refused it.
    NotSent,
    /// Nobody here knows.
    Unknown,
}

/// A failure of a tool. The message may be shown and recorded: it never holds a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// A stable code in capitals, such as `HTTP_STATUS`.
    pub code: &'static str,
    /// What went wrong; lower-case, no full stop.
    pub message: String,
    /// Whether the same call can work a moment later.
    pub retryable: bool,
    /// What became of the effect.
    pub after_effect: AfterEffect,
}

impl ToolError {
    /// A rule holds the step back for now: quiet hours, a suppression window.
    pub const SUPPRESSED: &'static str = "SUPPRESSED";
    /// The run was stopped.
    pub const CANCELLED: &'static str = "CANCELLED";

    /// A failure that happens again and left nothing outside.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retryable: false, after_effect: AfterEffect::NotSent }
    }

    /// Says that the same call can work a moment later.
    #[must_use]
    pub const fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// Says what became of the effect.
    #[must_use]
    pub const fn after(mut self, after_effect: AfterEffect) -> Self {
        self.after_effect = after_effect;
        self
    }

    /// A rule holds the step back; it is skipped, not failed.
    pub fn suppressed(message: impl Into<String>) -> Self {
        Self::new(Self::SUPPRESSED, message)
    }

    /// The run was stopped before anything left.
    pub fn cancelled() -> Self {
        Self::new(Self::CANCELLED, "the run was stopped")
    }
}
