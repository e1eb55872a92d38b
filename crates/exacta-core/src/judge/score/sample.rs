//! Subjects for tests, built step by step.

use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::HashMap;
use std::{env, fs, path::Path};

use super::quality::{self, Quality};
use super::risk::{self, Risk};
use super::{Assessment, Basis, Subject, assess};
use crate::judge::facts::{Fact, FactKind, Proof};
use crate::model::change::{Change, FileMode};
use crate::model::digest::{Blob, Digest};
use crate::model::path::RelPath;
use crate::model::plan::{Action, Content, Draft, FileAction, Payload, Step, ToolCall};
use crate::read::parse::json;

/// A subject that owns its parts.
#[derive(Clone)]
pub(crate) struct Sample {
    pub(crate) draft: Draft,
    pub(crate) changes: Vec<Change>,
    pub(crate) images: HashMap<Digest, Blob>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) whole: Vec<Fact>,
    pub(crate) intent: Option<String>,
    pub(crate) changed_lines: u32,
    pub(crate) has_tests: bool,
}

impl Sample {
    pub(crate) fn new() -> Self {
        Self {
            draft: Draft::empty(),
            changes: Vec::new(),
            images: HashMap::new(),
            facts: Vec::new(),
            whole: Vec::new(),
            intent: None,
            changed_lines: 0,
            has_tests: false,
        }
    }

    pub(crate) fn subject(&self) -> Subject<'_> {
        Subject {
            draft: &self.draft,
            changes: &self.changes,
            images: &self.images,
            facts: &self.facts,
            whole: &self.whole,
            intent: self.intent.as_deref(),
            changed_lines: self.changed_lines,
            has_tests: self.has_tests,
        }
    }

    pub(crate) fn assess(&self) -> Assessment {
        assess(&self.subject())
    }

    pub(crate) fn risk(&self) -> Risk {
        risk::of(&Basis::of(&self.subject()))
    }

    pub(crate) fn quality(&self) -> Quality {
        quality::of(&Basis::of(&self.subject()))
    }

    pub(crate) fn factor(&self, name: &str) -> u32 {
        self.risk().factors.iter().find(|factor| factor.name == name).unwrap().score
    }

    pub(crate) fn modify(&mut self, path: &str) {
        self.rewrite(path, "old text\n", "new text\n");
    }

    pub(crate) fn create(&mut self, path: &str, content: &str) {
        self.file(path, None, Some(content.as_bytes()));
    }

    pub(crate) fn delete(&mut self, path: &str) {
        self.file(path, Some(b"old text\n"), None);
    }

    pub(crate) fn rewrite(&mut self, path: &str, before: &str, after: &str) {
        self.file(path, Some(before.as_bytes()), Some(after.as_bytes()));
    }

    pub(crate) fn file(&mut self, path: &str, before: Option<&[u8]>, after: Option<&[u8]>) {
        let [before, after] = [before, after].map(|bytes| bytes.map(|b| Blob::new(b.to_vec())));
        self.blobs(path, before, after);
    }

    pub(crate) fn blobs(&mut self, path: &str, before: Option<Blob>, after: Option<Blob>) {
        let payload = match (&before, &after) {
            (None, Some(after)) => Payload::Create(Content::Text(after.clone())),
            (_, None) => Payload::Delete,
            (Some(_), Some(after)) => Payload::Replace(Content::Text(after.clone())),
        };
        let file = FileAction { target: path.into(), payload, mode: None };
        let step = self.step(Action::File(file), format!("Change {path} as asked"));
        let mode = |image: &Option<Blob>| image.as_ref().map(|_| FileMode::REGULAR);
        self.changes.push(Change {
            path: RelPath::parse(path).unwrap(),
            before: before.as_ref().map(Blob::digest),
            after: after.as_ref().map(Blob::digest),
            mode_before: mode(&before),
            mode_after: mode(&after),
            step,
            renamed_from: None,
        });
        // A change of which nothing else is known adds something that nothing uses: it has no
        // floor of its own, and what its place says still counts.
        if after.is_some() {
            self.fact(FactKind::Proven { proof: Proof::Items, lines: 1 });
        }
        for blob in before.into_iter().chain(after) {
            self.images.entry(blob.digest()).or_insert(blob);
        }
    }

    pub(crate) fn tool(&mut self, name: &str, args: &str) {
        let args = json::read(args).unwrap();
        let call = ToolCall { name: name.into(), args };
        self.step(Action::Tool(call), format!("Call {name} as asked"));
    }

    fn step(&mut self, action: Action, title: String) -> String {
        let step_id = format!("step_{}", self.draft.steps.len() + 1);
        self.draft.steps.push(Step {
            step_id: step_id.clone(),
            title: Some(title),
            description: None,
            order: None,
            dependencies: None,
            requires_approval: None,
            risk_tier: None,
            action,
        });
        step_id
    }

    /// A fact about the newest change.
    pub(crate) fn fact(&mut self, kind: FactKind) {
        let change = self.changes.last().unwrap();
        self.facts.push(Fact {
            step: change.step.clone(),
            path: change.path.clone(),
            line: Some(1),
            excerpt: String::new(),
            kind,
        });
    }

    /// One step that renames a file.
    pub(crate) fn rename(&mut self, from: &str, to: &str) {
        self.create(to, "text\n");
        self.renamed_from(from);
        let new = self.changes.pop().unwrap();
        let old = Change {
            path: RelPath::parse(from).unwrap(),
            before: new.after,
            after: None,
            mode_before: new.mode_after,
            mode_after: None,
            step: new.step.clone(),
            renamed_from: None,
        };
        self.changes.extend([old, new]);
    }

    pub(crate) fn renamed_from(&mut self, path: &str) {
        self.changes.last_mut().unwrap().renamed_from = Some(RelPath::parse(path).unwrap());
    }

    pub(crate) fn last_step(&mut self) -> &mut Step {
        self.draft.steps.last_mut().unwrap()
    }

    pub(crate) fn last_change(&mut self) -> &mut Change {
        self.changes.last_mut().unwrap()
    }

    pub(crate) fn forget_changes(&mut self) {
        self.changes.clear();
    }
}

