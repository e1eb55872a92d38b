//! Public items of Python: what no underscore hides.

use crate::syntax::field::Field as _;
use exacta_core::model::path::RelPath;
use tree_sitter::Node;

use super::item::{Item, Parameter, Public, field, named, text_of};

/// Top-level functions, classes with their methods and fields, constants, the names on the
/// list `__all__`, and in `__init__.py` what is imported to be handed on.
pub(super) fn public(root: Node<'_>, text: &str, path: &RelPath) -> Public {
    let hidden = path.components().any(|part| part.starts_with('_') && !part.starts_with("__"));
    let mut search = Search {
        text,
        path,
        public: Public::default(),
        package: matches!(path.name(), "__init__.py" | "__init__.pyi"),
        list: List::None,
    };
    if !hidden {
        search.block(root, 0);
        search.listed();
    }
    search.public
}

/// What the file says about `__all__`.
enum List {
    None,
    Names {
        line: usize,
        names: Vec<String>,
    },
    /// Put together from parts that are not all known.
    Unknown,
}

struct Search<'t> {
    text: &'t str,
    path: &'t RelPath,
    public: Public,
    package: bool,
    list: List,
}

impl Search<'_> {
    fn push(&mut self, item: Item) {
        self.public.items.push(item);
    }

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
                    if let Some(definition) = child.field("definition") {
                        self.definition(definition, "", &decorators(child, self.text), depth);
                    }
                }
                "function_definition" | "class_definition" => self.definition(child, "", "", depth),
                "expression_statement" => self.assignment(child),
                "import_from_statement" => self.imports(child),
                _ => {}
            }
        }
    }

    /// The names on the list, each beside the thing that it names.
    fn listed(&mut self) {
        let List::Names { line, names } = std::mem::replace(&mut self.list, List::None) else {
            return;
        };
        self.push(Item::on_line("list", LIST.to_owned(), line));
        for name in names {
            self.push(Item::on_line("listed name", format!("{LIST}.{name}"), line));
        }
    }

    fn definition(&mut self, node: Node<'_>, prefix: &str, decorators: &str, depth: usize) {
        let Some(name) = node.field("name").map(|name| text_of(name, self.text)) else {
            return;
        };
        let in_class = !prefix.is_empty();
        if !is_public(name, in_class) || depth > 8 {
            return;
        }
        let full = if in_class { format!("{prefix}.{name}") } else { name.to_owned() };
        if node.kind() == "function_definition" && decorators.contains("property") {
            // Whoever reads it cannot tell it from a field.
            self.push(Item::new("field", full, node));
            return;
        }
        if node.kind() == "function_definition" {
            let mut item = Item::new("function", full, node).shaped(decorators.to_owned());
            if called_by_name(name) {
                item.parameters =
                    parameters(node, self.text, in_class && !decorators.contains("static"));
            }
            if text_of(node, self.text).starts_with("async") {
                item.shape.push_str("async");
            }
            self.push(item);
            return;
        }
        let shape = field(node, "superclasses", self.text);
        self.push(Item::new("class", full.clone(), node).shaped(shape));
        let counted = field(node, "superclasses", self.text)
            .split(|c: char| !c.is_alphanumeric())
            .any(|base| base.ends_with("Enum") || base.ends_with("Flag"));
        for member in node.field("body").map(named).unwrap_or_default() {
            match member.kind() {
                "expression_statement" => self.field(member, &full, counted),
                "function_definition" | "class_definition" => {
                    self.definition(member, &full, "", depth + 1);
                }
                "decorated_definition" => {
                    if let Some(definition) = member.field("definition") {
                        let marks = self::decorators(member, self.text);
                        self.definition(definition, &full, &marks, depth + 1);
                    }
                }
                _ => {}
            }
        }
    }

    /// `name: str` in a class, members of an enumeration, and constants.
    fn field(&mut self, node: Node<'_>, of: &str, counted: bool) {
        let Some((assignment, name)) = self.target(node) else { return };
        let annotated = assignment.field("type").is_some();
        if is_public(name, false) && (annotated || counted || is_constant(name)) {
            self.push(Item::new("field", format!("{of}.{name}"), node));
        }
    }

    /// An assignment to one name.
    fn target<'n>(&self, node: Node<'n>) -> Option<(Node<'n>, &'_ str)> {
        let assignment = node
            .named_child(0)
            .filter(|child| matches!(child.kind(), "assignment" | "augmented_assignment"))?;
        let left = assignment.field("left")?;
        (left.kind() == "identifier").then(|| (assignment, text_of(left, self.text)))
    }

    /// `LIMIT = 3` and `Alias = Other`; lower-case names are mostly internal.
    fn assignment(&mut self, node: Node<'_>) {
        let text = self.text;
        if text_of(node, text).starts_with("__all__.") {
            self.list = List::Unknown;
        }
        let Some((assignment, name)) = self.target(node) else { return };
        if name == LIST {
            let value = assignment.field("right");
            let names = value.and_then(|value| strings(value, text));
            self.list = match (std::mem::replace(&mut self.list, List::Unknown), names) {
                (List::None, Some(names)) if assignment.kind() == "assignment" => {
                    List::Names { line: node.start_position().row, names }
                }
                (List::Names { line, names: mut all }, Some(names))
                    if assignment.kind() == "augmented_assignment" =>
                {
                    all.extend(names);
                    List::Names { line, names: all }
                }
                _ => List::Unknown,
            };
        } else if is_constant(name) {
            let name = name.to_owned();
            self.push(Item::new("constant", name, node));
        }
    }

    /// What a package imports of its own is there to be handed on. Any other import only
    /// keeps a name that was defined here.
    fn imports(&mut self, node: Node<'_>) {
        let text = self.text;
        let Some(module) = node.field("module_name") else { return };
        let from = text_of(module, text);
        let own = module.kind() == "relative_import"
            || self.path.components().any(|part| Some(part) == from.split('.').next());
        for child in named(node) {
            if child == module {
                continue;
            }
            let name = child.field("alias").unwrap_or(child);
            let name = text_of(name, text);
            if name == "*" {
                self.public.open.push(from.rsplit('.').next().unwrap_or_default().to_owned());
            }
            if is_public(name, false) {
                let mut item = Item::new("re-export", name.to_owned(), node);
                item.quiet = !(self.package && own);
                self.push(item);
            }
        }
    }
}

