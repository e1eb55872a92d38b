//! What frameworks find by where it stands or by what it is called.

use exacta_core::model::path::RelPath;

/// Folders whose files are found by where they are, in lower case.
const DISCOVERED: &[&str] = &[
    "routes",
    "plugins",
    "commands",
    "migrations",
    "pages",
    "api",
    "handlers",
    "middleware",
    "tasks",
    "jobs",
    "hooks",
    "extensions",
    "controllers",
    "listeners",
    "subscribers",
    "seeds",
    "cron",
    "functions",
    "lambdas",
    "models",
    "admin",
    "management",
    "templatetags",
    "autoload",
    "initializers",
    "conf.d",
    "init.d",
    "app",
    "views",
    "providers",
    "alembic",
    "versions",
];

/// Names that frameworks look for in a module.
pub(super) const HOOKS: &[&str] = &[
    "activate",
    "apply",
    "configure",
    "default",
    "deactivate",
    "downgrade",
    "handle",
    "handler",
    "includeme",
    "init",
    "install",
    "load",
    "load_tests",
    "main",
    "middleware",
    "plugin",
    "ready",
    "register",
    "run",
    "setUp",
    "setUpClass",
    "setUpModule",
    "setup",
    "start",
    "stop",
    "suite",
    "tearDown",
    "tearDownClass",
    "tearDownModule",
    "teardown",
    "upgrade",
];

/// Whether files are found by where they stand, or hand on what others hold.
pub(super) fn is_discovered(path: &RelPath) -> bool {
    let name = path.name().to_lowercase();
    let barrel = name.starts_with("__init__.") || name.starts_with("index.") || name == "mod.rs";
    let folders = path.as_str().rsplit_once('/').map_or("", |(folders, _)| folders);
    barrel || folders.split('/').any(|part| DISCOVERED.contains(&part.to_lowercase().as_str()))
}
