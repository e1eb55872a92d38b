//! What a user prefers, inside fixed bounds.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use serde::Serialize;

use crate::model::hours::Hours;
use crate::read::parse::json::{self, Json};

/// The most spans of the day without notifications.
const SPANS: usize = 10;

/// How long answers should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyLength {
    /// A few sentences.
    #[default]
    Short,
    /// A paragraph or two.
    Medium,
    /// As long as it takes.
    Long,
}

impl ReplyLength {
    /// The written form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Medium => "medium",
            Self::Long => "long",
        }
    }
}

/// What a user prefers. Resolved when a plan is made, and part of its arguments, so hashed
/// with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overlay {
    max_bullets: u8,
    max_sources: u8,
    quiet: Vec<String>,
    reply_length: ReplyLength,
    sensitivity_percent: u8,
}

/// One setting: its name, what it takes, what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub takes: &'static str,
    /// What it is for.
    pub about: &'static str,
}

/// Every setting.
pub const SETTINGS: [Setting; 5] = [
    Setting {
        name: "sensitivity",
        takes: "0.1 to 0.9",
        about: "how small a change of a watched page may be to be reported",
    },
    Setting { name: "sources", takes: "2 to 10", about: "sources that a brief reads" },
    Setting { name: "bullets", takes: "3 to 10", about: "lines of a brief" },
    Setting {
        name: "reply_length",
        takes: "`short`, `medium` or `long`",
        about: "how long answers to mail should be",
    },
    Setting {
        name: "quiet",
        takes: "spans such as `22:00-07:00`, separated by commas; `none`",
        about: "when nobody is notified",
    },
];

/// A setting that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverlayFault {
    /// There is no such setting.
    #[error("there is no setting `{0}`")]
    Unknown(String),
    /// The value is outside its bounds.
    #[error("`{name}` takes {takes}")]
    Bounds {
        /// The setting.
        name: &'static str,
        /// What it takes.
        takes: &'static str,
    },
    /// The stored form cannot be read.
    #[error("the overlay cannot be read")]
    Unreadable,
}

impl Default for Overlay {
    fn default() -> Self {
        Self {
            max_bullets: 5,
            max_sources: 5,
            quiet: Vec::new(),
            reply_length: ReplyLength::Short,
            sensitivity_percent: 50,
        }
    }
}

impl Overlay {
    /// How sensitive a watch is, in percent.
    #[must_use]
    pub fn sensitivity_percent(&self) -> u8 {
        self.sensitivity_percent
    }

    /// How many sources a brief reads.
    #[must_use]
    pub fn max_sources(&self) -> u8 {
        self.max_sources
    }

    /// How many lines a brief has.
    #[must_use]
    pub fn max_bullets(&self) -> u8 {
        self.max_bullets
    }

    /// How long answers should be.
    #[must_use]
    pub fn reply_length(&self) -> ReplyLength {
        self.reply_length
    }

    /// When nobody is notified.
    #[must_use]
    pub fn quiet(&self) -> &[String] {
        &self.quiet
    }

