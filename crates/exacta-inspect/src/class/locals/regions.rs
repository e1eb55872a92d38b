//! Where a declaration inside a function is in force.

use std::ops::Range;

use exacta_core::judge::facts::Language;
use tree_sitter::Node;

/// A declaration and its reach.
#[derive(Clone, Debug)]
pub(super) struct Region<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    /// Where the declared name stands.
    pub(super) name: usize,
    /// Where it is in force, its own place aside.
    pub(super) force: Range<usize>,
    /// Where the old name may not be left standing, nor the new one be meant.
    pub(super) guard: Range<usize>,
}

impl Region<'_> {
    fn of(name: Node<'_>, force: Range<usize>, guard: Range<usize>) -> Self {
        Self { old: "", new: "", name: name.start_byte(), force, guard }
    }
}

/// What a name declares, if anything.
pub(super) type Answer<'a> = Result<Option<Region<'a>>, Unproven>;

/// It declares something that is not a local, or in a way that is not known.
#[derive(Debug)]
pub(super) struct Unproven;

/// Parts of a program that do not see the locals around them, or see other names first.
pub(super) fn barriers(language: Language) -> &'static [&'static str] {
    match language {
        Language::Python => &["class_definition"],
        Language::Java => &["class_body", "interface_body", "enum_body", "record_declaration"],
        Language::C | Language::Cpp => {
            &["struct_specifier", "class_specifier", "union_specifier", "lambda_capture_specifier"]
        }
        Language::Rust => &[
            "function_item",
            "impl_item",
            "trait_item",
            "mod_item",
            "const_item",
            "static_item",
            "struct_item",
            "enum_item",
        ],
        Language::JavaScript | Language::TypeScript | Language::Go => &[],
    }
}

/// What the name declares, if anything; no answer where it declares something that is not a
/// local, or in a way that is not known. `parents` end with the parent of the name.
pub(super) fn declared<'a>(language: Language, name: Node<'a>, parents: &[Node<'a>]) -> Answer<'a> {
    let stack = Stack { parents };
    match language {
        Language::Python => stack.python(name),
        Language::JavaScript | Language::TypeScript => stack.javascript(name),
        Language::Go => stack.go(name),
        Language::Java => stack.java(name),
        Language::C | Language::Cpp => stack.c(name),
        Language::Rust => stack.rust(name),
    }
}

struct Stack<'a, 'b> {
    parents: &'b [Node<'a>],
}

const PYTHON_PATTERNS: &[&str] =
    &["pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"];
const JAVASCRIPT_PATTERNS: &[&str] =
    &["array_pattern", "rest_pattern", "assignment_pattern", "pair_pattern", "object_pattern"];
const RUST_PATTERNS: &[&str] = &[
    "tuple_pattern",
    "mut_pattern",
    "ref_pattern",
    "reference_pattern",
    "tuple_struct_pattern",
    "slice_pattern",
];
const FUNCTIONS: &[&str] = &[
    "function_declaration",
    "function_expression",
    "arrow_function",
    "method_definition",
    "generator_function",
    "generator_function_declaration",
];

