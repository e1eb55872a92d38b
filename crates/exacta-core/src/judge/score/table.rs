//! Every number of the assessment, and nowhere else.
//!
//! The tables in `docs/concepts/risk.md` and `quality.md` are printed from here, so a
//! number cannot differ between the code, the page and the evidence.

mod markdown;

pub use markdown::{Page, markdown};

/// The most risk a plan can have.
pub const MAX_RISK: u32 = 100;
/// Risk from here on is medium.
pub const MEDIUM_FROM: u32 = 31;
/// Risk from here on is high.
pub const HIGH_FROM: u32 = 66;
/// What every dimension of quality starts with.
pub const START: u32 = 1000;
/// A judged dimension below the first number caps the overall at the second.
pub const QUALITY_CAPS: [(u32, u32); 2] = [(250, 599), (500, 749)];
/// Quality below this is insufficient.
pub const SUFFICIENT_FROM: u32 = 600;
/// Quality from here on is good.
pub const GOOD_FROM: u32 = 750;
/// The most risk that plans of one proposer may add up to without a person.
pub const SESSION_RISK: u32 = 65;
/// The most files that plans of one proposer may touch without a person.
pub const SESSION_FILES: u32 = 15;
/// How long those plans are remembered, in seconds.
pub const SESSION_SECONDS: u64 = 600;
/// More bytes of path and query than this in an address that nobody gave is a question.
pub const LONG_URL_BYTES: usize = 256;
/// More deletes than this are dangerous.
pub const MANY_DELETES: u32 = 2;
/// The most lines that plans of one proposer may change without a person.
pub const SESSION_LINES: u32 = 600;

/// How often a row counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// For every finding.
    Each,
    /// For every file.
    EachFile,
    /// For every step.
    EachStep,
    /// For the first finding.
    First,
    /// For every finding after the first.
    Further,
    /// Once for the plan; of a series only the highest that holds.
    Once,
    /// For every function; of a series only the highest that holds.
    EachFunction,
}

