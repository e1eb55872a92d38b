//! Single values: numbers, money, and the entries of lists.

use alloc::string::String;

use toml::de::DeValue;

use crate::model::registry::{self, Effect};
use crate::model::web::{host_of, mail_key};
use crate::read::parse::json::Json;
use crate::read::parse::nearest;
use crate::text::glob;

/// What is wrong with an entry, and what to do.
type Wrong = (String, String);

/// A whole number that is not negative.
pub(super) fn integer(value: &DeValue<'_>) -> Option<u64> {
    let number = value.as_integer()?;
    u64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// An amount in US dollars as millionths, read from its digits and never through a
/// binary fraction.
pub(super) fn money(value: &DeValue<'_>) -> Option<u64> {
    if let Some(whole) = integer(value) {
        return whole.checked_mul(1_000_000);
    }
    let (whole, part) = value.as_float()?.as_str().split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 6 {
        return None;
    }
    let micro: u64 = format!("{part:0<6}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(micro)
}

/// A host name, or `*.` and a host name.
pub(super) fn host(text: &str) -> Result<String, Wrong> {
    let name = text.strip_prefix("*.").unwrap_or(text);
    match host_of(&format!("https://{name}")) {
        Ok(host) if host == name => Ok(text.into()),
        Ok(_) => Err((
            "is not a host name".into(),
            "write the name alone, without path, such as `example.com`".into(),
        )),
        Err(fault) => Err((
            format!("is not a host name: {fault}"),
            "write a name such as `example.com`, or `*.example.com` for every name below it".into(),
        )),
    }
}

/// A bare mail address.
pub(super) fn recipient(text: &str) -> Result<String, Wrong> {
    mail_key(text).ok_or_else(|| {
        ("is not a mail address".into(), "write it bare, such as `name@example.com`".into())
    })
}

/// A primitive that exists.
pub(super) fn primitive(text: &str) -> Result<String, Wrong> {
    if registry::find(text).is_some() {
        return Ok(text.into());
    }
    let names = registry::PRIMITIVES.iter().map(|primitive| primitive.name);
    Err(("is not a primitive".into(), nearest(text, names)))
}

/// A primitive that writes drafts; reads never ask, and everything else always does.
pub(super) fn draft_primitive(text: &str) -> Result<String, Wrong> {
    let drafts = || registry::PRIMITIVES.iter().filter(|p| p.effect == Effect::DraftWrite);
    if drafts().any(|primitive| primitive.name == text) {
        return Ok(text.into());
    }
    let help = nearest(text, drafts().map(|primitive| primitive.name));
    Err(("is not a primitive that writes drafts".into(), help))
}

/// A full address in its one spelling.
pub(super) fn url(text: &str) -> Result<String, Wrong> {
    match host_of(text) {
        Ok(_) => Ok(text.into()),
        Err(fault) => Err((
            format!("is not an address: {fault}"),
            "write it in full, such as `https://example.com/page`".into(),
        )),
    }
}

/// A glob that compiles and can match.
pub(super) fn path_glob(text: &str) -> Result<String, Wrong> {
    match glob::compile(text) {
        Ok(_) => Ok(text.into()),
        Err(fault) => Err((
            format!("is not a glob: {fault}"),
            "use `*` inside a folder and `**` across folders, such as `src/**`".into(),
        )),
    }
}

/// Any text that is not empty.
pub(super) fn any(text: &str) -> Result<String, Wrong> {
    if text.trim().is_empty() {
        return Err(("is empty".into(), "write a name".into()));
    }
    Ok(text.into())
}

/// A server that the operator names: a host name, also of this network.
pub(super) fn server(text: &str) -> Result<String, Wrong> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-');
    if text.is_empty() || text.len() > 253 || !text.chars().all(plain) {
        return Err(("is not a host name".into(), "write it as `mail.example.com`".into()));
    }
    Ok(text.into())
}

/// A span of the day, such as `22:00-07:00`.
pub(super) fn hours(text: &str) -> Result<String, Wrong> {
    if crate::model::hours::Hours::parse(text).is_some() {
        return Ok(text.into());
    }
    Err(("is not a span of the day".into(), "write it as `22:00-07:00`".into()))
}

/// The name of a header.
pub(super) fn header(text: &str) -> Result<String, Wrong> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if text.is_empty() || !text.chars().all(plain) {
        return Err(("is not the name of a header".into(), "write it as `x-api-key`".into()));
    }
    Ok(text.to_ascii_lowercase())
}

/// The name of a variable.
pub(super) fn variable(text: &str) -> Result<String, Wrong> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if text.is_empty() || !text.chars().all(plain) {
        return Err(("is not the name of a variable".into(), "write it as `MAIL_PASSWORD`".into()));
    }
    Ok(text.into())
}

/// An argument of a command.
pub(super) fn argument(text: &str) -> Result<String, Wrong> {
    if text.contains('\0') {
        return Err(("holds a zero byte".into(), "remove it".into()));
    }
    Ok(text.into())
}

/// A value in the form in which constraints are read; `None` for what JSON cannot hold.
pub(super) fn as_json(value: &DeValue<'_>) -> Option<Json> {
    Some(match value {
        DeValue::String(text) => Json::Str(text.as_ref().into()),
        DeValue::Integer(_) => Json::Int(i64::try_from(integer(value)?).ok()?),
        DeValue::Boolean(value) => Json::Bool(*value),
        DeValue::Array(array) => {
            Json::Arr(array.iter().map(|value| as_json(value.get_ref())).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => {
            let member = |(name, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
                let name: &alloc::borrow::Cow<'_, str> = name.get_ref();
                Some((String::from(name.as_ref()), as_json(value.get_ref())?))
            };
            Json::Obj(table.iter().map(member).collect::<Option<_>>()?)
        }
        DeValue::Float(_) | DeValue::Datetime(_) => return None,
    })
}
