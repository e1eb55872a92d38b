//! The words a policy chooses from, with the order in which they are strict.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much may happen without a person, strictest first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Every plan waits for a person.
    Manual,
    /// Small, safe plans run alone.
    Conservative,
    /// Medium risk runs alone too, with a notice.
    Balanced,
}

impl Profile {
    /// Every profile as written, strictest first.
    pub const WORDS: &'static [(&'static str, Self)] = &[
        ("manual", Self::Manual),
        ("conservative", Self::Conservative),
        ("balanced", Self::Balanced),
    ];

    /// The profile as written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Conservative => "conservative",
            Self::Balanced => "balanced",
        }
    }
}

/// What an approval must be proven by.
///
/// `hash` is the loosest: whoever can read a plan can approve it. The other two cannot be
/// compared: `terminal` wants a person at the keyboard but can be faked by a process that
/// shares the user's shell, `credential` wants a secret but works without anybody there.
/// So a later layer may go from `hash` to either of them and from neither to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Decide {
    /// A confirmation typed at the controlling terminal.
    Terminal,
    /// A passphrase or key file.
    Credential,
    /// The full plan hash.
    Hash,
}

impl Decide {
    /// Every way as written.
    pub const WORDS: &'static [(&'static str, Self)] =
        &[("terminal", Self::Terminal), ("credential", Self::Credential), ("hash", Self::Hash)];
}

/// Where a proposer's model runs and how far it is trusted with the project's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Locality {
    /// On this machine.
    LocalOnly,
    /// With a provider under contract.
    TrustedCloud,
    /// With anybody else.
    UntrustedCloud,
}

impl Locality {
    /// Every class as written.
    pub const WORDS: &'static [(&'static str, Self)] = &[
        ("LOCAL_ONLY", Self::LocalOnly),
        ("TRUSTED_CLOUD", Self::TrustedCloud),
        ("UNTRUSTED_CLOUD", Self::UntrustedCloud),
    ];
}
