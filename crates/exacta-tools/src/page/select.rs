//! CSS selectors, as far as people use them to name a part of a page: names, `#id`,
//! `.class`, `[attribute]`, descendants, children and lists.
//!
//! Libraries that match all of CSS stand under a licence that this project does not take.

use html2text::{Element, Handle, RcDom};

/// What a selector asks of one element.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Name(String),
    Id(String),
    Class(String),
    Attribute(String, Option<(Match, String)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Match {
    Is,
    Starts,
    Ends,
    Has,
    Word,
}

/// One element of a selector, and how it hangs on the one before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Part {
    child: bool,
    tests: Vec<Test>,
    any: bool,
}

/// A selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector(Vec<Vec<Part>>);

/// A selector that is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the selector is not understood at `{0}`")]
pub struct SelectorFault(String);

/// The longest selector.
const LONGEST: usize = 500;
/// The deepest element that is looked at.
const DEEPEST: usize = 512;

impl Selector {
    /// Reads a selector.
    ///
    /// # Errors
    /// When it uses more of CSS than is understood here.
    pub fn parse(text: &str) -> Result<Self, SelectorFault> {
        if text.len() > LONGEST {
            return Err(SelectorFault("its length".into()));
        }
        text.split(',')
            .map(|one| Reader { rest: one.trim() }.parts())
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The HTML of every outermost element that it selects, in the order of the page.
    pub(super) fn serialised(&self, dom: &RcDom) -> Vec<String> {
        let mut found = Vec::new();
        let mut open: Vec<(Handle, usize)> = vec![(dom.document.clone(), 0)];
        while let Some((node, depth)) = open.pop() {
            if self.0.iter().any(|parts| selects(parts, &node)) {
                let mut bytes = Vec::new();
                if node.serialize(&mut bytes).is_ok() {
                    found.push(String::from_utf8_lossy(&bytes).into_owned());
                }
                continue;
            }
            if depth < DEEPEST {
                let children = node.children.borrow();
                open.extend(children.iter().rev().map(|child| (child.clone(), depth + 1)));
            }
        }
        found
    }
}

/// Whether the last part matches the element and the others its ancestors.
fn selects(parts: &[Part], node: &Handle) -> bool {
    let Some((last, before)) = parts.split_last() else { return true };
    if !last.matches(node) {
        return false;
    }
    if before.is_empty() {
        return true;
    }
    let mut above = node.get_parent();
    let mut left = DEEPEST;
    while let Some(parent) = above {
        if selects(before, &parent) {
            return true;
        }
        left = left.saturating_sub(1);
        if last.child || left == 0 {
            return false;
        }
        above = parent.get_parent();
    }
    false
}

impl Part {
    fn matches(&self, node: &Handle) -> bool {
        let Element { name, attrs, .. } = &node.data else { return false };
        let attrs = attrs.borrow();
        let value = |wanted: &str| {
            attrs
                .iter()
                .find(|attr| str::eq_ignore_ascii_case(&attr.name.local, wanted))
                .map(|attr| &*attr.value)
        };
        self.tests.iter().all(|test| match test {
            Test::Name(wanted) => str::eq_ignore_ascii_case(&name.local, wanted),
            Test::Id(wanted) => value("id") == Some(wanted.as_str()),
            Test::Class(wanted) => {
                value("class").is_some_and(|list| list.split_whitespace().any(|one| one == wanted))
            }
            Test::Attribute(wanted, None) => value(wanted).is_some(),
            Test::Attribute(wanted, Some((how, text))) => {
                value(wanted).is_some_and(|value| how.holds(value, text))
            }
        })
    }
}

impl Match {
    fn holds(self, value: &str, text: &str) -> bool {
        match self {
            Self::Is => value == text,
            Self::Starts => !text.is_empty() && value.starts_with(text),
            Self::Ends => !text.is_empty() && value.ends_with(text),
            Self::Has => !text.is_empty() && value.contains(text),
            Self::Word => value.split_whitespace().any(|word| word == text),
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn fault(&self) -> SelectorFault {
        SelectorFault(self.rest.chars().take(20).collect())
    }

    fn parts(mut self) -> Result<Vec<Part>, SelectorFault> {
        let mut parts = Vec::new();
        let mut child = false;
        loop {
            let mut part = Part { child, ..Part::default() };
            self.tests(&mut part)?;
            if part.tests.is_empty() && !part.any {
                return Err(self.fault());
            }
            parts.push(part);
            let spaced = self.rest.starts_with(char::is_whitespace);
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() {
                return Ok(parts);
            }
            child = match self.rest.strip_prefix('>') {
                Some(rest) => {
                    self.rest = rest.trim_start();
                    true
                }
                None if spaced => false,
                None => return Err(self.fault()),
            };
        }
    }

    fn tests(&mut self, part: &mut Part) -> Result<(), SelectorFault> {
        if let Some(rest) = self.rest.strip_prefix('*') {
            self.rest = rest;
            part.any = true;
        } else if self.rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            part.tests.push(Test::Name(self.name()?.to_owned()));
        }
        loop {
            if let Some(rest) = self.rest.strip_prefix('#') {
                self.rest = rest;
                part.tests.push(Test::Id(self.name()?.to_owned()));
            } else if let Some(rest) = self.rest.strip_prefix('.') {
                self.rest = rest;
                part.tests.push(Test::Class(self.name()?.to_owned()));
            } else if let Some(rest) = self.rest.strip_prefix('[') {
                self.rest = rest.trim_start();
                part.tests.push(self.attribute()?);
            } else {
                return Ok(());
            }
        }
    }

    fn name(&mut self) -> Result<&'a str, SelectorFault> {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let end = self.rest.find(|c| !plain(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return Err(self.fault());
        }
        self.rest = rest;
        Ok(name)
    }

