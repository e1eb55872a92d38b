//! Which fact puts a change into which class: the one table.
//!
//! A new kind of fact does not compile without its row here.

use super::model::Class;
use crate::judge::facts::{FactKind, FileRole, Whence};
use crate::model::path::AutoRun;

/// What a fact says about the class of its change. It can only raise it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raise {
    /// Nothing.
    No,
    /// At least this class, whatever was proven.
    Always(Class),
    /// At least this class, unless it is proven that nothing that runs changes: the fact is
    /// about where a change stands, not about what it does.
    Place(Class),
    /// As `Place`, and tests do not count either: the fact is about code that guards
    /// something.
    Product(Class),
    /// As `Product`, and what nothing existing uses does not count either: the fact is about
    /// what stands around the change, and that is as it was.
    Around(Class),
}

/// The row of a fact.
#[must_use]
pub const fn class_of(kind: &FactKind) -> Raise {
    use Class::{Behaviour, Dangerous};
    match kind {
        // What the proof itself says stands with the proofs.
        FactKind::Proven { .. }
        | FactKind::Complexity { .. }
        | FactKind::TestsTouched { .. }
        | FactKind::PlaceholderAdded { .. }
        | FactKind::TodoNote { .. }
        | FactKind::ExampleValue { .. }
        | FactKind::MissingReference { .. } => Raise::No,
        // Dependencies that come from where they always came from.
        FactKind::DependencyAdded { .. }
        | FactKind::DependencyRemoved { .. }
        | FactKind::DependencyVersion { .. }
        | FactKind::PublicSignature { compatible: true, .. }
        | FactKind::NewReach { .. } => Raise::Always(Behaviour),
        FactKind::ManifestChanged { .. } | FactKind::LockFileChanged { .. } => {
            Raise::Place(Behaviour)
        }
        FactKind::DependencySource { .. }
        | FactKind::BuildScript { .. }
        | FactKind::ManifestUnreadable { .. }
        | FactKind::UrlImport { .. }
        | FactKind::Submodule { .. }
        | FactKind::PublicRemoved { .. }
        | FactKind::PublicSignature { compatible: false, .. }
        | FactKind::SourceUnreadable { .. }
        | FactKind::SecretAdded { .. }
        | FactKind::CertificateChecksOff { .. }
        | FactKind::DangerousPattern { .. }
        | FactKind::HiddenCharacter { .. }
        | FactKind::LookAlikeIdentifier { .. }
        | FactKind::LookAlikePath { .. }
        | FactKind::TestsLost { .. }
        | FactKind::NotAnalysed { .. }
        | FactKind::Reaches { .. }
        | FactKind::StoredData { .. }
        | FactKind::TrustWeakened { .. }
        | FactKind::StillNamed { .. }
        | FactKind::OpaqueCode { .. }
        | FactKind::ResemblesPackage { .. }
        // Prose that an agent obeys is what it says; elsewhere a comment is a comment.
        | FactKind::RunsByItself { why: AutoRun::AgentSettings, .. } => Raise::Always(Dangerous),
        FactKind::RunsByItself { .. }
        | FactKind::VendoredCode { .. }
        | FactKind::ObeyedSettings { .. }
        | FactKind::Gutted { .. }
        | FactKind::LargeRemoval { .. } => Raise::Place(Dangerous),
        FactKind::SecurityCode {
            whence: Whence::Path | Whence::File | Whence::Project, ..
        } => Raise::Around(Dangerous),
        FactKind::SecurityCode { whence: Whence::Code, .. }
        | FactKind::GuardLoosened { .. }
        | FactKind::TextBuilt { .. } => Raise::Product(Dangerous),
        FactKind::HasRole { role } => match role {
            FileRole::Generated | FileRole::Vendored => Raise::Place(Dangerous),
            FileRole::Source | FileRole::Test | FileRole::Documentation | FileRole::Ignored => {
                Raise::No
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::score::sample::kinds;

    #[test]
    fn facts_that_the_design_calls_dangerous_are() {
        for kind in [
            kinds::url_import(),
            kinds::submodule(),
            kinds::public_removed(),
            kinds::public_signature(false),
            kinds::source_unreadable(),
            kinds::secret_added(),
            kinds::certificate_checks_off(),
            kinds::danger(),
            kinds::tests_lost(),
            kinds::hidden_character(),
            kinds::look_alike_identifier(),
            kinds::look_alike_path(),
            kinds::not_analysed(),
        ] {
            assert_eq!(class_of(&kind), Raise::Always(Class::Dangerous), "{}", kind.name());
        }
    }
}
