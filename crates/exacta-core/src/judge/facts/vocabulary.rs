//! The closed lists that facts draw their words from.

use core::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[doc = $doc:literal] $name:ident { $(#[doc = $note:literal] $variant:ident = $text:literal,)* })*) => {$(
        #[doc = $doc]
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        pub enum $name {
            $(#[doc = $note] #[serde(rename = $text)] $variant,)*
        }

        impl $name {
            /// Every value, in the order of the reference.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The written form.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )*};
}

pub(super) use words;

words! {
    /// A family of package manifests.
    Ecosystem {
        /// `Cargo.toml`, `Cargo.lock`
        Cargo = "cargo",
        /// `package.json`, import maps and the lock files of npm, yarn, pnpm, bun and deno
        Npm = "npm",
        /// `pyproject.toml`, `setup.cfg`, lists of requirements, environments of conda and the lock files of Python tools
        Python = "python",
        /// `go.mod`, `go.sum`
        Go = "go",
        /// `pom.xml`, `build.gradle`, version catalogs and other builds for the Java machine
        Maven = "maven",
        /// `Gemfile`, `Gemfile.lock`
        Ruby = "ruby",
        /// `composer.json`, `composer.lock`
        Composer = "composer",
        /// `*.csproj`, `packages.lock.json`
        Nuget = "nuget",
        /// `vcpkg.json`, `conanfile.txt`
        Cpp = "cpp",
        /// `Package.swift`, `Podfile`, `Cartfile`
        Swift = "swift",
        /// `pubspec.yaml`
        Dart = "dart",
        /// `mix.exs`, `rebar.config`
        Elixir = "elixir",
        /// Any other
        Other = "other",
    }
    /// A language whose syntax is read.
    Language {
        /// Rust
        Rust = "rust",
        /// Python
        Python = "python",
        /// JavaScript, with or without JSX
        JavaScript = "javascript",
        /// TypeScript, with or without JSX
        TypeScript = "typescript",
        /// Go
        Go = "go",
        /// Java
        Java = "java",
        /// C
        C = "c",
        /// C++
        Cpp = "cpp",
    }
    /// How far a required version moved.
    VersionStep {
        /// The part that may break users changed, or the bound was dropped.
        Major = "major",
        /// Any other difference of the requirement.
        Other = "other",
    }
    /// What kind of security code was changed.
    Area {
        /// Who someone is: login, passwords, identity tokens.
        Authentication = "authentication",
        /// How long that stays known: session cookies, request forgery.
        Session = "session",
        /// What someone may do: roles, permissions, ownership.
        Permission = "permission",
        /// Ciphers, signatures, certificates, random keys.
        Crypto = "crypto",
        /// How secrets are kept and handed on.
        Secrets = "secrets",
    }
    /// Where a finding was seen.
    Whence {
        /// In the name of the file or a folder above it.
        Path = "path",
        /// In a changed line.
        Code = "code",
        /// In many lines of the changed file.
        File = "file",
        /// In what the project's manifest says of the project.
        Project = "project",
    }
    /// What looks like a secret.
    Secret {
        /// A key in the format of a known service.
        ServiceKey = "service_key",
        /// A private key in PEM form.
        PrivateKey = "private_key",
        /// A signed token that carries claims.
        Token = "token",
        /// A password inside an address.
        UrlPassword = "url_password",
        /// A value that is hard to guess, assigned to a name that says secret.
        Assignment = "assignment",
    }
    /// A pattern that can destroy or take over.
    Danger {
        /// Deletes a folder with everything in it.
        RecursiveDelete = "recursive_delete",
        /// Runs text that was not known when the program was written.
        Eval = "eval",
        /// Passes text that was not known to a shell.
        Shell = "shell",
        /// Fetches a program and runs it at once.
        FetchAndRun = "fetch_and_run",
        /// Builds objects out of untrusted bytes.
        Deserialise = "deserialise",
        /// Drops tables, or deletes or overwrites every row.
        SqlDrop = "sql_drop",
        /// Puts text that was not known into a query.
        SqlText = "sql_text",
        /// Switches a safety check off.
        DisabledCheck = "disabled_check",
        /// Lets everyone on the machine write.
        WorldWritable = "world_writable",
        /// Wipes disks or rewrites published history.
        Destructive = "destructive",
    }
    /// How tests were lost.
    TestLoss {
        /// The test file was deleted.
        FileDeleted = "file_deleted",
        /// There are fewer tests in the file.
        CasesRemoved = "cases_removed",
        /// A test that ran is now skipped.
        Disabled = "disabled",
        /// Tests assert less than they did.
        AssertionsFewer = "assertions_fewer",
    }
    /// Content that stands for content to come.
    Placeholder {
        /// A note to implement something.
        Todo = "todo",
        /// "The rest is unchanged" in place of the rest.
        Elision = "elision",
        /// A body that only says that it does nothing yet.
        Unimplemented = "unimplemented",
        /// Filler text.
        Filler = "filler",
    }
    /// What a hidden character does.
    HiddenClass {
        /// Changes the order in which text is shown.
        Bidi = "bidi",
        /// Shows nothing.
        Invisible = "invisible",
        /// Steers a terminal or a parser.
        Control = "control",
    }
    /// What a file is for, as far as its path tells.
    FileRole {
        /// Program text.
        Source = "source",
        /// A test.
        Test = "test",
        /// Prose.
        Documentation = "documentation",
        /// Written by a tool, not by people.
        Generated = "generated",
        /// Somebody else's code, kept here.
        Vendored = "vendored",
        /// Built or cached; not part of the project's record.
        Ignored = "ignored",
    }
    /// What was proven of a change, the most harmless first.
    Proof {
        /// Not a byte differs.
        Same = "same",
        /// Comments and layout differ, nothing else.
        Layout = "layout",
        /// Names of locals differ as well.
        Locals = "locals",
        /// A data file with the same values in the same order.
        Values = "values",
        /// A document that nothing runs or includes.
        Document = "document",
        /// Tests were added or changed, and none was lost.
        Tests = "tests",
        /// Functions or types were added that nothing existing uses.
        Items = "items",
        /// A document that says something new which somebody may follow.
        Followed = "followed",
        /// It was read, and nothing was proven.
        Read = "read",
        /// No reader understands this kind of file.
        Unread = "unread",
    }
    /// Why something could not be analysed.
    Reason {
        /// More bytes than are read.
        TooLarge = "too_large",
        /// The parser used up its steps.
        ParserBudget = "parser_budget",
        /// More findings in one file than are kept.
        TooManyFacts = "too_many_facts",
        /// The text is not UTF-8.
        NotText = "not_text",
        /// A manifest that could not be read before either.
        DoesNotParse = "does_not_parse",
        /// The child that reads files died or did not answer.
        ChildDied = "child_died",
    }
}
