//! Whether two trees are the same program: the same nodes, the same words, and the same
//! line breaks where these matter. Plain comments do not count, nor do names of locals.

use exacta_core::judge::facts::{Language, Proof, is_found_as_test};
use exacta_core::model::path::RelPath;
use tree_sitter::Tree;

use super::additive::{additive, only_tests};
use super::doubts;
use super::locals::{self, Renamed, only_locals};
use super::steps::{Step, Walk};
use super::tokens;

/// A text, its tree and which nodes are comments.
pub(crate) struct Compared<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) text: &'a str,
    pub(crate) is_comment: &'a dyn Fn(u16) -> bool,
}

/// What two trees of one language prove.
pub(crate) fn compare_trees(
    language: Language,
    path: &RelPath,
    before: &Compared<'_>,
    after: &Compared<'_>,
) -> Proof {
    let is_test = is_found_as_test(path);
    let added = || additive(language, path, is_test, before, after);
    let broken = || [before, after].iter().any(|side| side.tree.root_node().has_error());
    let mut equal = equal(language, before, after);
    // A preprocessor sees no more than words, also where no grammar understands them.
    if equal.as_ref().is_none_or(|equal| equal.proof == Proof::Read)
        && let Some(still) = tokens::same_tokens(language, before.text, after.text)
    {
        equal = Some(Equal { proof: Proof::Layout, still });
    }
    let still = equal.as_ref().is_some_and(|equal| equal.still);
    let proof = match equal.map(|equal| equal.proof) {
        // What no grammar understands are macros, and tests of C++ are macros.
        None | Some(Proof::Read) if is_test && broken() => {
            let adds = tokens::only_adds_tests(language, before.text, after.text);
            if adds { Proof::Tests } else { Proof::Read }
        }
        None => Proof::Read,
        Some(Proof::Read) if broken() => Proof::Read,
        Some(Proof::Read) => added(),
        Some(proof) => proof,
    };
    // Doubts cost more to look for than most trees do to tell apart.
    let texts = [before.text, after.text];
    let unmoved = still && proof == Proof::Layout;
    // Where no word of C moves, only what hides the end of a comment matters.
    let misread = |text: &&str| match language {
        Language::C | Language::Cpp if unmoved => doubts::trigraph(text),
        _ => doubts::is_misread(language, text),
    };
    if proof == Proof::Read
        || doubts::ends_differ(before.text, after.text)
        || texts.iter().any(misread)
    {
        return Proof::Read;
    }
    if !texts.iter().any(|text| doubts::shows_itself(language, text)) {
        return proof;
    }
    // Where every word stands as it stood, a line has the number that it had.
    let shows = |text: &&str| doubts::shows_comments(language, text);
    if unmoved && !texts.iter().any(shows) {
        return proof;
    }
    // What shows its own lines has others; that much a test may see of itself.
    if is_test && !broken() { added() } else { Proof::Read }
}

/// How far both trees are the same program, and whether every word stands where it stood.
struct Equal {
    proof: Proof,
    still: bool,
}

impl Equal {
    const NOT: Option<Self> = Some(Self { proof: Proof::Read, still: false });
}

/// What the tree of a new file proves. `nothing` is an empty text.
pub(crate) fn new_tests(
    language: Language,
    path: &RelPath,
    nothing: &Compared<'_>,
    new: &Compared<'_>,
) -> Proof {
    let tests = is_found_as_test(path)
        && only_tests(language, path, nothing, new)
        && !doubts::is_misread(language, new.text);
    if tests { Proof::Tests } else { Proof::Read }
}

/// How far both trees are the same program; `None` where a parser cannot tell.
fn equal(language: Language, before: &Compared<'_>, after: &Compared<'_>) -> Option<Equal> {
    if before.tree.root_node().has_error() || after.tree.root_node().has_error() {
        // A grammar does not know what macros make.
        return None;
    }
    let mut old = Walk::new(language, before);
    let mut new = Walk::new(language, after);
    let mut renamed: Vec<Renamed<'_>> = Vec::new();
    let mut still = true;
    let (mut left, mut right) = (old.next(), new.next());
    loop {
        match (&left, &right) {
            (Some(Step::Doubt), _) | (_, Some(Step::Doubt)) => return None,
            (None, None) if renamed.is_empty() => {
                return Some(Equal { proof: Proof::Layout, still });
            }
            (None, None) if only_locals(language, before, &renamed) => {
                return Some(Equal { proof: Proof::Locals, still: false });
            }
            (Some(one), Some(other)) if one == other => still &= one.spot() == other.spot(),
            (Some(one), Some(other)) if one.same_but_place(other) => {
                still = false;
                if !old.breaks_freely() || !new.breaks_freely() {
                    return Equal::NOT;
                }
            }
            (_, Some(other)) if other.only_documents() => {
                right = new.next();
                continue;
            }
            // One side has a sign that the other leaves out, and that says nothing.
            (Some(one), _) if one.may_be_left_out() && old.leaves_out() => {
                still = false;
                left = old.next();
                continue;
            }
            (_, Some(other)) if other.may_be_left_out() && new.leaves_out() => {
                still = false;
                right = new.next();
                continue;
            }
            (Some(one), Some(other)) if renamed.len() < locals::MOST => {
                let free = old.breaks_freely() && new.breaks_freely();
                let Some((at, name)) = one.renamed(other, free) else { return Equal::NOT };
                renamed.push(Renamed { at, new: name });
            }
            _ => return Equal::NOT,
        }
        (left, right) = (old.next(), new.next());
    }
}
