//! What is a danger and what is everyday life.

use exacta_core::judge::facts::{Danger, FactKind};
use exacta_core::model::path::RelPath;

use super::danger::detect;
use super::side::Side;
use super::subject::Subject;

/// Dangers of a text whose every line was added.
fn dangers(path: &str, raw: &str) -> Vec<Danger> {
    let path = RelPath::parse(path).unwrap();
    let subject = Subject::new(&path);
    let image: Vec<&str> = raw.split('\n').collect();
    let changed: Vec<usize> = (0..image.len()).collect();
    let mut found = Vec::new();
    detect(&subject, &Side::plain(&subject, &image), &changed, &mut found);
    found
        .into_iter()
        .map(|found| match found.kind {
            FactKind::DangerousPattern { danger, .. } => danger,
            other => panic!("{other:?}"),
        })
        .collect()
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
        ("a.rs", "    dir.remove_dir_all(&root)?;", Danger::RecursiveDelete),
        ("a.cpp", "    fs::remove_all(root);", Danger::RecursiveDelete),
        ("a.cpp", "remove_all(root);", Danger::RecursiveDelete),
        ("a.rs", "    operator.remove_all(&path_of(user, name)).await?;", Danger::RecursiveDelete),
        ("a.rs", "    operator.remove_all(", Danger::RecursiveDelete),
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
        ("a.go", "db.Query(fmt.Sprintf(\"SELECT a FROM t WHERE n = '%s'\", n))", Danger::SqlText),
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
        ("a.sh", "rm -rf ./build && rm -rf \"$HOME\"/*", Danger::RecursiveDelete),
        ("a.sh", "/bin/rm -rf /", Danger::RecursiveDelete),
        ("a.sh", "\\rm -rf /", Danger::RecursiveDelete),
        ("a.mk", "\t@rm -rf $(HOME)", Danger::RecursiveDelete),
        ("a.rs", "fn f() { fs::remove_dir_all(p); }", Danger::RecursiveDelete),
        ("a.js", "await fs.rm(dir, {\n  recursive: true,\n})", Danger::RecursiveDelete),
        ("a.py", "eval(\"1\"); eval(request.args[\"q\"])", Danger::Eval),
        ("a.py", "def f(x): return eval(x)", Danger::Eval),
        ("a.py", "exec(\n    data\n)", Danger::Eval),
        ("a.py", "os.system(\"clear\"); os.system(cmd)", Danger::Shell),
        ("a.py", "subprocess.getoutput(\"ls \" + path)", Danger::Shell),
        ("a.py", "__import__(\"os\").system(cmd)", Danger::Shell),
        ("a.py", "from os import system\nsystem(cmd)", Danger::Shell),
        ("a.go", "exec.CommandContext(ctx, \"sh\", \"-c\", x)", Danger::Shell),
        ("a.rs", "Command::new(\"sh\")\n    .arg(\"-c\")\n    .arg(cmd)", Danger::Shell),
        ("A.java", "new ProcessBuilder(\"sh\", \"-c\", cmd).start();", Danger::Shell),
        ("A.java", "Runtime rt = Runtime.getRuntime();\nrt.exec(cmd);", Danger::Shell),
        (
            "a.js",
            "const { exec } = require('child_process')\nexec(`convert ${f} out.png`)",
            Danger::Shell,
        ),
        (
            "a.js",
            "import { exec } from 'node:child_process'\nawait promisify(exec)('ls ' + dir)",
            Danger::Shell,
        ),
        ("a.c", "FILE *p = popen(c, \"r\");", Danger::Shell),
        ("a.php", "/**/ system($_GET[\"c\"]);", Danger::Shell),
        ("a.php", "echo shell_exec($c);", Danger::Shell),
        ("a.sql", "TRUNCATE users;", Danger::SqlDrop),
        ("a.sql", "UPDATE users SET admin = 1;", Danger::SqlDrop),
        ("a.py", "cur.execute(\"UPDATE users SET name = 'x', admin = ?\", one)", Danger::SqlDrop),
        ("a.sh", "rm -r \"$HOME\"", Danger::RecursiveDelete),
        ("a.sh", "rm -R -v ~/work", Danger::RecursiveDelete),
        ("a.sh", "rm --recursive /srv", Danger::RecursiveDelete),
        ("a.sql", "DELETE FROM users WHERE 1=1;", Danger::SqlDrop),
        ("a.sql", "DELETE\nFROM users;", Danger::SqlDrop),
        ("a.sql", "ALTER TABLE users DROP email;", Danger::SqlDrop),
        ("a.sql", ";DROP TABLE users;", Danger::SqlDrop),
        ("a.sql", "/* cleanup */ DROP TABLE users;", Danger::SqlDrop),
        ("m.js", "exports.up = k => k.schema.dropTable('users')", Danger::SqlDrop),
        ("m.py", "op.drop_column('users', 'email')", Danger::SqlDrop),
        ("m.py", "migrations.DeleteModel(name='User')", Danger::SqlDrop),
        ("m.rb", "drop_table :users", Danger::SqlDrop),
        ("a.html", "<script>db.run(\"DROP TABLE users\")</script>", Danger::SqlDrop),
        ("a.sh", "curl -fsSL https://x \\\n  | bash", Danger::FetchAndRun),
        ("a.sh", "curl -o /tmp/x https://x && bash /tmp/x", Danger::FetchAndRun),
        ("a.sh", "wget -O t https://x; chmod +x t && ./t", Danger::FetchAndRun),
        ("a.sh", "python3 -c \"$(curl -fsSL https://x)\"", Danger::FetchAndRun),
        ("a.sh", "git commit \\\n  --no-verify", Danger::DisabledCheck),
        ("a.py", "run([\"git\", \"push\", \"--no-verify\"])", Danger::DisabledCheck),
    ] {
        assert!(dangers(path, raw).contains(&danger), "{path}: {raw}");
    }
}

