//! Judges the spelling of an address, before anything is resolved.

use std::collections::BTreeSet;

use exacta_core::model::web::{host_listed, host_of};
use url::{Host, Url};

use crate::error::ToolError;

/// Where tools may go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Hosts; `*.` covers every name below.
    pub domains: BTreeSet<String>,
    /// Ports.
    pub ports: BTreeSet<u16>,
}

/// An address that may be contacted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The address, equal to its own serialisation.
    pub url: Url,
    /// Its host, a plain lower-case name.
    pub host: String,
    /// Its port.
    pub port: u16,
}

/// An address that is refused.
fn refused(message: String) -> ToolError {
    ToolError::new("ADDRESS_REFUSED", message)
}

/// Reads an address that has one spelling and one meaning, and is allowed.
///
/// # Errors
/// When another reader could take it for another host, or when it is not allowed.
pub fn target(text: &str, reach: &Reach) -> Result<Target, ToolError> {
    let url =
        Url::parse(text).map_err(|fault| refused(format!("the address is refused: {fault}")))?;
    let same = url.as_str() == text
        || (url.path() == "/" && url.as_str().strip_suffix('/').is_some_and(|bare| bare == text));
    if !same {
        return Err(refused("the address is not in its one plain spelling".into()));
    }
    if url.scheme() != "https" {
        return Err(refused("the address does not start with `https://`".into()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused("the address holds a user name".into()));
    }
    let Some(Host::Domain(host)) = url.host() else {
        return Err(refused("the address has a number where a host name should be".into()));
    };
    // The same rules as at validation: what was judged there is what is contacted here.
    let plain = format!("https://{host}/");
    if host_of(&plain) != Ok(host) {
        return Err(refused(format!("`{host}` is not a plain public host name")));
    }
    if !host_listed(host, &reach.domains) {
        return Err(refused(format!("the host `{host}` is not allowed by policy")));
    }
    let port = url.port_or_known_default().unwrap_or_default();
    if !reach.ports.contains(&port) {
        return Err(refused(format!("port {port} is not allowed by policy")));
    }
    let host = host.to_owned();
    Ok(Target { url, host, port })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach() -> Reach {
        let domains = BTreeSet::from(["ok.example".into(), "*.sub.example".into()]);
        Reach { domains, ports: BTreeSet::from([443, 8443]) }
    }

    #[test]
    fn one_spelling_of_an_allowed_host_passes() {
        for text in [
            "https://ok.example",
            "https://ok.example/",
            "https://ok.example/a?b=c#d",
            "https://a.sub.example/",
            "https://ok.example:8443/x",
        ] {
            assert!(target(text, &reach()).is_ok(), "{text}");
        }
    }

    /// Nothing that validation lets through fails for its spelling when its turn comes.
    #[test]
    fn what_validation_takes_for_plain_is_plain_here() {
        let parts = [
            "/", "?", "#", "a", "{", "}", "'", "|", "^", "~", "%2e", "%41", "%", ".", "..", ";",
            "=", "&", "@", ":", "[", "]", "\"", "<", "`", "\\", "!", "$", "(", "*", "+", ",", "//",
        ];
        let anywhere = Reach { domains: ["ok.example".into()].into(), ports: [443].into() };
        let (mut plain, mut random) = (0, exacta_testkit::Rng::new(0x0dd5));
        for _ in 0..20_000 {
            let mut text = "https://ok.example".to_owned();
            for _ in 0..random.below(6) {
                text.push_str(random.pick::<&str>(&parts));
            }
            if host_of(&text) == Ok("ok.example") {
                plain += 1;
                assert!(target(&text, &anywhere).is_ok(), "{text}");
            }
        }
        assert!(plain > 1_000, "{plain}");
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "http://ok.example/",
            "https://OK.example/",
            "https://ok.example./",
            "https://ok.example:443/",
            "https://ok.example:22/",
            "https://ok.example:8444/",
            "https://u@ok.example/",
            "https://u:p@ok.example/",
            "https://ok.example\\@evil.example/",
            "https:\\\\ok.example/",
            "https:ok.example",
            "https://ok.example/a/../b",
            "https://ok.example/a b",
            " https://ok.example/",
            "https://ok.example/\n",
            "https://evil-ok.example/",
            "https://ok.example.evil.example/",
            "https://sub.example/",
            "https://127.0.0.1/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://localhost/",
            "https://xn--ok-.example/",
            "https://o\u{43a}.example/",
            "file:///etc/passwd",
            "gopher://ok.example/",
            "",
        ] {
            assert!(target(text, &reach()).is_err(), "{text}");
        }
    }
}
