//! A child by the name of its field, without looking the name up each time.
//!
//! The parser's own look-up compares the name with every field of the language, which was
//! a good part of an inspection. What it found is kept for each thread.

use std::cell::RefCell;
use std::num::NonZeroU16;

use hashbrown::HashMap;
use tree_sitter::{Language, Node};

/// The numbers of one language's fields, by where their names stand: names are constants.
type Numbers = HashMap<(*const u8, usize), Option<NonZeroU16>>;

thread_local! {
    /// There are as many as there are languages.
    static KNOWN: RefCell<Vec<(Language, Numbers)>> = RefCell::default();
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
                known.push((Language::clone(&language), Numbers::default()));
                known.len() - 1
            });
            let (_, numbers) = known.get_mut(at)?;
            let find = || language.field_id_for_name(name);
            *numbers.entry((name.as_ptr(), name.len())).or_insert_with(find)
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
