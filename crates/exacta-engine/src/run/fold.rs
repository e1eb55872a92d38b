//! Several changes of one path become one: the first before, the last after.

use exacta_core::model::change::{Change, FileMode};
use exacta_core::model::digest::Digest;
use exacta_core::model::path::RelPath;

/// An image as a change names it; without a mode any mode will do.
pub(crate) type Named = (Digest, Option<FileMode>);

/// What happens to one path in the whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Folded {
    pub(crate) path: RelPath,
    pub(crate) before: Option<Named>,
    pub(crate) after: Option<Named>,
    pub(crate) step: String,
}

/// Folds changes in their order; the result is in path order.
///
/// # Errors
/// The first path, in their order, whose changes do not follow from each other.
pub(crate) fn fold(changes: &[Change]) -> Result<Vec<Folded>, RelPath> {
    // Changes of one path stay in their order.
    let mut by_path: Vec<&Change> = changes.iter().collect();
    by_path.sort_by_key(|change| &change.path);
    let mut folded: Vec<Folded> = Vec::with_capacity(changes.len());
    for change in by_path {
        let before = change.before.map(|digest| (digest, change.mode_before));
        let after = change.after.map(|digest| (digest, change.mode_after));
        match folded.last_mut().filter(|earlier| earlier.path == change.path) {
            None => {
                let (path, step) = (change.path.clone(), change.step.clone());
                folded.push(Folded { path, before, after, step });
            }
            Some(earlier) if follows(earlier.after, before) => {
                let mode = after.and_then(|(_, mode)| mode).or(kept_mode(earlier.after));
                earlier.after = after.map(|(digest, _)| (digest, mode));
                earlier.step = format!("{},{}", earlier.step, change.step);
            }
            Some(_) => return Err(change.path.clone()),
        }
    }
    Ok(folded)
}

fn kept_mode(image: Option<Named>) -> Option<FileMode> {
    image.and_then(|(_, mode)| mode)
}

fn follows(earlier: Option<Named>, later: Option<Named>) -> bool {
    match (earlier, later) {
        (None, None) => true,
        (Some((one, mode)), Some((other, wanted))) => {
            one == other && (mode == wanted || mode.is_none() || wanted.is_none())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str, before: Option<&str>, after: Option<&str>, step: &str) -> Change {
        let digest = |text: &str| Digest::of(text.as_bytes());
        Change {
            path: RelPath::parse(path).unwrap(),
            before: before.map(digest),
            after: after.map(digest),
            mode_before: None,
            mode_after: None,
            step: step.into(),
            renamed_from: None,
        }
    }

    #[test]
    fn a_chain_becomes_its_two_ends_and_a_gap_is_refused() {
        let folded = fold(&[
            change("b", None, Some("1"), "s1"),
            change("a", Some("x"), None, "s2"),
            change("b", Some("1"), Some("2"), "s3"),
        ])
        .unwrap();
        let b = Digest::of(b"2");
        assert_eq!(folded.len(), 2);
        assert_eq!((folded[0].path.as_str(), folded[0].after), ("a", None));
        assert_eq!((folded[1].before, folded[1].after), (None, Some((b, None))));
        assert_eq!(folded[1].step, "s1,s3");
        let gap = [change("b", None, Some("1"), "s1"), change("b", Some("2"), None, "s2")];
        assert_eq!(fold(&gap).unwrap_err().as_str(), "b");
    }
}
