//! Which files a language's own runner of tests finds, and which are nothing but their data.
//!
//! A path that reads like one of tests is no proof: a compiler builds `login-test.go` into the
//! program, and whoever lists a folder of routes serves `admin.test.js`. So these rules are
//! the runners' own, and narrower than what a reader would take for a test.

use crate::model::path::RelPath;

/// Folders of tests.
const TESTS: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "unittest",
    "unittests",
    "unit_tests",
    "unit-tests",
    "integration_tests",
    "integration-tests",
    "testsuite",
    "e2e",
];

/// Folders of tests whose name leaves no doubt.
const FOR_SURE: &[&str] = &["__tests__", "testdata", "__fixtures__", "__snapshots__"];

/// Folders whose files a program loads because they are there.
const LOADED: &[&str] = &[
    "addons",
    "alembic",
    "autoload",
    "bin",
    "cogs",
    "commands",
    "conf.d",
    "cron",
    "events",
    "examples",
    "extensions",
    "functions",
    "handlers",
    "hooks",
    "init.d",
    "initializers",
    "jobs",
    "lambdas",
    "listeners",
    "middleware",
    "middlewares",
    "migrations",
    "modules",
    "pages",
    "plugins",
    "public",
    "routers",
    "routes",
    "scripts",
    "seeders",
    "seeds",
    "static",
    "subscribers",
    "tasks",
    "templatetags",
    "versions",
    "workers",
];

/// Folders that programs of JavaScript load besides.
const LOADED_BY_SCRIPTS: &[&str] =
    &["api", "controllers", "models", "providers", "resolvers", "services", "views"];

/// Folders of programs.
const PROGRAMS: &[&str] = &["src", "lib", "app", "server", "main"];

/// Folders of data inside folders of tests.
const DATA: &[&str] = &[
    "__fixtures__",
    "__snapshots__",
    "baseline",
    "baselines",
    "cases",
    "corpus",
    "data",
    "expected",
    "fixtures",
    "golden",
    "goldens",
    "samples",
    "snapshots",
    "test-data",
    "test_data",
    "testdata",
    "ui",
];

/// Names of data that tools obey wherever it lies.
const OBEYED: &[&str] = &[
    "angular",
    "application",
    "appsettings",
    "biome",
    "composer",
    "deno",
    "docker-compose",
    "compose",
    "firebase",
    "launch",
    "lerna",
    "manifest",
    "nodemon",
    "nx",
    "package",
    "package-lock",
    "plugin",
    "project",
    "settings",
    "tasks",
    "turbo",
    "vercel",
    "workspace",
];

/// Whether the file is one that runners of tests find and that is in no program, as far as a
/// path tells.
#[must_use]
pub fn is_found_as_test(path: &RelPath) -> bool {
    let name = path.name();
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let folders = folders(path);
    let before = before_tests(&folders);
    let in_tests = before.len() < folders.len();
    let loaded = |more: &[&str]| {
        before.iter().any(|folder| LOADED.contains(folder) || more.contains(folder))
    };
    match ending {
        // A compiler leaves out these and no others.
        "go" => stem.ends_with("_test") && !name.starts_with(['_', '.']),
        "rs" => folders.contains(&"tests") && !loaded(&["src", "benches"]),
        "py" => {
            let named = stem.starts_with("test_") || stem.ends_with("_test");
            in_tests && named && !loaded(&[])
        }
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => {
            let named = [".test", ".spec"].iter().any(|end| stem.ends_with(end));
            let sure = folders.contains(&"__tests__");
            let alone = in_tests && !before.iter().any(|folder| PROGRAMS.contains(folder));
            (named || sure || alone) && !loaded(LOADED_BY_SCRIPTS) && !stands_around(stem)
        }
        "java" => {
            let in_maven = folders
                .windows(3)
                .any(|three| matches!(three, ["src", kind, "java"] if kind.contains("test")));
            let named = ["Test", "Tests", "TestCase", "IT"].iter().any(|end| stem.ends_with(end))
                || stem.starts_with("Test");
            named && (in_maven || in_tests && !folders.contains(&"src") && !loaded(&["main"]))
        }
        "c" | "cc" | "cpp" | "cxx" => in_tests && !loaded(&[]),
        _ => false,
    }
}

/// Whether the file lies where tests keep their data, and no tool obeys its name.
#[must_use]
pub fn is_test_data(path: &RelPath) -> bool {
    let folders = folders(path);
    let before = before_tests(&folders);
    let inside = folders.get(before.len()..).unwrap_or_default();
    let kept = match inside.split_first() {
        Some((first, rest)) => {
            matches!(*first, "testdata" | "__fixtures__" | "__snapshots__")
                || rest.iter().any(|folder| DATA.contains(folder))
        }
        None => false,
    };
    let name = path.name().to_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    let obeyed = OBEYED.contains(&stem)
        || stem.is_empty()
        || name.contains("config")
        || name.ends_with("rc")
        || name.contains("rc.")
        || name.rsplit('.').next() == Some("toml")
        || folders.iter().any(|folder| folder.starts_with('.'));
    kept && !obeyed && !before.iter().any(|folder| LOADED.contains(folder))
}