/// The name of the list of what `from module import *` takes.
const LIST: &str = "__all__";

/// The strings in brackets, if there is nothing else in them.
fn strings(node: Node<'_>, text: &str) -> Option<Vec<String>> {
    if !matches!(node.kind(), "list" | "tuple") {
        return None;
    }
    let parts = named(node);
    let strings = parts.into_iter().map(|part| {
        let plain = part.kind() == "string";
        plain.then(|| text_of(part, text).trim_matches(['"', '\'']).to_owned())
    });
    strings.collect()
}

fn is_constant(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Methods with a meaning that every object has anyway, or that only Python 2 knew.
const COMMON: [&str; 29] = [
    "__repr__",
    "__str__",
    "__format__",
    "__hash__",
    "__eq__",
    "__ne__",
    "__sizeof__",
    "__dir__",
    "__reduce__",
    "__reduce_ex__",
    "__getstate__",
    "__setattr__",
    "__delattr__",
    "__getattribute__",
    "__init_subclass__",
    "__subclasshook__",
    "__del__",
    "__nonzero__",
    "__unicode__",
    "__div__",
    "__idiv__",
    "__rdiv__",
    "__cmp__",
    "__getslice__",
    "__setslice__",
    "__delslice__",
    "__long__",
    "__coerce__",
    "__metaclass__",
];

fn is_public(name: &str, in_class: bool) -> bool {
    let special = name.len() > 4 && name.starts_with("__") && name.ends_with("__");
    !name.starts_with('_') || in_class && special && !COMMON.contains(&name)
}

/// Whether those who use it pass what it is given: the language itself calls `__exit__`.
fn called_by_name(name: &str) -> bool {
    !name.starts_with("__") || matches!(name, "__init__" | "__call__" | "__new__")
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
    let list = node.field("parameters").map(named).unwrap_or_default();
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
