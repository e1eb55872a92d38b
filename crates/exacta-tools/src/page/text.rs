//! HTML to readable text.

use html2text::config;

use super::select::Selector;
use crate::error::ToolError;

/// Wide enough that no line is wrapped: wrapping would make lines differ that do not.
const WIDTH: usize = 2000;

/// The deepest nesting that is read: no page that people made comes near it.
const DEEPEST: usize = 512;

/// A page as a person reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// Its text, one paragraph or row a line.
    pub text: String,
}

/// The characters of a body, by the character set its header names.
pub fn decoded(bytes: &[u8], content_type: Option<&str>) -> String {
    let kind = content_type.unwrap_or_default().to_ascii_lowercase();
    let western = ["iso-8859-1", "latin1", "windows-1252"];
    if western.iter().any(|name| kind.contains(name)) && std::str::from_utf8(bytes).is_err() {
        return bytes.iter().copied().map(char::from).collect();
    }
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads HTML.
///
/// # Errors
/// When it cannot be read as HTML.
pub fn page(html: &str) -> Result<Page, ToolError> {
    let html = shallow(html)?;
    let dom = config::plain_no_decorate().parse_html(html.as_bytes()).map_err(|_| unread())?;
    let title = Selector::parse("title").map(|title| title.serialised(&dom)).unwrap_or_default();
    // A title is not part of what is painted, so it is read as a paragraph.
    let title =
        title.first().map(|html| html.replacen("<title", "<p", 1).replace("</title>", "</p>"));
    let title = title.map(|html| plain(&html)).transpose()?.unwrap_or_default();
    Ok(Page { title: title.trim().to_owned(), text: plain(html)? })
}

/// The text of what a selector selects; none when it selects nothing.
///
/// # Errors
/// When the page cannot be read as HTML.
pub fn selected(html: &str, selector: &Selector) -> Result<Option<String>, ToolError> {
    let html = shallow(html)?;
    let dom = config::plain_no_decorate().parse_html(html.as_bytes()).map_err(|_| unread())?;
    let parts = selector.serialised(&dom);
    let mut text = String::new();
    for part in &parts {
        text.push_str(plain(part)?.trim());
        text.push('\n');
    }
    Ok((!text.trim().is_empty()).then_some(text))
}

/// The text of a fragment that may be HTML, such as the summary of a feed.
pub fn plain_text(fragment: &str) -> String {
    let text = if fragment.contains('<') || fragment.contains('&') {
        shallow(fragment).and_then(plain).unwrap_or_default()
    } else {
        fragment.to_owned()
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn plain(html: &str) -> Result<String, ToolError> {
    config::plain_no_decorate()
        .raw_mode(true)
        .link_footnotes(false)
        .allow_width_overflow()
        .string_from_read(html.as_bytes(), WIDTH)
        .map_err(|_| unread())
}

fn unread() -> ToolError {
    ToolError::new("PAGE_UNREADABLE", "the page cannot be read as HTML")
}

/// Elements that hold nothing, or that the next of their kind closes: however often they
/// are opened, they do not nest.
const FLAT: [&str; 32] = [
    "area", "base", "br", "col", "colgroup", "dd", "dt", "embed", "hr", "img", "input", "li",
    "link", "meta", "optgroup", "option", "p", "param", "path", "rp", "rt", "script", "source",
    "style", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
];

/// Refuses a page that nests without end, before anything descends into it.
fn shallow(html: &str) -> Result<&str, ToolError> {
    let mut depth: usize = 0;
    for tag in html.split('<').skip(1) {
        let (closes, rest) = match tag.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, tag),
        };
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or_default().to_ascii_lowercase();
        if name.is_empty() || FLAT.contains(&name.as_str()) {
            continue;
        }
        depth = if closes { depth.saturating_sub(1) } else { depth.saturating_add(1) };
        if depth > DEEPEST {
            return Err(ToolError::new("PAGE_UNREADABLE", "the page nests without end"));
        }
    }
    Ok(html)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_reads_as_people_read_it() {
        let html = "<html><head><title>News &amp; more</title><style>p{}</style>\
            <meta http-equiv=refresh content='0;url=https://evil.example/'></head><body>\
            <script>alert(1)</script><h1>Head</h1><p>One <b>bold</b> word.</p>\
            <table><tr><td>a</td><td>b</td></tr></table><ul><li>x<li>y</ul></body></html>";
        let page = page(html).unwrap();
        assert_eq!(page.title, "News & more");
        assert!(page.text.contains("One bold word."), "{}", page.text);
        assert!(!page.text.contains("alert"), "{}", page.text);
        assert!(!page.text.contains("p{}"), "{}", page.text);
    }

    #[test]
    fn a_selection_is_its_text_and_nothing_is_not_empty_text() {
        let html = "<div id=a><p class='x y'>one</p><p>two</p></div><p class=x>three</p>";
        let text = |selector: &str| {
            selected(html, &Selector::parse(selector).unwrap())
                .unwrap()
                .map(|t| t.trim().to_owned())
        };
        assert_eq!(text(".x").as_deref(), Some("one\nthree"));
        assert_eq!(text("#a p").as_deref(), Some("one\ntwo"));
        assert_eq!(text("#a > .y").as_deref(), Some("one"));
        assert_eq!(text(".nothing"), None);
    }

    #[test]
    fn pages_that_nest_without_end_do_no_harm() {
        for (deep, fine) in [(400, true), (5_000, false), (200_000, false)] {
            let html = format!("{}x{}", "<div>".repeat(deep), "</div>".repeat(deep));
            assert_eq!(page(&html).is_ok(), fine, "{deep}");
            let html = format!("{}x", "<b><i>".repeat(deep / 2));
            assert_eq!(page(&html).is_ok(), fine, "{deep}");
        }
        assert!(page(&"<p>a<br>b<li>c".repeat(20_000)).is_ok());
    }

    #[test]
    fn fragments_of_feeds_lose_their_tags() {
        assert_eq!(plain_text("a <b>bold</b>\n claim &amp; more"), "a bold claim & more");
        assert_eq!(plain_text("plain"), "plain");
    }
}
