//! New items that nothing existing can reach, by the rules of names of each language alone.
//!
//! Whether the rest of a project uses a name cannot be told from one file, and names can be
//! made while a program runs. So what other files can name, list or take over is not additive.

use exacta_core::judge::facts::Language;
use exacta_core::model::path::RelPath;
use tree_sitter::Node;

/// What the prelude of Rust brings everywhere: a name of it that a module defines is taken
/// from there by all below that module.
const PRELUDE: &[&str] = &[
    "AsMut",
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Future",
    "Hash",
    "Into",
    "IntoFuture",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Self",
    "Send",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Unpin",
    "Vec",
    "align_of",
    "drop",
    "size_of",
    "std",
    "core",
    "alloc",
];

/// Macros of Rust's own library that make nothing but an expression.
const MACROS: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprintln",
    "format",
    "matches",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Parts of a function of Rust that take effect wherever they stand.
const TAKES_EFFECT: &[&str] = &[
    "attribute_item",
    "inner_attribute_item",
    "const_item",
    "static_item",
    "const_block",
    "extern_crate_declaration",
    "foreign_mod_item",
    "impl_item",
    "macro_definition",
    "mod_item",
    "trait_item",
    "union_item",
    "use_declaration",
];

/// Types of C++ that belong to no namespace.
const PLAIN_TYPES: &[&str] = &["primitive_type", "sized_type_specifier"];

/// Whether an item of a file is out of reach of everything but what comes with it. `file` is
/// the whole text after the change.
pub(super) fn is_out_of_reach(
    language: Language,
    path: &RelPath,
    item: Node<'_>,
    file: &str,
) -> bool {
    let Some(text) = file.get(item.byte_range()) else { return false };
    match language {
        Language::Rust => is_private_to_a_leaf(item, text, file),
        Language::Go => {
            // Who names it would not have been compiled, and names in small letters are in no
            // other package, whatever this one is brought in as. Methods are other things.
            let named = match item.kind() {
                "function_declaration" => Some(item),
                "type_declaration" if item.named_child_count() == 1 => item.named_child(0),
                _ => None,
            };
            let name = named.and_then(|item| item.child_by_field_name("name"));
            let name = name.and_then(|name| file.get(name.byte_range())).unwrap_or_default();
            name.starts_with(|c: char| c.is_lowercase()) && !file.contains("import \"C\"")
        }
        Language::JavaScript | Language::TypeScript => {
            let function = item.kind() == "function_declaration"
                && !item
                    .child_by_field_name("parameters")
                    .and_then(|list| file.get(list.byte_range()))
                    .is_some_and(|list| list.contains('='));
            // Types are gone before anything runs.
            let shape = language == Language::TypeScript
                && matches!(item.kind(), "interface_declaration" | "type_alias_declaration");
            (function || shape) && is_module(path, item, file) && !looks_names_up(file)
        }
        Language::C | Language::Cpp => {
            item.kind() == "function_definition"
                && is_compiled_alone(path)
                && is_of_the_file(language, item, text)
                && !told_to_run(text)
                && (language == Language::C || has_plain_parameters(item))
                && !text.contains('#')
        }
        // Whatever a module holds can be named, listed and brought in as a whole.
        Language::Python | Language::Java => false,
    }
}

