//! Files whose bytes git would change between a commit and the working tree.
//!
//! Attributes are read as data, from the trees and from the repository's own file; nothing
//! they name is run. Where git would write other bytes than those of the commit, or would
//! count the file as changed right away, a plan cannot do what the merge does.

use exacta_core::text::shown::visible;

/// The attributes that are asked for.
pub(super) const ASKED: [&str; 6] =
    ["filter", "ident", "working-tree-encoding", "eol", "text", "crlf"];

/// Why a file with this attribute cannot be brought about; `crlf` says whether the file has
/// lines that end with CR LF.
pub(super) fn obstacle(name: &[u8], value: &[u8], crlf: bool) -> Option<String> {
    let off = matches!(value, b"unspecified" | b"unset");
    let shown = || visible(value);
    match name {
        _ if off => None,
        b"filter" => Some(format!("the filter `{}` would change it", shown())),
        b"ident" => Some("`ident` would change it".into()),
        b"working-tree-encoding" => Some(format!("it is kept in the encoding `{}`", shown())),
        b"eol" if value == b"crlf" => Some("`eol=crlf` would change its line ends".into()),
        b"eol" | b"text" | b"crlf" if crlf => {
            let name = visible(name);
            Some(format!("`{name}` would change its line ends, which are CR LF"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_bytes_is_in_the_way() {
        for (name, value, crlf, refused) in [
            ("filter", "lfs", false, true),
            ("filter", "unset", true, false),
            ("ident", "set", false, true),
            ("working-tree-encoding", "UTF-16", false, true),
            ("eol", "crlf", false, true),
            ("eol", "lf", false, false),
            ("eol", "lf", true, true),
            ("text", "auto", false, false),
            ("text", "set", true, true),
            ("text", "unspecified", true, false),
        ] {
            let found = obstacle(name.as_bytes(), value.as_bytes(), crlf);
            assert_eq!(found.is_some(), refused, "{name}={value} {crlf}");
        }
    }
}
