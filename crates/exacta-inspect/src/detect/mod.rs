//! Findings in changed lines.
//!
//! Input: a [`Subject`] and a [`Line`] of it. Output: [`Found`] things. Errors: none;
//! every detector runs in time linear in the line, whatever the line holds. Next: the
//! inspection drops what was there before and makes facts of the rest.

mod book;
mod certificate;
mod comment;
mod danger;
mod danger_rules;
#[cfg(test)]
mod danger_tests;
mod example;
mod hidden;
mod line;
mod lookalike;
#[cfg(test)]
mod on_one_line;
mod phrases;
mod placeholder;
#[cfg(test)]
mod placeholder_tests;
mod placeholder_words;
mod scan;
mod secret;
mod security;
mod security_words;
mod shadow;
mod side;
mod statement;
mod subject;
mod tests_lost;
mod url_import;

pub(crate) use danger::detect as dangers;
pub(crate) use line::{Line, Replaced};
pub(crate) use lookalike::{LookAlikes, look_alike_path};
pub(crate) use scan::{Found, scan, scan_list};
pub use secret::mask_secrets;
pub(crate) use security::{SecurityWord, by_path, by_words, in_name, where_it_was};
pub(crate) use shadow::shadows;
pub(crate) use side::Side;
pub(crate) use subject::Subject;
pub(crate) use tests_lost::{Before, TestMarks, disabled};
