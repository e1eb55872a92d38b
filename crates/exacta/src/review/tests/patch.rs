//! The plain difference is a patch: applied by git, it gives the images byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use exacta_testkit::{Budget, Rng};

use super::sample::Sample;
use crate::paint::Look;
use crate::review::diff;

type Image = Option<(Vec<u8>, u32)>;

const NAMES: &[&str] = &[
    "a.txt",
    "src/main.rs",
    "with space/and more.txt",
    "quote\"d.txt",
    "unicode/ünï/文.md",
    "dash/- x",
    "deep/er/er/er",
    "b",
    "c d",
];

const LINES: &[&[u8]] = &[
    b"\n",
    b"x\n",
    b"y\n",
    b"fn main() {}\n",
    b"--- a/x\n",
    b"+++ b/x\n",
    b"@@ -1 +1 @@\n",
    b"diff --git a/x b/x\n",
    b"\\ No newline at end of file\n",
    b"\tindented\r\n",
    b"trailing  \n",
    b"lone\rcr\n",
    b"\x1b[2Jescape\n",
    b"nul\x00byte\n",
    b"\xff\xfe stray\n",
    "hidden \u{202e}\u{200b}\n".as_bytes(),
];

fn content(rng: &mut Rng) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    for _ in 0..rng.below(40) {
        bytes.extend_from_slice(rng.pick::<&[u8]>(LINES));
    }
    if rng.percent(30) {
        bytes.pop();
    }
    bytes
}

/// A few edits of an image, so that there is something in common.
fn edited(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|b| *b == b'\n').map(Vec::from).collect();
    for _ in 0..=rng.below(4) {
        let at = rng.below(lines.len() + 1);
        if rng.percent(50) || at == lines.len() {
            lines.insert(at, rng.pick(LINES).to_vec());
        } else {
            lines.remove(at);
        }
    }
    lines.concat()
}

fn mode(rng: &mut Rng) -> u32 {
    if rng.percent(25) { 0o755 } else { 0o644 }
}

fn put(root: &Path, name: &str, image: &Image) {
    let Some((bytes, mode)) = image else { return };
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
}

fn get(root: &Path, name: &str) -> Image {
    let path = root.join(name);
    let bytes = fs::read(&path).ok()?;
    let executable = fs::metadata(&path).unwrap().permissions().mode() & 0o111 != 0;
    Some((bytes, if executable { 0o755 } else { 0o644 }))
}

fn apply(root: &Path, patch: &[u8]) {
    let file = root.join("..patch");
    fs::write(&file, patch).unwrap();
    let output = Command::new("git")
        .args(["apply", "--whitespace=nowarn", "..patch"])
        .current_dir(root)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", root)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CEILING_DIRECTORIES", root.parent().unwrap())
        .output()
        .expect("git");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(patch));
}

#[test]
fn git_applies_the_plain_difference_of_random_changes() {
    let budget = Budget::new("patch against git", 150, 40, 20_000);
    let mut done = 0;
    while budget.allows(done) {
        let mut rng = Rng::new(0x5eed + done);
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        fs::create_dir(&root).unwrap();
        let mut changes: Vec<(&str, Image, Image)> = Vec::new();
        let mut expected: BTreeMap<&str, Image> = BTreeMap::new();
        for name in NAMES {
            let before: Image = rng.percent(70).then(|| (content(&mut rng), mode(&mut rng)));
            put(&root, name, &before);
            let mut now = before;
            // Several steps may touch one file; the patch holds what they come to.
            for _ in 0..=rng.below(3) {
                let after: Image = match &now {
                    Some(_) if rng.percent(20) => None,
                    Some((bytes, _)) if rng.percent(70) => {
                        Some((edited(bytes, &mut rng), mode(&mut rng)))
                    }
                    _ => Some((content(&mut rng), mode(&mut rng))),
                };
                changes.push((*name, now, after.clone()));
                now = after;
            }
            expected.insert(*name, now);
        }
        let sample = Sample::of_changes(changes);
        let mut patch = Vec::new();
        sample.with(|plan| diff(plan, Look::PLAIN, &mut patch)).unwrap();
        if !patch.is_empty() {
            apply(&root, &patch);
        }
        for (name, image) in expected {
            assert!(get(&root, name) == image, "seed {done}: {name}");
        }
        done += 1;
    }
    budget.report(done);
}

#[test]
fn a_mode_that_git_does_not_know_is_told_beside_the_patch() {
    let sample =
        Sample::of_changes([("a", Some((b"x\n".to_vec(), 0o600)), Some((b"x\n".to_vec(), 0o644)))]);
    let mut patch = Vec::new();
    sample.with(|plan| diff(plan, Look::PLAIN, &mut patch)).unwrap();
    assert_eq!(
        String::from_utf8(patch).unwrap(),
        "# a: mode 0600 becomes 0644, which a patch cannot say\n"
    );
}

#[test]
fn a_missing_image_makes_no_patch() {
    let mut sample = Sample::of_changes([("a", None, Some((b"x\n".to_vec(), 0o644)))]);
    sample.images.clear();
    let mut patch = Vec::new();
    let error = sample.with(|plan| diff(plan, Look::PLAIN, &mut patch)).unwrap_err();
    assert!(error.to_string().contains("is missing"), "{error}");
    assert!(patch.is_empty());
}