/// Checks the generated part of a concepts page; with `EXACTA_BLESS=1` writes it.
pub(crate) fn check_page(name: &str, part: &str, generated: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/concepts");
    let page = fs::read_to_string(root.join(name)).unwrap();
    let (open, close) = (format!("<!-- generated: {part} -->\n"), format!("<!-- end: {part} -->"));
    let (head, rest) = page.split_once(&open).unwrap();
    let (body, tail) = rest.split_once(&close).unwrap();
    if env::var_os("EXACTA_BLESS").is_some_and(|value| value == "1") {
        fs::write(root.join(name), format!("{head}{open}{generated}{close}{tail}")).unwrap();
    } else {
        assert_eq!(body, generated, "{name} is not current: run with EXACTA_BLESS=1");
    }
}

/// One fact of each kind that scoring reads.
pub(crate) mod kinds {
    use alloc::string::String;

    use crate::judge::facts::*;

    pub(crate) fn dependency_added(ecosystem: Ecosystem) -> FactKind {
        FactKind::DependencyAdded { ecosystem, name: "dep".into(), to: "1".into() }
    }
    pub(crate) fn dependency_removed(ecosystem: Ecosystem) -> FactKind {
        FactKind::DependencyRemoved { ecosystem, name: "dep".into(), from: "1".into() }
    }
    pub(crate) fn dependency_version(ecosystem: Ecosystem, step: VersionStep) -> FactKind {
        let (from, to) = ("1.0".into(), "2.0".into());
        FactKind::DependencyVersion { ecosystem, name: "dep".into(), from, to, step }
    }
    pub(crate) fn dependency_source(ecosystem: Ecosystem) -> FactKind {
        let to = "https://git.example/x".into();
        FactKind::DependencySource { ecosystem, name: "dep".into(), from: String::new(), to }
    }
    pub(crate) fn build_script(ecosystem: Ecosystem) -> FactKind {
        let to = "node x.js".into();
        FactKind::BuildScript { ecosystem, name: "postinstall".into(), from: String::new(), to }
    }
    pub(crate) fn manifest_unreadable(ecosystem: Ecosystem) -> FactKind {
        FactKind::ManifestUnreadable { ecosystem, reason: "line 1".into() }
    }
    pub(crate) fn url_import() -> FactKind {
        FactKind::UrlImport { url: "https://a.example/x.js".into() }
    }
    pub(crate) fn submodule() -> FactKind {
        FactKind::Submodule { name: "sub".into(), url: "https://git.example/x".into() }
    }
    pub(crate) fn public_removed() -> FactKind {
        FactKind::PublicRemoved {
            language: Language::Rust,
            item: "function".into(),
            name: "run".into(),
            renamed_to: None,
        }
    }
    pub(crate) fn public_signature(compatible: bool) -> FactKind {
        FactKind::PublicSignature {
            language: Language::Rust,
            item: "function".into(),
            name: "run".into(),
            from: "()".into(),
            to: "(u8)".into(),
            compatible,
        }
    }
    pub(crate) fn source_unreadable() -> FactKind {
        FactKind::SourceUnreadable { language: Language::Rust, created: false }
    }
    pub(crate) fn complexity(before: Option<u32>, after: u32) -> FactKind {
        FactKind::Complexity { language: Language::Rust, function: "run".into(), before, after }
    }
    pub(crate) fn security_code() -> FactKind {
        let (area, whence) = (Area::Crypto, Whence::Code);
        FactKind::SecurityCode { area, whence, word: "cipher".into() }
    }
    pub(crate) fn secret_added() -> FactKind {
        FactKind::SecretAdded { secret: Secret::Token, label: "token".into() }
    }
    pub(crate) fn certificate_checks_off() -> FactKind {
        FactKind::CertificateChecksOff { switch: "verify=False".into() }
    }
    pub(crate) fn danger() -> FactKind {
        FactKind::DangerousPattern { danger: Danger::RecursiveDelete, text: "rm -rf".into() }
    }
    pub(crate) fn tests_lost() -> FactKind {
        FactKind::TestsLost { loss: TestLoss::Disabled, name: "works".into(), count: 1 }
    }
    pub(crate) fn large_removal() -> FactKind {
        FactKind::LargeRemoval { removed: 90, total: 100 }
    }
    pub(crate) fn placeholder() -> FactKind {
        FactKind::PlaceholderAdded { placeholder: Placeholder::Todo, text: "TODO".into() }
    }
    pub(crate) fn todo_note() -> FactKind {
        FactKind::TodoNote { text: "TODO".into() }
    }
    pub(crate) fn example_value(text: &str) -> FactKind {
        FactKind::ExampleValue { text: text.into() }
    }
    pub(crate) fn missing_reference(reference: &str) -> FactKind {
        FactKind::MissingReference { reference: reference.into(), at: alloc::vec::Vec::new() }
    }
    pub(crate) fn hidden_character() -> FactKind {
        FactKind::HiddenCharacter { code_point: "U+202E".into(), class: HiddenClass::Bidi }
    }
    pub(crate) fn look_alike_identifier() -> FactKind {
        FactKind::LookAlikeIdentifier { identifier: "p<U+0430>y".into(), resembles: "pay".into() }
    }
    pub(crate) fn look_alike_path() -> FactKind {
        FactKind::LookAlikePath { resembles: "pay.rs".into() }
    }
    pub(crate) fn not_analysed() -> FactKind {
        FactKind::NotAnalysed { reason: Reason::ChildDied }
    }
}