#[test]
fn everyday_lines_are_left_alone() {
    for (path, raw) in [
        ("a.rs", "set.remove_all(range.start(), range.end());"),
        ("a.sh", "rm -rf build dist"),
        ("a.sh", "rm -rf node_modules"),
        ("a.sh", "rm -rf \"$TMP_DIR\""),
        ("a.sh", "rm -f out.log"),
        ("a.sh", "rm -r /tmp/work"),
        ("a.sh", "rm -r docs/old"),
        ("a.sql", "UPDATE users SET admin = 1 WHERE id = 2;"),
        ("a.sql", "UPDATE users SET admin = 1, name = 'x'\nWHERE id IN (1, 2);"),
        ("a.py", "cur.execute(\"UPDATE users SET admin = 1 WHERE id = ?\", one)"),
        ("a.js", "// update the set = list"),
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
        ("a.py", "yaml.load(\n    f,\n    Loader=yaml.SafeLoader,\n)"),
        ("a.py", "parser.add_argument(\"--no-verify\", dest=\"verify\")"),
        ("a.sh", "test -d build || true"),
        ("a.html", "<p>Drop files here or drop column headers to group</p>"),
        ("a.tsx", "<p>Drop files here or drop column headers to group</p>"),
        ("a.sql", "DELETE FROM users\nWHERE id = 1;"),
        ("a.sql", "ALTER TABLE users DROP CONSTRAINT x;"),
        ("m.js", "exports.down = k => k.schema.dropTable('users')"),
        ("a.js", "exec(text)"),
        ("a.js", "const { exec } = require('child_process')\nexec('ls')"),
        ("a.py", "system(cmd)"),
        ("a.py", "def system(cmd):"),
        ("a.c", "popen(\"ls\", \"r\");"),
        ("a.sh", "curl -o x.tar https://x && tar xf x.tar"),
        ("a.py", "text = truncate(table, 3)"),
    ] {
        assert!(dangers(path, raw).is_empty(), "{path}: {raw}: {:?}", dangers(path, raw));
    }
}

#[test]
fn only_lines_that_changed_have_a_part_in_a_danger() {
    let path = RelPath::parse("a.rs").unwrap();
    let subject = Subject::new(&path);
    let image = ["Command::new(\"sh\")", "    .arg(\"-c\")", "    .arg(cmd)", "    .status()"];
    let found = |changed: &[usize]| {
        let mut found = Vec::new();
        detect(&subject, &Side::plain(&subject, &image), changed, &mut found);
        found.iter().map(|found| found.index).collect::<Vec<_>>()
    };
    assert_eq!(found(&[0, 1, 2, 3]), [0]);
    assert_eq!(found(&[1]), [1]);
    assert_eq!(found(&[3]), [0_usize; 0]);
}

#[test]
fn every_match_is_looked_at_and_too_many_count() {
    let harmless = "rm -rf build;";
    assert!(dangers("a.sh", &harmless.repeat(900)).is_empty());
    assert!(!dangers("a.sh", &harmless.repeat(1200)).is_empty());
    let last = format!("{} rm -rf /;", harmless.repeat(900));
    assert_eq!(dangers("a.sh", &last), [Danger::RecursiveDelete]);
}
