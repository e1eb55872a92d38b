//! What models, mailers and editors do to diffs.

use crate::random::Random;

/// Damages a diff or patch once.
pub(crate) fn damage(random: &mut Random, text: &mut Vec<u8>) {
    let mut lines: Vec<Vec<u8>> =
        text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        return;
    }
    let at = random.below(lines.len());
    match random.below(26) {
        0..=3 => one(random, &mut lines, b"@@ ", number),
        4 => {
            // All line numbers move together, as in a diff against another version.
            let by = 1 + random.below(3);
            let headers = lines.iter_mut().filter(|line| line.starts_with(b"@@ "));
            headers.for_each(|line| sides(line, |start, count| (start + by, count)));
        }
        5 => one(random, &mut lines, b"@@ ", section),
        6 | 7 => drop(lines.remove(at)),
        8 => lines.insert(at, lines[at].clone()),
        9 => {
            let other = random.below(lines.len());
            lines.swap(at, other);
        }
        10 | 11 => {
            let sign = random.pick(&[&b" "[..], b"-", b"+"]);
            one(random, &mut lines, sign, content);
        }
        12 => one(random, &mut lines, b" ", |random, line| line[0] = random.pick(b"+- \\x")),
        13 => lines.iter_mut().for_each(crlf),
        14 => lines.iter_mut().for_each(un_crlf),
        15 => drop(lines.last_mut().unwrap().pop()),
        16 => lines.insert(at, b"\\ No newline at end of file\n".to_vec()),
        17 => lines.retain(|line| !line.starts_with(b"\\")),
        18 => {
            let line = random.pick(&[&b"\n"[..], b"prose\n", b" \n"]);
            lines.insert(at, line.to_vec());
        }
        19 => {
            let end = random.pick(&[&b"\n"[..], b"prose\n", b"-- \n2.47.3\n", b"```\n", b" a\n"]);
            lines.push(end.to_vec());
        }
        20 => lines.truncate(at + 1),
        21 => {
            let blank = lines.iter_mut().filter(|line| *line == b" \n");
            blank.for_each(|line| *line = b"\n".to_vec());
        }
        22 => move_hunk(random, &mut lines),
        23 => {
            let start = random.pick(&[&b"--- "[..], b"+++ "]);
            one(random, &mut lines, start, file_line);
        }
        24 => drop_context(&mut lines),
        _ => header_line(random, &mut lines),
    }
    *text = lines.concat();
}

/// Changes one of the lines that start with a prefix.
fn one(
    random: &mut Random,
    lines: &mut [Vec<u8>],
    prefix: &[u8],
    change: impl FnOnce(&mut Random, &mut Vec<u8>),
) {
    let hits: Vec<_> = (0..lines.len()).filter(|at| lines[*at].starts_with(prefix)).collect();
    if !hits.is_empty() {
        let at = random.pick(&hits);
        change(random, &mut lines[at]);
    }
}

/// Changes one of the numbers of a hunk header.
fn number(random: &mut Random, line: &mut Vec<u8>) {
    let is_digit = |at: usize| line.get(at).is_some_and(u8::is_ascii_digit);
    let starts: Vec<_> = (1..line.len()).filter(|at| is_digit(*at) && !is_digit(at - 1)).collect();
    if starts.is_empty() {
        return;
    }
    let at = random.pick(&starts[..starts.len().min(4)]);
    let end = (at..line.len()).find(|at| !is_digit(*at)).unwrap_or(line.len());
    let value: u64 = String::from_utf8_lossy(&line[at..end]).parse().unwrap_or(0);
    let new = match random.below(8) {
        0..=2 => (value + 1).to_string(),
        3..=5 => value.saturating_sub(1).to_string(),
        6 => format!("0{value}"),
        _ => "99999999999".into(),
    };
    line.splice(at..end, new.bytes());
}

/// Rewrites the two sides of a hunk header: sign, start and count.
fn sides(line: &mut Vec<u8>, change: impl Fn(usize, usize) -> (usize, usize)) {
    let text = String::from_utf8_lossy(line).into_owned();
    let words: Vec<String> = text
        .split(' ')
        .enumerate()
        .map(|(at, word)| {
            let sign = if at == 1 { '-' } else { '+' };
            let Some(rest) = word.strip_prefix(sign).filter(|_| at < 3) else {
                return word.to_string();
            };
            let (start, count) = rest.split_once(',').unwrap_or((rest, "1"));
            let (Ok(start), Ok(count)) = (start.parse(), count.parse()) else {
                return word.to_string();
            };
            let (start, count) = change(start, count);
            format!("{sign}{start},{count}")
        })
        .collect();
    *line = words.join(" ").into_bytes();
}

