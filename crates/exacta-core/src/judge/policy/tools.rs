//! What tools may reach and with what: ports, mail, endpoints, notifications, secrets.
//!
//! A tool that is not set up here does not work. Secrets are only named: where they come
//! from, never what they are.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use super::effective::Why;
use super::layer::LayerName;
use super::ledger::{Ledger, json};
use super::tighten::{Step, as_it_was, at_most};

/// The port that addresses without one mean.
const HTTPS: u64 = 443;
/// Mails a day when nobody says otherwise.
const MAILS_A_DAY: u64 = 20;
/// Notifications a day when nobody says otherwise.
const NOTES_A_DAY: u64 = 50;
/// What tools may spend in one day when nobody says otherwise, in millionths of a US dollar.
const SPENT_A_DAY: u64 = 20_000_000;
/// The port of mail submission.
const SUBMISSION: u64 = 587;

/// The settings of all tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tools {
    /// What all runs of one day may spend on tools, in millionths of a US dollar.
    pub daily_cost_micro_usd: u64,
    /// The program that opens a file of a plan, and its arguments.
    pub editor: Option<Vec<String>>,
    /// Addresses that `CallApi` may call.
    pub endpoints: BTreeMap<String, Endpoint>,
    /// Where `ReadForwardedEmail` finds mail.
    pub inbox: Option<String>,
    /// How mail is sent.
    pub mail: Mail,
    /// How `NotifyUser` reaches its person.
    pub notify: Notify,
    /// Ports that tools may contact.
    pub ports: BTreeSet<u64>,
    /// Where secrets come from.
    pub secrets: BTreeMap<String, Secret>,
    /// The folder that `ReadVaultFile` may read.
    pub vault: Option<String>,
}

/// How mail is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mail {
    /// The most mails in one day.
    pub daily_limit: u64,
    /// The address that mail comes from.
    pub from: Option<String>,
    /// The name of the secret to sign in with.
    pub password: Option<String>,
    /// The server's port.
    pub port: u64,
    /// When nothing is sent, such as `22:00-07:00` in local time.
    pub quiet_hours: Option<String>,
    /// How the connection is protected.
    pub security: Security,
    /// Whether mail may be sent at all.
    pub send: bool,
    /// The server.
    pub server: Option<String>,
    /// The name to sign in with.
    pub user: Option<String>,
}

/// How a connection to a mail server is protected; there is no third way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Security {
    /// Plain until `STARTTLS`, which must succeed.
    #[default]
    Starttls,
    /// TLS from the first byte.
    Tls,
}

/// How `NotifyUser` reaches its person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Notify {
    /// The most notifications in one day.
    pub daily_limit: u64,
    /// A notification of the desktop.
    pub desktop: bool,
    /// The operator's own mail address.
    pub mail: Option<String>,
    /// A topic of an ntfy server.
    pub ntfy: Option<String>,
    /// The name of the secret that what the review room sends is signed with.
    pub secret: Option<String>,
    /// A line on the terminal.
    pub terminal: bool,
    /// An address that takes a JSON object.
    pub webhook: Option<String>,
}

/// An address that `CallApi` may call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Endpoint {
    /// The header that the secret goes into.
    pub header: String,
    /// The method.
    pub method: String,
    /// What one call costs, in millionths of a US dollar.
    pub micro_usd: Option<u64>,
    /// The name of a secret.
    pub secret: Option<String>,
    /// The address, exactly as plans must name it.
    pub url: String,
}

/// Where a secret comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Secret {
    /// A variable of the environment.
    Env(String),
    /// A file that only its owner can read.
    File(String),
    /// What a command prints.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
        /// How long it may take.
        timeout_seconds: u64,
    },
}

impl Default for Tools {
    fn default() -> Self {
        Self {
            daily_cost_micro_usd: SPENT_A_DAY,
            editor: None,
            endpoints: BTreeMap::new(),
            inbox: None,
            mail: Mail {
                daily_limit: MAILS_A_DAY,
                from: None,
                password: None,
                port: SUBMISSION,
                quiet_hours: None,
                security: Security::Starttls,
                send: false,
                server: None,
                user: None,
            },
            notify: Notify {
                daily_limit: NOTES_A_DAY,
                desktop: false,
                mail: None,
                ntfy: None,
                secret: None,
                terminal: true,
                webhook: None,
            },
            ports: BTreeSet::from([HTTPS]),
            secrets: BTreeMap::new(),
            vault: None,
        }
    }
}

impl Tools {
    /// Whether nothing differs from the built-in settings.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        *self == Self::default()
    }
}