/// Whether a runner of scripts loads a file around the tests that it finds.
fn stands_around(stem: &str) -> bool {
    let stem = stem.to_lowercase();
    ["setup", "teardown", "bootstrap", "global", "config", "conf", "index", "main", "init", "hook"]
        .iter()
        .any(|word| stem.contains(word))
        || stem.rsplit_once('.').is_some_and(|(_, last)| last == "d")
        || stem.starts_with('.')
}

/// The folders of a path, outermost first.
fn folders(path: &RelPath) -> alloc::vec::Vec<&str> {
    let mut parts: alloc::vec::Vec<&str> = path.components().collect();
    parts.pop();
    parts
}

/// Those before the first folder of tests; all of them where there is none.
fn before_tests<'a, 'b>(folders: &'b [&'a str]) -> &'b [&'a str] {
    let at = folders.iter().position(|one| TESTS.contains(one) || FOR_SURE.contains(one));
    folders.get(..at.unwrap_or(folders.len())).unwrap_or(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str) -> bool {
        is_found_as_test(&RelPath::parse(path).unwrap())
    }

    fn data(path: &str) -> bool {
        is_test_data(&RelPath::parse(path).unwrap())
    }

    #[test]
    fn a_test_is_what_the_runner_of_its_language_finds() {
        for path in [
            "a_test.go",
            "routes/a_test.go",
            "tests/it.rs",
            "crates/x/tests/it/main.rs",
            "tests/test_a.py",
            "shop/api/tests/test_a.py",
            "src/shop/tests/a_test.py",
            "src/a.test.ts",
            "src/app/a.spec.ts",
            "src/__tests__/a.js",
            "test/a.js",
            "tests/api/a.test.js",
            "src/test/java/a/ATest.java",
            "core/src/integrationtest/java/a/AIT.java",
            "test/a.c",
            "lib/tests/a_test.cc",
        ] {
            assert!(found(path), "{path}");
        }
        for path in [
            "login-test.go",
            "test_x.go",
            "x_spec.go",
            "test.go",
            "testing/z.go",
            "tests/z.go",
            "_test.go",
            "x_TEST.go",
            "my_test.c",
            "src/a_test.cc",
            "plugins/test_zz.py",
            "plugins/tests/test_zz.py",
            "management/commands/test_x.py",
            "management/commands/tests/test_x.py",
            "tests/acme.py",
            "tests/conftest.py",
            "app/testing/base.py",
            "app/testing/test_base.py",
            "app/spec.py",
            "test_a.py",
            "__mocks__/axios.js",
            "routes/z.test.js",
            "server/routes/admin.test.js",
            "pages/api/admin.test.ts",
            "pages/__tests__/admin.ts",
            "models/a.spec.js",
            "app/spec/route.ts",
            "web/ab-test.js",
            "src/test/util.js",
            "tests/jest.setup.js",
            "tests/karma.conf.js",
            "tests/global.d.ts",
            "src/x.stories.js",
            "src/main/java/a/BTest.java",
            "src/test/java/a/Auth.java",
            "src/bin/test.rs",
            "examples/test.rs",
            "examples/tests/a.rs",
            "src/spec.rs",
            "src/tests/a.rs",
            "src/x_test.rs",
            "tests/seed.sql",
            "tests/run_all.sh",
            "tests/run",
        ] {
            assert!(!found(path), "{path}");
        }
    }

    #[test]
    fn data_of_tests_lies_in_a_folder_of_data_among_them() {
        for path in [
            "tests/fixtures/a.json",
            "tests/ui/a.stderr",
            "testdata/a.golden",
            "pkg/testdata/a.yaml",
            "src/a/__tests__/__snapshots__/a.snap",
            "test/data/a.csv",
        ] {
            assert!(data(path), "{path}");
        }
        for path in [
            "spec/access.yaml",
            "spec/openapi.yaml",
            "testing/deploy.yaml",
            "app/testing/roles.json",
            "app/fixtures/roles.json",
            "shop/fixtures/initial_data.json",
            "src/test/resources/application.yml",
            "tests/a.json",
            "tests/fixtures/package.json",
            "tests/fixtures/.mocharc.json",
            "tests/fixtures/jest.config.json",
            "tests/fixtures/ruff.toml",
            "tests/fixtures/.github/a.yml",
            "plugins/tests/data/a.json",
            "e2e/docker-compose.yml",
        ] {
            assert!(!data(path), "{path}");
        }
    }
}
