//! A page of ours, which is Markdown.
//!
//! Its prose breaks between words; a block of code stays as it is, because signs and breaks
//! in it would be copied along.

use std::io;

use super::Printer;

/// Begins and ends a block of code.
const FENCE: &str = "```";

/// Prints a page.
pub(crate) fn page(text: &str, printer: &mut Printer) -> io::Result<()> {
    for (line, is_code) in marked(text) {
        if is_code {
            printer.verbatim(line)?;
        } else {
            printer.line(line)?;
        }
    }
    Ok(())
}

/// The lines, each with whether it belongs to a block of code.
fn marked(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut inside = false;
    text.lines().map(move |line| {
        let fence = line.trim_start().starts_with(FENCE);
        let is_code = inside || fence;
        inside ^= fence;
        (line, is_code)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_told_from_prose() {
        let page = "# A\n```json\n{ }\n```\nB";
        let code: Vec<&str> =
            marked(page).filter(|(_, code)| *code).map(|(line, _)| line).collect();
        assert_eq!(code, ["```json", "{ }", "```"]);
        let lines: Vec<&str> = marked(page).map(|(line, _)| line).collect();
        assert_eq!(lines.join("\n"), page);
    }
}
