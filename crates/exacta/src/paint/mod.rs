//! How things look on a terminal or in a pipe: colours, widths, rows that fit.
//!
//! Input: rows of the review model or lines of ours. Output: lines with our colours in them,
//! made safe by one last wall ([`Look::finish`]) and wrapped for the width at hand.

mod breaks;
mod columns;
mod look;
mod rows;
pub(crate) mod style;
pub(crate) mod wrap;

pub(crate) use columns::{columns, columns_of};
#[cfg(test)]
pub(crate) use look::colour_at;
pub(crate) use look::{Look, becomes, colour, locale_is_utf8, width_of};
pub(crate) use rows::{breaks_of, lines_of, one_line};
