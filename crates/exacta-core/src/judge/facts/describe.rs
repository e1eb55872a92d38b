//! Facts in words, for evidence.

use core::fmt;

use super::effects::{DataChange, GuardLoss, Reach};
use super::kind::FactKind;
use super::vocabulary::Whence;

/// A name of ours as words.
struct Words<T>(T);

impl<T: fmt::Display> fmt::Display for Words<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use core::fmt::Write as _;

        /// Writes a space for what joins words.
        struct Spaced<'f, 'a>(&'f mut fmt::Formatter<'a>);

        impl fmt::Write for Spaced<'_, '_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                text.chars().try_for_each(|c| self.0.write_char(if c == '_' { ' ' } else { c }))
            }
        }
        write!(Spaced(f), "{}", self.0)
    }
}

impl fmt::Display for FactKind {
    /// One line for evidence: lower-case, what a planner wrote in backticks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DependencyAdded { name, .. } => write!(f, "dependency `{name}` added"),
            Self::DependencyRemoved { name, .. } => write!(f, "dependency `{name}` removed"),
            Self::DependencyVersion { name, from, to, step, .. } => {
                write!(f, "dependency `{name}` goes from `{from}` to `{to}` ({step})")
            }
            Self::DependencySource { name, to, .. } if to.is_empty() => {
                write!(f, "dependency `{name}` has no source of its own any more")
            }
            Self::DependencySource { name, to, .. } => {
                write!(f, "dependency `{name}` comes from `{to}`")
            }
            Self::BuildScript { name, to, .. } if to.is_empty() => {
                write!(f, "script `{name}` removed")
            }
            Self::BuildScript { name, .. } => write!(f, "script `{name}` added or changed"),
            Self::ManifestUnreadable { reason, .. } => {
                write!(f, "manifest no longer parses: {reason}")
            }
            Self::UrlImport { url } => write!(f, "code loaded from `{url}`"),
            Self::Submodule { name, .. } => write!(f, "submodule `{name}` changed"),
            Self::PublicRemoved { item, name, renamed_to: Some(to), .. } => {
                write!(f, "public {item} `{name}` is now `{to}`")
            }
            Self::PublicRemoved { item, name, renamed_to: None, .. } => {
                write!(f, "public {item} `{name}` removed")
            }
            Self::PublicSignature { item, name, .. } => {
                write!(f, "signature of public {item} `{name}` changed")
            }
            Self::SourceUnreadable { language, .. } => {
                write!(f, "{language} source does not parse")
            }
            Self::Complexity { function, before, after, .. } => {
                let word = if before.is_some() { "changed" } else { "new" };
                write!(f, "{word} function `{function}` has a complexity of {after}")
            }
            Self::SecurityCode { area, whence, word } => {
                write!(f, "{area} code changed (")?;
                match whence {
                    Whence::Path | Whence::Code => write!(f, "`{word}`)"),
                    Whence::File => write!(f, "the file is about `{word}`)"),
                    Whence::Project => write!(f, "the project is about `{word}`)"),
                }
            }
            Self::SecretAdded { label, .. } => {
                write!(f, "looks like a secret ({})", Words(label))
            }
            Self::CertificateChecksOff { switch } => {
                write!(f, "certificate checks switched off (`{switch}`)")
            }
            Self::RunsByItself { why, program } => {
                write!(f, "{program} runs or obeys this file without being asked ({})", Words(why))
            }
            Self::DangerousPattern { danger, text } => write!(f, "{}: `{text}`", Words(danger)),
            Self::TestsLost { loss, name, count } if name.is_empty() => {
                write!(f, "tests lost: {} ({count})", Words(loss))
            }
            Self::TestsLost { loss, name, .. } => {
                write!(f, "tests lost: {} (`{name}`)", Words(loss))
            }
            Self::TestsTouched {} => f.write_str("tests beside their code"),
            Self::GuardLoosened { loss, function, text } => {
                let does = match loss {
                    GuardLoss::Removed => "no longer leaves when",
                    GuardLoss::Condition => "leaves on another condition than",
                    GuardLoss::PassedBy => "has a new way past its checks:",
                    GuardLoss::Limit => "value that checks compare with:",
                    GuardLoss::Check => "no longer checks or cleans:",
                    GuardLoss::Verdict => "says yes or no by another rule:",
                    GuardLoss::Constant => "always answers the same:",
                    GuardLoss::Swallowed => "drops an error:",
                    GuardLoss::Mark => "no longer carries the mark",
                    GuardLoss::Switch => "yes and no exchanged at",
                    GuardLoss::Bound => "compares or combines otherwise:",
                    GuardLoss::Upkeep => "no longer locks, closes, limits or draws lots:",
                    GuardLoss::Error => "no longer raises an error:",
                    GuardLoss::Default => "has another default:",
                    GuardLoss::Narrowed => "keeps a number in a smaller type:",
                    GuardLoss::Pattern => "decides by another pattern:",
                    GuardLoss::Around => "checks only under a further condition:",
                    GuardLoss::Shadowed => "defines what existing code calls anew:",
                    GuardLoss::Refuses => "newly refuses:",
                    GuardLoss::Sum => "adds or takes another value:",
                    GuardLoss::Dropped => "no longer does:",
                    GuardLoss::Exposed => "hands out more than before:",
                    GuardLoss::Part => "looks at a part only:",
                    GuardLoss::Exchanged => "uses another value than before:",
                    GuardLoss::Order => "does in another order than before:",
                };
                if function.is_empty() {
                    write!(f, "{does} `{text}`")
                } else {
                    write!(f, "`{function}`: {does} `{text}`")
                }
            }
            Self::Reaches { reach: Reach::Unread, name } => {
                write!(f, "changes code in a language that is not read (`{name}`)")
            }
            Self::Reaches { reach, name } => {
                let does = match reach {
                    Reach::RunsProgram => "starts a program",
                    Reach::EvaluatesText => "makes code of text",
                    Reach::Connects => "talks to other machines",
                    Reach::Deserialises => "makes objects of foreign bytes",
                    Reach::Destroys => "deletes or overwrites",
                    Reach::ReplacesCode => "puts other code in the place of",
                    Reach::ReadsEnvironment => "uses the environment",
                    Reach::ChangesPermissions => "changes who may do what",
                    Reach::LoadsCode => "loads code or goes round the language",
                    Reach::Memory => "handles memory by hand",
                    Reach::Trust => "decides whom to trust",
                    Reach::Indirect => "calls what cannot be told by reading",
                    Reach::Outside | Reach::Unread => "names a place outside of the project",
                };
                write!(f, "newly {does}: `{name}`")
            }
            Self::NewReach { name } => write!(f, "newly uses `{name}`"),
            Self::TextBuilt { sink, text } => {
                write!(f, "value newly put into the text of a {sink}: `{text}`")
            }
            Self::StoredData { change, text } => match change {
                DataChange::Migration => write!(f, "a migration that may have run is changed"),
                DataChange::Schema => write!(f, "tables or columns change: `{text}`"),
                DataChange::Grant => write!(f, "rights in a database change: `{text}`"),
            },
            Self::TrustWeakened { setting } => {
                write!(f, "a protecting setting is off or wider: `{setting}`")
            }
            Self::ObeyedSettings { program } => write!(f, "settings that {program} obeys"),
            Self::Gutted { name, removed, total } if name.is_empty() => {
                write!(f, "most of the file replaced ({removed} of {total} lines)")
            }
            Self::Gutted { name, removed, total } => {
                write!(f, "most of `{name}` replaced ({removed} of {total} lines)")
            }
            Self::StillNamed { by } => write!(f, "`{by}` still names it"),
            Self::OpaqueCode { sign } => {
                write!(f, "code that nobody can read ({})", Words(sign))
            }
            Self::ResemblesPackage { name, resembles } => {
                write!(f, "`{name}` is nearly `{resembles}`")
            }
            Self::LargeRemoval { removed, total } => {
                write!(f, "{removed} of {total} lines removed")
            }
            Self::PlaceholderAdded { text, .. } => write!(f, "placeholder `{text}`"),
            Self::TodoNote { text } => write!(f, "note `{text}`"),
            Self::ExampleValue { text } => write!(f, "example value `{text}`"),
            Self::HiddenCharacter { code_point, class } => {
                write!(f, "{class} character {code_point}")
            }
            Self::LookAlikeIdentifier { identifier, resembles } => {
                write!(f, "`{identifier}` looks like `{resembles}`")
            }
            Self::LookAlikePath { resembles } => write!(f, "the name looks like `{resembles}`"),
            Self::MissingReference { reference, .. } => {
                write!(f, "refers to `{reference}`, which does not exist")
            }
            Self::Proven { proof, .. } => f.write_str(proof.finding()),
            Self::HasRole { role } => write!(f, "{role} file"),
            Self::NotAnalysed { reason } => write!(f, "could not be analysed ({reason})"),
            Self::ManifestChanged { .. }
            | Self::LockFileChanged { .. }
            | Self::VendoredCode { .. } => f.write_str(self.summary()),
        }
    }
}
