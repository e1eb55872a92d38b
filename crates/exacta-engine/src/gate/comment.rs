//! What a person says about a place in a plan, for whoever makes the next one.

use std::fmt;

use exacta_core::review::Side;
use serde::{Deserialize, Serialize};

/// Words about one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// Where.
    pub place: CommentPlace,
    /// What.
    pub text: String,
}

/// What a comment is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommentPlace {
    /// All of the plan.
    Whole,
    /// A step.
    Step(String),
    /// Lines of a file, both ends counted.
    Lines {
        /// The file.
        path: String,
        /// In which image.
        #[serde(with = "side")]
        side: Side,
        /// The first line, from 1.
        from: u32,
        /// The last.
        to: u32,
    },
}

/// A side as the word that reviews use.
mod side {
    use exacta_core::review::Side;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
    pub(super) fn serialize<S: Serializer>(side: &Side, to: S) -> Result<S::Ok, S::Error> {
        side.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Side, D::Error> {
        match String::deserialize(from)?.as_str() {
            "before" => Ok(Side::Before),
            "after" => Ok(Side::After),
            other => Err(D::Error::custom(format!("`{other}` is neither `before` nor `after`"))),
        }
    }
}

impl fmt::Display for CommentPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("the whole plan"),
            Self::Step(step) => write!(f, "step {step}"),
            Self::Lines { path, side, from, to } => {
                let was = if *side == Side::Before { " as it was" } else { "" };
                if from == to {
                    write!(f, "{path}:{from}{was}")
                } else {
                    write!(f, "{path}:{from}-{to}{was}")
                }
            }
        }
    }
}

/// A request and its comments as one text, a comment a line.
pub(super) fn joined(request: Option<&str>, comments: &[Comment]) -> String {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(request.map(str::trim).filter(|text| !text.is_empty()).map(Into::into));
    lines.extend(comments.iter().filter(|comment| !comment.text.trim().is_empty()).map(
        |comment| match comment.place {
            CommentPlace::Whole => comment.text.trim().to_owned(),
            _ => format!("{}: {}", comment.place, comment.text.trim()),
        },
    ));
    lines.join("\n")
}
