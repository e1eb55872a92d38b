//! What a yes does to files, in the question before it.

use exacta_core::change::{Change, Op, net};
use exacta_core::shown::visible;

/// A line for each thing that happens, with the name of every file; the words are for files
/// that go, that stay and that come.
pub(super) fn deeds(changes: &[Change], words: [&str; 3]) -> String {
    let net = net(changes);
    let named = |(op, word): (Op, &str)| {
        let files = net.iter().filter(|file| file.op == op);
        let names: Vec<String> = files.map(|file| visible(file.path.as_str().as_bytes())).collect();
        let count = names.len();
        let files = if count == 1 { "file" } else { "files" };
        (count > 0).then(|| format!("  {word} {count} {files}: {}", names.join(", ")))
    };
    let kinds = [Op::Delete, Op::Modify, Op::Create].into_iter().zip(words);
    let lines: Vec<String> = kinds.filter_map(named).collect();
    if lines.is_empty() { "  no file changes".into() } else { lines.join("\n") }
}
