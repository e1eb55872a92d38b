//! Generated scripts: captured and then approved, they give the tree that running them directly
//! gives; until then the project is as it was.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use exacta_testkit::{Budget, Rng};

use crate::gated::{Gated, text};

const FILES: [(&str, &str); 7] = [
    ("README.md", "# Shop\n\nWhat it is.\n"),
    ("src/cart.py", "def total(rows):\n    return sum(rows)\n"),
    ("src/user.py", "NAME = 'x'\n"),
    ("docs/a.md", "one\ntwo\nthree\n"),
    ("docs/b.md", "without an end"),
    ("data/empty.txt", ""),
    ("bin/tool", "#!/bin/sh\necho tool\n"),
];

/// A path with bytes and whether it can be executed.
type Tree = BTreeMap<String, (Vec<u8>, bool)>;

fn tree(root: &Path) -> Tree {
    fn walk(root: &Path, at: &Path, found: &mut Tree) {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if name == ".exacta" || name == ".git" {
                continue;
            }
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                let executable = fs::metadata(&path).unwrap().permissions().mode() & 0o111 != 0;
                found.insert(name, (fs::read(&path).unwrap(), executable));
            }
        }
    }
    let mut found = Tree::new();
    walk(root, root, &mut found);
    found
}

/// A script of a few ordinary commands. None fails, whatever the ones before it did.
fn script(rng: &mut Rng) -> String {
    let old: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    let new = ["docs/new.md", "src/deep/er/new.py", "top.txt", "Ünï code.md", "data/c.bin"];
    let mut lines = vec!["set -u".to_owned()];
    for number in 0..=rng.below(8) {
        let (from, to) = (*rng.pick(&old), *rng.pick(&new));
        let any = if rng.percent(70) { from } else { to };
        let folder = |name: &str| {
            name.rsplit_once('/')
                .map_or(String::new(), |(folder, _)| format!("mkdir -p {folder}; "))
        };
        let line = match rng.below(14) {
            0 => format!("[ -d \"$(dirname '{from}')\" ] && printf 'line {number}\\n' >> '{from}'"),
            1 => format!("{}printf 'made {number}\\n' > '{to}'", folder(to)),
            2 => format!("rm -f '{any}'"),
            3 => format!("{}[ -f '{from}' ] && mv '{from}' '{to}'", folder(to)),
            4 => format!("{}[ -f '{from}' ] && cp '{from}' '{to}'", folder(to)),
            5 => format!("[ -f '{from}' ] && sed -i 's/o/0/g' '{from}'"),
            6 => format!("[ -f '{any}' ] && chmod +x '{any}'"),
            7 => format!("[ -f '{any}' ] && chmod -x '{any}'"),
            8 => format!("touch '{any}.swp' 2>/dev/null; rm -f '{any}.swp'"),
            9 => format!("[ -f '{any}' ] && touch '{any}'"),
            10 => format!("{}printf '\\000\\001\\377{number}' > '{to}'", folder(to)),
            11 => format!("[ -f '{from}' ] && printf '' > '{from}'"),
            12 => format!("[ -f '{from}' ] && printf 'crlf {number}\\r\\n' >> '{from}'"),
            _ => format!(
                "[ -f '{from}' ] && cp '{from}' t.tmp && printf 'swapped {number}\\n' > '{from}' \
                 && mv t.tmp '{from}'"
            ),
        };
        lines.push(line);
    }
    // A test that does not hold is not a failure.
    lines.push("true".into());
    lines.join("\n")
}

#[test]
fn captured_and_approved_is_as_if_it_had_run_directly() {
    let budget = Budget::new("captured scripts", 24, 60, 200);
    let policy = "version = 1\nprofile = \"manual\"\ndecide = \"hash\"\n";
    let (mut done, mut changed) = (0, 0);
    while budget.allows(done) {
        let script = script(&mut Rng::new(0x5c21_7000 + done));
        let (gated, direct) = (Gated::of(&FILES, policy), Gated::of(&FILES, policy));
        let before = tree(gated.project.path());
        let ran = direct.command("sh").args(["-c", &script]).status().unwrap();
        assert!(ran.success(), "case {done}: {script}");
        let wanted = tree(direct.project.path());
        let args = ["capture", "--no-review", "--json", "--", "sh", "-c", &script];
        let said = gated.exacta(&args);
        let now = tree(gated.project.path());
        assert_eq!(now, before, "case {done} changed the project before anybody said yes");
        if wanted == before {
            assert_eq!(said.code, 0, "case {done}: {}\n{script}", said.err);
        } else {
            assert_eq!(said.code, 11, "case {done}: {}\n{}\n{script}", said.out, said.err);
            let plan = said.json();
            let (id, hash) = (text(&plan["plan_id"]), text(&plan["plan_hash"]));
            let yes = gated.exacta(&["approve", &id, "--hash", &hash, "--run"]);
            assert_eq!(yes.code, 0, "case {done}: {}\n{}\n{script}", yes.out, yes.err);
            assert_eq!(tree(gated.project.path()), wanted, "case {done}: {script}");
            // And the way back.
            let undone = gated.exacta(&["undo", "--hash", &hash]);
            assert_eq!(undone.code, 0, "case {done}: {}\n{}\n{script}", undone.out, undone.err);
            assert_eq!(tree(gated.project.path()), before, "case {done}: {script}");
            changed += 1;
        }
        done += 1;
    }
    budget.report(done);
    assert!(changed * 2 > done, "{changed} of {done} changed something");
}
