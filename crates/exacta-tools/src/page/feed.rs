//! Feeds: RSS, Atom and JSON feeds as one list of items.

use feed_rs::parser;

use super::text::plain_text;

/// The most items of one feed.
const MOST: usize = 200;
/// The most characters of a summary.
const SUMMARY: usize = 400;

/// One item of a feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// What names it in its feed.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Where it can be read; shown, never followed.
    pub place: String,
    /// When it was published, in the form of RFC 3339.
    pub published: Option<String>,
    /// The beginning of what it says.
    pub summary: String,
}

/// The title and items of a feed; none when the bytes are not one.
pub fn feed(bytes: &[u8], base: &str) -> Option<(String, Vec<Item>)> {
    // Without this, feeds that name an entity of their own could grow without end; the
    // reader below resolves none.
    let start = bytes.get(..bytes.len().min(4096)).unwrap_or_default();
    if start.windows(8).any(|word| word.eq_ignore_ascii_case(b"<!entity")) {
        return None;
    }
    let read = parser::Builder::new().base_uri(Some(base)).build().parse(bytes).ok()?;
    let title = read.title.map(|title| plain_text(&title.content)).unwrap_or_default();
    let items = read.entries.into_iter().take(MOST).map(|entry| {
        let body = entry.content.and_then(|content| content.body);
        let summary = entry.summary.map(|text| text.content).or(body).unwrap_or_default();
        Item {
            id: entry.id,
            title: entry.title.map(|title| plain_text(&title.content)).unwrap_or_default(),
            place: entry.links.into_iter().next().map(|link| link.href).unwrap_or_default(),
            published: entry.published.or(entry.updated).map(|at| at.to_rfc3339()),
            summary: plain_text(&summary).chars().take(SUMMARY).collect(),
        }
    });
    Some((title, items.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rss_and_atom_give_the_same_kind_of_list() {
        let rss = r#"<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
            <item><title>One &amp; only</title><link>https://a.example/1</link><guid>1</guid>
            <description>&lt;p&gt;Some &lt;b&gt;text&lt;/b&gt;&lt;/p&gt;</description>
            <pubDate>Wed, 18 Nov 2026 04:00:00 GMT</pubDate></item></channel></rss>"#;
        let (title, items) = feed(rss.as_bytes(), "https://a.example/").unwrap();
        assert_eq!(title, "News");
        let item = items.first().unwrap();
        assert_eq!(
            (item.title.as_str(), item.place.as_str()),
            ("One & only", "https://a.example/1")
        );
        assert_eq!(item.summary, "Some text");
        assert!(item.published.as_deref().unwrap().starts_with("2026-11-18T04:00:00"));
        let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>N</title><id>f</id>
            <updated>2026-11-18T04:00:00Z</updated><entry><id>e1</id><title>T</title>
            <link href="https://a.example/e1"/><updated>2026-11-18T04:00:00Z</updated>
            <summary>S</summary></entry></feed>"#;
        let (_, items) = feed(atom.as_bytes(), "https://a.example/").unwrap();
        assert_eq!(items.first().unwrap().id, "e1");
    }

    #[test]
    fn what_is_not_a_feed_and_what_grows_is_none() {
        assert_eq!(feed(b"<html><body>x</body></html>", "https://a.example/"), None);
        let lol = br#"<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><rss version="2.0"><channel><title>&b;</title></channel></rss>"#;
        assert_eq!(feed(lol, "https://a.example/"), None);
        assert_eq!(feed(b"", "https://a.example/"), None);
    }
}
