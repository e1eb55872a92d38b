//! What each kind of manifest says about its dependencies.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use exacta_core::judge::facts::{FactKind, VersionStep};
use exacta_core::model::path::RelPath;
use exacta_inspect::{Request, StepInput, inspect};

/// Each difference in a few words, with its line.
fn told(path: &str, before: &str, after: &str) -> Vec<String> {
    let step = StepInput {
        step: "step_1",
        path: RelPath::parse(path).unwrap(),
        before: Some(before.as_bytes()),
        after: Some(after.as_bytes()),
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
            FactKind::NotAnalysed { .. } => "unknown".to_owned(),
            FactKind::PublicSignature { name, .. } => format!("entry {name} @{line}"),
            FactKind::PublicRemoved { name, .. } => format!("entry gone {name} @{line}"),
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
                "source a @2",
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
            vec!["major A @1", "script Exec x @2"],
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

/// One row a format: what is added and what changes shows.
#[test]
fn every_format_is_read() {
    for (path, before, after, expected) in [
        ("requirements/prod.txt", "a==1\n", "a==1\nevil==1\n", vec!["added evil @2"]),
        (
            "dev-requirements.txt",
            "a==1\n",
            "a==2\nb @ git+https://h/b\n",
            vec!["major a @1", "added b @2", "source b @2"],
        ),
        (
            "setup.cfg",
            "[options]\ninstall_requires =\n  a\n",
            "[options]\ninstall_requires =\n  a>=1,<2\n  evil; python_version<'3'\n[options.extras_require]\nx = y; z\n",
            vec!["major a @3", "added evil @4", "added y @6", "added z @6"],
        ),
        (
            "setup.py",
            "setup(install_requires=['a'])\n",
            "setup(\n  install_requires=[\n    'a',\n    \"evil>=1\",\n  ],\n  extras_require={'dev': ['b']},\n)\n",
            vec!["added evil @4", "added b @6"],
        ),
        (
            "setup.py",
            "setup(install_requires=read('a.txt'))\n",
            "setup(install_requires=read('b.txt'))\n",
            vec!["removed read('a.txt')) @1", "added read('b.txt')) @1"],
        ),
        (
            "environment.yml",
            "dependencies:\n  - python=3.11\n  - a=1.0\n",
            "channels:\n  - other\ndependencies:\n  - python=3.12\n  - a=2.0\n  - pip:\n    - evil==1\n",
            vec!["major a @5", "added evil @7", "source channel other @2"],
        ),
        (
            "gradle/libs.versions.toml",
            "[versions]\nj = \"2.15\"\nk = \"1\"\n[libraries]\na = { module = \"g:a\", version.ref = \"j\" }\n",
            "[versions]\nj = \"3.0\"\nk = \"1\"\n[libraries]\na = { module = \"g:a\", version.ref = \"j\" }\nevil = \"g:evil:1.0\"\n",
            vec!["major g:a @5", "added g:evil @6"],
        ),
        (
            "build.gradle",
            "dependencies {\n  implementation 'g:a:1.0'\n}\n",
            "repositories { maven { url 'https://h/m' } }\ndependencies {\n  implementation 'g:a:1.1'\n  api group: 'g', name: 'evil', version: '1'\n}\n",
            vec!["source repository https://h/m @1", "other g:a @3", "added g:evil @4"],
        ),
        (
            "build.gradle.kts",
            "plugins { }\n",
            "plugins {\n  id(\"x.y\") version \"1.0\"\n}\ndependencies { implementation(\"g:evil:1\") }\n",
            vec!["added plugin x.y @2", "added g:evil @4"],
        ),
        (
            "vcpkg.json",
            "{\"dependencies\":[\"fmt\"]}",
            "{\"dependencies\":[\"fmt\",{\"name\":\"evil\"}]}",
            vec!["added evil @1"],
        ),
        (
            "conanfile.txt",
            "[requires]\nfmt/10.0\n",
            "[requires]\nfmt/11.0\nevil/1.0\n",
            vec!["major fmt @2", "added evil @3"],
        ),
        (
            "conanfile.py",
            "class C:\n    requires = \"fmt/10\"\n",
            "class C:\n    requires = \"fmt/10\", \"evil/1\"\n",
            vec!["added evil @2"],
        ),
        (
            "Podfile",
            "pod 'A'\n",
            "pod 'A'\npod 'Evil', :git => 'https://h/x'\n",
            vec!["added Evil @2", "source Evil @2"],
        ),
        (
            "pubspec.yaml",
            "name: x\ndependencies:\n  http: ^1.0.0\n  flutter:\n    sdk: flutter\n",
            "name: x\ndependencies:\n  http: ^2.0.0\n  flutter:\n    sdk: flutter\n  evil:\n    git:\n      url: https://h/x\n",
            vec!["major http @3", "added evil @8", "source evil @8"],
        ),
        (
            "import_map.json",
            "{\"imports\":{}}",
            "{\n\"imports\":{\n\"x\":\"https://h/x.js\"}}",
            vec!["added x @3", "source x @3"],
        ),
        (
            "deno.jsonc",
            "{\n  /* note */\n  \"imports\": {\"a\":\"jsr:@s/a@1\"} // x\n}",
            "{\n  /* note */\n  \"imports\": {\"a\":\"jsr:@s/a@2\",}, // x\n}",
            vec!["major a @3"],
        ),
        (
            "mix.exs",
            "defp deps do\n  [{:a, \"~> 1.0\"}]\nend\n",
            "defp deps do\n  [\n    {:a, \"~> 2.0\"},\n    {:evil, git: \"https://h/x\"}\n  ]\nend\n",
            vec!["major a @3", "added evil @4", "source evil @4"],
        ),
        (
            "Package.swift",
            "dependencies: []\n",
            "dependencies: [\n  .package(url: \"https://h/x\", from: \"1.0.0\"),\n]\n",
            vec!["added https://h/x @2"],
        ),
        (
            "Pipfile",
            "[packages]\na = \"*\"\n",
            "[packages]\na = \"*\"\nevil = {git = \"https://h/x\"}\n",
            vec!["added evil @3", "source evil @3"],
        ),
        (
            "pnpm-workspace.yaml",
            "catalog:\n  a: ^1.0.0\n",
            "catalog:\n  a: ^2.0.0\ncatalogs:\n  x:\n    evil: ^1.0.0\n",
            vec!["major a @2", "added evil @5"],
        ),
        (
            "Cartfile",
            "github \"a/b\" ~> 1.0\n",
            "github \"a/b\" ~> 2.0\ngithub \"e/vil\"\n",
            vec!["major github a/b @1", "added github e/vil @2"],
        ),
        (
            "Gemfile",
            "gem \"a\"\n",
            "gem \"a\"\ngroup(:x) { gem \"evil\" }\nplugin \"p\"\n%w[q].each { |n| gem n }\n",
            vec!["added evil @2", "added plugin p @3", "added %w[q].each { |n| gem n } @4"],
        ),
        (
            "Gemfile",
            "gem \"a\",\n  \"~> 1.0\" # why\n",
            "gem \"a\",\n  \"~> 2.0\",\n  git: \"https://h/a\"\n",
            vec!["source a @1"],
        ),
    ] {
        let mut found = told(path, before, after);
        let mut expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{path}: {after}");
    }
}

/// What changes the meaning of a manifest beside its list of names.
#[test]
fn sources_hashes_features_and_entry_points_show() {
    for (path, before, after, expected) in [
        (
            "requirements.txt",
            "a==1\n",
            "--extra-index-url\thttps://h/\na==1\n",
            vec!["source --extra-index-url https://h/ @1"],
        ),
        (
            "requirements.txt",
            "a==1\n",
            "--extra-index https://h/\na==1\n",
            vec!["source --extra-index-url https://h/ @1"],
        ),
        (
            "requirements.txt",
            "a==1\n",
            "-ihttps://h/\na==1\n",
            vec!["source --index-url https://h/ @1"],
        ),
        ("requirements.txt", "a==1\n", "--new-option x\na==1\n", vec!["source --new-option x @1"]),
        (
            "requirements.txt",
            "--index-url https://h/\na==1\n",
            "a==1\n",
            vec!["source --index-url https://h/ @1"],
        ),
        (
            "requirements.txt",
            "a==1 --hash=sha256:aa\n",
            "a==1 --hash=sha256:bb\n",
            vec!["other a @1"],
        ),
        (
            "requirements.txt",
            "--require-hashes\na==1 --hash=sha256:aa\n",
            "a==1\n",
            vec!["source --require-hashes on @1", "source a @1"],
        ),
        (
            "requirements.txt",
            "a==1\n",
            "a[x]==1\nhttps://u@h/b.whl\n",
            vec!["other a @1", "added https://u@h/b.whl @2", "source https://u@h/b.whl @2"],
        ),
        ("requirements.txt", "a==1\n", "a==1\n${P}==1.0\n", vec!["added ${P}==1.0 @2"]),
        ("requirements.txt", "a==1\n", "a==1\nfoo bar baz\n", vec!["unreadable"]),
        ("requirements.txt", "a==1\nb\n", "}}}{{{\n", vec!["unreadable"]),
        ("requirements.txt", "<html>\n", "<html>\nb\n", vec!["unknown"]),
        (
            "pyproject.toml",
            "[tool.poetry.build]\nscript = \"a.py\"\n[tool.setuptools.cmdclass]\nx = \"a.B\"\n",
            "[tool.poetry.build]\nscript = \"e.py\"\n[tool.setuptools.cmdclass]\nx = \"e.B\"\n",
            vec!["script poetry build script @2", "script setuptools command x @4"],
        ),
        (
            "pyproject.toml",
            "[tool.poetry]\nbuild = \"a.py\"\n[tool.pdm.build]\ncustom-hook = \"a.py\"\nincludes = [\"a\"]\n",
            "[tool.poetry]\nbuild = \"e.py\"\n[tool.pdm.build]\ncustom-hook = \"e.py\"\nincludes = [\"b\"]\n",
            vec!["script poetry build @2", "script pdm build custom-hook @4"],
        ),
        (
            "pyproject.toml",
            "[build-system]\nbackend-path = [\"a\"]\n",
            "[build-system]\nbackend-path = [\"b\"]\n",
            vec!["script backend-path @2"],
        ),
        (
            "pyproject.toml",
            "[project]\ndependencies = [\"a\"]\n",
            "[project]\ndependencies = [\"a\", \"{{ x }}\"]\n",
            vec!["added {{ x }} @2"],
        ),
        (
            "App.csproj",
            "<Project Sdk=\"Microsoft.NET.Sdk\">\n</Project>",
            "<Project Sdk=\"Microsoft.NET.Sdk;Evil.Sdk/1.0\">\n<Sdk Name=\"E\" Version=\"1\"/>\n<ItemGroup>\n<packagereference include=\"A\"/>\n<Analyzer Include=\"e.dll\"/>\n<PackageDownload Include=\"D\"/>\n<DotNetCliToolReference Include=\"T\"/></ItemGroup></Project>",
            vec![
                "added Sdk Evil.Sdk @1",
                "added Sdk E @2",
                "added A @4",
                "added e.dll @5",
                "added D @6",
                "added T @7",
            ],
        ),
        (
            "App.csproj",
            "<Project Sdk=\"Microsoft.NET.Sdk.Web\">\n<Target Name=\"T\">\n<Message Text=\"a\"/>\n<Delete Files=\"a\"/></Target></Project>",
            "<Project Sdk=\"Microsoft.NET.Sdk\">\n<Target Name=\"T\">\n<Message Text=\"b\"/>\n<Delete Files=\"b\"/></Target>\n<UsingTask TaskName=\"X\"/></Project>",
            vec![
                "script Delete <Delete Files=\"b\"/> @4",
                "script UsingTask <UsingTask TaskName=\"X\"/> @5",
            ],
        ),
        (
            "Gemfile",
            "source 'https://rubygems.org'\ngem 'a'\ngroup :test do\n  gem 'b'\nend\n",
            "gemspec\ngit 'https://e' do\n  gem 'a', require: 'the end x'\n  gem 'c'\nend\ngroup :test do\n  gem 'b'\nend\n",
            vec!["added gemspec @1", "source a @3", "added c @4", "source c @4"],
        ),
        (
            "package.json",
            "{}",
            "{\"trustedDependencies\":[\"a\"]}",
            vec!["script trustedDependencies @1"],
        ),
        (
            "composer.json",
            "{\"config\":{\"allow-plugins\":{\"a/b\":true}}}",
            "{\"config\":{\"allow-plugins\":true}}",
            vec!["script allow-plugins @1"],
        ),
        (
            "pyproject.toml",
            "[project]\nname = \"a\"\n",
            "[project]\nname = \"a\"\n[tool.uv]\noverride-dependencies = [\"evil==1\"]\nindex-url = \"https://h\"\n",
            vec!["added evil @4", "source index-url https://h @5"],
        ),
        (
            "pyproject.toml",
            "[tool.hatch.envs.default]\ndependencies = [\"a\"]\n",
            "[tool.hatch.envs.default]\ndependencies = [\"a\", \"evil\"]\n",
            vec!["added evil @2"],
        ),
        (
            "pyproject.toml",
            "[project.scripts]\nx = \"a:main\"\n",
            "[project.scripts]\n",
            vec!["entry gone program x @2"],
        ),
        (
            "Cargo.toml",
            "[package]\nname = \"a\"\n",
            "[package]\nname = \"a\"\n[lib]\npath = \"o/e.rs\"\nproc-macro = true\n",
            vec!["entry library @4", "script proc-macro @5"],
        ),
        (
            "Cargo.toml",
            "[dependencies]\na = \"1\"\n",
            "[dependencies]\na = { version = \"1\", features = [\"x\"] }\n",
            vec!["other a @2"],
        ),
        (
            "go.mod",
            "module m\n",
            "module n\ntool h/x\ntoolchain go1.24.1\n",
            vec!["entry module @1", "added tool h/x @2", "added toolchain @3"],
        ),
        (
            "go.mod",
            "module m\nrequire x.y/z v1.0.0\nreplace x.y/z => ../z\n",
            "module m\nrequire x.y/z v1.0.0\n",
            vec!["source x.y/z @3"],
        ),
        (
            "pom.xml",
            "<project><properties><l.version>2.17.1</l.version></properties></project>",
            "<project><properties><l.version>1.14.0</l.version></properties></project>",
            vec!["major property l.version @1"],
        ),
        (
            "package.json",
            "{\"main\":\"index.js\",\"exports\":{\".\":\"./a.js\",\"./x\":\"./x.js\"},\"bin\":\"./b.js\"}",
            "{\"main\":\"evil.js\",\"exports\":{\".\":\"./b.js\"},\"bin\":\"./c.js\"}",
            vec![
                "entry main @1",
                "entry exports . @1",
                "entry gone exports ./x @1",
                "entry bin @1",
            ],
        ),
        ("package.json", "{}", "{\"main\": \"evil.js\"}", vec!["entry main @1"]),
        (
            "package.json",
            "{\"scripts\":{\"prepare\":\"x\"}}",
            "{\"scripts\":{}}",
            vec!["script prepare @1"],
        ),
    ] {
        let mut found = told(path, before, after);
        let mut expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{path}: {after}");
    }
}

#[test]
fn what_was_so_before_is_no_news() {
    for (path, before, after, expected) in [
        ("package.json", "\u{feff}{\"name\":\"a\"}", "\u{feff}{\"name\":\"b\"}", vec![]),
        ("package.json", "{,}", "{,,}", vec!["unknown"]),
        (
            "a.csproj",
            "<P><T><Exec Command=\"x\"/></T></P>",
            "<P><G/><T><Exec Command=\"x\"/></T></P>",
            vec![],
        ),
        (
            "a.csproj",
            "<P><T><Exec Command=\"x\"/></T></P>",
            "<P><T><Exec Command=\"y\"/></T></P>",
            vec!["script Exec y @1"],
        ),
        (
            "package.json",
            "{\n\"scripts\": {\n\"p\": \"p .\"\n},\n\"devDependencies\": {\n\"p\": \"^2.0.0\"\n}\n}",
            "{\n\"scripts\": {\n\"p\": \"p .\"\n},\n\"devDependencies\": {\n\"p\": \"^3.0.0\"\n}\n}",
            vec!["major p @6"],
        ),
        ("requirements/notes.txt", "About us\n", "About us all, in words\n", vec!["unknown"]),
        ("Gemfile", "gem 'a', '~> 1'\n", "# x\ngem \"a\", \"~> 1\"\ngroup :test do\nend\n", vec![]),
        (
            "pubspec.yaml",
            "dependencies:\n  a: ^1\n",
            "# x\ndependencies:\n  a: \"^1\"  # y\n",
            vec![],
        ),
        (
            "pom.xml",
            "<project><properties><v>1</v></properties></project>",
            "<project><properties><v>2</v></properties></project>",
            vec![],
        ),
        ("requirements.txt", "Django==4.2\n", "django == 4.2\n", vec![]),
    ] {
        assert_eq!(told(path, before, after), expected, "{path}: {after}");
    }
}

/// The kinds found in a lock file, with their lines.
fn locked(path: &str, before: Option<&str>, after: &str) -> Vec<String> {
    let step = StepInput {
        step: "step_1",
        path: RelPath::parse(path).unwrap(),
        before: before.map(str::as_bytes),
        after: Some(after.as_bytes()),
        moved: false,
    };
    let report = inspect(&Request { steps: vec![step], ..Request::default() });
    let found = report.facts.into_iter().filter(|fact| fact.line.is_some());
    found.map(|fact| format!("{} @{}", fact.kind.name(), fact.line.unwrap_or(0))).collect()
}

#[test]
fn lock_files_hide_nothing() {
    let entry = |name: &str, host: &str| {
        format!(
            "\"{name}\": {{\n\"resolved\": \"https://{host}/{name}.tgz\",\n\"integrity\": \"sha512-aZ3kQ9xW7mB2aZ3kQ9xW7mB2aZ3kQ9xW7mB2==\"\n}},\n"
        )
    };
    let usual: String = (0..9).map(|n| entry(&format!("p{n}"), "r.example")).collect();
    let with = |more: &str| format!("{usual}{more}");
    let path = "package-lock.json";
    for (before, after, expected) in [
        (Some(usual.as_str()), with(&entry("jsonwebtoken", "r.example")), vec![]),
        (Some(&usual), with(&entry("evil", "evil.example")), vec!["dependency_source @38"]),
        (None, with(&entry("evil", "evil.example")), vec!["dependency_source @38"]),
        (None, usual.clone(), vec![]),
        (Some(&usual), with("\"a\": \"x\u{202e}\"\n"), vec!["hidden_character @37"]),
        (
            Some(&usual),
            with("\"resolved\": \"https://user:Sup3rS3cret9@r.example/x.tgz\"\n"),
            vec!["secret_added @37"],
        ),
        (Some(&usual), with("\"token-type\": \"^1.2.3-beta.12\"\n"), vec![]),
        // What was there before is not new.
        (Some("\"a\": \"x\u{202e}\"\n"), "\"b\": 1\n\"a\": \"x\u{202e}\"\n".to_owned(), vec![]),
    ] {
        assert_eq!(locked(path, before, &after), expected, "{after}");
    }
    let cargo = |host: &str| format!("[[package]]\nsource = \"registry+https://{host}/i\"\n");
    let (before, after) = (cargo("r.example"), cargo("r.example") + &cargo("evil.example"));
    assert_eq!(locked("Cargo.lock", Some(&before), &after), ["dependency_source @4"]);
    assert_eq!(locked("Cargo.lock", Some(&before), &before), Vec::<String>::new());
}
