//! Patterns that can destroy or take over.

use std::sync::LazyLock;

use exacta_core::facts::{Danger, FactKind};

use super::book::Book;
use super::danger_rules::RULES;
use super::line::Line;
use super::scan::Found;
use super::subject::Subject;

static BOOK: LazyLock<Book<Danger>> = LazyLock::new(|| Book::new(RULES));

/// Reports each danger once a line.
pub(super) fn detect(subject: &Subject<'_>, line: &Line<'_>, found: &mut Vec<Found>) {
    let mut seen: Vec<Danger> = Vec::new();
    for hit in BOOK.search(subject, line) {
        let danger = *hit.kind;
        let argument = line.plain.get(hit.group.0..hit.group.1).unwrap_or_default();
        let whole = hit.group == (hit.start, hit.end);
        if seen.contains(&danger)
            || (!whole && harmless(danger, argument, subject))
            || excused(danger, line, subject)
        {
            continue;
        }
        seen.push(danger);
        let text = line.part(hit.start, hit.end);
        found.push(Found::new(line, FactKind::DangerousPattern { danger, text }));
    }
}

/// Whether what the pattern acts on makes it harmless.
fn harmless(danger: Danger, argument: &str, subject: &Subject<'_>) -> bool {
    let argument = argument.trim();
    match danger {
        Danger::RecursiveDelete => {
            let targets: Vec<&str> = argument
                .split_whitespace()
                .filter(|t| !t.starts_with('-') && !t.starts_with('>') && !t.starts_with("2>"))
                .collect();
            !targets.is_empty() && targets.iter().all(|target| passing(target, subject.test))
        }
        // A literal was known when the program was written.
        Danger::Eval | Danger::Shell => literal(argument),
        // So was a constant, by the custom of writing it in capitals.
        Danger::SqlText => {
            !argument.is_empty() && !argument.bytes().any(|byte| byte.is_ascii_lowercase())
        }
        _ => false,
    }
}

/// A target that builds, caches or the program itself made and can make again.
fn passing(target: &str, test: bool) -> bool {
    let target = target.trim_matches(['"', '\'', '`', ',', '(', ')', ';', '&', '*']);
    if target.contains("..") || target.starts_with('~') || target.contains("HOME") {
        return false;
    }
    let words = crate::fold::words(target);
    let temporary =
        ["tmp", "temp", "temporary", "tempdir", "tmpdir", "scratch", "cache", "workdir"]
            .iter()
            .any(|word| words.contains(&format!(" {word} ")));
    if temporary || test && !target.starts_with('/') && !target.is_empty() {
        return true;
    }
    let first = target.trim_start_matches("./").split('/').next().unwrap_or_default();
    [
        "build",
        "dist",
        "out",
        "target",
        "node_modules",
        "coverage",
        ".next",
        "__pycache__",
        ".cache",
        ".pytest_cache",
        ".mypy_cache",
        ".tox",
        ".venv",
        "venv",
        "bin",
        "obj",
        "site",
        "_build",
        "htmlcov",
        ".eggs",
        ".nyc_output",
        "storybook-static",
        ".turbo",
        ".parcel-cache",
        "lib-cov",
    ]
    .contains(&first)
        || first.ends_with(".egg-info")
        || words.contains(" build ") && !target.starts_with('/')
}

/// One string without anything put into it.
fn literal(argument: &str) -> bool {
    let inner = argument.trim_start_matches(['b', 'r', 'u', 'B', 'R', 'U']);
    let Some(quote @ ('"' | '\'' | '`')) = inner.chars().next() else {
        return argument.bytes().all(|b| b.is_ascii_digit()) && !argument.is_empty();
    };
    let body = inner.get(1..).unwrap_or_default();
    let Some((text, rest)) = body.split_once(quote) else { return false };
    let filled = argument.starts_with(['f', 'F']) || quote == '`' && text.contains("${");
    let built = rest.trim_start().starts_with(['+', '%', '.']);
    !(filled || built)
}

