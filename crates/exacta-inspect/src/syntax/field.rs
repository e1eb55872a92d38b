//! A child by the name of its field, without looking the name up each time.
//!
//! The parser's own look-up compares the name with every field of the language, which was
//! a good part of an inspection. What it found is kept for each thread.

use std::cell::RefCell;
use std::num::NonZeroU16;

use tree_sitter::{Language, Node};

/// The number of one field, by where its name stands: names are constants.
type Number = ((*const u8, usize), Option<NonZeroU16>);

/// So many fields of a language are kept; two that fall on one place take turns.
const PLACES: usize = 1024;

thread_local! {
    /// There are as many as there are languages.
    static KNOWN: RefCell<Vec<(Language, Vec<Number>)>> = RefCell::default();
}

/// A node with fields.
pub(crate) trait Field<'t>: Sized {
    /// The first child in a field.
    fn field(self, name: &'static str) -> Option<Node<'t>>;
}

impl<'t> Field<'t> for Node<'t> {
    fn field(self, name: &'static str) -> Option<Node<'t>> {
        let language = self.language();
        let number = KNOWN.with_borrow_mut(|known| {
            let at = known.iter().position(|(one, _)| *one == *language).unwrap_or_else(|| {
                let nothing: Number = ((std::ptr::null(), 0), None);
                known.push((Language::clone(&language), vec![nothing; PLACES]));
                known.len() - 1
            });
            let (_, numbers) = known.get_mut(at)?;
            let place = (name.as_ptr(), name.len());
            let entry = numbers.get_mut((place.0.addr() ^ place.1) % PLACES)?;
            if entry.0 != place {
                *entry = (place, language.field_id_for_name(name));
            }
            entry.1
        });
        self.child_by_field_id(number?.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_what_the_parser_says() {
        let text = "fn f(a: u8) -> u8 { a }";
        for _ in 0..2 {
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&tree_sitter_rust::LANGUAGE.into()).unwrap();
            let tree = parser.parse(text, None).unwrap();
            let node = tree.root_node().child(0).unwrap();
            for name in ["name", "parameters", "return_type", "body", "value", "nothing"] {
                assert_eq!(node.field(name), node.child_by_field_name(name), "{name}");
            }
        }
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&tree_sitter_python::LANGUAGE.into()).unwrap();
        let tree = parser.parse("def f(a): pass\n", None).unwrap();
        let node = tree.root_node().child(0).unwrap();
        assert_eq!(node.field("name"), node.child_by_field_name("name"));
        assert!(node.field("name").is_some());
    }
}