/// What one layer says about tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolsLayer {
    /// `tools.daily_cost_usd`
    pub daily_cost_micro_usd: Option<u64>,
    /// `tools.editor`
    pub editor: Option<Vec<String>>,
    /// `tools.endpoints.*`
    pub endpoints: BTreeMap<String, Endpoint>,
    /// `tools.inbox`
    pub inbox: Option<String>,
    /// `tools.mail.daily_limit`
    pub mail_daily_limit: Option<u64>,
    /// `tools.mail.from`
    pub mail_from: Option<String>,
    /// `tools.mail.password`
    pub mail_password: Option<String>,
    /// `tools.mail.port`
    pub mail_port: Option<u64>,
    /// `tools.mail.quiet_hours`
    pub mail_quiet_hours: Option<String>,
    /// `tools.mail.security`
    pub mail_security: Option<Security>,
    /// `tools.mail.send`
    pub mail_send: Option<bool>,
    /// `tools.mail.server`
    pub mail_server: Option<String>,
    /// `tools.mail.user`
    pub mail_user: Option<String>,
    /// `tools.notify.daily_limit`
    pub notify_daily_limit: Option<u64>,
    /// `tools.notify.desktop`
    pub notify_desktop: Option<bool>,
    /// `tools.notify.mail`
    pub notify_mail: Option<String>,
    /// `tools.notify.ntfy`
    pub notify_ntfy: Option<String>,
    /// `tools.notify.secret`
    pub notify_secret: Option<String>,
    /// `tools.notify.terminal`
    pub notify_terminal: Option<bool>,
    /// `tools.notify.webhook`
    pub notify_webhook: Option<String>,
    /// `tools.ports`
    pub ports: Option<BTreeSet<u64>>,
    /// `tools.secrets.*`
    pub secrets: BTreeMap<String, Secret>,
    /// `tools.vault`
    pub vault: Option<String>,
}

/// Fewer ports are tighter.
fn fewer_ports(now: &BTreeSet<u64>, wanted: &BTreeSet<u64>) -> Step<BTreeSet<u64>> {
    Step { value: now & wanted, heeded: wanted.is_subset(now) }
}

/// Lays what a layer says about tools over what is in force.
pub(super) fn merge(name: LayerName, layer: &ToolsLayer, tools: &mut Tools, books: &mut Ledger) {
    books.set(name, "tools.ports", &mut tools.ports, layer.ports.as_ref(), fewer_ports);
    let (mail, notify) = (&mut tools.mail, &mut tools.notify);
    for (key, slot, wanted) in [
        ("tools.daily_cost_usd", &mut tools.daily_cost_micro_usd, layer.daily_cost_micro_usd),
        ("tools.mail.daily_limit", &mut mail.daily_limit, layer.mail_daily_limit),
        ("tools.notify.daily_limit", &mut notify.daily_limit, layer.notify_daily_limit),
    ] {
        books.set(name, key, slot, wanted.as_ref(), at_most);
    }
    // `false` comes before `true`: off is tighter.
    for (key, slot, wanted) in [
        ("tools.mail.send", &mut mail.send, layer.mail_send),
        ("tools.notify.desktop", &mut notify.desktop, layer.notify_desktop),
        ("tools.notify.terminal", &mut notify.terminal, layer.notify_terminal),
    ] {
        books.set(name, key, slot, wanted.as_ref(), at_most);
    }
    let mut books = Trusted { name, books };
    for (key, slot, wanted) in [
        ("tools.inbox", &mut tools.inbox, &layer.inbox),
        ("tools.mail.from", &mut mail.from, &layer.mail_from),
        ("tools.mail.password", &mut mail.password, &layer.mail_password),
        ("tools.mail.quiet_hours", &mut mail.quiet_hours, &layer.mail_quiet_hours),
        ("tools.mail.server", &mut mail.server, &layer.mail_server),
        ("tools.mail.user", &mut mail.user, &layer.mail_user),
        ("tools.notify.mail", &mut notify.mail, &layer.notify_mail),
        ("tools.notify.ntfy", &mut notify.ntfy, &layer.notify_ntfy),
        ("tools.notify.secret", &mut notify.secret, &layer.notify_secret),
        ("tools.notify.webhook", &mut notify.webhook, &layer.notify_webhook),
        ("tools.vault", &mut tools.vault, &layer.vault),
    ] {
        let wanted = wanted.is_some().then_some(wanted);
        books.set(key, slot, wanted);
    }
    let editor = layer.editor.is_some().then_some(&layer.editor);
    books.set("tools.editor", &mut tools.editor, editor);
    books.set("tools.mail.port", &mut mail.port, layer.mail_port.as_ref());
    books.set("tools.mail.security", &mut mail.security, layer.mail_security.as_ref());
    books.entries("endpoints", &mut tools.endpoints, &layer.endpoints);
    books.entries("secrets", &mut tools.secrets, &layer.secrets);
}

/// Keys that only the machine's and the operator's layer may set.
struct Trusted<'a> {
    name: LayerName,
    books: &'a mut Ledger,
}

