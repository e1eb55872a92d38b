//! Public items of Python: what no underscore hides.

use exacta_core::path::RelPath;
use tree_sitter::Node;

use super::item::{Item, Parameter, field, named, text_of};

/// Top-level functions, classes with their methods, constants, and in `__init__.py` what
/// is imported to be handed on.
pub(super) fn items(root: Node<'_>, text: &str, path: &RelPath) -> Vec<Item> {
    let hidden = path.components().any(|part| part.starts_with('_') && !part.starts_with("__"));
    let mut search = Search { text, items: Vec::new(), package: path.name() == "__init__.py" };
    if !hidden {
        search.block(root, 0);
    }
    search.items
}

struct Search<'t> {
    text: &'t str,
    items: Vec<Item>,
    package: bool,
}

impl Search<'_> {
    fn block(&mut self, node: Node<'_>, depth: usize) {
        for child in named(node) {
            match child.kind() {
                "if_statement" | "try_statement" | "else_clause" | "elif_clause"
                | "except_clause" | "block" | "finally_clause" | "with_statement"
                    if depth < 6 =>
                {
                    self.block(child, depth + 1);
                }
                "decorated_definition" => {
                    if let Some(definition) = child.child_by_field_name("definition") {
                        self.definition(definition, "", &decorators(child, self.text), depth);
                    }
                }
                "function_definition" | "class_definition" => self.definition(child, "", "", depth),
                "expression_statement" => self.assignment(child),
                "import_from_statement" if self.package => self.imports(child),
                _ => {}
            }
        }
    }

    fn definition(&mut self, node: Node<'_>, prefix: &str, decorators: &str, depth: usize) {
        let Some(name) = node.child_by_field_name("name").map(|name| text_of(name, self.text))
        else {
            return;
        };
        let in_class = !prefix.is_empty();
        if !is_public(name, in_class) || depth > 8 {
            return;
        }
        let full = if in_class { format!("{prefix}.{name}") } else { name.to_owned() };
        if node.kind() == "function_definition" {
            let mut item = Item::new("function", full, node).shaped(decorators.to_owned());
            item.parameters =
                parameters(node, self.text, in_class && !decorators.contains("static"));
            if text_of(node, self.text).starts_with("async") {
                item.shape.push_str("async");
            }
            self.items.push(item);
            return;
        }
        let shape = field(node, "superclasses", self.text);
        self.items.push(Item::new("class", full.clone(), node).shaped(shape));
        for member in node.child_by_field_name("body").map(named).unwrap_or_default() {
            match member.kind() {
                "function_definition" | "class_definition" => {
                    self.definition(member, &full, "", depth + 1);
                }
                "decorated_definition" => {
                    if let Some(definition) = member.child_by_field_name("definition") {
                        let marks = self::decorators(member, self.text);
                        self.definition(definition, &full, &marks, depth + 1);
                    }
                }
                _ => {}
            }
        }
    }

    /// `LIMIT = 3` and `Alias = Other`; lower-case names are mostly internal.
    fn assignment(&mut self, node: Node<'_>) {
        let Some(target) = node
            .named_child(0)
            .filter(|child| child.kind() == "assignment")
            .and_then(|assignment| assignment.child_by_field_name("left"))
            .filter(|left| left.kind() == "identifier")
        else {
            return;
        };
        let name = text_of(target, self.text);
        if name.starts_with(|c: char| c.is_ascii_uppercase()) {
            self.items.push(Item::new("constant", name.to_owned(), node));
        }
    }

    fn imports(&mut self, node: Node<'_>) {
        let module = node.child_by_field_name("module_name");
        if module.is_none_or(|module| module.kind() != "relative_import") {
            return;
        }
        for child in named(node) {
            if Some(child) == module {
                continue;
            }
            let name = child.child_by_field_name("alias").unwrap_or(child);
            let name = text_of(name, self.text);
            if is_public(name, false) {
                self.items.push(Item::new("re-export", name.to_owned(), node));
            }
        }
    }
}

fn is_public(name: &str, in_class: bool) -> bool {
    !name.starts_with('_') || in_class && matches!(name, "__init__" | "__call__" | "__new__")
}

/// The decorators that change how a function is called.
fn decorators(node: Node<'_>, text: &str) -> String {
    let marks: Vec<&str> = named(node)
        .into_iter()
        .filter(|child| child.kind() == "decorator")
        .map(|child| text_of(child, text).trim_start_matches('@').trim())
        .filter(|mark| {
            matches!(*mark, "property" | "staticmethod" | "classmethod" | "cached_property")
        })
        .collect();
    marks.join(" ")
}

/// Names and whether they may be left out; annotations and default values do not break
/// callers.
fn parameters(node: Node<'_>, text: &str, method: bool) -> Vec<Parameter> {
    let list = node.child_by_field_name("parameters").map(named).unwrap_or_default();
    let mut out = Vec::new();
    for (position, parameter) in list.into_iter().enumerate() {
        if method && position == 0 {
            continue;
        }
        let (shape, optional) = match parameter.kind() {
            "identifier" => (text_of(parameter, text).to_owned(), false),
            "default_parameter" | "typed_default_parameter" => {
                (field(parameter, "name", text), true)
            }
            "typed_parameter" => {
                let name =
                    parameter.named_child(0).map(|name| text_of(name, text)).unwrap_or_default();
                (name.to_owned(), name.starts_with('*'))
            }
            "list_splat_pattern" => ("*".to_owned(), true),
            "dictionary_splat_pattern" => ("**".to_owned(), true),
            other => (other.to_owned(), true),
        };
        let shape = if shape.starts_with("**") {
            "**".to_owned()
        } else if shape.starts_with('*') {
            "*".to_owned()
        } else {
            shape
        };
        out.push(Parameter { shape, optional });
    }
    out
}
