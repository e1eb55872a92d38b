//! Under which names the server may be called.
//!
//! People use a random `*.localhost` name: browsers send cookies to every port of a host, so a
//! session bound to `localhost` or `127.0.0.1` would reach whatever an agent runs on another
//! port. Programs that send a token may also use the plain loopback addresses; no cookie
//! counts there. Any other name in `Host` is somebody else's page (DNS rebinding).

use std::sync::Arc;

use data_encoding::BASE32_NOPAD;

/// How a request came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entrance {
    /// Under the name that people use; sessions count.
    Name,
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

/// Where the server is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The host that people use, without the port.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Whether the connection is encrypted.
    pub tls: bool,
}

impl Address {
    /// A random name on loopback.
    ///
    /// # Errors
    /// When the machine has no chance to offer.
    pub fn random(port: u16) -> Result<Self, getrandom::Error> {
        let mut random = [0_u8; 15];
        getrandom::fill(&mut random)?;
        let name = BASE32_NOPAD.encode(&random).to_ascii_lowercase();
        Ok(Self { host: format!("{name}.localhost"), port, tls: false })
    }

    /// A name on loopback that was random once and is kept, so that passkeys made for it stay
    /// good; `None` when it is not such a name.
    #[must_use]
    pub fn kept(name: &str, port: u16) -> Option<Self> {
        let label = name.strip_suffix(".localhost")?;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let own = label.len() == 24 && label.chars().all(plain);
        own.then(|| Self { host: name.into(), port, tls: false })
    }

    /// What browsers call the origin.
    #[must_use]
    pub fn origin(&self) -> String {
        let (scheme, usual) = if self.tls { ("https", 443) } else { ("http", 80) };
        if self.port == usual {
            format!("{scheme}://{}", self.host)
        } else {
            format!("{scheme}://{}:{}", self.host, self.port)
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
        let plain = ["127.0.0.1", "[::1]", "localhost"].into_iter().any(is);
        (plain && !self.tls).then_some(Entrance::Loopback)
    }
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
        let here = Address { host: "abc.localhost".into(), port: 4100, tls: false };
        assert_eq!(here.origin(), "http://abc.localhost:4100");
        assert_eq!(here.entrance("abc.localhost:4100"), Some(Entrance::Name));
        assert_eq!(here.entrance("ABC.localhost:4100"), Some(Entrance::Name));
        for plain in ["127.0.0.1:4100", "localhost:4100", "[::1]:4100"] {
            assert_eq!(here.entrance(plain), Some(Entrance::Loopback));
        }
        for foreign in [
            "evil.example:4100",
            "abc.localhost:4101",
            "abc.localhost",
            "xabc.localhost:4100",
            "abc.localhost.evil.example:4100",
            "abc.localhost:4100:4100",
            "127.0.0.1.evil.example:4100",
            "127.0.0.1:04100",
            "",
        ] {
            assert_eq!(here.entrance(foreign), None, "{foreign}");
        }
        let (one, two) = (Address::random(1).unwrap(), Address::random(1).unwrap());
        assert_ne!(one, two);
        let outside = Address { host: "gate.example".into(), port: 443, tls: true };
        assert_eq!(outside.entrance("gate.example"), Some(Entrance::Name));
        assert_eq!(outside.entrance("127.0.0.1:443"), None);
    }
}
