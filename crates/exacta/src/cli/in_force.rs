//! The policy in force: the one place where doors find it.

use std::env;

use exacta_core::text::shown::visible;
use exacta_engine::policy::{Loaded, NoteStanding, Places, load};
use exacta_engine::workspace::Root;

use super::{CliError, door};

/// Where the policy files of this user and this machine lie, and the caps of the environment.
pub(crate) fn places() -> Result<Places, CliError> {
    let (config, home) = (env::var_os("XDG_CONFIG_HOME"), env::var_os("HOME"));
    let places = Places::new(config.as_deref(), home.as_deref())?;
    Ok(places.noted_in(door::outer()?).capped_by(env::vars_os()))
}

/// The policy for a project. Whatever is wrong with it, or with where it is noted, blocks the
/// command.
pub(crate) fn policy(project: &Root) -> Result<Loaded, CliError> {
    door::outer()?.is_private()?;
    shown(project)
}

/// The same for whoever only wants to see it.
pub(crate) fn shown(project: &Root) -> Result<Loaded, CliError> {
    Ok(load(project, &places()?)?)
}

/// What to say of a policy that a person has not confirmed; nothing of any other.
pub(crate) fn unconfirmed(standing: &NoteStanding) -> Option<String> {
    let NoteStanding::Unconfirmed { noted_place } = standing else { return None };
    Some(not_confirmed(noted_place.as_deref()))
}

/// What to say of a policy that waits for a person's word.
pub(crate) fn not_confirmed(noted_place: Option<&str>) -> String {
    let what = match noted_place {
        Some(place) => format!(
            "your policy was in `{}` before, and lies elsewhere now",
            visible(place.as_bytes())
        ),
        None => "your policy file is looser than what was last confirmed".into(),
    };
    format!(
        "{what}; until you confirm it with `exacta policy confirm`, the stricter of both is in \
         force"
    )
}