fn section(_: &mut Random, line: &mut Vec<u8>) {
    line.pop();
    line.extend(b" fn main() {\n");
}

fn content(random: &mut Random, line: &mut Vec<u8>) {
    let end = line.len().saturating_sub(1).max(1);
    match random.below(4) {
        0 => line.insert(end, b' '),
        1 => line.insert(1, b'\t'),
        2 => line.insert(end, b'x'),
        _ => drop(line.remove(end - 1)),
    }
    if line.is_empty() {
        line.push(b'\n');
    }
}

fn crlf(line: &mut Vec<u8>) {
    if line.ends_with(b"\n") && !line.ends_with(b"\r\n") {
        line.insert(line.len() - 1, b'\r');
    }
}

fn un_crlf(line: &mut Vec<u8>) {
    if line.ends_with(b"\r\n") {
        line.remove(line.len() - 2);
    }
}

/// Exchanges two hunks, or repeats or drops one.
fn move_hunk(random: &mut Random, lines: &mut Vec<Vec<u8>>) {
    let starts: Vec<_> = (0..lines.len()).filter(|at| lines[*at].starts_with(b"@@ ")).collect();
    let Some(&first) = starts.first() else { return };
    let head = lines[..first].concat();
    let mut hunks: Vec<Vec<u8>> = starts
        .iter()
        .enumerate()
        .map(|(n, at)| lines[*at..starts.get(n + 1).copied().unwrap_or(lines.len())].concat())
        .collect();
    let (one, other) = (random.below(hunks.len()), random.below(hunks.len()));
    match random.below(3) {
        0 => hunks.swap(one, other),
        1 => {
            let again = hunks[one].clone();
            hunks.insert(other, again);
        }
        _ => drop(hunks.remove(one)),
    }
    *lines = vec![head, hunks.concat()];
}

fn file_line(random: &mut Random, line: &mut Vec<u8>) {
    line.pop();
    match random.below(5) {
        0 => line.extend(b"\t2024-01-01 00:00:00 +0000"),
        1 => line.push(b'\t'),
        2 => line.push(b' '),
        3 => *line = [&line[..4], b"/dev/null"].concat(),
        _ => *line = [&line[..line.len().min(6)], b"other"].concat(),
    }
    line.push(b'\n');
}

/// Drops the context behind the last change of each hunk and corrects the counts.
fn drop_context(lines: &mut Vec<Vec<u8>>) {
    let Some(header) = lines.iter().rposition(|line| line.starts_with(b"@@ ")) else { return };
    let body = lines[header + 1..].iter().take_while(|line| b" +-\\".contains(&line[0])).count();
    let mut dropped = 0;
    while dropped < body && lines[header + body - dropped].starts_with(b" ") {
        lines.remove(header + body - dropped);
        dropped += 1;
    }
    sides(&mut lines[header], |start, count| (start, count.saturating_sub(dropped)));
}

/// Something that happens to git's header lines only.
fn header_line(random: &mut Random, lines: &mut Vec<Vec<u8>>) {
    let starts: [&[u8]; 9] = [
        b"diff --git ",
        b"index ",
        b"old mode ",
        b"new mode ",
        b"new file mode ",
        b"deleted file mode ",
        b"similarity index ",
        b"rename from ",
        b"rename to ",
    ];
    let hits: Vec<_> = (0..lines.len())
        .filter(|at| starts.iter().any(|start| lines[*at].starts_with(start)))
        .collect();
    if hits.is_empty() {
        return;
    }
    let at = random.pick(&hits);
    match random.below(6) {
        0 => drop(lines.remove(at)),
        1 => lines[at] = b"index 1234567..89abcde 100644\n".to_vec(),
        2 => {
            let mode = random.pick(&["120000", "160000", "100664", "100755", "100644"]);
            let kind = random.pick(&["old mode", "new mode", "new file mode", "deleted file mode"]);
            lines[at] = format!("{kind} {mode}\n").into_bytes();
        }
        3 => lines
            .insert(at, random.pick(&[b"old mode 100644\n".to_vec(), b"copy from q\n".to_vec()])),
        4 => {
            let line = &mut lines[at];
            line.insert(line.len() - 1, b'x');
        }
        _ => {
            let other = random.pick(&hits);
            lines.swap(at, other);
        }
    }
}