impl<'a> Stack<'a, '_> {
    fn up(&self, steps: usize) -> Option<Node<'a>> {
        let last = self.parents.len().checked_sub(1)?;
        self.parents.get(last.checked_sub(steps)?).copied()
    }

    /// The outermost node of the pattern that the name is in, and how far up its parent is.
    fn out_of(&self, name: Node<'a>, patterns: &[&str]) -> (Node<'a>, usize) {
        let (mut inner, mut steps) = (name, 0);
        while let Some(parent) = self.up(steps)
            && patterns.contains(&parent.kind())
        {
            // The default of a pattern is looked up, not declared.
            let looked_up = parent.child_by_field_name("right") == Some(inner)
                || parent.child_by_field_name("key") == Some(inner)
                || parent.child_by_field_name("type") == Some(inner);
            if looked_up {
                break;
            }
            inner = parent;
            steps += 1;
        }
        (inner, steps)
    }

    /// The nearest parent of one of some kinds, and how far up it is.
    fn nearest(&self, from: usize, kinds: &[&str]) -> Option<(Node<'a>, usize)> {
        (from..self.parents.len()).find_map(|steps| {
            let node = self.up(steps)?;
            kinds.contains(&node.kind()).then_some((node, steps))
        })
    }

    fn python(&self, name: Node<'a>) -> Answer<'a> {
        let (inner, steps) = self.out_of(name, PYTHON_PATTERNS);
        let Some(parent) = self.up(steps) else { return Ok(None) };
        let field = |name: &str| parent.child_by_field_name(name) == Some(inner);
        let binds = match parent.kind() {
            "assignment" | "for_statement" => field("left"),
            "as_pattern_target" => {
                let around = self.nearest(steps, &["with_item", "except_clause", "case_clause"]);
                around.is_some_and(|(around, _)| around.kind() != "case_clause")
            }
            _ => false,
        };
        if !binds {
            return Ok(None);
        }
        let (scope, _) = self
            .nearest(steps, &["function_definition", "lambda", "class_definition"])
            .ok_or(Unproven)?;
        if scope.kind() != "function_definition" {
            return Err(Unproven);
        }
        let body = scope.child_by_field_name("body").ok_or(Unproven)?;
        Ok(Some(Region::of(name, body.byte_range(), scope.byte_range())))
    }

    fn javascript(&self, name: Node<'a>) -> Answer<'a> {
        let (inner, steps) = self.out_of(name, JAVASCRIPT_PATTERNS);
        let Some(parent) = self.up(steps) else { return Ok(None) };
        let function = |from| {
            let bounds = [FUNCTIONS, &["class_static_block", "field_definition"]].concat();
            let (scope, _) = self.nearest(from, &bounds)?;
            FUNCTIONS.contains(&scope.kind()).then_some(scope)
        };
        let whole = |node: Node<'a>| Region::of(name, node.byte_range(), node.byte_range());
        let (word, steps) = match parent.kind() {
            "variable_declarator" if parent.child_by_field_name("name") == Some(inner) => {
                let declaration = self.up(steps + 1).ok_or(Unproven)?;
                match declaration.kind() {
                    "variable_declaration" => ("var", steps + 2),
                    "lexical_declaration" => ("let", steps + 2),
                    _ => return Err(Unproven),
                }
            }
            "for_in_statement" if parent.child_by_field_name("left") == Some(inner) => {
                let Some(kind) = parent.child_by_field_name("kind") else { return Ok(None) };
                match kind.kind() {
                    "var" => ("var", steps),
                    "let" | "const" => ("let", steps),
                    _ => return Err(Unproven),
                }
            }
            _ => return Ok(None),
        };
        let scope = function(steps).ok_or(Unproven)?;
        if word == "var" {
            return Ok(Some(whole(scope)));
        }
        let block = self.up(steps).ok_or(Unproven)?;
        match block.kind() {
            "statement_block" if scope.child_by_field_name("body") == Some(block) => {
                Ok(Some(Region::of(name, block.byte_range(), scope.byte_range())))
            }
            "statement_block" | "for_statement" | "for_in_statement" => Ok(Some(whole(block))),
            "switch_case" | "switch_default" => {
                let body = self
                    .up(steps + 1)
                    .filter(|body| body.kind() == "switch_body")
                    .ok_or(Unproven)?;
                Ok(Some(whole(body)))
            }
            _ => Err(Unproven),
        }
    }

    fn go(&self, name: Node<'a>) -> Answer<'a> {
        const SCOPES: &[&str] = &[
            "block",
            "expression_case",
            "default_case",
            "type_case",
            "communication_case",
            "if_statement",
            "for_statement",
            "expression_switch_statement",
            "type_switch_statement",
        ];
        let (inner, steps) = self.out_of(name, &["expression_list"]);
        let Some(parent) = self.up(steps) else { return Ok(None) };
        let functions = ["function_declaration", "method_declaration", "func_literal"];
        let after = |declaration: Node<'a>, steps| {
            let (scope, _) = self.nearest(steps, SCOPES).ok_or(Unproven)?;
            let (function, _) = self.nearest(steps, &functions).ok_or(Unproven)?;
            let force = declaration.end_byte()..scope.end_byte();
            Ok(Some(Region::of(name, force, function.byte_range())))
        };
        match parent.kind() {
            "short_var_declaration" if parent.child_by_field_name("left") == Some(inner) => {
                after(parent, steps + 1)
            }
            "var_spec" => {
                // Names stand in it themselves, values in a list.
                if steps == 0 { after(parent, 1) } else { Ok(None) }
            }
            "range_clause" if parent.child_by_field_name("left") == Some(inner) => {
                let mut cursor = parent.walk();
                let fresh = parent.children(&mut cursor).any(|child| child.kind() == ":=");
                if !fresh {
                    return Ok(None);
                }
                let body = self
                    .up(steps + 1)
                    .ok_or(Unproven)?
                    .child_by_field_name("body")
                    .ok_or(Unproven)?;
                let (function, _) = self.nearest(steps, &functions).ok_or(Unproven)?;
                Ok(Some(Region::of(name, body.byte_range(), function.byte_range())))
            }
            _ => Ok(None),
        }
    }

    fn java(&self, name: Node<'a>) -> Answer<'a> {
        let Some(parent) = self.up(0) else { return Ok(None) };
        if parent.child_by_field_name("name") != Some(name) {
            return Ok(None);
        }
        match parent.kind() {
            "variable_declarator" => {
                let declaration = self.up(1).ok_or(Unproven)?;
                let scope = self.up(2).ok_or(Unproven)?;
                let known = matches!(scope.kind(), "block" | "constructor_body" | "for_statement");
                if declaration.kind() != "local_variable_declaration" || !known {
                    return Err(Unproven);
                }
                self.nearest(2, &["method_declaration", "constructor_declaration"])
                    .ok_or(Unproven)?;
                let force = name.start_byte()..scope.end_byte();
                Ok(Some(Region::of(name, force.clone(), force)))
            }
            "enhanced_for_statement" => {
                let body = parent.child_by_field_name("body").ok_or(Unproven)?;
                self.nearest(0, &["method_declaration", "constructor_declaration"])
                    .ok_or(Unproven)?;
                Ok(Some(Region::of(name, body.byte_range(), body.byte_range())))
            }
            // A name of something that is not a local, or of a pattern.
            "method_invocation" => Ok(None),
            _ => Err(Unproven),
        }
    }

    fn c(&self, name: Node<'a>) -> Answer<'a> {
        const DECLARATORS: &[&str] =
            &["init_declarator", "pointer_declarator", "array_declarator", "reference_declarator"];
        let (mut inner, mut steps) = (name, 0);
        let declaration = loop {
            let Some(parent) = self.up(steps) else { return Ok(None) };
            if parent.kind() == "declaration" {
                break parent;
            }
            if !DECLARATORS.contains(&parent.kind()) {
                return Ok(None);
            }
            let named = parent.child_by_field_name("declarator");
            if named.is_some_and(|named| named != inner) {
                return Ok(None);
            }
            inner = parent;
            steps += 1;
        };
        let mut cursor = declaration.walk();
        if declaration.children(&mut cursor).any(|child| {
            matches!(child.kind(), "storage_class_specifier" | "attribute_specifier")
                || child.kind() == "attribute_declaration"
        }) {
            return Err(Unproven);
        }
        let scope = self.up(steps + 1).ok_or(Unproven)?;
        self.nearest(steps + 1, &["function_definition"]).ok_or(Unproven)?;
        if !matches!(scope.kind(), "compound_statement" | "for_statement") {
            return Err(Unproven);
        }
        let force = name.start_byte()..scope.end_byte();
        Ok(Some(Region::of(name, force.clone(), force)))
    }

    fn rust(&self, name: Node<'a>) -> Answer<'a> {
        let (inner, steps) = self.out_of(name, RUST_PATTERNS);
        let Some(parent) = self.up(steps) else { return Ok(None) };
        if parent.child_by_field_name("pattern") != Some(inner) {
            // A pattern of something else.
            return if steps > 0 { Err(Unproven) } else { Ok(None) };
        }
        self.nearest(steps, &["function_item"]).ok_or(Unproven)?;
        match parent.kind() {
            "let_declaration" => {
                let block =
                    self.up(steps + 1).filter(|block| block.kind() == "block").ok_or(Unproven)?;
                let force = parent.end_byte()..block.end_byte();
                Ok(Some(Region::of(name, force.clone(), force)))
            }
            "for_expression" => {
                let body = parent.child_by_field_name("body").ok_or(Unproven)?;
                Ok(Some(Region::of(name, body.byte_range(), body.byte_range())))
            }
            _ => Err(Unproven),
        }
    }
}