    fn attribute(&mut self) -> Result<Test, SelectorFault> {
        let name = self.name()?.to_owned();
        self.rest = self.rest.trim_start();
        if let Some(rest) = self.rest.strip_prefix(']') {
            self.rest = rest;
            return Ok(Test::Attribute(name, None));
        }
        let kinds = [
            ("=", Match::Is),
            ("^=", Match::Starts),
            ("$=", Match::Ends),
            ("*=", Match::Has),
            ("~=", Match::Word),
        ];
        let found =
            kinds.iter().find_map(|(sign, how)| Some((self.rest.strip_prefix(sign)?, *how)));
        let Some((rest, how)) = found else { return Err(self.fault()) };
        self.rest = rest.trim_start();
        let quote = self.rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let value = if let Some(quote) = quote {
            let inner = self.rest.get(1..).unwrap_or_default();
            let Some((value, rest)) = inner.split_once(quote) else { return Err(self.fault()) };
            self.rest = rest.trim_start();
            value.to_owned()
        } else {
            let value = self.name()?.to_owned();
            self.rest = self.rest.trim_start();
            value
        };
        let Some(rest) = self.rest.strip_prefix(']') else { return Err(self.fault()) };
        self.rest = rest;
        Ok(Test::Attribute(name, Some((how, value))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in [
            "",
            " ",
            "p:hover",
            "a + b",
            "a ~ b",
            "p::first-line",
            ".",
            "#",
            "[",
            "[a",
            "[a=",
            "a >",
            "> a",
            "a,,b",
            "[a='b]",
            "div:has(p)",
            "é(",
            "1a",
        ] {
            assert!(Selector::parse(text).is_err(), "{text}");
        }
        for text in ["p", "*", "main article", "a>b", "#x.y[z]", "p, li", "[data-x='1, 2']"] {
            assert_eq!(Selector::parse(text).is_ok(), !text.contains("1, 2"), "{text}");
        }
    }
}
