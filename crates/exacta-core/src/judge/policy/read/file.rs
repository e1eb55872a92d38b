//! A whole file: bytes → TOML → layer, and the hash of the bytes.

use alloc::vec::Vec;
use core::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, Error};

use super::findings::{At, Findings};
use super::table::{MOST, Table};
use super::{entries, rule, tools, values};
use crate::judge::policy::keys::below;
use crate::judge::policy::layer::{Layer, LayerName, Source};
use crate::judge::policy::words::{Decide, Profile};
use crate::model::code::Code;
use crate::model::diagnostic::{Issue, Place};
use crate::model::digest::Digest;

/// The keys whose values the hash leaves out; a binding records them by themselves.
const LEFT_OUT: [&str; 2] = ["profile", "autonomy_ceiling"];

/// The longest time to live: thirty days.
const TTL_MINUTES_MOST: u64 = 30 * 24 * 60;
/// So long that it is for ever.
const RETENTION_DAYS_MOST: u64 = 36_500;
/// The longest window of the session budget: a day.
const WINDOW_MINUTES_MOST: u64 = 24 * 60;

/// Reads the bytes of one policy file.
///
/// # Errors
/// Every mistake in the file, from top to bottom.
pub fn read(name: LayerName, bytes: &[u8]) -> Result<Layer, Vec<Issue>> {
    let text = core::str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).and_then(|b| core::str::from_utf8(b).ok());
        let mut issue = Issue::error(Code::PolicyInvalid, "utf8", "the file is not UTF-8 text")
            .help("save it as UTF-8");
        issue.place = good.map(|good| Place::of(good, good.len()));
        vec![issue]
    })?;
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let mut issues: Vec<Issue> = errors.iter().map(|error| syntax(text, error)).collect();
        issues.sort_by_key(|issue| issue.place);
        return Err(issues);
    }
    let mut out = Findings::new(text);
    let source = Source { layer: name, digest: digest(bytes, document.get_ref()) };
    let layer = layer(source, &document, &mut out);
    if out.is_empty() { Ok(layer) } else { Err(out.into_issues()) }
}

fn layer(source: Source, document: &Spanned<DeTable<'_>>, out: &mut Findings<'_>) -> Layer {
    let top = Table::open(document.get_ref(), At::default(), 0..0, &below(""), out);
    version(&top, out);
    let budget = top.table("session_budget", &below("session_budget"), out);
    let mut minutes = |name: &str, range| budget.as_ref().and_then(|b| b.count(name, range, out));
    let session_risk = minutes("risk", 0..=MOST);
    let session_files = minutes("files", 0..=MOST);
    let session_lines = minutes("lines", 0..=MOST);
    let session_minutes = minutes("minutes", 1..=WINDOW_MINUTES_MOST);
    let (default_price, prices) = entries::prices(&top, out);
    Layer {
        source,
        profile: top.word("profile", Profile::WORDS, out),
        autonomy_ceiling: top.word("autonomy_ceiling", Profile::WORDS, out),
        decide: top.word("decide", Decide::WORDS, out),
        commit: top.flag("commit", out),
        editor_decides: top.flag("editor_decides", out),
        ttl_minutes: top.count("ttl_minutes", 1..=TTL_MINUTES_MOST, out),
        token_budget: top.count("token_budget", 0..=MOST, out),
        retention_days: top.count("retention_days", 1..=RETENTION_DAYS_MOST, out),
        allowed_domains: top.set("allowed_domains", values::host, out),
        allowed_recipients: top.set("allowed_recipients", values::recipient, out),
        primitives: top.set("primitives", values::primitive, out),
        unasked_primitives: top.set("unasked_primitives", values::draft_primitive, out),
        known_urls: top.set("known_urls", values::url, out),
        project_config: top.set("project_config", values::path_glob, out),
        caps: entries::caps(&top, out),
        default_price,
        prices,
        session_risk,
        session_files,
        session_lines,
        session_minutes,
        proposers: entries::proposers(&top, out),
        skills: entries::skills(&top, out),
        checks: entries::checks(&top, out),
        constraints: entries::constraints(&top, out),
        rules: rule::rules(&top, source.layer, out),
        tools: tools::tools(&top, out),
    }
}

/// An unknown version is refused, not guessed.
fn version(top: &Table<'_, '_>, out: &mut Findings<'_>) {
    if let Some(version) = top.count("version", 0..=MOST, out)
        && version != 1
    {
        let message = format!("version {version} of the policy format is not known here");
        let span = top.span_of("version");
        out.add("version", &At::default().key("version"), &span, message, "write `version = 1`");
    }
}

fn syntax(text: &str, error: &Error) -> Issue {
    let mut issue = Issue::error(Code::PolicyInvalid, "toml", error.message())
        .help("correct the TOML; nothing of the file is used until then");
    issue.place = error.span().map(|span| Place::of(text, span.start));
    issue
}

/// The hash of the file's bytes with the two values cut out where they stand.
fn digest(bytes: &[u8], top: &DeTable<'_>) -> Digest {
    let mut cuts: Vec<Range<usize>> =
        LEFT_OUT.iter().filter_map(|key| top.get(*key)).map(Spanned::span).collect();
    cuts.sort_by_key(|cut| cut.start);
    let mut kept = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for cut in cuts {
        kept.extend_from_slice(bytes.get(from..cut.start).unwrap_or_default());
        from = cut.end;
    }
    kept.extend_from_slice(bytes.get(from..).unwrap_or_default());
    Digest::of(&kept)
}
