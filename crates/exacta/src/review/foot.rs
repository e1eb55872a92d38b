//! What stands below the page of a review: what was said, how much was seen, and the keys.

use super::pager::Pager;
use super::prompt::keys;

/// Columns and rows below which a question and what it is about are not seen together.
const SMALLEST: (usize, usize) = (30, 10);
/// Why nothing is approved in a smaller window.
pub(super) const TOO_SMALL: &str = "the window is too small to show what is approved";
/// The foot has one row in so many; beyond that the keys that move are left to the help.
const PART: usize = 4;

/// Whether a window is too small to decide in.
pub(super) fn is_small((width, height): (usize, usize)) -> bool {
    width < SMALLEST.0 || height < SMALLEST.1
}

/// The foot of a review.
pub(super) struct Foot<'a> {
    /// The window.
    pub(super) size: (usize, usize),
    /// What is told about the last key.
    pub(super) note: &'a str,
    /// The keys that decide.
    pub(super) decides: &'a [&'a str],
}

impl Foot<'_> {
    /// Its lines.
    pub(super) fn lines(&self, pager: &Pager) -> Vec<String> {
        let (width, height) = self.size;
        if is_small(self.size) {
            let note = if self.note.is_empty() { TOO_SMALL } else { self.note };
            let mut lines = vec![note.to_owned()];
            lines.extend(keys(width, ["? keys", "q later"]));
            return lines;
        }
        let seen = seen(pager);
        let moves = [seen.as_str(), "space, b: page", "n, p: part", "arrows: line", "? keys"];
        let decides = keys(width, self.decides.iter().copied());
        let mut below = keys(width, moves);
        if below.len() + decides.len() > height / PART {
            below = keys(width, [seen.as_str(), "? keys"]);
        }
        let note = self.note.lines().map(str::to_owned);
        note.chain(below).chain(decides).collect()
    }
}

/// How much of the review was on the screen; as wide for few lines as for all of them, so
/// that it takes no row more once a page is drawn.
pub(super) fn seen(pager: &Pager) -> String {
    let all = pager.rows().to_string();
    format!("{:>1$} of {all} lines seen", pager.seen(), all.len())
}
