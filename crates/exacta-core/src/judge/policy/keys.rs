//! Every key of a policy file, in one table: the reader's list of what is allowed, and
//! the source of the reference page.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use super::effective::Merged;
use super::merge::merge;

/// One key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The key with dots; `<name>` stands for a name that the operator chooses.
    pub path: &'static str,
    /// What may stand there.
    pub takes: &'static str,
    /// What a layer may do to the value of an earlier one.
    pub direction: Direction,
    /// Which layers may set it.
    pub setters: Setters,
    /// What it is for.
    pub about: &'static str,
}

/// What a layer may do to the value of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// One value is allowed.
    Fixed,
    /// Choose a stricter word.
    Stricter,
    /// Go from `hash` to one of the others.
    Proof,
    /// Give a smaller number.
    Smaller,
    /// Give a larger number.
    Larger,
    /// Leave entries out.
    Narrower,
    /// Add entries.
    Adds,
    /// Nothing.
    Stays,
}

impl Direction {
    /// In words, after "a later layer may".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Fixed | Self::Stays => "not change it",
            Self::Stricter => "choose a stricter word",
            Self::Proof => "replace `hash` by one of the others",
            Self::Smaller => "make it smaller",
            Self::Larger => "make it larger",
            Self::Narrower => "leave entries out",
            Self::Adds => "add entries",
        }
    }
}

/// Which layers may set a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setters {
    /// All three.
    Any,
    /// System and operator.
    Trusted,
    /// All three, the project only for names that an earlier layer made.
    ProjectNarrows,
}

impl Setters {
    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Any => "all",
            Self::Trusted => "system, operator",
            Self::ProjectNarrows => "system, operator; project for known names",
        }
    }
}

const fn key(
    path: &'static str,
    takes: &'static str,
    direction: Direction,
    about: &'static str,
) -> Key {
    Key { path, takes, direction, setters: Setters::Any, about }
}

const fn trusted(
    path: &'static str,
    takes: &'static str,
    direction: Direction,
    about: &'static str,
) -> Key {
    Key { setters: Setters::Trusted, ..key(path, takes, direction, about) }
}

const fn narrowed(
    path: &'static str,
    takes: &'static str,
    direction: Direction,
    about: &'static str,
) -> Key {
    Key { setters: Setters::ProjectNarrows, ..key(path, takes, direction, about) }
}

use Direction::{Adds, Fixed, Larger, Narrower, Proof, Smaller, Stays, Stricter};

const COUNT: &str = "integer";
const USD: &str = "US dollars, at most six decimals";
const PROFILE: &str = "`manual`, `conservative` or `balanced`";

