//! Under which names the server may be called.
//!
//! People use a random `*.localhost` name: browsers send cookies to every port of a host, so a
//! session bound to `localhost` or `127.0.0.1` would reach whatever an agent runs on another
//! port. The name has two parts, `FRESH.KEPT.localhost`. Passkeys are for `KEPT.localhost`, which
//! lasts and stands on the record; sessions belong to the whole name, which is another one at
//! each start and stands nowhere. At the kept name itself a passkey opens the door, and no
//! session counts. Programs that send a token may also use the plain loopback addresses; no
//! cookie counts there. Any other name in `Host` is somebody else's page (DNS rebinding).

use std::sync::Arc;

use data_encoding::BASE32_NOPAD;

/// How a request came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entrance {
    /// Under the name that people use; sessions count.
    Name,
    /// Under the name that passkeys are for; they sign somebody in, and no session counts.
    Door,
    /// Under a plain loopback address; only tokens count.
    Loopback,
}

/// How one request came in, as the guard found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Came {
    /// The address that it was sent to.
    pub address: Arc<Address>,
    /// Under which of its names.
    pub entrance: Entrance,
    /// Whether it comes from this machine, over the address that is for it alone.
    pub local: bool,
}

impl Came {
    /// The origin of a page of ours that is called so.
    #[must_use]
    pub fn origin(&self) -> String {
        self.address.origin_at(self.entrance)
    }
}

/// Where the server is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The host that people use, without the port.
    pub host: String,
    /// The name that passkeys are for: the host, or the name above it that is kept.
    pub keys: String,
    /// The port.
    pub port: u16,
    /// Whether the connection is encrypted.
    pub tls: bool,
}

impl Address {
    /// A random name on loopback, below `kept`, so that passkeys that were made for that one
    /// stay good; below another random one where it is not such a name.
    ///
    /// # Errors
    /// When the machine has no chance to offer.
    pub fn random(port: u16, kept: Option<&str>) -> Result<Self, getrandom::Error> {
        let keys = match kept.filter(|name| is_kept(name)) {
            Some(name) => name.to_owned(),
            None => format!("{}.localhost", random_label()?),
        };
        Ok(Self { host: format!("{}.{keys}", random_label()?), keys, port, tls: false })
    }

    /// One name for everything, over TLS.
    #[must_use]
    pub fn outside(host: &str, port: u16) -> Self {
        let host = host.to_ascii_lowercase();
        Self { keys: host.clone(), host, port, tls: true }
    }

    /// What browsers call the origin.
    #[must_use]
    pub fn origin(&self) -> String {
        self.origin_of(&self.host)
    }

    /// Where a passkey opens the door, under a name that stays from one start to the next;
    /// `None` where that is the room itself.
    #[must_use]
    pub fn door(&self) -> Option<String> {
        (self.keys != self.host).then(|| self.origin_of(&self.keys))
    }

    /// The origin of pages under one of its names.
    #[must_use]
    pub fn origin_at(&self, entrance: Entrance) -> String {
        match entrance {
            Entrance::Door => self.origin_of(&self.keys),
            Entrance::Name | Entrance::Loopback => self.origin(),
        }
    }

    fn origin_of(&self, host: &str) -> String {
        let (scheme, usual) = if self.tls { ("https", 443) } else { ("http", 80) };
        if self.port == usual {
            format!("{scheme}://{host}")
        } else {
            format!("{scheme}://{host}:{}", self.port)
        }
    }

    /// What programs on this machine call, where the random name does not resolve.
    #[must_use]
    pub fn loopback(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What agents are told of the review room: the address before a plan's id.
    #[must_use]
    pub fn way_in(&self) -> String {
        way_in(self.port)
    }

    /// How a request with this `Host` came in; `None` when it is meant for somebody else.
    #[must_use]
    pub fn entrance(&self, host: &str) -> Option<Entrance> {
        let host = host.to_ascii_lowercase();
        let is = |name: &str| {
            host.strip_prefix(name).is_some_and(|rest| match rest.strip_prefix(':') {
                Some(port) => port == self.port.to_string(),
                None => rest.is_empty() && self.port == if self.tls { 443 } else { 80 },
            })
        };
        if is(&self.host) {
            return Some(Entrance::Name);
        }
        if is(&self.keys) {
            return Some(Entrance::Door);
        }
        let plain = ["127.0.0.1", "[::1]", "localhost"].into_iter().any(is);
        (plain && !self.tls).then_some(Entrance::Loopback)
    }
}

/// Whether a name was made here once.
fn is_kept(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let label = name.strip_suffix(".localhost");
    label.is_some_and(|label| label.len() == 24 && label.chars().all(plain))
}

fn random_label() -> Result<String, getrandom::Error> {
    let mut random = [0_u8; 15];
    getrandom::fill(&mut random)?;
    Ok(BASE32_NOPAD.encode(&random).to_ascii_lowercase())
}

/// What agents are told of the review room at this port. It never holds the room's name.
#[must_use]
pub fn way_in(port: u16) -> String {
    format!("http://127.0.0.1:{port}/open")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_names_lead_in() {
        let here = Address {
            host: "new.abc.localhost".into(),
            keys: "abc.localhost".into(),
            port: 4100,
            tls: false,
        };
        assert_eq!(here.origin(), "http://new.abc.localhost:4100");
        assert_eq!(here.door().as_deref(), Some("http://abc.localhost:4100"));
        assert_eq!(here.entrance("new.abc.localhost:4100"), Some(Entrance::Name));
        assert_eq!(here.entrance("NEW.abc.localhost:4100"), Some(Entrance::Name));
        assert_eq!(here.entrance("abc.localhost:4100"), Some(Entrance::Door));
        assert_eq!(here.origin_at(Entrance::Door), "http://abc.localhost:4100");
        for plain in ["127.0.0.1:4100", "localhost:4100", "[::1]:4100"] {
            assert_eq!(here.entrance(plain), Some(Entrance::Loopback));
        }
        for foreign in [
            "evil.example:4100",
            "abc.localhost:4101",
            "abc.localhost",
            "xabc.localhost:4100",
            "old.abc.localhost:4100",
            "x.new.abc.localhost:4100",
            "abc.localhost.evil.example:4100",
            "abc.localhost:4100:4100",
            "127.0.0.1.evil.example:4100",
            "127.0.0.1:04100",
            "",
        ] {
            assert_eq!(here.entrance(foreign), None, "{foreign}");
        }
        let outside = Address::outside("Gate.example", 443);
        assert_eq!(outside.entrance("gate.example"), Some(Entrance::Name));
        assert_eq!(outside.door(), None);
        assert_eq!(outside.entrance("127.0.0.1:443"), None);
    }

    #[test]
    fn the_name_of_sessions_is_fresh_at_each_start_and_that_of_passkeys_is_kept() {
        let first = Address::random(1, None).unwrap();
        let again = Address::random(1, Some(&first.keys)).unwrap();
        assert_eq!(first.keys, again.keys);
        assert_ne!(first.host, again.host);
        assert_eq!(again.host.strip_suffix(&again.keys).map(str::len), Some(25));
        // A name that somebody else gives is not one of ours.
        for foreign in ["localhost", "evil.example", "a.localhost", &first.host] {
            assert_ne!(Address::random(1, Some(foreign)).unwrap().keys, foreign);
        }
    }
}
