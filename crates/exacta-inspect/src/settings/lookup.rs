//! Lists of names that are kept as data: how a name counts, the name, and a note.

/// How a name of a list counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Name,
    Prefix,
    Suffix,
    Folder,
}

/// One list.
pub(super) struct Names(Vec<(How, &'static str, &'static str)>);

impl Names {
    /// Lines that are not of the form are left out; a test looks at each list.
    pub(super) fn of(list: &'static str) -> Self {
        Self(list.lines().filter_map(entry).collect())
    }

    /// The note on the first entry that fits a path in lower case.
    pub(super) fn note(&self, path: &str) -> Option<&'static str> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let fits = |how: How, entry: &str| match how {
            How::Name => name == entry,
            How::Prefix => name.starts_with(entry),
            How::Suffix => name.ends_with(entry),
            How::Folder => path.rsplit('/').skip(1).any(|part| part == entry),
        };
        self.0.iter().find(|(how, entry, _)| fits(*how, entry)).map(|(_, _, note)| *note)
    }
}

fn entry(line: &'static str) -> Option<(How, &'static str, &'static str)> {
    let (words, note) = line.split_once('\t')?;
    let (how, name) = words.split_once(' ')?;
    let how = match how {
        "name" => How::Name,
        "prefix" => How::Prefix,
        "suffix" => How::Suffix,
        "folder" => How::Folder,
        _ => return None,
    };
    Some((how, name, note))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_a_list_is_of_the_form() {
        for line in include_str!("../../data/served.txt").lines() {
            assert!(line.is_empty() || line.starts_with('#') || entry(line).is_some(), "{line}");
        }
    }
}
