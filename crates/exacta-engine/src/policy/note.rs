//! What is noted of the operator's policy in the state folder: where it lay and what it
//! said when it was last met or confirmed.

use std::path::Path;

use exacta_core::judge::policy::{Layer, LayerName, read};
use serde::{Deserialize, Serialize};

use super::load::PolicyError;
use super::refusal::Refusal;
use crate::trust::TrustStore;

const FORMAT: &str = "exacta/policy-note/v1";

/// A note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyNote {
    format: String,
    /// The operator's folder.
    pub place: String,
    /// The text of `policy.toml`.
    keys: Option<String>,
    /// The text of `policy.cedar`.
    pub(super) cedar: Option<String>,
}

impl PolicyNote {
    /// What would be noted now.
    pub(super) fn of(place: &Path, keys: Option<&[u8]>, cedar: Option<&[u8]>) -> Self {
        let text =
            |bytes: Option<&[u8]>| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let place = place.display().to_string();
        Self { format: FORMAT.into(), place, keys: text(keys), cedar: text(cedar) }
    }

    /// What was noted; `None` when the operator's policy was never met.
    pub(super) fn read(store: &TrustStore) -> Result<Option<Self>, PolicyError> {
        let refused = |why: String| PolicyError::Refused {
            path: store.policy_file(),
            refusal: Refusal::Unreadable(why),
        };
        let Some(bytes) = store.policy_note().map_err(|error| refused(error.to_string()))? else {
            return Ok(None);
        };
        let note: Self =
            serde_json::from_slice(&bytes).map_err(|error| refused(error.to_string()))?;
        if note.format != FORMAT {
            return Err(refused(format!("its format is `{}`", note.format)));
        }
        Ok(Some(note))
    }

    /// What counts as noted. Where records are known the policy was met, so a note that is
    /// gone is one of an empty file; whoever could delete it must not gain by that.
    pub(super) fn known(store: &TrustStore, now: &Self) -> Result<Option<Self>, PolicyError> {
        let noted = Self::read(store)?;
        if noted.is_some() || !knows_projects(store)? {
            return Ok(noted);
        }
        Ok(Some(Self { keys: None, cedar: None, ..now.clone() }))
    }

    /// Notes it.
    pub(super) fn keep(&self, store: &TrustStore) -> Result<(), PolicyError> {
        let refused = |why: String| PolicyError::Refused {
            path: store.policy_file(),
            refusal: Refusal::Unwritable(why),
        };
        let bytes = serde_json::to_vec(self).map_err(|error| refused(error.to_string()))?;
        store.keep_policy_note(&bytes).map_err(|error| refused(error.to_string()))
    }

    /// The noted keys. A text that this program cannot read says nothing, so that the
    /// built-in values hold, which ask about everything.
    pub(super) fn layer(&self) -> Option<Layer> {
        read(LayerName::Operator, self.keys.as_deref()?.as_bytes()).ok()
    }
}

fn knows_projects(store: &TrustStore) -> Result<bool, PolicyError> {
    store.knows_projects().map_err(|error| PolicyError::Refused {
        path: store.policy_file(),
        refusal: Refusal::Unreadable(error.to_string()),
    })
}

/// How the operator's policy stands to what is noted of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteStanding {
    /// Nothing is noted yet.
    First,
    /// It is the noted one.
    Same,
    /// It is another one, and nowhere looser; or nothing is noted any more, and it is nowhere
    /// looser than the built-in values.
    Tighter,
    /// It lies elsewhere or is looser: until a person confirms it, the stricter of both
    /// holds.
    Unconfirmed {
        /// The folder that was noted, if it is another one.
        noted_place: Option<String>,
    },
}
