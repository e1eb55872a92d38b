//! The policy in force: the one place where doors find it.

use std::env;

use exacta_engine::policy::{Loaded, Places, load};
use exacta_engine::workspace::Root;

use super::CliError;

/// Where the policy files of this user and this machine lie, and the caps of the environment.
pub(crate) fn places() -> Result<Places, CliError> {
    let (config, home) = (env::var_os("XDG_CONFIG_HOME"), env::var_os("HOME"));
    Ok(Places::new(config.as_deref(), home.as_deref())?.capped_by(env::vars_os()))
}

/// The policy for a project. Whatever is wrong with it blocks the command.
pub(crate) fn policy(project: &Root) -> Result<Loaded, CliError> {
    Ok(load(project, &places()?)?)
}
