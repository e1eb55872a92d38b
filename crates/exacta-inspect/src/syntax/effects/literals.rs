//! Texts that others obey: queries, pages, paths; and places outside the project.

use exacta_core::judge::facts::Sink;

/// What a text that values are put into is for, as far as it tells.
pub(super) fn sink(text: &str) -> Option<Sink> {
    let lower = text.to_ascii_lowercase();
    let has = |part: &str| lower.contains(part);
    let query = has("select") && has("from")
        || has("insert into")
        || has("insertinto")
        || has("update") && has("set") && has("where")
        || has("delete from")
        || has("deletefrom")
        || has("drop table")
        || has("order by")
        || has(" where ")
        || has("where ") && has("=");
    if query {
        return Some(Sink::Query);
    }
    if has("</") || has("/>") || opens_tag(&lower) || has("javascript:") {
        return Some(Sink::Page);
    }
    if has("://") {
        return Some(Sink::Address);
    }
    if has("sh -c") || has("sudo ") || has("| sh") || has("|sh") || has("&& ") || has("rm -") {
        return Some(Sink::Command);
    }
    (has("\"/")
        || has("/\"")
        || has("'/")
        || has("/'")
        || has("`/")
        || has("/`")
        || has("}/")
        || has("/{")
        || has("/$")
        || has("../"))
    .then_some(Sink::Path)
}

fn opens_tag(lower: &str) -> bool {
    let bytes = lower.as_bytes();
    lower.contains('>')
        && bytes.windows(2).any(|two| matches!(two, [b'<', letter] if letter.is_ascii_lowercase()))
        && [
            "<p", "<a", "<h", "<div", "<span", "<script", "<img", "<b", "<i", "<td", "<tr", "<li",
            "<ul", "<form", "<input", "<svg", "<html", "<body", "<iframe",
        ]
        .iter()
        .any(|tag| lower.contains(tag))
}

/// Whether a text names a place outside of the project that says who somebody is or what
/// runs on the machine.
pub(super) fn outside(text: &str) -> bool {
    const ROOTS: &[&str] = &[
        "/etc/",
        "/root/",
        "/home/",
        "/proc/",
        "/dev/",
        "/sys/",
        "/boot/",
        "/var/spool/cron",
        "/usr/bin/",
        "/usr/local/bin",
        "/var/run/docker",
    ];
    const NAMES: &[&str] = &[
        ".ssh/",
        "id_rsa",
        "id_ed25519",
        ".bashrc",
        ".profile",
        ".zshrc",
        ".bash_profile",
        ".aws/",
        ".npmrc",
        ".netrc",
        ".pypirc",
        ".git/hooks",
        "authorized_keys",
        "crontab",
        "/shadow",
        "/passwd",
        ".kube/config",
        ".docker/config",
        "wallet.dat",
        ".gnupg",
    ];
    let harmless =
        ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/urandom", "/dev/tty"];
    let text = text.trim();
    if harmless.contains(&text) {
        return false;
    }
    ROOTS.iter().any(|root| text.starts_with(root)) || NAMES.iter().any(|name| text.contains(name))
}

/// Which rows a query is about: what stands behind `where`, whatever its layout.
pub(super) fn asks_for(text: &str) -> Option<String> {
    let start = text.trim_start();
    let begins =
        |verb: &str| start.get(..verb.len()).is_some_and(|start| start.eq_ignore_ascii_case(verb));
    if !["select ", "update ", "delete ", "with "].into_iter().any(begins) {
        return None;
    }
    let lower = start.to_ascii_lowercase();
    let verb =
        ["select ", "update ", "delete from ", "with "].iter().any(|verb| lower.starts_with(verb));
    if !verb {
        return None;
    }
    let rows = lower.split_once("where").map_or("", |(_, rows)| rows);
    let table = lower.split_once(" from ").map_or("", |(_, rest)| rest);
    let table = table.split_ascii_whitespace().next().unwrap_or_default();
    Some(format!("{table}({}", rows.split_ascii_whitespace().collect::<String>()))
}

/// What a query deletes or writes over.
pub(super) fn overwrites(text: &str) -> Option<&'static str> {
    let start = text.trim_start();
    ["delete from ", "truncate table ", "replace into ", "insert or replace ", "drop table "]
        .into_iter()
        .find(|verb| start.get(..verb.len()).is_some_and(|start| start.eq_ignore_ascii_case(verb)))
        .map(str::trim_end)
}

/// Whether a text is a place to listen at: on this machine alone, or for all others.
pub(super) fn listens(text: &str) -> Option<bool> {
    let host = text.rsplit_once(':').map_or(text, |(host, _)| host);
    let port = text.strip_prefix(':');
    if port.is_some_and(|port| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit())) {
        return Some(true);
    }
    match host {
        "127.0.0.1" | "localhost" | "[::1]" => Some(false),
        "0.0.0.0" | "[::]" => Some(true),
        _ => (text == "::").then_some(true),
    }
}

/// Whether a text is an address on a network.
pub(super) fn address(text: &str) -> bool {
    text.contains("://") && !text.starts_with("file://") || is_numbers(text)
}

/// `198.51.100.7`, with or without a port.
fn is_numbers(text: &str) -> bool {
    let host = text.split([':', '/']).next().unwrap_or_default();
    let parts: Vec<&str> = host.split('.').collect();
    parts.len() == 4
        && parts.iter().all(|part| {
            !part.is_empty() && part.len() <= 3 && part.bytes().all(|b| b.is_ascii_digit())
        })
        && !matches!(host, "127.0.0.1" | "0.0.0.0")
}

/// Names that say who somebody is.
pub(super) fn says_who(word: &str) -> bool {
    matches!(
        word,
        "user"
            | "username"
            | "owner"
            | "role"
            | "uid"
            | "gid"
            | "email"
            | "mail"
            | "login"
            | "account"
            | "ip"
            | "host"
            | "hostname"
            | "token"
            | "password"
            | "key"
            | "secret"
            | "header"
            | "headers"
            | "cookie"
            | "customer"
            | "tenant"
            | "agent"
            | "origin"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_known_by_what_they_say() {
        for (text, expected) in [
            ("\"select a from b where c = '\"+x+\"'\"", Some(Sink::Query)),
            ("f\"<p>{x}</p>\"", Some(Sink::Page)),
            ("root+\"/\"+name", Some(Sink::Path)),
            ("\"http://a/\"+x", Some(Sink::Address)),
            ("f\"{count} pieces\"", None),
        ] {
            assert_eq!(sink(text), expected, "{text}");
        }
        assert!(outside("/etc/passwd") && outside("~/.ssh/id_rsa") && !outside("/dev/null"));
        assert!(address("198.51.100.7:80") && !address("1.2.3") && !address("127.0.0.1"));
    }
}