    /// Sets one setting.
    ///
    /// # Errors
    /// When there is no such setting or the value is outside its bounds.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OverlayFault> {
        let setting = SETTINGS
            .iter()
            .find(|setting| setting.name == name)
            .ok_or_else(|| OverlayFault::Unknown(name.into()))?;
        let outside = || OverlayFault::Bounds { name: setting.name, takes: setting.takes };
        let within = |least: u8, most: u8| {
            value.parse().ok().filter(|n| (least..=most).contains(n)).ok_or_else(outside)
        };
        match name {
            "sensitivity" => {
                // Tenths and hundredths as text: no number is rounded on its way into a plan.
                let digits = value.strip_prefix("0.").ok_or_else(outside)?;
                let percent: Option<u8> = match digits.len() {
                    1 => digits.parse::<u8>().ok().and_then(|tenths| tenths.checked_mul(10)),
                    2 => digits.parse().ok(),
                    _ => None,
                };
                let percent = percent.filter(|percent| (10..=90).contains(percent));
                self.sensitivity_percent = percent.ok_or_else(outside)?;
            }
            "sources" => self.max_sources = within(2, 10)?,
            "bullets" => self.max_bullets = within(3, 10)?,
            "reply_length" => {
                self.reply_length = match value {
                    "short" => ReplyLength::Short,
                    "medium" => ReplyLength::Medium,
                    "long" => ReplyLength::Long,
                    _ => return Err(outside()),
                }
            }
            _ => {
                let spans: Vec<String> = match value {
                    "none" => Vec::new(),
                    _ => value.split(',').map(|span| span.trim().into()).collect(),
                };
                let sound = spans.iter().all(|span: &String| Hours::parse(span).is_some());
                if !sound || spans.len() > SPANS {
                    return Err(outside());
                }
                self.quiet = spans;
            }
        }
        Ok(())
    }

    /// Every setting with its value as text.
    #[must_use]
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let quiet = if self.quiet.is_empty() { "none".into() } else { self.quiet.join(",") };
        let sensitivity = format!("0.{:02}", self.sensitivity_percent);
        let sensitivity = sensitivity.strip_suffix('0').unwrap_or(&sensitivity).to_string();
        let values = [
            sensitivity,
            self.max_sources.to_string(),
            self.max_bullets.to_string(),
            self.reply_length.as_str().into(),
            quiet,
        ];
        SETTINGS.iter().map(|setting| setting.name).zip(values).collect()
    }

    /// Reads the stored form: an object of settings as text. What it does not name is as
    /// built in.
    ///
    /// # Errors
    /// When anything in it is not a setting inside its bounds: nothing is guessed.
    pub fn read(text: &str) -> Result<Self, OverlayFault> {
        let Ok(Json::Obj(members)) = json::read(text) else {
            return Err(OverlayFault::Unreadable);
        };
        let mut overlay = Self::default();
        for (name, value) in &members {
            let Json::Str(value) = value else { return Err(OverlayFault::Unreadable) };
            overlay.set(name, value)?;
        }
        Ok(overlay)
    }

    /// The stored form.
    #[must_use]
    pub fn written(&self) -> String {
        let members = self.rows().into_iter().map(|(name, value)| (name.into(), value.into()));
        serde_json::Value::Object(members.collect()).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_stay_inside_their_bounds() {
        let mut overlay = Overlay::default();
        for (name, value, fine) in [
            ("sensitivity", "0.1", true),
            ("sensitivity", "0.9", true),
            ("sensitivity", "0.55", true),
            ("sensitivity", "0.05", false),
            ("sensitivity", "0.95", false),
            ("sensitivity", "1", false),
            ("sensitivity", "0.", false),
            ("sources", "2", true),
            ("sources", "10", true),
            ("sources", "1", false),
            ("sources", "11", false),
            ("bullets", "3", true),
            ("bullets", "2", false),
            ("bullets", "-3", false),
            ("reply_length", "long", true),
            ("reply_length", "endless", false),
            ("quiet", "22:00-07:00, 12:00-13:00", true),
            ("quiet", "none", true),
            ("quiet", "22-7", false),
            ("allowed_primitives", "SendEmail", false),
            ("requires_approval", "false", false),
            ("recipients", "a@b.example", false),
        ] {
            assert_eq!(overlay.set(name, value).is_ok(), fine, "{name} {value}");
        }
    }

    #[test]
    fn the_stored_form_reads_back_and_nothing_else_does() {
        let mut overlay = Overlay::default();
        overlay.set("sensitivity", "0.7").unwrap();
        overlay.set("quiet", "22:00-07:00").unwrap();
        assert_eq!(Overlay::read(&overlay.written()), Ok(overlay));
        for text in [
            "",
            "[]",
            r#"{"sources": 5}"#,
            r#"{"sources": "99"}"#,
            r#"{"tools": "SendEmail"}"#,
            r#"{"sources": "3", "sources": "4"}"#,
        ] {
            assert!(Overlay::read(text).is_err(), "{text}");
        }
    }
}
