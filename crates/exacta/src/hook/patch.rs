//! Patches in the form of `apply_patch`, and blocks of search and replace.
//!
//! Both are the forms that models write for their hosts. What does not fit exactly is refused:
//! a host may guess, the gate does not.

/// What a section of a patch does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Add { path: String, content: String },
    Delete { path: String },
    Update { path: String, to: Option<String>, chunks: Vec<Chunk> },
}

/// Lines that are exchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Chunk {
    /// A line to look behind, if one is named.
    after: Option<String>,
    old: Vec<String>,
    new: Vec<String>,
    /// Whether it must end where the file ends.
    at_end: bool,
}

/// Reads a patch.
pub(super) fn read(text: &str) -> Result<Vec<Section>, String> {
    let mut lines = text.lines().peekable();
    let start = lines.find(|line| !line.trim().is_empty());
    if start.map(str::trim_end) != Some("*** Begin Patch") {
        return Err("the patch does not start with `*** Begin Patch`".into());
    }
    let mut sections = Vec::new();
    let mut ended = false;
    while let Some(line) = lines.next() {
        let line = line.trim_end_matches('\r');
        if line.trim_end() == "*** End Patch" {
            ended = true;
            break;
        }
        let section = if let Some(path) = line.strip_prefix("*** Add File: ") {
            let mut content = String::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("*** ")) {
                let Some(rest) = line.strip_prefix('+') else {
                    return Err(format!("a line of the new file `{path}` does not start with +"));
                };
                content.push_str(rest);
                content.push('\n');
            }
            Section::Add { path: path.trim().into(), content }
        } else if let Some(path) = line.strip_prefix("*** Delete File: ") {
            Section::Delete { path: path.trim().into() }
        } else if let Some(path) = line.strip_prefix("*** Update File: ") {
            let moved = lines.next_if(|line| line.starts_with("*** Move to: "));
            let to = moved.and_then(|line| line.strip_prefix("*** Move to: "));
            let to = to.map(|to| to.trim().to_owned());
            let mut chunks = vec![Chunk::default()];
            while let Some(line) = lines
                .next_if(|line| !line.starts_with("*** ") || line.trim_end() == "*** End of File")
            {
                take(line, &mut chunks)?;
            }
            chunks.retain(|chunk| !chunk.old.is_empty() || !chunk.new.is_empty());
            if chunks.is_empty() && to.is_none() {
                return Err(format!("the section of `{path}` changes nothing"));
            }
            Section::Update { path: path.trim().into(), to, chunks }
        } else {
            return Err(format!("`{line}` is not the head of a section"));
        };
        sections.push(section);
    }
    if !ended {
        return Err("the patch does not end with `*** End Patch`".into());
    }
    if lines.any(|line| !line.trim().is_empty()) {
        return Err("something follows the end of the patch".into());
    }
    if sections.is_empty() { Err("the patch changes nothing".into()) } else { Ok(sections) }
}

fn take(line: &str, chunks: &mut Vec<Chunk>) -> Result<(), String> {
    let Some(chunk) = chunks.last_mut() else { return Ok(()) };
    if line.trim_end() == "*** End of File" {
        chunk.at_end = true;
        return Ok(());
    }
    if let Some(after) = line.strip_prefix("@@") {
        let after = after.trim_start();
        let after = (!after.is_empty()).then(|| after.to_owned());
        chunks.push(Chunk { after, ..Chunk::default() });
        return Ok(());
    }
    if let Some(new) = line.strip_prefix('+') {
        chunk.new.push(new.into());
    } else if let Some(old) = line.strip_prefix('-') {
        chunk.old.push(old.into());
    } else if let Some(both) = line.strip_prefix(' ') {
        chunk.old.push(both.into());
        chunk.new.push(both.into());
    } else if line.is_empty() {
        chunk.old.push(String::new());
        chunk.new.push(String::new());
    } else {
        return Err(format!("`{line}` starts with none of space, + and -"));
    }
    Ok(())
}

