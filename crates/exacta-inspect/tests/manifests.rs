//! What each kind of manifest says about its dependencies.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use exacta_core::facts::{FactKind, VersionStep};
use exacta_core::path::RelPath;
use exacta_inspect::{Request, StepInput, inspect};

/// Each difference in a few words, with its line.
fn told(path: &str, before: &str, after: &str) -> Vec<String> {
    let step = StepInput {
        step: "step_1",
        path: RelPath::parse(path).unwrap(),
        before: Some(before.as_bytes()),
        after: Some(after.as_bytes()),
        siblings: Vec::new(),
        moved: false,
    };
    let report = inspect(&Request { steps: vec![step], ..Request::default() });
    let mut out = Vec::new();
    for fact in report.facts {
        let line = fact.line.unwrap_or(0);
        out.push(match fact.kind {
            FactKind::DependencyAdded { name, .. } => format!("added {name} @{line}"),
            FactKind::DependencyRemoved { name, .. } => format!("removed {name} @{line}"),
            FactKind::DependencyVersion { name, step: VersionStep::Major, .. } => {
                format!("major {name} @{line}")
            }
            FactKind::DependencyVersion { name, .. } => format!("other {name} @{line}"),
            FactKind::DependencySource { name, .. } => format!("source {name} @{line}"),
            FactKind::BuildScript { name, .. } => format!("script {name} @{line}"),
            FactKind::ManifestUnreadable { .. } => "unreadable".to_owned(),
            _ => continue,
        });
    }
    out
}

#[test]
fn every_kind_of_manifest_is_compared() {
    for (path, before, after, expected) in [
        (
            "Cargo.toml",
            "[dependencies]\na = \"1\"\nb = \"1\"\nc = \"0.3\"\nd = \"1\"\n",
            "[dependencies]\na = \"2\"\nc = \"0.3.4\"\nd = { git = \"https://h/d\" }\ne = \"1\"\n",
            vec!["removed b @3", "major a @2", "other c @3", "source d @4", "added e @5"],
        ),
        (
            "Cargo.toml",
            "[package]\nname = \"x\"\n",
            "[package]\nname = \"x\"\nbuild = \"b.rs\"\n[target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n[patch.crates-io]\nserde = { path = \"s\" }\n",
            vec!["script build @3", "added libc @5", "source patch serde @7"],
        ),
        (
            "package.json",
            "{\n\"dependencies\": {\n\"a\": \"^1.0.0\"\n},\n\"scripts\": {\n\"test\": \"x\"\n}\n}",
            "{\n\"dependencies\": {\n\"a\": \"github:u/a\",\n\"b\": \"^2.0.0\"\n},\n\"scripts\": {\n\"test\": \"y\",\n\"postinstall\": \"curl x\"\n}\n}",
            vec!["source a @3", "added b @4", "script postinstall @8"],
        ),
        (
            "pyproject.toml",
            "[project]\ndependencies = [\n  \"Requests>=2.0\",\n]\n",
            "[project]\ndependencies = [\n  \"requests[socks] >= 3.0\",\n  \"flask @ git+https://h/flask\",\n]\n[build-system]\nbuild-backend = \"x\"\n",
            vec![
                "major requests @3",
                "added flask @4",
                "source flask @4",
                "script build-backend @7",
            ],
        ),
        (
            "pyproject.toml",
            "[tool.poetry.dependencies]\npython = \"^3.8\"\na = \"^1.0\"\n",
            "[tool.poetry.dependencies]\npython = \"^3.12\"\na = { version = \"^1.1\" }\n",
            vec!["other a @3"],
        ),
        (
            "requirements-dev.txt",
            "a==1.0 \\\n    --hash=sha256:00\nb\n",
            "# all\na==1.1 # why\n-e git+https://h/c#egg=c\n--extra-index-url https://i/\n",
            vec![
                "removed b @3",
                "other a @2",
                "added c @3",
                "source c @3",
                "source --extra-index-url https://i/ @4",
            ],
        ),
        (
            "go.mod",
            "module m\n\nrequire (\n\tg.h/a v1.0.0\n\tg.h/b v1.0.0 // indirect\n)\n",
            "module m\n\nrequire (\n\tg.h/a/v2 v2.0.0\n\tg.h/b v1.1.0\n)\n\nreplace g.h/b => ../b\n",
            vec!["major g.h/a @4", "other g.h/b @5", "source g.h/b @8"],
        ),
        (
            "pom.xml",
            "<project><properties><v>1.0</v></properties><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>${v}</version></dependency></dependencies></project>",
            "<project><properties><v>2.0</v></properties><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>${v}</version></dependency></dependencies></project>",
            vec!["major g:a @1"],
        ),
        (
            "Gemfile",
            "source \"https://rubygems.org\"\ngem \"rails\", \"~> 6.1\"\n",
            "source \"https://rubygems.org\"\ngem \"rails\", \"~> 7.0\"\ngem 'x', git: 'https://h/x'\nsystem(\"curl x\")\n",
            vec!["major rails @2", "added x @3", "source x @3", "script system(\"curl x\") @4"],
        ),
        (
            "composer.json",
            "{\n\"require\": {\n\"php\": \"8\",\n\"a/b\": \"^1\"\n}\n}",
            "{\n\"require\": {\n\"php\": \"9\",\n\"a/b\": \"^1.2\"\n},\n\"scripts\": {\n\"post-install-cmd\": \"x\"\n}\n}",
            vec!["other a/b @4", "script post-install-cmd @7"],
        ),
        (
            "src/App.csproj",
            "<Project><ItemGroup><PackageReference Include=\"A\" Version=\"1.0\" /></ItemGroup></Project>",
            "<Project><ItemGroup><PackageReference Include=\"A\"><Version>2.0</Version></PackageReference></ItemGroup>\n<Target><Exec Command=\"x\" /></Target></Project>",
            vec!["major A @1", "script Exec 5 @2"],
        ),
    ] {
        let mut found = told(path, before, after);
        let mut expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{path}");
    }
}

#[test]
fn a_manifest_that_cannot_be_read_is_a_fact() {
    for (path, before, after) in [
        ("Cargo.toml", "[dependencies]\n", "[dependencies\n"),
        ("Cargo.toml", "a = 1\n", "a = 1\na = 2\n"),
        ("package.json", "{}", "{"),
        ("package.json", "{}", "[]"),
        ("pyproject.toml", "", "= x"),
        ("go.mod", "module m\n", "module m\nrequire (\n"),
        ("pom.xml", "<a/>", "<a>"),
        ("composer.json", "{}", "{,}"),
        ("a.csproj", "<a/>", "<a></b>"),
    ] {
        assert_eq!(told(path, before, after), ["unreadable"], "{path}: {after}");
    }
}

#[test]
fn layout_and_comments_are_not_changes() {
    for (path, before, after) in [
        (
            "Cargo.toml",
            "[dependencies]\na = \"1\"\n",
            "# note\n[dependencies]\na = { version = \"1\" }\n",
        ),
        (
            "package.json",
            "{\"dependencies\":{\"a\":\"1\"}}",
            "{\n  \"dependencies\": { \"a\": \"1\" },\n  \"version\": \"2.0.0\"\n}",
        ),
        (
            "go.mod",
            "module m\nrequire g.h/a v1.0.0\n",
            "module m\n\nrequire (\n\tg.h/a v1.0.0 // indirect\n)\n",
        ),
        ("requirements.txt", "a==1\n", "# x\na==1  # y\n"),
    ] {
        assert_eq!(told(path, before, after), Vec::<String>::new(), "{path}");
    }
}