macro_rules! rows {
    (
        $(#[doc = $enum_doc:literal])* $rows:ident of $parts:ident, $(#[doc = $size_doc:literal])* $size:ident;
        $($part:ident = $part_name:literal, $part_size:literal {
            $($row:ident = $points:literal, $counting:ident, $when:literal $(, over $over:literal)?;)*
        })*
    ) => {
        $(#[doc = $enum_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $rows {
            $($(#[doc = $when] $row,)*)*
        }

        #[doc = concat!("What the rows of [`", stringify!($rows), "`] add up to.")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $parts {
            $(#[doc = $part_name] $part,)*
        }

        impl $parts {
            /// All of them, in the order of the reference.
            pub const ALL: &'static [Self] = &[$(Self::$part,)*];

            /// The stable name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$part => $part_name,)* }
            }

            $(#[doc = $size_doc])*
            #[must_use]
            pub const fn $size(self) -> u32 {
                match self { $(Self::$part => $part_size,)* }
            }
        }

        impl $rows {
            /// All of them, in the order of the reference.
            pub const ALL: &'static [Self] = &[$($(Self::$row,)*)*];

            /// What it adds to.
            #[must_use]
            pub const fn part(self) -> $parts {
                match self { $($(Self::$row => $parts::$part,)*)* }
            }

            /// Its points.
            #[must_use]
            pub const fn points(self) -> u32 {
                match self { $($(Self::$row => $points,)*)* }
            }

            /// How often it counts.
            #[must_use]
            pub const fn counting(self) -> Counting {
                match self { $($(Self::$row => Counting::$counting,)*)* }
            }

            /// What has to be found.
            #[must_use]
            pub const fn when(self) -> &'static str {
                match self { $($(Self::$row => $when,)*)* }
            }

            /// It holds where the measure is more than this.
            #[must_use]
            pub const fn over(self) -> u32 {
                match self { $($(Self::$row => 0 $(+ $over)?,)*)* }
            }

            /// The row of a series with the most points that holds at `measure`.
            #[must_use]
            pub fn highest(series: &[Self], measure: u32) -> Option<Self> {
                series.iter().copied().filter(|row| measure > row.over()).max_by_key(|row| row.points())
            }
        }
    };
}

rows! {
    /// What adds to the risk.
    RiskRow of Factor,
    /// The most points it can add.
    at_most;
    FileOperations = "File operations", 35 {
        Deleted = 10, Each, "file deleted, or left without content";
        ModifiedFew = 5, Once, "modifications", over 2;
        ModifiedSome = 10, Once, "modifications", over 5;
        ModifiedMany = 15, Once, "modifications", over 10;
    }
    DependencyChanges = "Dependency changes", 25 {
        DependencyAdded = 5, Each, "dependency added";
        DependencyRemoved = 5, Each, "dependency removed";
        DependencyMajor = 5, Each, "dependency moved to another major version";
        DependencyOther = 2, Each, "dependency moved to another version";
        DependencySource = 10, Each, "dependency comes from another place (git, address, path)";
        BuildScript = 10, Each, "install or build script added, changed or removed";
        LockFile = 5, EachFile, "lock file that changed by more than manifests of its family account for";
        ManifestUnreadable = 25, Each, "manifest no longer parses";
        VendoredCode = 5, EachFile, "code of others put into, changed in or taken from the project";
        UrlImport = 10, Each, "code loaded from an address";
        Submodule = 10, Each, "git submodule added or pointed elsewhere";
    }
    RefactoringScope = "Refactoring scope", 20 {
        FilesSeveral = 5, Once, "files touched", over 1;
        FilesMany = 10, Once, "files touched", over 5;
        FilesVeryMany = 15, Once, "files touched", over 15;
        Folders = 5, Once, "top-level folders touched", over 2;
    }
    BreakingChanges = "Breaking changes", 15 {
        PublicRemoved = 8, Each, "public item removed or renamed";
        PublicSignature = 5, Each, "signature of a public item changed";
        PublicSignatureCompatible = 2, Each, "signature of a public item changed so that every use still fits";
        SourceUnreadable = 5, Each, "source that does not parse";
        BreakingUnknown = 5, EachFile, "file that could not be analysed";
    }
    SecurityImpact = "Security impact", 15 {
        SecurityCode = 8, First, "file with changed authentication, session, permission, crypto or secret code";
        SecurityCodeFurther = 2, Further, "such a file";
        RunsByItself = 10, EachFile, "file that runs by itself or steers an agent";
        SecretAdded = 15, Each, "secret-looking material added";
        CertificateChecksOff = 15, Each, "certificate checks switched off";
        GuardLoosened = 15, EachFile, "code that refused, checked or decided does so no longer, or otherwise";
        DangerousReach = 15, EachFile, "code newly reaches out in a dangerous way";
        NewReach = 5, EachFile, "code newly uses a name that is not known";
        TextBuilt = 15, EachFile, "value newly put into the text of a query, command, path, page or address";
        DataChanged = 15, EachFile, "form of stored data or rights in a database changed";
        TrustWeakened = 15, EachFile, "setting that protects switched off or widened";
    }
    CodeComplexity = "Code complexity", 10 {
        ComplexityOver10 = 3, EachFunction, "cyclomatic complexity of a changed function after", over 10;
        ComplexityOver20 = 6, EachFunction, "cyclomatic complexity of a changed function after", over 20;
        ComplexityOver40 = 10, EachFunction, "cyclomatic complexity of a changed function after", over 40;
        ComplexityGrowth = 3, EachFunction, "growth of a changed function's complexity", over 4;
        ComplexityUnknown = 3, EachFile, "file that could not be analysed";
    }
}

rows! {
    /// What lowers the quality.
    QualityRow of Dimension,
    /// Its share of the overall, in hundredths.
    weight;
    Completeness = "completeness", 30 {
        IntentUncovered = 150, Each, "path, identifier or quoted name in the intent that no step touches";
        NoEffect = 400, EachStep, "step without effect";
        NoTestTouched = 100, Once, "code changed where the project has tests, and no test touched";
    }
    Specificity = "specificity", 25 {
        Placeholder = 550, First, "placeholder in added content";
        PlaceholderFurther = 250, Further, "placeholder in added content";
        ExampleValue = 200, Each, "example value in added content";
        VagueText = 100, EachStep, "vague text with no path or name";
    }
    Feasibility = "feasibility", 20 {
        MissingInput = 400, EachStep, "missing input";
        NotOurs = 200, EachStep, "generated, vendored or ignored file edited";
        MissingReference = 300, Each, "refers to something that does not exist";
    }
    Safety = "safety", 15 {
        Danger = 550, First, "dangerous pattern in added content";
        DangerFurther = 200, Further, "dangerous pattern in added content";
        TestsLost = 550, EachStep, "tests deleted or disabled";
        LargeRemoval = 200, EachStep, "more than half of a long file, or nearly all of a shorter one, removed";
    }
    Clarity = "clarity", 10 {
        NoText = 400, EachStep, "no title and no description";
        UnclearText = 150, EachStep, "text says neither what nor where";
    }
}

impl RiskRow {
    /// By the number of modifications.
    pub const MODIFICATIONS: [Self; 3] =
        [Self::ModifiedFew, Self::ModifiedSome, Self::ModifiedMany];
    /// By the number of files.
    pub const FILES: [Self; 3] = [Self::FilesSeveral, Self::FilesMany, Self::FilesVeryMany];
    /// By complexity.
    pub const COMPLEXITY: [Self; 3] =
        [Self::ComplexityOver10, Self::ComplexityOver20, Self::ComplexityOver40];
}

/// Why the risk is at least some number, whatever the factors say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FloorRow {
    /// A tool step writes something that can be taken back.
    DraftWrite,
    /// A tool step publishes, writes many things or sends.
    Outward,
    /// The step itself claims `MEDIUM`.
    ClaimsMedium,
    /// The step itself claims `HIGH`.
    ClaimsHigh,
}

impl FloorRow {
    /// All of them, in the order of the reference.
    pub const ALL: [Self; 4] =
        [Self::DraftWrite, Self::Outward, Self::ClaimsMedium, Self::ClaimsHigh];

    /// The least risk.
    #[must_use]
    pub const fn at_least(self) -> u32 {
        match self {
            Self::DraftWrite | Self::ClaimsMedium => MEDIUM_FROM,
            Self::Outward | Self::ClaimsHigh => HIGH_FROM,
        }
    }

    /// What has to be so.
    #[must_use]
    pub const fn when(self) -> &'static str {
        match self {
            Self::DraftWrite => "tool step with the effect `draft_write`",
            Self::Outward => "tool step with the effect `publish`, `bulk_write` or `send`",
            Self::ClaimsMedium => "step that claims `risk_tier` MEDIUM",
            Self::ClaimsHigh => "step that claims `risk_tier` HIGH",
        }
    }
}