/// Every key, in the order of the reference.
pub const KEYS: &[Key] = &[
    key("version", "`1`", Fixed, "version of the format; may be left out"),
    key("profile", PROFILE, Stricter, "how much runs without a person"),
    key("autonomy_ceiling", PROFILE, Stricter, "the loosest profile that may take effect"),
    key("decide", "`terminal`, `credential` or `hash`", Proof, "what proves an approval"),
    key("commit", "`true` or `false`", Stricter, "whether what a command runs is committed"),
    key(
        "editor_decides",
        "`true` or `false`",
        Stricter,
        "whether \"allow\" in an editor (`exacta acp`) approves a plan whose whole effect it shows",
    ),
    key("ttl_minutes", "1 to 43200", Smaller, "how long a plan may wait and an approval be used"),
    key("token_budget", COUNT, Smaller, "tokens a plan may need"),
    key(
        "retention_days",
        "1 to 36500",
        Larger,
        "days after which `gc` gives up contents and ways back of plans that are over",
    ),
    key(
        "allowed_domains",
        "host names; `*.` covers every name below",
        Narrower,
        "hosts that tools may contact",
    ),
    key("allowed_recipients", "mail addresses", Narrower, "addresses that tools may write to"),
    key("primitives", "names of primitives", Narrower, "primitives that plans may use"),
    key(
        "unasked_primitives",
        "names of primitives that write drafts",
        Narrower,
        "primitives that preset recipes may use without a person",
    ),
    key("known_urls", "addresses", Narrower, "long addresses that need no person"),
    key("project_config", "globs", Adds, "files whose change expires every plan"),
    key("constraints", "constraints, as words or tables", Adds, "what every plan must keep to"),
    key("caps.max_steps", COUNT, Smaller, "tool steps in a plan"),
    key("caps.max_tool_calls", COUNT, Smaller, "tool calls in a plan"),
    key("caps.max_pages", COUNT, Smaller, "pages read by a plan"),
    key("caps.max_cost_usd", USD, Smaller, "estimated cost of a plan"),
    key("caps.max_files", COUNT, Smaller, "files touched by a plan"),
    key("caps.max_changed_lines", COUNT, Smaller, "lines added and removed by a plan"),
    key("caps.max_image_bytes", COUNT, Smaller, "bytes of all files that a plan writes"),
    key(
        "session_budget.risk",
        COUNT,
        Smaller,
        "points of risk, without floors, that may run unasked within the window, summed",
    ),
    key(
        "session_budget.files",
        COUNT,
        Smaller,
        "distinct files that may be changed unasked within the window",
    ),
    key(
        "session_budget.lines",
        COUNT,
        Smaller,
        "lines that may be added and removed unasked within the window",
    ),
    key("session_budget.minutes", "1 to 1440", Larger, "the rolling window"),
    trusted("prices.default", USD, Larger, "price of a million tokens"),
    trusted("prices.models.<name>", USD, Larger, "the same for one model"),
    trusted("proposers.<name>.provider", "text", Stays, "the provider of the proposer's model"),
    trusted("proposers.<name>.model", "text", Stays, "the proposer's model"),
    trusted(
        "proposers.<name>.class",
        "`LOCAL_ONLY`, `TRUSTED_CLOUD` or `UNTRUSTED_CLOUD`",
        Stays,
        "where that model runs",
    ),
    trusted(
        "proposers.<name>.skills",
        "names of skills",
        Narrower,
        "when given, each of its plans names one of these",
    ),
    narrowed(
        "skills.<name>.primitives",
        "names of primitives",
        Narrower,
        "primitives that plans under the skill may use",
    ),
    narrowed("skills.<name>.caps", "as `caps`", Smaller, "caps on plans under the skill"),
    trusted(
        "checks.<name>.command",
        "program and arguments",
        Stays,
        "a command that judges staged files",
    ),
    trusted(
        "checks.<name>.runs",
        "`always` (when left out) or `named`: only where a `tests_required` constraint names it",
        Stays,
        "on which runs the check judges",
    ),
    trusted(
        "checks.<name>.timeout_seconds",
        "1 to 86400; 600 when left out",
        Stays,
        "when the check counts as failed",
    ),
    trusted(
        "tools.editor",
        "program and arguments, with `{file}` and `{line}`",
        Stays,
        "what the review room opens a file of a plan with, on this machine",
    ),
    key("tools.ports", "ports", Narrower, "ports that tools may contact"),
    trusted(
        "tools.inbox",
        "a file or folder",
        Stays,
        "the `.eml` file, mbox, Maildir or folder that `ReadForwardedEmail` reads",
    ),
    key("tools.daily_cost_usd", USD, Smaller, "what all runs of one day may spend on tools"),
    trusted("tools.vault", "a folder", Stays, "the folder that `ReadVaultFile` may read"),
    key("tools.mail.send", "`true` or `false`", Stricter, "whether `SendEmail` may send at all"),
    trusted("tools.mail.server", "a host name", Stays, "the mail server"),
    trusted("tools.mail.port", "1 to 65535", Stays, "its port"),
    trusted("tools.mail.security", "`starttls` or `tls`", Stays, "how the connection is protected"),
    trusted("tools.mail.user", "text", Stays, "the name to sign in with"),
    trusted("tools.mail.password", "name of a secret", Stays, "the secret to sign in with"),
    trusted("tools.mail.from", "a mail address", Stays, "the address that mail comes from"),
    key("tools.mail.daily_limit", COUNT, Smaller, "mails in one day"),
    trusted(
        "tools.mail.quiet_hours",
        "such as `22:00-07:00`, in local time",
        Stays,
        "when no mail is sent",
    ),
    key(
        "tools.notify.terminal",
        "`true` or `false`",
        Stricter,
        "`NotifyUser` writes a line on the terminal",
    ),
    key(
        "tools.notify.desktop",
        "`true` or `false`",
        Stricter,
        "`NotifyUser` shows a notification of the desktop",
    ),
    trusted("tools.notify.webhook", "an address", Stays, "`NotifyUser` posts a JSON object there"),
    trusted("tools.notify.ntfy", "an address", Stays, "`NotifyUser` posts to this ntfy topic"),
    trusted(
        "tools.notify.secret",
        "name of a secret",
        Stays,
        "signs what `exacta serve` posts when a plan waits; without it nothing is posted",
    ),
    trusted(
        "tools.notify.mail",
        "a mail address",
        Stays,
        "`NotifyUser` writes to this address, the operator's own",
    ),
    key("tools.notify.daily_limit", COUNT, Smaller, "notifications in one day"),
    trusted(
        "tools.endpoints.<name>.url",
        "an address",
        Stays,
        "an address that `CallApi` may call, exactly so",
    ),
    trusted(
        "tools.endpoints.<name>.method",
        "`POST` (when left out), `PUT`, `PATCH` or `DELETE`",
        Stays,
        "the method of the call",
    ),
    trusted(
        "tools.endpoints.<name>.secret",
        "name of a secret",
        Stays,
        "the secret that goes along",
    ),
    trusted(
        "tools.endpoints.<name>.header",
        "name of a header; `authorization` when left out",
        Stays,
        "the header that it goes into",
    ),
    trusted(
        "tools.endpoints.<name>.price_usd",
        USD,
        Stays,
        "what one call costs; without it no call is made",
    ),
    trusted(
        "tools.secrets.<name>.env",
        "name of a variable",
        Stays,
        "the variable that holds the secret",
    ),
    trusted(
        "tools.secrets.<name>.file",
        "a file",
        Stays,
        "the file that holds it; only its owner may read it",
    ),
    trusted(
        "tools.secrets.<name>.command",
        "program and arguments",
        Stays,
        "the command that prints it",
    ),
    trusted(
        "tools.secrets.<name>.timeout_seconds",
        "1 to 60; 10 when left out",
        Stays,
        "how long that command may take",
    ),
    key("rule.then", "`deny` or `ask`", Adds, "what happens to a plan that the rule applies to"),
    key("rule.reason", "text", Adds, "why, for the person who meets it"),
    key(
        "rule.match.paths",
        "globs; letter case does not matter",
        Adds,
        "a file touched matches one of them",
    ),
    key("rule.match.ops", "`create`, `modify`, `delete`", Adds, "what happens to that file"),
    key("rule.match.tools", "names of primitives", Adds, "a step calls one of them"),
    key(
        "rule.match.effects",
        "`read`, `draft_write`, `bulk_write`, `publish`, `send`",
        Adds,
        "what that call does outside",
    ),
    key("rule.match.min_risk", "0 to 100", Adds, "the plan's risk is at least this"),
    key("rule.match.min_changed_lines", COUNT, Adds, "the plan changes at least so many lines"),
    key(
        "rule.match.proposers",
        "names; `anonymous` for none",
        Adds,
        "the authenticated proposer is one of them",
    ),
    key(
        "rule.match.recipes",
        "`WebsiteMonitor`, `InboxTriage`, `DailyBrief`, `Custom`",
        Adds,
        "the plan follows one of them",
    ),
];

/// The keys that may stand directly below `prefix` (empty: at the top).
pub(super) fn below(prefix: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for key in KEYS {
        let rest = if prefix.is_empty() {
            Some(key.path)
        } else {
            key.path.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('.'))
        };
        let Some(name) = rest.and_then(|rest| rest.split('.').next()) else { continue };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The table of keys as Markdown, for the reference page.
#[must_use]
pub fn reference() -> String {
    let built_in: Merged = merge(&[]);
    let rows = built_in.rows();
    let mut text = String::from(
        "| key | takes | built-in | a later layer may | set by | what it is for |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    for Key { path, takes, direction, setters, about } in KEYS {
        let value = rows.iter().find(|row| row.key == *path);
        let value = value.map_or("–".into(), |row| match &row.value {
            serde_json::Value::Array(list) if list.len() > 12 => {
                format!("{} entries, see below", list.len())
            }
            _ => format!("`{}`", row.written()),
        });
        let (direction, setters) = (direction.words(), setters.words());
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "| `{path}` | {takes} | {value} | {direction} | {setters} | {about} |");
    }
    text
}
