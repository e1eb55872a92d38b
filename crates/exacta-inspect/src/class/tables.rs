//! More rows in the table of a test: each row that was there is still looked at.

use tree_sitter::Node;

use super::added_tests::acts_on_others;
use super::trees::Compared;

/// Lists that may be tables.
const LISTS: &[&str] = &[
    "array",
    "array_expression",
    "array_initializer",
    "element_value_array_initializer",
    "initializer_list",
    "list",
    "literal_value",
    "tuple",
];

/// What a list is handed to that looks at each of its rows.
const LOOKED_AT: &[&str] =
    &["each", "parametrize", "forEach", "for_each", "asList", "of", "stream", "iter", "into_iter"];

/// Words that say that a list is not a table but tells something what to do.
const ORDERS: &[&str] = &[
    "skip", "ignore", "exclude", "option", "args", "argv", "flag", "env", "select", "plugin",
    "mark", "config", "setting", "path", "allow", "deny", "command", "cmd", "filter", "hook",
];

/// Statements in which tables stand.
const STATEMENTS: &[&str] = &[
    "const_declaration",
    "const_item",
    "declaration",
    "decorated_definition",
    "enhanced_for_statement",
    "expression_statement",
    "field_declaration",
    "for_in_statement",
    "for_statement",
    "let_declaration",
    "lexical_declaration",
    "local_variable_declaration",
    "method_declaration",
    "short_var_declaration",
    "static_item",
    "var_declaration",
    "variable_declaration",
];

/// Tables are looked for up to this depth.
const DEEPEST: usize = 14;

/// Whether nothing but rows came to one table of a statement.
pub(super) fn only_grows<'a>(
    old: Node<'a>,
    new: Node<'a>,
    before: &Compared<'a>,
    after: &Compared<'a>,
) -> bool {
    if !STATEMENTS.contains(&old.kind()) || old.has_error() || new.has_error() {
        return false;
    }
    Rows { before, after, whole: old.start_byte() }.fit(old, new, 0)
}

struct Rows<'c, 'a> {
    before: &'c Compared<'a>,
    after: &'c Compared<'a>,
    /// Where the statement begins.
    whole: usize,
}

impl<'a> Rows<'_, 'a> {
    fn same(&self, old: Node<'a>, new: Node<'a>) -> bool {
        old.kind_id() == new.kind_id()
            && self.before.text.get(old.byte_range()) == self.after.text.get(new.byte_range())
    }

    /// Whether both are the same but for rows of one table.
    fn fit(&self, old: Node<'a>, new: Node<'a>, depth: usize) -> bool {
        if old.kind_id() != new.kind_id() || depth > DEEPEST {
            return false;
        }
        if LISTS.contains(&old.kind()) && self.has_more(old, new) {
            let head = self.before.text.get(self.whole..old.start_byte());
            let head = head.unwrap_or_default().to_lowercase().replace("pytest.mark.", "");
            return !ORDERS.iter().any(|word| head.contains(word));
        }
        if is_call(old.kind()) && !self.is_looked_at(old) {
            return false;
        }
        let (mut cursor, mut other) = (old.walk(), new.walk());
        let (old, new): (Vec<_>, Vec<_>) =
            (old.children(&mut cursor).collect(), new.children(&mut other).collect());
        if old.len() != new.len() {
            return false;
        }
        let mut differing = old.iter().zip(&new).filter(|(one, other)| !self.same(**one, **other));
        let (Some((one, other)), None) = (differing.next(), differing.next()) else {
            return false;
        };
        self.fit(*one, *other, depth + 1)
    }

    /// Whether a list has every row that it had, in their order, and more of the same kind.
    fn has_more(&self, old: Node<'a>, new: Node<'a>) -> bool {
        let (mut cursor, mut other) = (old.walk(), new.walk());
        let rows: Vec<_> = old.named_children(&mut cursor).collect();
        let mut left = rows.iter().peekable();
        let mut more = 0;
        for row in new.named_children(&mut other) {
            if left.next_if(|one| self.same(**one, row)).is_some() {
                continue;
            }
            let words = self.after.text.get(row.byte_range()).unwrap_or_default();
            let alike = rows.iter().any(|one| one.kind_id() == row.kind_id());
            let comment = (self.after.is_comment)(row.kind_id());
            if comment && !super::comments::is_prose(words) {
                return false;
            }
            if !comment && (!alike || acts_on_others(words)) {
                return false;
            }
            more += 1;
        }
        left.next().is_none() && more > 0 && rows.len() > 1
    }

    /// Whether a call looks at every row that it is handed.
    fn is_looked_at(&self, call: Node<'a>) -> bool {
        let callee = ["function", "name"].iter().find_map(|field| call.child_by_field_name(field));
        let name = callee.and_then(|callee| self.before.text.get(callee.byte_range()));
        let name = name.unwrap_or_default().trim_end_matches(|c: char| !c.is_alphanumeric());
        LOOKED_AT.contains(&name.rsplit(['.', ':']).next().unwrap_or(name))
            || callee.is_some_and(|callee| is_call(callee.kind()) && self.is_looked_at(callee))
    }
}

fn is_call(kind: &str) -> bool {
    matches!(
        kind,
        "call"
            | "call_expression"
            | "method_invocation"
            | "object_creation_expression"
            | "new_expression"
    )
}
