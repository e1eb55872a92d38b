//! Which addresses belong to the public internet. Forms that carry another address inside
//! are unfolded first, and what they carry is judged too.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

const fn v4(a: u8, b: u8, c: u8, len: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, 0), len)
}

const fn v6(first: u16, second: u16, third: u16, len: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(first, second, third, 0, 0, 0, 0, 0), len)
}

/// Not public: this host, private, shared, loopback, link-local, protocol assignments,
/// documentation, relays, benchmarks, multicast, reserved.
const NOT_PUBLIC_V4: [Ipv4Net; 16] = [
    v4(0, 0, 0, 8),
    v4(10, 0, 0, 8),
    v4(100, 64, 0, 10),
    v4(127, 0, 0, 8),
    v4(169, 254, 0, 16),
    v4(172, 16, 0, 12),
    v4(192, 0, 0, 24),
    v4(192, 0, 2, 24),
    v4(192, 31, 196, 24),
    v4(192, 88, 99, 24),
    v4(192, 168, 0, 16),
    v4(198, 18, 0, 15),
    v4(198, 51, 100, 24),
    v4(203, 0, 113, 24),
    v4(224, 0, 0, 4),
    v4(240, 0, 0, 4),
];

/// The only block of global unicast addresses.
const GLOBAL_V6: Ipv6Net = v6(0x2000, 0, 0, 3);

/// Inside that block, yet not public: protocol assignments, documentation (twice).
const NOT_PUBLIC_V6: [Ipv6Net; 3] =
    [v6(0x2001, 0, 0, 23), v6(0x2001, 0xdb8, 0, 32), v6(0x3fff, 0, 0, 20)];

const NAT64: Ipv6Net = v6(0x64, 0xff9b, 0, 96);
const SIX_TO_FOUR: Ipv6Net = v6(0x2002, 0, 0, 16);
const TEREDO: Ipv6Net = v6(0x2001, 0, 0, 32);

/// Whether an address is on the public internet, with everything it carries inside.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !NOT_PUBLIC_V4.iter().any(|net| net.contains(&address))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return is_public_v4(mapped);
    }
    let [.., w0, w1, w2, w3] = address.octets();
    let last = Ipv4Addr::new(w0, w1, w2, w3);
    if NAT64.contains(&address) {
        return is_public_v4(last);
    }
    let [_, _, s0, s1, s2, s3, ..] = address.octets();
    if SIX_TO_FOUR.contains(&address) {
        return is_public_v4(Ipv4Addr::new(s0, s1, s2, s3));
    }
    if TEREDO.contains(&address) {
        let [_, _, _, _, t0, t1, t2, t3, ..] = address.octets();
        let client = Ipv4Addr::new(!w0, !w1, !w2, !w3);
        return is_public_v4(Ipv4Addr::new(t0, t1, t2, t3)) && is_public_v4(client);
    }
    let isatap = matches!(address.segments(), [_, _, _, _, 0 | 0x200, 0x5efe, _, _]);
    GLOBAL_V6.contains(&address)
        && !NOT_PUBLIC_V6.iter().any(|net| net.contains(&address))
        && (!isatap || is_public_v4(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_public_is_not_public_in_any_dress() {
        for text in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::808:808",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "2002:c0a8:101::1",
            "2001:0:7f00:1::f7f7:f7f7",
            "2001:0:808:808:0:0:80ff:fffe",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "100::1",
            "2001:db8::1",
            "3fff::1",
            "5f00::1",
            "2001:10::1",
            "2606:4700::5efe:7f00:1",
            "2606:4700:0:0:200:5efe:a00:1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn what_is_public_passes() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.215.14",
            "172.32.0.1",
            "100.128.0.1",
            "192.0.1.1",
            "2606:4700:4700::1111",
            "2a00:1450::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
            "2001:0:808:808:0:0:f7f7:f7f7",
            "2606:4700::5efe:808:808",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }
}
