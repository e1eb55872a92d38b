//! From an intent to the text of a draft, for whoever may ask: the command line, a recipe, or a
//! person at the review room. Agents' tokens may not.

use exacta_core::judge::examine::{Context as Circumstances, examine};
use exacta_core::judge::policy::Policy;
use exacta_core::model::diagnostic::Issue;
use exacta_core::read::parse::{self, Limits};
use exacta_engine::workspace::Root;
use exacta_tools::planner::PlannerError;

use super::config::{self, Planner};
use super::context::{self, Context};
use super::talk::{Drafted, Form, NotDrafted, talk};
use crate::inspector::Confined;

/// What is about to be asked; nothing was sent yet.
pub(crate) struct Asking {
    /// Which model.
    pub(crate) planner: Planner,
    /// What of the project it is shown.
    pub(crate) context: Context,
    /// What the user asked for, without what looks like a secret.
    pub(crate) wanted: String,
    form: Form,
}

impl Asking {
    /// Chooses the model and what it is shown. An error says what is missing.
    pub(crate) fn prepare(
        root: &Root,
        policy: &Policy,
        intent: &str,
        form: Form,
    ) -> Result<Self, String> {
        let planner = config::read(policy)?;
        // A plan of tools is made of the intent alone.
        let most = if form == Form::Tools { 0 } else { planner.context_bytes };
        let context = context::gather(root, intent, most);
        Ok(Self { planner, context, wanted: exacta_inspect::mask_secrets(intent), form })
    }

    /// Asks, on this thread, until there is a draft; at most three times in all.
    pub(crate) fn draft(
        &self,
        root: &Root,
        policy: &Policy,
        progress: &(dyn Fn(usize) + Send + Sync),
    ) -> Result<Drafted, NotDrafted> {
        let shown = if self.form == Form::Tools { "" } else { self.context.text.as_str() };
        let user = format!("{shown}\n\nWhat the user asks for:\n{}\n", self.wanted);
        let examined = |text: &str| -> Vec<Issue> {
            let circumstances =
                Circumstances { intent: Some(self.wanted.clone()), ..Circumstances::default() };
            match parse::draft(text.as_bytes(), Limits::default()) {
                Ok(draft) => examine(draft, root, &Confined, policy, &circumstances)
                    .map(|examined| examined.issues)
                    .unwrap_or_default(),
                Err(issues) => issues,
            }
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|error| NotDrafted::Planner(PlannerError::Unreachable(error.to_string())))?;
        let budget = policy.token_budget;
        runtime.block_on(talk(&self.planner, self.form, user, budget, &examined, progress))
    }
}
