//! Which lines of a shell script begin outside of everything: of quotes, of `${…}`, of
//! `$(…)`, of brackets, and of a line that goes on.
//!
//! This is a reader of signs and no shell. Whatever it does not know for certain (a
//! here-document, a backtick, a quote inside of `${…}`, a `case` inside of brackets) makes it
//! answer nothing at all.

/// What a place in a script is inside of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// `"…"`
    Quotes,
    /// `${…}`, and whether quotes are around it.
    Value { quoted: bool },
    /// `$(…)` or `(…)`
    Brackets,
    /// `$((…))` or `((…))`
    Sums,
}

/// For each line whether it begins outside of everything; nothing where that is in doubt.
pub(super) fn outside(text: &str) -> Option<Vec<bool>> {
    Reader { rest: text, inside: Vec::new(), out: vec![true], parted: true }.read()
}

struct Reader<'t> {
    rest: &'t str,
    inside: Vec<Inside>,
    out: Vec<bool>,
    /// Whether a word may begin here.
    parted: bool,
}

impl Reader<'_> {
    fn read(mut self) -> Option<Vec<bool>> {
        while let Some(c) = self.rest.chars().next() {
            let parted = std::mem::replace(&mut self.parted, false);
            match self.inside.last().copied() {
                Some(Inside::Quotes) => self.in_quotes(c)?,
                Some(Inside::Value { quoted }) => self.in_value(c, quoted)?,
                Some(Inside::Sums) => self.in_sums(c)?,
                Some(Inside::Brackets) => self.in_words(c, parted, true)?,
                None => self.in_words(c, parted, false)?,
            }
        }
        self.inside.is_empty().then_some(self.out)
    }

    fn take(&mut self, bytes: usize) -> Option<()> {
        self.rest = self.rest.get(bytes..)?;
        Some(())
    }

    /// Past one character, which may end a line.
    fn pass(&mut self, c: char) -> Option<()> {
        if c == '\n' {
            self.out.push(self.inside.is_empty());
            self.parted = true;
        }
        self.take(c.len_utf8())
    }

    /// Past a backslash and what it keeps from counting.
    fn escape(&mut self) -> Option<()> {
        self.take(1)?;
        let c = self.rest.chars().next()?;
        if c == '\n' {
            // The next line is a part of this one.
            self.out.push(false);
        }
        self.take(c.len_utf8())
    }

    /// What a `$` begins.
    fn dollar(&mut self, quoted: bool) -> Option<()> {
        for (sign, inside) in
            [("$((", Inside::Sums), ("$(", Inside::Brackets), ("${", Inside::Value { quoted })]
        {
            if self.rest.starts_with(sign) {
                self.inside.push(inside);
                self.parted = inside == Inside::Brackets;
                return self.take(sign.len());
            }
        }
        // Quotes of their own kinds, and an older kind of sums.
        if ["$'", "$\"", "$["].iter().any(|sign| self.rest.starts_with(sign)) && !quoted {
            return None;
        }
        self.take(1)?;
        // `$#` begins no comment.
        if self.rest.starts_with('#') { self.take(1) } else { Some(()) }
    }

    fn in_quotes(&mut self, c: char) -> Option<()> {
        match c {
            '"' => {
                self.inside.pop();
                self.take(1)
            }
            '\\' => self.escape(),
            '$' => self.dollar(true),
            '`' => None,
            _ => self.pass(c),
        }
    }

    fn in_value(&mut self, c: char, quoted: bool) -> Option<()> {
        match c {
            '}' => {
                self.inside.pop();
                self.take(1)
            }
            '\\' => self.escape(),
            '$' => self.dollar(quoted),
            '"' if !quoted => {
                self.inside.push(Inside::Quotes);
                self.take(1)
            }
            // Shells differ about quotes here, and about lines.
            '"' | '\'' | '`' | '\n' | '{' => None,
            _ => self.pass(c),
        }
    }

    fn in_sums(&mut self, c: char) -> Option<()> {
        match c {
            ')' if self.rest.starts_with("))") => {
                self.inside.pop();
                self.take(2)
            }
            '$' => self.dollar(false),
            // Brackets within it would have to be counted.
            '(' | ')' | '"' | '\'' | '`' | '\\' | '\n' | '#' => None,
            _ => self.pass(c),
        }
    }

    fn in_words(&mut self, c: char, parted: bool, brackets: bool) -> Option<()> {
        match c {
            '#' if parted => {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.parted = true;
                self.take(end)
            }
            '\\' => self.escape(),
            '\'' => {
                let end = self.rest.get(1..)?.find('\'')?;
                let lines = self.rest.get(1..=end)?.matches('\n').count();
                self.out.extend(std::iter::repeat_n(false, lines));
                self.take(end + 2)
            }
            '"' => {
                self.inside.push(Inside::Quotes);
                self.take(1)
            }
            '$' => self.dollar(false),
            '`' => None,
            '<' if self.rest.starts_with("<<") => None,
            '(' => {
                let sums = self.rest.starts_with("((");
                self.inside.push(if sums { Inside::Sums } else { Inside::Brackets });
                self.parted = true;
                self.take(if sums { 2 } else { 1 })
            }
            ')' => {
                // Outside it ends a pattern of `case`.
                if brackets {
                    self.inside.pop();
                }
                self.parted = true;
                self.take(1)
            }
            _ if brackets && parted && is_case(self.rest) => None,
            _ => {
                self.parted = c.is_ascii_whitespace() || matches!(c, ';' | '&' | '|' | '<' | '>');
                self.pass(c)
            }
        }
    }
}

/// Whether the word is one behind which brackets close that never opened.
fn is_case(rest: &str) -> bool {
    ["case", "esac"].iter().any(|word| {
        rest.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_begin_outside_of_everything_or_not() {
        for (text, expected) in [
            ("a\nb\n", vec![true, true, true]),
            ("a 'b\nc' d\ne", vec![true, false, true]),
            ("a \"b\nc\" d\ne", vec![true, false, true]),
            ("a \\\nb\nc", vec![true, false, true]),
            ("a $(b\nc\n)\nd", vec![true, false, false, true]),
            ("a=(b\nc)\nd", vec![true, false, true]),
            ("f() {\n# x\n}\n", vec![true, true, true, true]),
            ("case x in\na) b ;;\n(c) d ;;\nesac\n", vec![true; 5]),
            ("a \"$(b \"c\")\" # it's\nd", vec![true, true]),
            ("a ${#b} $# # \"\nc", vec![true, true]),
            ("a${b#c}d\ne", vec![true, true]),
            ("a\\ #'\nb' \\'\nc", vec![true, false, true]),
            ("echo a#'b\nc'\nd", vec![true, false, true]),
            ("a $((1 + 2)) \"${b:-c}\"\nd", vec![true, true]),
            ("a ${b:-\"c\n\"}\nd", vec![true, false, true]),
        ] {
            assert_eq!(outside(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_in_doubt_has_no_answer() {
        for text in [
            "cat <<EOF\na\nEOF\n",
            "cat <<<a\n",
            "a `b`\n",
            "a $'b'\n",
            "a ${b:-'c'}\n",
            "a ${b:-\nc}\n",
            "x=${y:-${z}\n# a\n}\n",
            "a \"${b:-\"c\"}\"\n",
            "a $(case b in c) d ;; esac)\n",
            "a $((b # c\n))\n",
            "a 'b\n",
            "a \"b\n",
            "a (b\n",
            "a $[1]\n",
            "a \\",
        ] {
            assert_eq!(outside(text), None, "{text}");
        }
    }
}
