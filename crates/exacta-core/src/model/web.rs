//! Addresses a tool may contact: exact spelling only.
//!
//! A URL or mail address that two readers could take differently is refused, so that
//! what is checked here is what is contacted later.

use alloc::collections::BTreeSet;
use alloc::string::String;

/// Why a URL is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlFault {
    /// Neither `https://` nor `http://`.
    #[error("the address starts with neither `https://` nor `http://`")]
    Scheme,
    /// User, port, empty or malformed host.
    #[error("the host part `{0}` is not a plain lower-case name")]
    Host(String),
    /// An IP address or a name without a dot.
    #[error("`{0}` is an address or a local name, not a public host name")]
    Local(String),
    /// A character or segment that a reader would rewrite.
    #[error("the path is not in its one canonical spelling")]
    Path,
}

/// The host of a URL in its one canonical spelling, and the port it names.
///
/// # Errors
/// When the spelling leaves room for another reading; a port that is the usual one of the
/// scheme, or begins with a zero, is another spelling of the same address.
pub fn host_and_port(url: &str) -> Result<(&str, Option<u16>), UrlFault> {
    let (scheme, rest) = url.split_once("://").ok_or(UrlFault::Scheme)?;
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let Some((host, port)) = authority.split_once(':') else {
        return Ok((host_of(url)?, None));
    };
    let fault = || UrlFault::Host(authority.into());
    if !port.bytes().all(|b| b.is_ascii_digit()) || port.starts_with('0') {
        return Err(fault());
    }
    let port: u16 = port.parse().map_err(|_| fault())?;
    match (scheme, port) {
        ("https", 443) | ("http", 80) => return Err(fault()),
        ("https" | "http", _) => {}
        _ => return Err(UrlFault::Scheme),
    }
    check_host(host)?;
    check_tail(tail)?;
    Ok((host, Some(port)))
}

/// The host of a URL in its one canonical spelling.
///
/// # Errors
/// When the spelling leaves room for another reading.
pub fn host_of(url: &str) -> Result<&str, UrlFault> {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))
        .ok_or(UrlFault::Scheme)?;
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (host, tail) = rest.split_at(end);
    check_host(host)?;
    check_tail(tail)?;
    Ok(host)
}

fn check_host(host: &str) -> Result<(), UrlFault> {
    let label_ok = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    if host.is_empty() || host.len() > 253 || !host.split('.').all(label_ok) {
        return Err(UrlFault::Host(host.into()));
    }
    let last = host.rsplit('.').next().unwrap_or(host);
    let numeric = last.bytes().all(|b| b.is_ascii_digit()) || last.starts_with("0x");
    if !host.contains('.') || numeric || matches!(last, "localhost" | "internal" | "local") {
        return Err(UrlFault::Local(host.into()));
    }
    Ok(())
}

fn check_tail(tail: &str) -> Result<(), UrlFault> {
    // A reader would put the slash of the root before a query or fragment.
    if tail.starts_with(['?', '#']) {
        return Err(UrlFault::Path);
    }
    let mut part = b'/';
    let mut rest = tail.bytes();
    while let Some(b) = rest.next() {
        match (part, b) {
            (b'/', b'?') | (b'/' | b'?', b'#') => part = b,
            // What a reader would escape here.
            (b'/', b'{' | b'}') | (b'?', b'\'') => return Err(UrlFault::Path),
            _ => {}
        }
        let plain = b.is_ascii_graphic() && !matches!(b, b'\\' | b'"' | b'<' | b'>' | b'`' | b'^');
        let escape = b != b'%'
            || (rest.next().is_some_and(|c| c.is_ascii_hexdigit())
                && rest.next().is_some_and(|c| c.is_ascii_hexdigit()));
        if !plain || !escape {
            return Err(UrlFault::Path);
        }
    }
    let path = tail.split(['?', '#']).next().unwrap_or_default();
    let dotted = path.split('/').any(|segment| {
        let segment = segment.to_ascii_lowercase().replace("%2e", ".");
        segment == "." || segment == ".."
    });
    if dotted { Err(UrlFault::Path) } else { Ok(()) }
}

/// Whether `host` is listed, by itself or below a `*.` entry.
#[must_use]
pub fn host_listed(host: &str, allowed: &BTreeSet<String>) -> bool {
    allowed.contains(host)
        || host
            .match_indices('.')
            .any(|(at, _)| host.get(at..).is_some_and(|tail| allowed.contains(&format!("*{tail}"))))
}

/// A bare mail address with its domain in lower case; `None` for anything else.
#[must_use]
pub fn mail_key(address: &str) -> Option<String> {
    let (local, domain) = address.split_once('@')?;
    let local_ok = !local.is_empty()
        && local.len() <= 64
        && local.split('.').all(|atom| {
            !atom.is_empty()
                && atom
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&b))
        });
    let domain = domain.to_ascii_lowercase();
    (local_ok && check_host(&domain).is_ok()).then(|| format!("{local}@{domain}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcard_entries_cover_names_below_only() {
        let allowed = BTreeSet::from(["*.ok.example".into(), "one.example".into()]);
        assert!(host_listed("a.b.ok.example", &allowed));
        assert!(host_listed("one.example", &allowed));
        assert!(!host_listed("ok.example", &allowed));
        assert!(!host_listed("evil-ok.example", &allowed));
        assert!(!host_listed("x.one.example", &allowed));
    }

    #[test]
    fn a_bare_host_is_enough() {
        assert_eq!(host_of("https://ok.example"), Ok("ok.example"));
        assert_eq!(host_of("https://ok.example/?u=http://127.0.0.1/"), Ok("ok.example"));
        assert_eq!(host_of("https://ok.example/%2E%2e/x"), Err(UrlFault::Path));
    }
}
