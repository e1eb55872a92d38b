//! What of the network a command on a copy reaches: nothing, some hosts by a proxy of ours, or
//! everything.

use std::fmt;
use std::sync::Arc;

use exacta_core::text::shown::visible;
use exacta_engine::checks::{NetworkReach, PROXY_PORT, Room};
use exacta_tools::net::{HostProxy, Network};

use crate::cli::CliError;
use crate::render::Printer;

/// What of the network is reached.
pub(crate) enum Way {
    Nothing,
    Hosts(Vec<String>, HostProxy),
    Everything,
}

impl Way {
    /// Everything, or these hosts, or nothing where there are none.
    pub(crate) fn of(everything: bool, hosts: &[String]) -> Result<Self, CliError> {
        if everything {
            return Ok(Self::Everything);
        }
        let is_name = |host: &String| {
            let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'.';
            host.contains('.') && host.bytes().all(plain)
        };
        if let Some(odd) = hosts.iter().find(|host| !is_name(host)) {
            return Err(CliError::Usage {
                message: format!("`{}` is not the name of a host", visible(odd.as_bytes())),
                help: "write it like `api.example.com`, without a scheme or a port".into(),
            });
        }
        if hosts.is_empty() {
            return Ok(Self::Nothing);
        }
        let network = Network::of_this_machine().map_err(|fault| CliError::Usage {
            message: format!("the network cannot be set up: {}", fault.message),
            help: "without `--host` the command runs without a network".into(),
        })?;
        let mut hosts = hosts.to_vec();
        hosts.sort_unstable();
        hosts.dedup();
        let proxy = HostProxy::new(network, hosts.iter().cloned());
        Ok(Self::Hosts(hosts, proxy))
    }

    pub(crate) fn reach(&self) -> NetworkReach {
        match self {
            Self::Nothing => NetworkReach::Nothing,
            Self::Hosts(_, proxy) => NetworkReach::Through(Arc::new(proxy.clone())),
            Self::Everything => NetworkReach::Everything,
        }
    }

    /// Tells the command where the proxy is, by the variables that programs look for.
    pub(crate) fn tell(&self, room: &mut Room) {
        let Self::Hosts(..) = self else { return };
        let at = format!("http://127.0.0.1:{PROXY_PORT}");
        let own = "localhost,127.0.0.1";
        for (name, value) in [
            ("HTTPS_PROXY", at.as_str()),
            ("https_proxy", at.as_str()),
            ("NO_PROXY", own),
            ("no_proxy", own),
            ("NODE_USE_ENV_PROXY", "1"),
        ] {
            room.environment.retain(|(other, _)| other != name);
            room.environment.push((name.into(), value.into()));
        }
    }

    /// Says what the command wanted to reach and did not.
    pub(crate) fn report(&self, printer: &mut Printer) {
        let Self::Hosts(hosts, proxy) = self else { return };
        for target in proxy.take_refused() {
            printer.note(&not_reached(&target, hosts));
        }
    }
}

/// Why a host was not reached, and what helps.
fn not_reached(target: &str, named: &[String]) -> String {
    let shown = visible(target.as_bytes());
    let (host, port) = target.rsplit_once(':').unwrap_or((target, ""));
    let is_named = named.iter().any(|name| name.eq_ignore_ascii_case(host));
    match (is_named, port) {
        (true, "443") => format!(
            "not reached: `{shown}`: its name leads to no public address, or nothing answers \
             there; a named host is reached at public addresses only"
        ),
        (true, _) => format!("not reached: `{shown}`: a named host is reached on port 443 only"),
        (false, _) => format!("not reached: `{shown}`; `--host NAME` lets a host through"),
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("it reaches nothing of the network"),
            Self::Hosts(hosts, _) => {
                write!(f, "of the network it reaches {} and nothing else", hosts.join(", "))
            }
            Self::Everything => f.write_str("it reaches the whole network, this machine included"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::not_reached;

    #[test]
    fn a_host_that_was_named_is_not_asked_for_again() {
        let named = ["internal.example.com".to_owned()];
        let said = not_reached("internal.example.com:443", &named);
        assert!(said.contains("no public address") && !said.contains("--host"), "{said}");
        assert!(not_reached("internal.example.com:80", &named).contains("port 443 only"));
        assert!(not_reached("other.example.com:443", &named).contains("--host NAME"));
    }
}