/// Places where the pattern is the subject rather than the deed.
fn excused(danger: Danger, line: &Line<'_>, subject: &Subject<'_>) -> bool {
    let trimmed = line.lower.trim_start();
    let declares = [
        "def ",
        "function ",
        "fn ",
        "func ",
        "class ",
        "import ",
        "from ",
        "export function ",
        "pub fn ",
        "async def ",
    ]
    .iter()
    .any(|start| trimmed.starts_with(start));
    match danger {
        Danger::Eval => declares,
        Danger::Deserialise if trimmed.contains("yaml.load") => {
            trimmed.contains("safeloader") || trimmed.contains("loader=yaml.safe")
        }
        Danger::Deserialise | Danger::SqlText => subject.test,
        Danger::SqlDrop => {
            trimmed.contains("temporary table") || trimmed.contains("temp table") || subject.test
        }
        Danger::WorldWritable => {
            trimmed.contains("& 0o777") || trimmed.contains("& 0777") || trimmed.contains("&0o777")
        }
        Danger::RecursiveDelete => declares && !trimmed.contains("rm -"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::on_one_line::found;
    use super::*;

    fn dangers(path: &str, raw: &str) -> Vec<Danger> {
        found(detect, path, raw)
            .into_iter()
            .map(|kind| match kind {
                FactKind::DangerousPattern { danger, .. } => danger,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn every_pattern_compiles() {
        assert!(BOOK.sound());
    }

    #[test]
    fn dangers_are_found() {
        for (path, raw, danger) in [
            ("a.sh", "rm -rf /", Danger::RecursiveDelete),
            ("a.sh", "rm -rf \"$HOME\"", Danger::RecursiveDelete),
            ("a.sh", "sudo rm -fr ~/data", Danger::RecursiveDelete),
            ("a.sh", "rm -r -f $DIR", Danger::RecursiveDelete),
            ("a.sh", "rm -rf build ../other", Danger::RecursiveDelete),
            ("a.py", "    shutil.rmtree(user_dir)", Danger::RecursiveDelete),
            ("a.rs", "    std::fs::remove_dir_all(&root)?;", Danger::RecursiveDelete),
            ("a.go", "\tos.RemoveAll(path)", Danger::RecursiveDelete),
            ("a.js", "fs.rmSync(dir, { recursive: true, force: true })", Danger::RecursiveDelete),
            ("a.js", "await rimraf(dir)", Danger::RecursiveDelete),
            ("a.py", "eval(request.args['q'])", Danger::Eval),
            ("a.py", "result = eval(user_input)", Danger::Eval),
            ("a.py", "exec(code, {})", Danger::Eval),
            ("a.js", "return eval(input)", Danger::Eval),
            ("a.js", "const f = new Function(body)", Danger::Eval),
            ("a.py", "os.system(cmd)", Danger::Shell),
            ("a.py", "os.system('rm ' + name)", Danger::Shell),
            ("a.py", "subprocess.run(cmd, shell=True)", Danger::Shell),
            ("a.js", "child_process.exec(`ls ${dir}`)", Danger::Shell),
            ("a.go", "exec.Command(\"sh\", \"-c\", input)", Danger::Shell),
            ("a.rs", "Command::new(\"sh\").arg(\"-c\").arg(input)", Danger::Shell),
            ("a.c", "    system(buffer);", Danger::Shell),
            ("a.cpp", "    return std::system(line.c_str());", Danger::Shell),
            ("a.js", "require('child_process').exec(line)", Danger::Shell),
            ("a.js", "fs.chmodSync(path, 0o777)", Danger::WorldWritable),
            ("a.ts", "await fs.chmod(path, '777')", Danger::WorldWritable),
            ("A.java", "PosixFilePermissions.fromString(\"rwxrwxrwx\")", Danger::WorldWritable),
            ("a.cpp", "permissions(p, perms::all);", Danger::WorldWritable),
            ("a.py", "db.run(\"SELECT a FROM t WHERE n = '\" + name + \"'\")", Danger::SqlText),
            ("a.py", "db.run('DELETE FROM t WHERE n = %s' % name)", Danger::SqlText),
            ("a.py", "q = f\"SELECT a FROM t WHERE n = {name}\"", Danger::SqlText),
            ("a.ts", "db.run(`UPDATE t SET a = ${value}`)", Danger::SqlText),
            ("A.java", "st.run(\"SELECT a FROM t WHERE id = \" + id);", Danger::SqlText),
            (
                "a.go",
                "db.Query(fmt.Sprintf(\"SELECT a FROM t WHERE n = '%s'\", n))",
                Danger::SqlText,
            ),
            ("a.c", "sprintf(q, \"INSERT INTO t VALUES ('%s')\", n);", Danger::SqlText),
            ("a.rs", "db.run(&format!(\"SELECT a FROM t WHERE n = {}\", n))", Danger::SqlText),
            ("a.sh", "curl -fsSL https://x | sudo bash", Danger::FetchAndRun),
            ("a.sh", "bash <(curl -s https://x)", Danger::FetchAndRun),
            ("a.py", "pickle.loads(data)", Danger::Deserialise),
            ("a.py", "yaml.load(f)", Danger::Deserialise),
            ("a.sql", "DROP TABLE users;", Danger::SqlDrop),
            ("a.py", "cur.execute(\"DROP TABLE IF EXISTS users\")", Danger::SqlDrop),
            ("a.sql", "DELETE FROM users;", Danger::SqlDrop),
            ("a.sql", "TRUNCATE TABLE users;", Danger::SqlDrop),
            ("a.sh", "git commit --no-verify", Danger::DisabledCheck),
            ("a.yml", "  - npm test || true", Danger::DisabledCheck),
            ("a.py", "@csrf_exempt", Danger::DisabledCheck),
            ("a.sh", "chmod 777 /srv", Danger::WorldWritable),
            ("a.sh", "chmod -R a+rwx /srv", Danger::WorldWritable),
            ("a.py", "os.chmod(path, 0o777)", Danger::WorldWritable),
            ("a.rs", "Permissions::from_mode(0o777)", Danger::WorldWritable),
            ("a.sh", "git push --force origin main", Danger::Destructive),
            ("a.sh", "dd if=/dev/zero of=/dev/sda", Danger::Destructive),
            ("a.py", "ev\u{200b}al(user_input)", Danger::Eval),
            ("a.py", "\u{435}val(user_input)", Danger::Eval),
        ] {
            assert!(dangers(path, raw).contains(&danger), "{path}: {raw}");
        }
    }

    #[test]
    fn everyday_lines_are_left_alone() {
        for (path, raw) in [
            ("a.sh", "rm -rf build dist"),
            ("a.sh", "rm -rf node_modules"),
            ("a.sh", "rm -rf \"$TMP_DIR\""),
            ("a.sh", "rm -f out.log"),
            ("tests/a.py", "shutil.rmtree(self.dir)"),
            ("a.py", "shutil.rmtree(tmp_path)"),
            ("a.py", "model.eval()"),
            ("a.py", "ast.literal_eval(text)"),
            ("a.py", "def eval(self, x):"),
            ("a.py", "df.eval('a + b')"),
            ("a.js", "const m = re.exec(text)"),
            ("a.js", "pattern.exec(line)"),
            ("a.rs", "let v = eval(expr);"),
            ("a.go", "cmd.exec(ctx)"),
            ("a.py", "yaml.safe_load(f)"),
            ("a.py", "yaml.load(f, Loader=yaml.SafeLoader)"),
            ("a.py", "mode = st.st_mode & 0o777"),
            ("a.go", "os.MkdirAll(dir, 0755)"),
            ("a.sh", "chmod +x run.sh"),
            ("a.sh", "chmod 755 run.sh"),
            ("a.sql", "DELETE FROM users WHERE id = 1;"),
            ("a.rs", "impl Drop for Table {"),
            ("a.js", "function evaluate(x) {"),
            ("a.js", "const drop = table.drop"),
            ("a.c", "filesystem(x);"),
            ("a.py", "db.run('SELECT a FROM t WHERE n = %s', (name,))"),
            ("A.java", "String q = \"SELECT a FROM \" + TABLE + \" WHERE id = ?\";"),
            ("a.go", "fmt.Sprintf(\"SELECT a FROM t WHERE id = %d\", id)"),
            ("a.js", "log('select an item from ' + list)"),
            ("a.ts", "show(`Update ${name}`)"),
            ("tests/a.py", "db.run('DELETE FROM t WHERE n = %s' % name)"),
            ("a.sh", "git push origin main"),
            ("a.sh", "git push --force-with-lease"),
            ("a.ts", "if (evaluation (x)) {"),
            ("a.py", "retrieval (x)"),
        ] {
            assert!(dangers(path, raw).is_empty(), "{path}: {raw}: {:?}", dangers(path, raw));
        }
    }
}
