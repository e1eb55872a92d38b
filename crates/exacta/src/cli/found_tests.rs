//! How a project runs its tests, as far as its files say.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Longer files are not looked into.
const MOST_BYTES: u64 = 1 << 20;

/// The commands that a project's files name for its tests, the likeliest first.
pub(super) fn commands(folder: &Path) -> Vec<Vec<String>> {
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let there = |name: &str| folder.join(name).exists();
    let text = |name: &str| read(&folder.join(name)).unwrap_or_default();
    let target = |file: &str| {
        let is_test = |line: &str| line.starts_with("test:") || line.starts_with("test ");
        text(file).lines().any(is_test)
    };
    let mut found = Vec::new();
    if there("Cargo.toml") {
        // A check has no network, so nothing should look for it.
        found.push(words("cargo test --quiet --offline"));
    }
    if there("go.mod") {
        found.push(words("go test ./..."));
    }
    if let Some(script) = npm_script(&text("package.json")) {
        let tool = match () {
            () if there("pnpm-lock.yaml") => "pnpm",
            () if there("yarn.lock") => "yarn",
            () => "npm",
        };
        if !script.contains("no test specified") {
            found.push(words(&format!("{tool} test")));
        }
    }
    found.extend(python(folder, &there, &text));
    if there("pom.xml") {
        found.push(words("mvn -o -q test"));
    }
    if there("gradlew") {
        found.push(words("./gradlew --offline test"));
    }
    if there("Gemfile") && there("spec") {
        found.push(words("bundle exec rspec"));
    } else if there("Rakefile") && there("test") {
        found.push(words("rake test"));
    }
    if there("vendor/bin/phpunit") {
        found.push(words("vendor/bin/phpunit"));
    }
    if there("mix.exs") {
        found.push(words("mix test"));
    }
    if target("Makefile") || target("makefile") || target("GNUmakefile") {
        found.push(words("make test"));
    }
    if target("justfile") {
        found.push(words("just test"));
    }
    let script = fs::metadata(folder.join("test")).ok();
    if script.is_some_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0) {
        found.push(words("./test"));
    }
    found
}

/// Whether the program of a command is there: in the project, or on PATH.
pub(super) fn is_there(folder: &Path, command: &[String], path: Option<&OsStr>) -> bool {
    let Some(program) = command.first() else { return false };
    let executable = |at: &Path| {
        fs::metadata(at).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return executable(&folder.join(program));
    }
    std::env::split_paths(path.unwrap_or_default()).any(|place| executable(&place.join(program)))
}

fn python(
    folder: &Path,
    there: &dyn Fn(&str) -> bool,
    text: &dyn Fn(&str) -> String,
) -> Option<Vec<String>> {
    let interpreter = [".venv/bin/python", "venv/bin/python"].into_iter().find(|one| there(one));
    let interpreter = interpreter.unwrap_or("python3");
    let line = |rest: &[&str]| -> Vec<String> {
        std::iter::once(&interpreter).chain(rest).map(|word| String::from(*word)).collect()
    };
    let pytest = there("pytest.ini")
        || there("conftest.py")
        || there("tests/conftest.py")
        || text("pyproject.toml").contains("pytest")
        || text("setup.cfg").contains("pytest")
        || text("tox.ini").contains("pytest");
    if pytest {
        return Some(line(&["-m", "pytest", "-q"]));
    }
    if there("manage.py") {
        return Some(line(&["manage.py", "test"]));
    }
    let tests = ["tests", "test"].into_iter().find(|name| {
        let entries = fs::read_dir(folder.join(name)).into_iter().flatten().flatten();
        let is_test = |name: &str| {
            let file = Path::new(name);
            name.starts_with("test") && file.extension().is_some_and(|ending| ending == "py")
        };
        entries.take(1_000).any(|entry| entry.file_name().to_str().is_some_and(is_test))
    });
    let tests = tests?;
    Some(line(&["-m", "unittest", "discover", "-s", tests, "-t", "."]))
}

fn npm_script(package: &str) -> Option<String> {
    let package: serde_json::Value = serde_json::from_str(package).ok()?;
    Some(package.get("scripts")?.get("test")?.as_str()?.to_owned())
}

fn read(path: &Path) -> Option<String> {
    let meta = fs::metadata(path).ok()?;
    (meta.is_file() && meta.len() <= MOST_BYTES).then(|| fs::read_to_string(path).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_there_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (name, mode) in [("tool", 0o755), ("notes", 0o644)] {
            fs::write(at(name), "").unwrap();
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        let there = |word: &str| {
            is_there(folder.path(), &[word.to_owned()], Some(folder.path().as_os_str()))
        };
        assert!(there("./tool") && there("tool"));
        assert!(!there("./notes") && !there("notes") && !there("./none") && !there("none"));
        assert!(!is_there(folder.path(), &["tool".to_owned()], None));
        assert!(!is_there(folder.path(), &[], None));
    }

    #[test]
    fn a_project_says_how_its_tests_run() {
        for (files, expected) in [
            (&[("Cargo.toml", "")][..], Some("cargo test --quiet --offline")),
            (&[("go.mod", "")], Some("go test ./...")),
            (&[("package.json", r#"{"scripts":{"test":"jest"}}"#)], Some("npm test")),
            (
                &[("package.json", r#"{"scripts":{"test":"jest"}}"#), ("yarn.lock", "")],
                Some("yarn test"),
            ),
            (&[("package.json", r#"{"scripts":{"test":"echo no test specified"}}"#)], None),
            (&[("package.json", "not json")], None),
            (&[("pyproject.toml", "[tool.pytest.ini_options]\n")], Some("python3 -m pytest -q")),
            (&[("tests/test_a.py", "")], Some("python3 -m unittest discover -s tests -t .")),
            (&[("tests/helper.py", "")], None),
            (&[("Makefile", "all:\n\ntest: all\n\ttrue\n")], Some("make test")),
            (&[("Makefile", "tests:\n")], None),
            (&[("README.md", "")], None),
        ] {
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in files {
                let path = folder.path().join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            let found = commands(folder.path()).first().map(|words| words.join(" "));
            assert_eq!(found.as_deref(), expected, "{files:?}");
        }
    }
}
