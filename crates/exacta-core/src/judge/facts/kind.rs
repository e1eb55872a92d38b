//! The kinds of facts and the data each carries.
//!
//! Names are stable: evidence, schemas and `docs/concepts/facts.md` use them, and a
//! test keeps that page in step with this list.

use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::effects::{DataChange, GuardLoss, Reach, Sink};
use super::vocabulary::{
    Area, Danger, Ecosystem, FileRole, HiddenClass, Language, Placeholder, Proof, Reason, Secret,
    TestLoss, VersionStep, Whence,
};
use crate::model::path::AutoRun;

macro_rules! kinds {
    ($($variant:ident = $name:literal, $summary:literal { $($(#[doc = $doc:literal])* $field:ident: $type:ty,)* })*) => {
        /// What is so.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "fact", deny_unknown_fields)]
        pub enum FactKind {
            $(
                #[doc = $summary]
                #[serde(rename = $name)]
                $variant { $($(#[doc = $doc])* $field: $type,)* },
            )*
        }

        impl FactKind {
            /// Name and meaning of every kind, in the order of the reference.
            pub const ALL: &'static [(&'static str, &'static str)] = &[$(($name, $summary),)*];

            /// The stable name.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $name,)* }
            }

            /// One line that says what the kind means.
            #[must_use]
            pub const fn summary(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $summary,)* }
            }
        }
    };
}

kinds! {
    DependencyAdded = "dependency_added", "a manifest names a dependency that it did not name before" {
        /// The family of the manifest.
        ecosystem: Ecosystem,
        /// The package.
        name: String,
        /// What is required of it.
        to: String,
    }
    DependencyRemoved = "dependency_removed", "a manifest no longer names a dependency" {
        /// The family of the manifest.
        ecosystem: Ecosystem,
        /// The package.
        name: String,
        /// What was required of it.
        from: String,
    }
    DependencyVersion = "dependency_version", "another version of a dependency is required" {
        /// The family of the manifest.
        ecosystem: Ecosystem,
        /// The package.
        name: String,
        /// What was required.
        from: String,
        /// What is required now.
        to: String,
        /// How far that is.
        step: VersionStep,
    }
    DependencySource = "dependency_source", "a dependency comes from another place (git, address, path, registry)" {
        /// The family of the manifest.
        ecosystem: Ecosystem,
        /// The package, or what the source serves.
        name: String,
        /// Where it came from; empty for the usual registry or a new entry.
        from: String,
        /// Where it comes from now; empty for the usual registry.
        to: String,
    }
    BuildScript = "build_script", "a manifest runs another command at install or build time" {
        /// The family of the manifest.
        ecosystem: Ecosystem,
        /// The script's name.
        name: String,
        /// The command before; empty when it is new.
        from: String,
        /// The command now; empty when it is gone.
        to: String,
    }
    ManifestChanged = "manifest_changed", "a dependency manifest was changed, created or deleted" {
        /// The family of the manifest.
        ecosystem: Ecosystem,
    }
    ManifestUnreadable = "manifest_unreadable", "a dependency manifest can no longer be read" {
        /// The family of the manifest.
        ecosystem: Ecosystem,
        /// What the reader stumbled over.
        reason: String,
    }
    LockFileChanged = "lock_file_changed", "a lock file was changed, created or deleted" {
        /// The family of the lock file.
        ecosystem: Ecosystem,
    }
    VendoredCode = "vendored_code", "code of others was put into, changed in or taken from the project" {
        /// The folder or ending that tells.
        sign: String,
        /// Whether the file is new.
        created: bool,
    }
    UrlImport = "url_import", "code is loaded from an address" {
        /// The address.
        url: String,
    }
    Submodule = "submodule", "a git submodule was added or points elsewhere" {
        /// The submodule's name.
        name: String,
        /// Its address or branch; empty when it is gone.
        url: String,
    }
    PublicRemoved = "public_removed", "a public item is gone or has another name" {
        /// The language.
        language: Language,
        /// What it was: function, type, field and so on.
        item: String,
        /// Its name.
        name: String,
        /// The new name, when an item of the same shape took its place.
        renamed_to: Option<String>,
    }
    PublicSignature = "public_signature", "a public item has another signature" {
        /// The language.
        language: Language,
        /// What it is.
        item: String,
        /// Its name.
        name: String,
        /// The signature before.
        from: String,
        /// The signature now.
        to: String,
        /// Whether every use of the old form still fits, as with a new optional parameter.
        compatible: bool,
    }
    SourceUnreadable = "source_unreadable", "the source does not parse, although it did before or is new" {
        /// The language.
        language: Language,
        /// Whether the file is new.
        created: bool,
    }
    Complexity = "complexity", "the cyclomatic complexity of a changed function" {
        /// The language.
        language: Language,
        /// The function.
        function: String,
        /// Before; `None` for a new function.
        before: Option<u32>,
        /// Now.
        after: u32,
    }
    SecurityCode = "security_code", "code about authentication, sessions, permissions, cryptography or secrets was changed" {
        /// Which of them.
        area: Area,
        /// What gave it away.
        whence: Whence,
        /// The word that did.
        word: String,
    }
    SecretAdded = "secret_added", "something that looks like a secret was added" {
        /// What it looks like.
        secret: Secret,
        /// The format or the name it was assigned to; never the secret.
        label: String,
    }
    CertificateChecksOff = "certificate_checks_off", "the check of certificates or host names is switched off" {
        /// The switch.
        switch: String,
    }
    RunsByItself = "runs_by_itself", "the file runs without being asked for, or steers an agent" {
        /// Why.
        why: AutoRun,
        /// The program that runs or obeys it.
        program: String,
    }
    DangerousPattern = "dangerous_pattern", "a pattern that can destroy or take over was added" {
        /// Which.
        danger: Danger,
        /// The text that matched.
        text: String,
    }
    TestsLost = "tests_lost", "tests were deleted or no longer run" {
        /// How.
        loss: TestLoss,
        /// The test, where it has a name.
        name: String,
        /// How many.
        count: u32,
    }
    TestsTouched = "tests_touched", "tests that stand in the same file as the code they are for were added or changed" {}
    GuardLoosened = "guard_loosened", "code that refused, checked or decided does so no longer, or otherwise" {
        /// How.
        loss: GuardLoss,
        /// The function; empty outside of functions.
        function: String,
        /// What it was about.
        text: String,
    }
    Reaches = "reaches", "code newly reaches out of itself in a way that can do harm" {
        /// How.
        reach: Reach,
        /// The name through which it does.
        name: String,
    }
    NewReach = "new_reach", "code newly uses a name that neither the project nor the language is known for" {
        /// The name.
        name: String,
    }
    TextBuilt = "text_built", "a value is newly put into the text of a query, command, path, page or address" {
        /// What the text is for.
        sink: Sink,
        /// The values.
        text: String,
    }
    StoredData = "stored_data", "the form of stored data, or who may use it, is changed" {
        /// What changes.
        change: DataChange,
        /// The text that matched.
        text: String,
    }
    TrustWeakened = "trust_weakened", "a setting that protects is switched off or widened" {
        /// The setting.
        setting: String,
    }
    ObeyedSettings = "obeyed_settings", "settings that a server, proxy, container or database obeys were changed" {
        /// The program that obeys them.
        program: String,
    }
    Gutted = "gutted", "most of a function or file was replaced or emptied" {
        /// The function; empty for the file.
        name: String,
        /// Lines removed.
        removed: u32,
        /// Lines before.
        total: u32,
    }
    StillNamed = "still_named", "a file is deleted or moved that others still name" {
        /// A file that names it.
        by: String,
    }
    OpaqueCode = "opaque_code", "code that nobody can read was put in or changed: minified, packed or binary" {
        /// What tells.
        sign: String,
    }
    ResemblesPackage = "resembles_package", "a new dependency has nearly the name of a well-known one" {
        /// The package.
        name: String,
        /// The well-known one.
        resembles: String,
    }
    LargeRemoval = "large_removal", "more than half of a long file, or nearly all of a shorter one, was removed" {
        /// Lines removed.
        removed: u32,
        /// Lines before.
        total: u32,
    }
    PlaceholderAdded = "placeholder_added", "content that stands for content to come was added" {
        /// Which.
        placeholder: Placeholder,
        /// The text that matched.
        text: String,
    }
    TodoNote = "todo_note", "a note about later work was added beside finished code" {
        /// The text that matched.
        text: String,
    }
    ExampleValue = "example_value", "a value that is meant to be replaced was added" {
        /// The text that matched.
        text: String,
    }
    HiddenCharacter = "hidden_character", "an added line holds a character that does not show or reorders others" {
        /// Its code point, such as `U+202E`.
        code_point: String,
        /// What it does.
        class: HiddenClass,
    }
    LookAlikeIdentifier = "look_alike_identifier", "an added line holds a name that looks like another" {
        /// The name, with foreign letters shown by their code points.
        identifier: String,
        /// What it looks like.
        resembles: String,
    }
    LookAlikePath = "look_alike_path", "the file's name looks like another name" {
        /// What it looks like.
        resembles: String,
    }
    MissingReference = "missing_reference", "an added line refers to a file that neither exists nor is made" {
        /// The reference as written.
        reference: String,
        /// Where it may lead, without endings; below the project.
        at: Vec<String>,
    }
    HasRole = "file_role", "what the file is for, as far as its path tells" {
        /// The role.
        role: FileRole,
    }
    Proven = "proven", "what is proven of the change" {
        /// What is proven.
        proof: Proof,
        /// How many lines are added and removed.
        lines: u32,
    }
    NotAnalysed = "not_analysed", "something could not be analysed" {
        /// Why.
        reason: Reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_row_in_the_concepts_page() {
        let page = include_str!("../../../../../docs/concepts/facts.md");
        for (name, summary) in FactKind::ALL {
            let row = format!("| `{name}` | {summary} |");
            assert!(page.lines().any(|line| line.starts_with(&row)), "missing: {row}");
        }
        let rows = page.lines().filter(|line| line.starts_with("| `")).count();
        assert_eq!(rows, FactKind::ALL.len());
    }
}
