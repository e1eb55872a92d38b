//! What shows that whoever decides may decide.
//!
//! A [`Proof`] is made only by what verified it: the controlling terminal
//! ([`ControllingTerminal`]), the credential ([`verify_credential`]), a session at the
//! review room ([`SignIns`]) that one of them or a passkey ([`Passkey`]) began, or an editor's
//! answer ([`editor_choice`]), which counts only where the operator's policy says so. It cannot be
//! deserialised and has no other constructor, so a command read from text never carries one.

mod assertion;
mod credential;
mod editor;
mod passkey;
mod sign_in;
mod terminal;

use std::sync::Arc;

use exacta_core::judge::policy::{Decide, Policy};
use exacta_core::model::digest::Digest;
use exacta_core::record::{Assurance, PasskeyAssertion};

pub use assertion::still_verifies;
pub use credential::{CredentialError, hash_credential, verify_credential};
pub use editor::{APPROVE, EditorChoice, REJECT, editor_choice};
pub use passkey::{
    AskedPasskey, NewPasskey, Passkey, PasskeyAnswer, PasskeyError, Signed, act_text, challenge,
};
pub use sign_in::{LINK_LASTS, SESSION_LASTS, SignIns, SignedIn, order_sign_in};
pub use terminal::{ControllingTerminal, confirmation, confirms};

/// The right to decide, as it was shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    shown: Shown,
    /// What a passkey signed of the act, beside that.
    assertion: Option<Arc<PasskeyAssertion>>,
    /// Whether a passkey has to: the session began with one.
    to_be_signed: bool,
}

impl From<Shown> for Proof {
    fn from(shown: Shown) -> Self {
        Self { shown, assertion: None, to_be_signed: false }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Shown {
    #[default]
    Nothing,
    Terminal,
    Credential,
    SignedIn(Behind),
    Editor,
}

/// What a session at the review room began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Behind {
    Terminal,
    Credential,
}

impl Behind {
    const fn shown(self) -> Shown {
        match self {
            Self::Terminal => Shown::Terminal,
            Self::Credential => Shown::Credential,
        }
    }
}

impl Proof {
    /// Nothing was shown.
    #[must_use]
    pub const fn none() -> Self {
        Self { shown: Shown::Nothing, assertion: None, to_be_signed: false }
    }

    /// Whether anything was shown.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.shown == Shown::Nothing
    }

    /// What a session can begin with; one session never begins another.
    const fn behind(&self) -> Option<Behind> {
        match self.shown {
            Shown::Terminal => Some(Behind::Terminal),
            Shown::Credential => Some(Behind::Credential),
            Shown::Nothing | Shown::SignedIn(_) | Shown::Editor => None,
        }
    }

    /// A proof without anything behind it, for tests of what follows from one.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn for_tests(assurance: Assurance) -> Self {
        Self::from(match assurance {
            Assurance::Terminal => Shown::Terminal,
            Assurance::Credential => Shown::Credential,
            Assurance::SignedIn | Assurance::Passkey => Shown::SignedIn(Behind::Terminal),
            Assurance::Editor => Shown::Editor,
            Assurance::Table | Assurance::Hash => Shown::Nothing,
        })
    }

    /// What a passkey signed of the act.
    pub(crate) fn assertion(&self) -> Option<PasskeyAssertion> {
        self.assertion.as_deref().cloned()
    }

    /// Whether a passkey signed exactly this command, where one did or has to.
    pub(crate) fn fits(&self, act: &str, command: Digest, lets_act: bool) -> bool {
        match self.assertion.as_deref() {
            Some(assertion) => passkey::is_about(&assertion.act, act, command),
            None => !(self.to_be_signed && lets_act),
        }
    }

    /// What a decision is recorded with; `None` when policy wants something else.
    ///
    /// A proof that is not the one policy wants counts for nothing; only where the hash
    /// alone suffices is more than the hash welcome.
    #[must_use]
    pub(crate) fn assurance(&self, policy: &Policy, hash: Option<Digest>) -> Option<Assurance> {
        match (policy.decide, self.shown) {
            (Decide::Terminal | Decide::Hash, Shown::Terminal) => Some(Assurance::Terminal),
            (Decide::Credential | Decide::Hash, Shown::Credential) => Some(Assurance::Credential),
            (Decide::Terminal | Decide::Hash, Shown::SignedIn(Behind::Terminal))
            | (Decide::Credential | Decide::Hash, Shown::SignedIn(Behind::Credential)) => {
                Some(Assurance::SignedIn)
            }
            (Decide::Hash, Shown::Nothing) if hash.is_some() => Some(Assurance::Hash),
            (_, Shown::Editor) if policy.editor_decides && hash.is_some() => {
                Some(Assurance::Editor)
            }
            _ => None,
        }
    }
}