impl Trusted<'_> {
    fn set<T: Clone + PartialEq + Serialize>(
        &mut self,
        key: &str,
        slot: &mut T,
        wanted: Option<&T>,
    ) {
        let Some(value) = wanted else { return };
        if self.name.is_trusted() {
            self.books.set(self.name, key, slot, wanted, as_it_was);
        } else {
            self.books.ignore(self.name, key, json(value), json(slot), Why::NotThisLayer);
        }
    }

    fn entries<T: Clone + PartialEq + Serialize>(
        &mut self,
        table: &str,
        slots: &mut BTreeMap<String, T>,
        wanted: &BTreeMap<String, T>,
    ) {
        for (id, value) in wanted {
            let key = format!("tools.{table}.{id}");
            if self.name.is_trusted() {
                let slot = slots.entry(id.clone()).or_insert_with(|| value.clone());
                self.books.set(self.name, &key, slot, Some(value), as_it_was);
            } else {
                let now = json(&slots.get(id));
                self.books.ignore(self.name, &key, json(value), now, Why::NotThisLayer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LayerName, merge, read};

    fn merged(layers: &[(LayerName, &str)]) -> super::super::Merged {
        let layers: alloc::vec::Vec<_> =
            layers.iter().map(|(name, text)| read(*name, text.as_bytes()).unwrap()).collect();
        merge(&layers)
    }

    const OPERATOR: &str = "[tools]\nports = [443, 8443]\nvault = \"/v\"\n\
        [tools.mail]\nsend = true\nserver = \"mail.example.com\"\nfrom = \"me@example.com\"\n\
        daily_limit = 5\nsecurity = \"tls\"\n\
        [tools.secrets.key]\nenv = \"KEY\"\n\
        [tools.endpoints.tickets]\nurl = \"https://api.example.com/t\"\nsecret = \"key\"\n";

    #[test]
    fn the_operator_sets_tools_up_and_the_project_only_narrows() {
        let project = "[tools]\nports = [443, 22]\nvault = \"/etc\"\n\
            [tools.mail]\nsend = false\nserver = \"evil.example\"\ndaily_limit = 9\n\
            [tools.secrets.key]\nenv = \"OTHER\"\n[tools.secrets.new]\nfile = \"/etc/shadow\"\n\
            [tools.endpoints.tickets]\nurl = \"https://evil.example/\"\n";
        let merged = merged(&[(LayerName::Operator, OPERATOR), (LayerName::Project, project)]);
        let tools = &merged.policy.tools;
        assert_eq!(tools.ports, [443].into());
        assert_eq!(tools.vault.as_deref(), Some("/v"));
        assert_eq!(tools.mail.server.as_deref(), Some("mail.example.com"));
        assert_eq!((tools.mail.send, tools.mail.daily_limit), (false, 5));
        assert_eq!(tools.secrets.len(), 1);
        assert_eq!(tools.endpoints["tickets"].url, "https://api.example.com/t");
        let ignored: alloc::vec::Vec<&str> =
            merged.ignored.iter().map(|one| one.key.as_str()).collect();
        for key in [
            "tools.ports",
            "tools.vault",
            "tools.mail.server",
            "tools.mail.daily_limit",
            "tools.secrets.key",
            "tools.secrets.new",
            "tools.endpoints.tickets",
        ] {
            assert!(ignored.contains(&key), "{key}: {ignored:?}");
        }
    }

    #[test]
    fn a_project_turns_nothing_on() {
        let merged = merged(&[(
            LayerName::Project,
            "[tools]\nports = [22]\n[tools.mail]\nsend = true\n[tools.notify]\ndesktop = true\n",
        )]);
        let tools = &merged.policy.tools;
        assert!(!tools.mail.send && !tools.notify.desktop);
        assert!(tools.ports.is_empty());
        assert_eq!(merged.ignored.len(), 3);
    }

    #[test]
    fn settings_that_are_not_there_leave_the_hash_alone_and_others_do_not() {
        let none = merged(&[]).policy;
        assert!(none.tools.is_built_in());
        let text = serde_json::to_string(&none).unwrap();
        assert!(!text.contains("\"tools\""), "{text}");
        let some = merged(&[(LayerName::Operator, OPERATOR)]).policy;
        assert_ne!(none.hash().unwrap(), some.hash().unwrap());
    }

    #[test]
    fn mistakes_are_findings() {
        for text in [
            "[tools]\nports = [\"443\"]",
            "[tools]\nports = [70000]",
            "[tools.mail]\nsend = 1",
            "[tools.mail]\nserver = \"a b\"",
            "[tools.mail]\nfrom = \"Me <me@example.com>\"",
            "[tools.mail]\nquiet_hours = \"25:00-07:00\"",
            "[tools.mail]\nsecurity = \"none\"",
            "[tools.notify]\nwebhook = \"ftp://example.com\"",
            "[tools.endpoints.a]\nmethod = \"POST\"",
            "[tools.endpoints.a]\nurl = \"https://a.example/\"\nmethod = \"POST /\"",
            "[tools.endpoints.a]\nurl = \"https://a.example/\"\nheader = \"X: y\"",
            "[tools.secrets.a]\nenv = \"A\"\nfile = \"/a\"",
            "[tools.secrets.a]",
            "[tools.secrets.a]\nenv = \"A=B\"",
            "[tools]\nother = 1",
        ] {
            assert!(read(LayerName::Operator, text.as_bytes()).is_err(), "{text}");
        }
    }
}
