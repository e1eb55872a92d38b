//! What pages show that only the program around this crate can find out: the kinds of words
//! in code, and the layers of the policy.

use std::sync::Arc;

use exacta_core::model::path::RelPath;
use exacta_core::review::Token;
use exacta_engine::policy::Loaded;

/// Tells the kinds of words of images; hostile bytes are read in a confined process.
pub type Words = dyn Fn(&[(&RelPath, &[u8])]) -> Option<Vec<Option<Vec<Token>>>> + Send + Sync;
/// Loads the policy with its layers, or says why it cannot.
pub type Layers = dyn Fn() -> Result<Loaded, String> + Send + Sync;

/// How a project's pages find them.
#[derive(Clone, Default)]
pub struct Looks {
    /// The kinds of words; none are told without it.
    pub words: Option<Arc<Words>>,
    /// The layers of the policy; the values alone are shown without them.
    pub layers: Option<Arc<Layers>>,
}
