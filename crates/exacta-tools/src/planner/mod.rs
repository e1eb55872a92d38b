//! Asks a model for a plan, over HTTP, in the three forms that providers speak.
//!
//! In: an [`Endpoint`] of the operator's and a [`Question`]. Out: an [`Answer`] with the text,
//! the model that says it wrote it, and what it used. Errors: [`PlannerError`]. `wire` writes
//! requests and reads streams and knows nothing of sockets; `http` sends. Nothing here parses
//! plans, and no other model is ever asked instead.

mod http;
mod wire;

use std::time::Duration;

use exacta_core::life::binding::PlannerRequest;
use secrecy::SecretString;
use url::Url;

pub use http::ask;
pub(crate) use http::is_loopback;

/// How a provider is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Anthropic's messages.
    Anthropic,
    /// Chat completions, as `OpenAI` and many others have them.
    OpenAi,
    /// Ollama's chat.
    Ollama,
}

/// Where a model is asked.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// How.
    pub format: Format,
    /// The whole address.
    pub url: Url,
    /// The model, in the provider's words.
    pub model: String,
    /// The key; a provider on this machine needs none.
    pub key: Option<SecretString>,
    /// Whether nothing but this machine may be reached.
    pub local_only: bool,
    /// How long the whole answer may take.
    pub timeout: Duration,
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// We do.
    User,
    /// The model did.
    Assistant,
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// What the model is to do.
    pub system: String,
    /// What was said so far.
    pub messages: Vec<(Role, String)>,
    /// The longest answer, in tokens.
    pub max_tokens: u64,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// The model that says it wrote it.
    pub model: String,
    /// Tokens of the question, as the provider counts them.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// Names the request that was sent, without its key, and what the provider calls it.
    pub request: PlannerRequest,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlannerError {
    /// The address is not one that may be asked.
    #[error("`{address}` is not asked: {why}")]
    Address {
        /// The address.
        address: String,
        /// Why.
        why: &'static str,
    },
    /// The provider cannot be reached.
    #[error("the provider cannot be reached: {0}")]
    Unreachable(String),
    /// It took too long.
    #[error("the provider did not answer within {0} seconds")]
    TooSlow(u64),
    /// It said no.
    #[error("the provider answered {status}{}", retry(*.retry_after))]
    Status {
        /// The number.
        status: u16,
        /// When to try again, in seconds, if it says so.
        retry_after: Option<u64>,
    },
    /// The answer broke off.
    #[error("the answer broke off before its end")]
    CutOff,
    /// The answer is longer than is read.
    #[error("the answer is longer than {0} bytes")]
    TooLong(usize),
    /// The model stopped at the longest answer that was allowed.
    #[error("the model stopped at {0} tokens, before the plan was whole")]
    OutOfTokens(u64),
    /// It is not in the form that the provider promises.
    #[error("the answer is not in the provider's own form: {0}")]
    Form(String),
    /// Another model answered.
    #[error("`{asked}` was asked and `{answered}` answered")]
    OtherModel {
        /// The one that was asked.
        asked: String,
        /// The one that answered.
        answered: String,
    },
    /// The model is run elsewhere.
    #[error("`{0}` is run in a cloud, and only this machine may be asked")]
    CloudModel(String),
}

fn retry(after: Option<u64>) -> String {
    after.map_or_else(String::new, |seconds| format!("; it asks to wait {seconds} seconds"))
}