/// Whether an item of Rust can be named in its own module alone, and that has no others below
/// it in other files.
fn is_private_to_a_leaf(item: Node<'_>, text: &str, file: &str) -> bool {
    let name = item.child_by_field_name("name").and_then(|name| file.get(name.byte_range()));
    let Some(name) = name.filter(|name| !PRELUDE.contains(name)) else { return false };
    let function = item.kind() == "function_item";
    // In small letters a type may be taken for a crate.
    let is_type = matches!(item.kind(), "struct_item" | "enum_item")
        && name.starts_with(|c: char| c.is_uppercase());
    if !function && !is_type {
        return false;
    }
    let of = |node: Node<'_>| file.get(node.byte_range()).unwrap_or_default();
    let inside = parts(item);
    let plain = inside.iter().all(|node| match node.kind() {
        kind if TAKES_EFFECT.contains(&kind) => false,
        "function_item" | "struct_item" | "enum_item" | "type_item" => *node == item,
        "macro_invocation" => {
            let called = node.child_by_field_name("macro").map(of).unwrap_or_default();
            MACROS.contains(&called)
        }
        "token_tree" => of(*node).starts_with(['(', '[']) && !of(*node).contains('#'),
        // The length of an array is worked out at once.
        "block" => function,
        _ => true,
    });
    let words = !inside.iter().any(|node| {
        node.kind() == "identifier" && matches!(of(*node), "impl" | "static" | "macro_rules")
    });
    let globs = file.contains("::*") || file.contains("{*") || file.contains(", *");
    let below = file.lines().any(|line| {
        let line = line.trim_start().trim_start_matches("pub").trim_start();
        line.starts_with("mod ") && line.trim_end().ends_with(';')
            || line.starts_with("(crate) mod ")
    });
    plain && words && !globs && !below && !text.starts_with("pub") && !text.contains("extern ")
}

/// Whether a file is a module by its own statements, so that its names are nobody else's.
fn is_module(path: &RelPath, item: Node<'_>, file: &str) -> bool {
    let name = path.name();
    let by_name = [".mjs", ".cjs", ".mts", ".cts"].iter().any(|end| name.ends_with(end));
    let root = item.parent().filter(|root| root.kind() == "program");
    let stated = root.is_some_and(|root| {
        let mut cursor = root.walk();
        root.named_children(&mut cursor).any(|one| {
            let text = file.get(one.byte_range()).unwrap_or_default();
            matches!(one.kind(), "import_statement" | "export_statement")
                && !text.starts_with("import type")
                && !text.starts_with("import(")
        })
    });
    root.is_some() && (by_name || stated)
}

/// Whether a text makes names while it runs.
fn looks_names_up(file: &str) -> bool {
    ["eval", "Function(", "with (", "vm."].iter().any(|word| file.contains(word))
}

/// Whether a file of C is compiled by itself, and no other brings it in.
fn is_compiled_alone(path: &RelPath) -> bool {
    let ending = path.name().rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "c" | "cc" | "cpp" | "cxx")
}

/// Whether no other file can name a function of C or C++.
fn is_of_the_file(language: Language, item: Node<'_>, text: &str) -> bool {
    let unnamed = |space: Node<'_>| {
        space.kind() == "namespace_definition" && space.child_by_field_name("name").is_none()
    };
    let above = item.parent().and_then(|list| list.parent());
    text.starts_with("static ") || language == Language::Cpp && above.is_some_and(unnamed)
}

/// Whether a compiler may be told to run a function before everything else.
pub(super) fn told_to_run(text: &str) -> bool {
    ["__attribute__", "[[", "_Pragma", "__declspec", "asm"].iter().any(|word| text.contains(word))
}

/// Whether no template of another file finds a function of C++ by the types that it takes.
fn has_plain_parameters(function: Node<'_>) -> bool {
    let mut declarator = function.child_by_field_name("declarator");
    while let Some(inner) = declarator.filter(|one| one.kind() != "function_declarator") {
        declarator = inner.child_by_field_name("declarator");
    }
    let list = declarator.and_then(|one| one.child_by_field_name("parameters"));
    let named = declarator.and_then(|one| one.child_by_field_name("declarator"));
    let Some(list) = list.filter(|_| named.is_some_and(|one| one.kind() == "identifier")) else {
        return false;
    };
    let mut cursor = list.walk();
    list.named_children(&mut cursor).all(|one| {
        let of_type = one.child_by_field_name("type");
        one.kind() == "parameter_declaration"
            && of_type.is_some_and(|one| PLAIN_TYPES.contains(&one.kind()))
    })
}

fn parts(item: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = item.walk();
    let (mut below, mut out) = (vec![item], Vec::new());
    while let Some(node) = below.pop() {
        below.extend(node.named_children(&mut cursor));
        out.push(node);
    }
    out
}
