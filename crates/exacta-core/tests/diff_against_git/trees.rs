//! Small trees of files, changes to them, and what git says about the change.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::git::Git;
use crate::random::{Random, edit, text};

/// A file: its bytes and whether it is executable.
pub(crate) type File = (Vec<u8>, bool);
/// Files by path.
pub(crate) type Tree = BTreeMap<String, File>;

/// Names that make headers hard to read. None is a folder of another.
const NAMES: [&str; 14] = [
    "plain.txt",
    "src/main.rs",
    "with space",
    "q b/q",
    "x b/x b/x",
    "ünïcode/日本.txt",
    "it's",
    "a \"quoted\" name",
    "deep/er/and/deep er/f",
    "trailing-tab-less name.md",
    "-dash",
    "dev/null",
    "a/b/a/b",
    "#hash%20",
];

/// Two trees that differ somehow, below a folder of their own.
pub(crate) fn pair(random: &mut Random, folder: &str) -> (Tree, Tree) {
    let mut names: Vec<String> = NAMES.iter().map(|name| format!("{folder}/{name}")).collect();
    let mut old = Tree::new();
    for _ in 0..random.below(6) {
        let name = names.remove(random.below(names.len()));
        old.insert(name, (text(random, false).concat(), random.percent(20)));
    }
    let mut new = Tree::new();
    for (name, (bytes, executable)) in &old {
        let mut lines: Vec<_> =
            bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
        let mut file = (bytes.clone(), *executable);
        let mut name = name.clone();
        let act = random.below(10);
        if act == 0 {
            continue;
        }
        if matches!(act, 1 | 2) {
            name = names.remove(random.below(names.len()));
        }
        if matches!(act, 2..=7) {
            edit(random, &mut lines, false);
            file.0 = lines.concat();
        }
        if random.percent(15) {
            file.1 = !file.1;
        }
        new.insert(name, file);
    }
    for _ in 0..random.below(3) {
        let name = names.remove(random.below(names.len()));
        new.insert(name, (text(random, false).concat(), random.percent(20)));
    }
    (old, new)
}

/// Writes a tree to disk.
pub(crate) fn lay_out(tree: &Tree, root: &Path) {
    for (name, (bytes, executable)) in tree {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        let mode = if *executable { 0o755 } else { 0o644 };
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
}

/// Reads a tree from disk.
pub(crate) fn read_back(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = std::fs::symlink_metadata(&path).unwrap();
            if meta.is_dir() {
                folders.push(path);
                continue;
            }
            assert!(meta.is_file(), "{} is no file", path.display());
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_string();
            let executable = meta.permissions().mode() & 0o100 != 0;
            tree.insert(name, (std::fs::read(&path).unwrap(), executable));
        }
    }
    tree
}

/// The patches between many pairs of trees, made by few git processes. Each pair says
/// how many lines of context its patch shall have.
pub(crate) fn patches(git: &Git, pairs: &[(Tree, Tree, usize)], options: &[&str]) -> Vec<Vec<u8>> {
    let repository = git.folder();
    git.ok(repository.path(), &["init", "-q"], b"");
    let mut stream = Vec::new();
    let mut refs = String::new();
    for (number, (old, new, _)) in pairs.iter().enumerate() {
        for (side, tree) in [("o", old), ("n", new)] {
            commit(&mut stream, &format!("refs/heads/{side}{number}"), tree);
            writeln!(refs, "refs/heads/{side}{number}^{{tree}}").unwrap();
        }
    }
    git.ok(repository.path(), &["fast-import", "--quiet"], &stream);
    let names = ["cat-file", "--batch-check=%(objectname)"];
    let trees = String::from_utf8(git.ok(repository.path(), &names, refs.as_bytes())).unwrap();
    let trees: Vec<&str> = trees.lines().collect();

    let mut patches = vec![Vec::new(); pairs.len()];
    let mut contexts: Vec<_> = pairs.iter().map(|(_, _, context)| *context).collect();
    contexts.sort_unstable();
    contexts.dedup();
    for context in contexts {
        let mine: Vec<_> = (0..pairs.len()).filter(|at| pairs[*at].2 == context).collect();
        let request: Vec<String> =
            mine.iter().map(|at| format!("{} {}\n", trees[at * 2], trees[at * 2 + 1])).collect();
        let unified = format!("-U{context}");
        let mut args = vec!["diff-tree", "--stdin", "-r", "-p", "--no-color", &unified];
        args.splice(0..0, options.iter().take_while(|o| !o.starts_with("--")).copied());
        args.extend(options.iter().skip_while(|o| !o.starts_with("--")));
        let answer = git.ok(repository.path(), &args, request.concat().as_bytes());
        split(&answer, &request, &mine, &mut patches);
    }
    patches
}

fn commit(stream: &mut Vec<u8>, name: &str, tree: &Tree) {
    stream.extend(format!("commit {name}\ncommitter x <x@x> 0 +0000\ndata 0\n").bytes());
    for (path, (bytes, executable)) in tree {
        let mode = if *executable { "100755" } else { "100644" };
        stream.extend(format!("M {mode} inline {path}\ndata {}\n", bytes.len()).bytes());
        stream.extend(bytes);
        stream.push(b'\n');
    }
    stream.push(b'\n');
}

/// The answer names both trees before the patch of a pair; no line of a patch looks so.
fn split(answer: &[u8], request: &[String], mine: &[usize], patches: &mut [Vec<u8>]) {
    let mut next = 0;
    let mut current = None;
    for line in answer.split_inclusive(|byte| *byte == b'\n') {
        if let Some(found) = (next..request.len()).find(|at| request[*at].as_bytes() == line) {
            current = Some(mine[found]);
            next = found + 1;
        } else {
            patches[current.unwrap()].extend(line);
        }
    }
}