/// The text with the chunks exchanged, in their order.
pub(super) fn apply(text: &str, chunks: &[Chunk]) -> Result<String, String> {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    // A file that ends its last line has nothing after it.
    let ended = lines.last().is_some_and(String::is_empty);
    if ended {
        lines.pop();
    }
    let mut at = 0;
    for chunk in chunks {
        if let Some(after) = &chunk.after {
            let found = lines.iter().skip(at).position(|line| line.trim() == after.trim());
            let Some(found) = found else { return Err(format!("no line `{after}` is there")) };
            at += found + 1;
        }
        let from = place(&lines, chunk, at)
            .ok_or_else(|| format!("these lines are not there: {}", chunk.old.join("\\n")))?;
        lines.splice(from..from + chunk.old.len(), chunk.new.iter().cloned());
        at = from + chunk.new.len();
    }
    let mut text = lines.join("\n");
    if ended || !lines.is_empty() {
        text.push('\n');
    }
    Ok(text)
}

fn place(lines: &[String], chunk: &Chunk, at: usize) -> Option<usize> {
    let length = chunk.old.len();
    if length == 0 {
        return Some(if chunk.after.is_some() { at } else { lines.len() });
    }
    let last = lines.len().checked_sub(length)?;
    let fits = |from: &usize| lines.get(*from..*from + length) == Some(chunk.old.as_slice());
    if chunk.at_end {
        return Some(last).filter(|last| *last >= at).filter(fits);
    }
    (at..=last).find(fits)
}

/// Reads blocks of what to search and what to put there.
pub(super) fn blocks(text: &str) -> Result<Vec<(String, String)>, String> {
    let is = |line: &str, sign: char, word: &str| {
        let line = line.trim_end();
        let rest = line.trim_start_matches(sign);
        line.len() - rest.len() >= 3 && rest.trim() == word
    };
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim().is_empty() {
            continue;
        }
        if !is(line, '-', "SEARCH") && !is(line, '<', "SEARCH") {
            return Err("a block does not start with SEARCH".into());
        }
        let (mut old, mut new, mut side) = (String::new(), String::new(), 0);
        for line in lines.by_ref() {
            if side == 0 && is(line, '=', "") {
                side = 1;
            } else if is(line, '+', "REPLACE") || is(line, '>', "REPLACE") {
                side += 1;
                break;
            } else {
                let part = if side == 0 { &mut old } else { &mut new };
                part.push_str(line);
                part.push('\n');
            }
        }
        if side != 2 {
            return Err("a block does not end with REPLACE".into());
        }
        found.push((old, new));
    }
    if found.is_empty() { Err("there is no block".into()) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_does_what_it_says() {
        let text = "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-    return 1\n+    return 2\n*** Add File: b.py\n+x = 1\n*** Delete File: c.py\n*** End Patch\n";
        let sections = read(text).unwrap();
        assert_eq!(sections.len(), 3);
        let Some(Section::Update { chunks, .. }) = sections.first() else { panic!("{sections:?}") };
        let before = "def g():\n    return 1\ndef f():\n    return 1\n";
        let after = apply(before, chunks).unwrap();
        assert_eq!(after, "def g():\n    return 1\ndef f():\n    return 2\n");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for text in [
            "",
            "*** Begin Patch\n",
            "*** Begin Patch\n*** End Patch\n",
            "*** Begin Patch\n*** Update File: a\n*** End Patch\n",
            "*** Begin Patch\n*** Add File: a\nx\n*** End Patch\n",
            "*** Begin Patch\n*** Delete File: a\n*** End Patch\nmore\n",
            "*** Begin Patch\nhello\n*** End Patch\n",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        let chunk = Chunk { old: vec!["x".into()], new: vec!["y".into()], ..Chunk::default() };
        assert!(apply("a\nb\n", &[chunk]).is_err());
    }

    #[test]
    fn blocks_are_read_in_both_spellings() {
        let new = "------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n";
        let old = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
        for text in [new, old] {
            assert_eq!(blocks(text).unwrap(), [("a\n".to_owned(), "b\n".to_owned())]);
        }
        for text in ["", "a\n", "------- SEARCH\na\n=======\nb\n", "------- SEARCH\na\n"] {
            assert!(blocks(text).is_err(), "{text}");
        }
    }
}
