//! Switches that turn the check of certificates or host names off.

use std::sync::LazyLock;

use exacta_core::judge::facts::FactKind;

use super::book::{Book, Rule, anywhere};
use super::line::Line;
use super::scan::Found;
use super::side::Side;
use super::subject::Subject;

macro_rules! switch {
    ([$($trigger:literal),*], $pattern:literal) => {
        Rule { triggers: &[$($trigger),*], pattern: $pattern, cased: false, applies: anywhere, kind: () }
    };
}

static RULES: &[Rule<()>] = &[
    switch!(
        ["verify"],
        r"\bverify(?:_ssl|_tls|_certs?|_certificates?|_peer)?['\x22]?\s*(?:=|:|=>)\s*(?:false|0|none)\b"
    ),
    switch!(
        [
            "ssl_verify",
            "sslverify",
            "ssl-verify",
            "tls_verify",
            "tlsverify",
            "verify_host",
            "verifyhost",
            "verifyssl",
            "verifytls"
        ],
        r"\b(?:http\.)?(?:ssl_?-?verify|tls_?verify|verify_?(?:host(?:name)?|ssl|tls))['\x22]?\s*(?:=|:|=>|\s)\s*['\x22]?(?:false|0|none|no)\b"
    ),
    switch!(["insecureskipverify"], r"insecureskipverify\s*[:=]\s*true"),
    switch!(["rejectunauthorized"], r"rejectunauthorized['\x22]?\s*[:=]\s*(?:false|0)\b"),
    switch!(
        ["node_tls_reject_unauthorized"],
        r"node_tls_reject_unauthorized['\x22]?\]?\s*[:=]\s*['\x22]?(?:0|false)"
    ),
    switch!(["accept_invalid_"], r"accept_invalid_(?:certs|hostnames)\s*\(\s*true"),
    switch!(["curl"], r"\bcurl\b[^|;&]*\s(?:-[a-z]*k[a-z]*|--insecure)(?:\s|$|['\x22])"),
    switch!(["--no-check-certificate"], r"--no-check-certificate"),
    switch!(
        ["--no-verify-ssl", "--insecure-skip-tls-verify", "--allow-untrusted"],
        r"--(?:no-verify-ssl|insecure-skip-tls-verify(?:=true)?|allow-untrusted)\b"
    ),
    switch!(["trusted-host"], r"--?trusted-host\b"),
    switch!(
        ["ssl_verifypeer", "ssl_verifyhost", "ssl_verify_peer"],
        r"ssl_verify_?(?:peer|host)\w*['\x22]?\s*(?:,|=>|=|:)\s*(?:0|false|null)"
    ),
    switch!(["_create_unverified_context"], r"_create_unverified_context"),
    switch!(
        ["cert_none", "verify_none", "sslverifymode::none"],
        r"\b(?:ssl\.cert_none|cert_none|ssl_verify_none|(?:ssl::)?verify_none|sslverifymode::none)\b"
    ),
    switch!(
        ["check_hostname", "checkhostname", "assert_hostname", "verify_hostname"],
        r"(?:check_?hostname|assert_hostname|verify_hostname)['\x22]?\s*(?:=|:|\(|=>)\s*false"
    ),
    switch!(
        ["strictssl", "strict-ssl", "strict_ssl"],
        r"strict[-_]?ssl['\x22]?\s*[:= ]\s*['\x22]?false"
    ),
    switch!(
        ["hostnameverifier", "hostname_verifier"],
        r"(?:noophostnameverifier|allow_all_hostname_verifier|allowallhostnameverifier|hostnameverifier\s*\(\s*\(?\s*\w+\s*,\s*\w+\s*\)?\s*->\s*true)"
    ),
    switch!(
        ["trustall", "trust_all", "trustselfsigned", "acceptallcerts", "dangerousacceptany"],
        r"\b\w*(?:trust_?all(?:certs|certificates|manager|strategy)?|trustselfsignedstrategy|acceptallcerts|dangerousacceptanyservercertificatevalidator)\b"
    ),
    switch!(
        ["certificatevalidationcallback", "certificatecustomvalidationcallback"],
        r"certificate(?:custom)?validationcallback\s*\+?=.*(?:true|return true)"
    ),
    switch!(
        ["pythonhttpsverify", "git_ssl_no_verify", "npm_config_strict_ssl"],
        r"\b(?:pythonhttpsverify\s*=\s*['\x22]?0|git_ssl_no_verify\s*=\s*['\x22]?(?:1|true)|npm_config_strict_ssl\s*=\s*['\x22]?false)"
    ),
    switch!(
        ["nocertificateverification", "nocertverifier", "skipserververification"],
        r"\b(?:nocertificateverification|nocertverifier|skipserververification)\b"
    ),
];

static BOOK: LazyLock<Book<()>> = LazyLock::new(|| Book::new(RULES));

/// Reports each switch.
pub(super) fn detect(
    subject: &Subject<'_>,
    side: &Side<'_>,
    line: &Line<'_>,
    found: &mut Vec<Found>,
) {
    for hit in BOOK.search(subject, &line.plain, &line.lower) {
        let switch = line.part(hit.start, hit.end);
        let dormant = line.is_dormant(side, hit.start, hit.end);
        let kind = FactKind::CertificateChecksOff { switch };
        found.push(Found { dormant, ..Found::new(line, kind) });
    }
}

#[cfg(test)]
mod tests {
    use super::super::on_one_line::found_beside;
    use super::*;

    fn off(raw: &str) -> bool {
        !found_beside(detect, "src/a.py", raw).is_empty()
    }

    #[test]
    fn every_pattern_compiles() {
        assert!(BOOK.sound());
    }

    #[test]
    fn switches_are_found() {
        for raw in [
            "requests.get(url, verify=False)",
            "session.verify = False",
            "tls.Config{InsecureSkipVerify: true}",
            "rejectUnauthorized: false,",
            "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'",
            "process.env[\"NODE_TLS_REJECT_UNAUTHORIZED\"] = 0",
            ".danger_accept_invalid_certs(true)",
            "curl -k https://x",
            "curl -sSLk https://x",
            "curl --insecure https://x",
            "wget --no-check-certificate https://x",
            "curl_setopt($ch, CURLOPT_SSL_VERIFYPEER, false);",
            "curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);",
            "ssl._create_unverified_context()",
            "ctx.verify_mode = ssl.CERT_NONE",
            "ctx.check_hostname = False",
            "strict-ssl=false",
            "git config http.sslVerify false",
            "HttpsURLConnection.setDefaultHostnameVerifier((h, s) -> true);",
            "http.verify_mode = OpenSSL::SSL::VERIFY_NONE",
            "builder.set_verify(SslVerifyMode::NONE);",
            "verify\u{200b}=False",
            "\"verify\": false",
        ] {
            assert!(off(raw), "{raw}");
        }
    }

    #[test]
    fn checks_that_stay_on_are_left_alone() {
        for raw in [
            "requests.get(url, verify=True)",
            "verify = False_positive",
            "InsecureSkipVerify: false",
            "rejectUnauthorized: true",
            "curl -sSL https://x/k",
            "def verify(token):",
            "verify_email = False",
            "if not verify_signature(x):",
            "danger_accept_invalid_certs(false)",
            "curl -o kernel.tar https://x",
        ] {
            assert!(!off(raw), "{raw}");
        }
    }
}
