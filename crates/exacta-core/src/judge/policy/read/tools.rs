//! The table `tools`: what tools may reach and with what.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;

use super::findings::Findings;
use super::table::{MOST, Table};
use super::values;
use crate::judge::policy::keys::below;
use crate::judge::policy::tools::{Endpoint, Secret, Security, ToolsLayer};

/// How long a command may take that prints a secret, when nobody says otherwise.
const COMMAND_SECONDS: u64 = 10;
const COMMAND_SECONDS_MOST: u64 = 60;

/// Reads the table.
pub(super) fn tools(top: &Table<'_, '_>, out: &mut Findings<'_>) -> ToolsLayer {
    let Some(table) = top.table("tools", &below("tools"), out) else {
        return ToolsLayer::default();
    };
    let mut layer = ToolsLayer {
        daily_cost_micro_usd: table.usd("daily_cost_usd", out),
        editor: table.some_strings("editor", values::argument, out),
        endpoints: endpoints(&table, out),
        inbox: table.text("inbox", out),
        ports: ports(&table, out),
        secrets: secrets(&table, out),
        vault: table.text("vault", out),
        ..ToolsLayer::default()
    };
    if let Some(mail) = table.table("mail", &below("tools.mail"), out) {
        let words = [("starttls", Security::Starttls), ("tls", Security::Tls)];
        layer.mail_daily_limit = mail.count("daily_limit", 0..=MOST, out);
        layer.mail_from = mail.entry("from", values::recipient, out);
        layer.mail_password = mail.text("password", out);
        layer.mail_port = mail.count("port", 1..=65_535, out);
        layer.mail_quiet_hours = mail.entry("quiet_hours", values::hours, out);
        layer.mail_security = mail.word("security", &words, out);
        layer.mail_send = mail.flag("send", out);
        layer.mail_server = mail.entry("server", values::server, out);
        layer.mail_user = mail.text("user", out);
    }
    if let Some(notify) = table.table("notify", &below("tools.notify"), out) {
        layer.notify_daily_limit = notify.count("daily_limit", 0..=MOST, out);
        layer.notify_desktop = notify.flag("desktop", out);
        layer.notify_mail = notify.entry("mail", values::recipient, out);
        layer.notify_ntfy = notify.entry("ntfy", values::url, out);
        layer.notify_secret = notify.text("secret", out);
        layer.notify_terminal = notify.flag("terminal", out);
        layer.notify_webhook = notify.entry("webhook", values::url, out);
    }
    layer
}

fn ports(table: &Table<'_, '_>, out: &mut Findings<'_>) -> Option<BTreeSet<u64>> {
    let mut ports = BTreeSet::new();
    for (value, at) in table.array("ports", "an array of ports", out)? {
        match values::integer(value.get_ref()).filter(|port| (1..=65_535).contains(port)) {
            Some(port) => {
                ports.insert(port);
            }
            None => out.wrong(&at, &value.span(), "a port from 1 to 65535", value.get_ref()),
        }
    }
    Some(ports)
}

fn endpoints(table: &Table<'_, '_>, out: &mut Findings<'_>) -> BTreeMap<String, Endpoint> {
    let mut endpoints = BTreeMap::new();
    for (id, table) in table.named("endpoints", &below("tools.endpoints.<name>"), out) {
        table.missing("url", out);
        let methods = [("POST", "POST"), ("PUT", "PUT"), ("PATCH", "PATCH"), ("DELETE", "DELETE")];
        let method = table.word("method", &methods, out).unwrap_or("POST");
        let header = table.entry("header", values::header, out);
        let secret = table.text("secret", out);
        let micro_usd = table.usd("price_usd", out);
        if let Some(url) = table.entry("url", values::url, out) {
            let header = header.unwrap_or_else(|| "authorization".into());
            endpoints
                .insert(id, Endpoint { header, method: method.into(), micro_usd, secret, url });
        }
    }
    endpoints
}

fn secrets(table: &Table<'_, '_>, out: &mut Findings<'_>) -> BTreeMap<String, Secret> {
    let mut secrets = BTreeMap::new();
    for (id, table) in table.named("secrets", &below("tools.secrets.<name>"), out) {
        let env = table.entry("env", values::variable, out).map(Secret::Env);
        let file = table.text("file", out).map(Secret::File);
        let seconds = table.count("timeout_seconds", 1..=COMMAND_SECONDS_MOST, out);
        let timeout_seconds = seconds.unwrap_or(COMMAND_SECONDS);
        let command = table.some_strings("command", values::argument, out);
        let command = command.map(|argv| Secret::Command { argv, timeout_seconds });
        let mut sources = [env, file, command].into_iter().flatten();
        if let (Some(source), None) = (sources.next(), sources.next()) {
            secrets.insert(id, source);
        } else {
            let message = format!("`{}` needs exactly one source", table.at.as_str());
            let help = "give one of `env`, `file` and `command`";
            out.add("value", &table.at, &table.span, message, help);
        }
    }
    secrets
}
