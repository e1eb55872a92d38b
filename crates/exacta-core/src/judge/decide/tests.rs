//! The table, every question, the budget, and what must hold for every plan.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::table::{markdown, reasons_markdown};
use super::*;
use crate::judge::policy::{Clause, LayerName, Profile, RuleVerdict, Then};
use crate::judge::score::properties::each;
use crate::judge::score::sample::{Sample, check_page, kinds};
use crate::judge::score::{Assessment, Class, Evidence, Thousandths};
use crate::model::change::FileMode;
use crate::model::digest::Digest;
use crate::model::plan::{Action, Content, Execution, Payload, Recipe};

const PROFILES: [Profile; 3] = [Profile::Manual, Profile::Conservative, Profile::Balanced];

/// A decision on a sample with everything else at ease.
struct Case<'a> {
    sample: &'a Sample,
    assessment: Assessment,
    profile: Setting,
    ceiling: Setting,
    rules: Vec<RuleVerdict>,
    session: Spend,
    everybody: Spend,
    together: Option<(Class, Evidence)>,
    budget: Budget,
    listed_urls: BTreeSet<String>,
    unasked_tools: BTreeSet<String>,
}

impl<'a> Case<'a> {
    fn new(sample: &'a Sample, profile: Profile) -> Self {
        Self {
            sample,
            assessment: sample.assess(),
            profile: Setting::Known(profile),
            ceiling: Setting::Known(Profile::Balanced),
            rules: Vec::new(),
            session: Spend::default(),
            everybody: Spend::default(),
            together: None,
            budget: Budget::default(),
            listed_urls: BTreeSet::new(),
            unasked_tools: BTreeSet::new(),
        }
    }

    fn decide(&self) -> Decision {
        decide(&DecideInput {
            subject: &self.sample.subject(),
            assessment: &self.assessment,
            profile: self.profile.clone(),
            ceiling: self.ceiling.clone(),
            rules: &self.rules,
            session: &self.session,
            everybody: &self.everybody,
            together: self.together.as_ref(),
            budget: self.budget,
            listed_urls: &self.listed_urls,
            unasked_tools: &self.unasked_tools,
        })
    }

    fn kinds(&self) -> Vec<ReasonKind> {
        self.decide().reasons.iter().map(|reason| reason.kind).skip(1).collect()
    }
}

fn rule(then: Then) -> RuleVerdict {
    RuleVerdict {
        then,
        reason: "because".into(),
        layer: LayerName::Operator,
        clause: Clause::Rule(1),
        steps: Vec::new(),
        matched: None,
        count: 0,
    }
}

/// A plan that nothing speaks against.
fn harmless() -> Sample {
    let mut sample = Sample::new();
    sample.modify("src/a.rs");
    sample
}

#[test]
fn the_whole_table() {
    let qualities = [1000, 750, 749, 600, 599, 0];
    let risks = [0, 30, 31, 65, 66, 100];
    // Rows by quality, columns by risk: silent, notify, wait, reject.
    let manual = ["wwwwww", "wwwwww", "wwwwww", "wwwwww", "rrrrrr", "rrrrrr"];
    let conservative = ["sswwww", "sswwww", "wwwwww", "wwwwww", "rrrrrr", "rrrrrr"];
    let balanced = ["ssnnww", "ssnnww", "wwwwww", "wwwwww", "rrrrrr", "rrrrrr"];
    let sample = harmless();
    let mut seen = 0;
    for profile in PROFILES {
        for ceiling in PROFILES {
            let expected = match profile.min(ceiling) {
                Profile::Manual => manual,
                Profile::Conservative => conservative,
                Profile::Balanced => balanced,
            };
            for (quality, line) in qualities.into_iter().zip(expected) {
                for (risk, letter) in risks.into_iter().zip(line.chars()) {
                    let mut case = Case::new(&sample, profile);
                    case.ceiling = Setting::Known(ceiling);
                    case.assessment.quality.overall = Thousandths::new(quality);
                    case.assessment.risk.score = risk;
                    let decision = case.decide();
                    let kind = match letter {
                        's' => Kind::AutoSilent,
                        'n' => Kind::AutoNotify,
                        'w' => Kind::Wait,
                        _ => Kind::Reject,
                    };
                    assert_eq!(decision.kind, kind, "{quality} {risk} {profile:?} {ceiling:?}");
                    assert_eq!(decision.profile, Some(profile.min(ceiling)));
                    let first = &decision.reasons[0];
                    assert_eq!(first.kind, ReasonKind::Row);
                    assert_eq!(first.to_pass.is_none(), kind >= Kind::AutoNotify);
                    assert_ne!(decision.row, "no_row");
                    seen += 1;
                }
            }
        }
    }
    assert_eq!(seen, 324);
}

#[test]
fn unknown_values_block() {
    let sample = harmless();
    for (profile, ceiling, kinds) in [
        ("paranoid", "balanced", &[ReasonKind::UnknownProfile][..]),
        ("balanced", "Balanced", &[ReasonKind::UnknownCeiling]),
        ("", "none", &[ReasonKind::UnknownProfile, ReasonKind::UnknownCeiling]),
    ] {
        let mut case = Case::new(&sample, Profile::Balanced);
        (case.profile, case.ceiling) = (Setting::read(profile), Setting::read(ceiling));
        let decision = case.decide();
        assert_eq!((decision.kind, decision.profile), (Kind::Wait, None));
        assert_eq!(case.kinds(), kinds);
        case.assessment.quality.overall = Thousandths::new(599);
        assert_eq!(case.decide().kind, Kind::Reject);
    }
}

#[test]
fn every_question_is_asked_and_says_what_would_have_to_change() {
    type Build = fn(&mut Sample);
    let long = r#"{"url": "https://ok.example/?q=LONG"}"#.replace("LONG", &"x".repeat(300));
    let questions: [(Build, ReasonKind); 19] = [
        (|s| s.modify(".github/workflows/ci.yml"), ReasonKind::RunsByItself),
        (|s| s.modify("AGENTS.md"), ReasonKind::RunsByItself),
        (
            |s| {
                s.modify("run.sh");
                s.last_change().mode_after = Some(FileMode::EXECUTABLE);
            },
            ReasonKind::ModeChange,
        ),
        (
            |s| {
                s.create("run.sh", "true\n");
                s.last_change().mode_after = Some(FileMode::EXECUTABLE);
            },
            ReasonKind::NewExecutable,
        ),
        (
            |s| {
                s.delete("run.sh");
                s.last_change().mode_before = Some(FileMode::EXECUTABLE);
                s.create("run.sh", "true\n");
            },
            ReasonKind::ModeChange,
        ),
        (
            |s| {
                s.modify("tool");
                let mode = Some(FileMode::from_raw(0o4755));
                (s.last_change().mode_before, s.last_change().mode_after) = (mode, mode);
            },
            ReasonKind::LendsRights,
        ),
        (
            |s| with(s, kinds::build_script(crate::judge::facts::Ecosystem::Npm)),
            ReasonKind::RunsByItself,
        ),
        (|s| s.file("a.bin", None, Some(b"\xff\xfe")), ReasonKind::BinaryContent),
        (|s| s.file("a.bin", None, Some(b"a\0b")), ReasonKind::BinaryContent),
        (
            |s| {
                s.create("a.txt", "text\n");
                let Action::File(file) = &mut s.last_step().action else { return };
                let Payload::Create(content) = &mut file.payload else { return };
                *content = Content::Binary(content.blob().clone());
            },
            ReasonKind::BinaryContent,
        ),
        (|s| with(s, kinds::hidden_character()), ReasonKind::HiddenCharacters),
        (|s| s.tool("NotifyUser", "{\"text\": \"a\\u202eb\"}"), ReasonKind::HiddenCharacters),
        (|s| with(s, kinds::look_alike_identifier()), ReasonKind::LookAlikeName),
        (|s| with(s, kinds::look_alike_path()), ReasonKind::LookAlikeName),
        (|s| with(s, kinds::not_analysed()), ReasonKind::NotAnalysed),
        (
            |s| {
                s.modify("a.txt");
                s.draft.execution = Execution::Contract;
            },
            ReasonKind::ContractExecution,
        ),
        (
            |s| {
                s.modify("a.txt");
                s.last_step().requires_approval = Some(true);
            },
            ReasonKind::StepAsks,
        ),
        (|s| s.tool("ReadWeb", r#"{"url": "http://ok.example/"}"#), ReasonKind::PlainHttp),
        (|s| (0..3).for_each(|i| s.delete(&format!("{i}.txt"))), ReasonKind::ManyDeletes),
    ];
    for (build, kind) in questions {
        let mut sample = Sample::new();
        build(&mut sample);
        asks(&Case::new(&sample, Profile::Balanced), kind);
    }
    let mut sample = Sample::new();
    sample.tool("ReadWeb", &long);
    let mut case = Case::new(&sample, Profile::Balanced);
    asks(&case, ReasonKind::LongUrl);
    assert!(case.decide().reasons[1].evidence[0].finding.contains(&"x".repeat(300)));
    let url = format!("https://ok.example/?q={}", "x".repeat(300));
    case.listed_urls = [url.clone()].into();
    assert_eq!(case.decide().kind, Kind::AutoSilent);
    sample.intent = Some(format!("read {url} for me"));
    assert_eq!(Case::new(&sample, Profile::Balanced).decide().kind, Kind::AutoSilent);
}

#[test]
fn a_rejected_plan_is_told_only_what_rejects_it() {
    let mut sample = Sample::new();
    sample.delete("a.txt");
    sample.modify("Makefile");
    let mut case = Case::new(&sample, Profile::Conservative);
    case.assessment.quality.overall = Thousandths::new(500);
    let decision = case.decide();
    assert_eq!(decision.kind, Kind::Reject);
    assert!(decision.reasons.len() > 2, "what asks is still told");
    for reason in &decision.reasons {
        let advised = reason.to_pass.as_deref();
        assert_eq!(advised.is_some(), reason.kind == ReasonKind::Row, "{reason:?}");
        assert!(advised.is_none_or(|advice| !advice.contains("person")), "{advised:?}");
    }
}

fn with(sample: &mut Sample, fact: crate::judge::facts::FactKind) {
    sample.modify("a.txt");
    sample.fact(fact);
}

#[track_caller]
fn asks(case: &Case<'_>, kind: ReasonKind) {
    let decision = case.decide();
    assert_eq!(decision.kind, Kind::Wait, "{kind:?}");
    let reason = decision.reasons.iter().find(|reason| reason.kind == kind).unwrap();
    assert!(reason.to_pass.as_ref().is_some_and(|text| !text.is_empty()));
    assert!(!reason.evidence.is_empty());
    assert!(reason.evidence.iter().all(|evidence| evidence.step_id.is_some()));
}

#[test]
fn profiles_ask_about_deletes_and_dependencies() {
    use Profile::{Balanced, Conservative};
    for (path, deletes, profile, expected) in [
        ("a.txt", 1, Conservative, Some(ReasonKind::DeleteInConservative)),
        ("a.txt", 1, Balanced, None),
        ("a.txt", 2, Balanced, None),
        ("a.txt", 3, Balanced, Some(ReasonKind::ManyDeletes)),
        ("Cargo.toml", 0, Conservative, Some(ReasonKind::DependenciesInConservative)),
        ("Cargo.lock", 0, Conservative, Some(ReasonKind::DependenciesInConservative)),
        ("Cargo.toml", 0, Balanced, None),
        ("a.txt", 0, Conservative, None),
    ] {
        let mut sample = Sample::new();
        sample.modify(path);
        (0..deletes).for_each(|i| sample.rewrite(&format!("d{i}.txt"), "text\n", "\n"));
        let case = Case::new(&sample, profile);
        assert_eq!(case.kinds(), expected.into_iter().collect::<Vec<_>>(), "{path} {deletes}");
        let kind = match expected {
            Some(_) => Kind::Wait,
            None if deletes > 0 || path == "Cargo.toml" => Kind::AutoNotify,
            None => Kind::AutoSilent,
        };
        assert_eq!(case.decide().kind, kind, "{path} {deletes}");
    }
}

/// The worked example of `docs/concepts/decision.md`.
#[test]
fn a_delete_waits_in_conservative_and_runs_in_balanced() {
    let mut sample = Sample::new();
    sample.delete("src/a.rs");
    sample.last_step().title = None;
    let conservative = Case::new(&sample, Profile::Conservative);
    assert_eq!(conservative.assessment.quality.overall.get(), 942);
    let risk = &conservative.assessment.risk;
    assert_eq!((risk.points(), risk.score), (10, 31));
    let decision = conservative.decide();
    assert_eq!((decision.kind, decision.row), (Kind::Wait, "risk_medium_in_conservative"));
    assert_eq!(conservative.kinds(), [ReasonKind::DeleteInConservative]);
    assert_eq!(Case::new(&sample, Profile::Balanced).decide().kind, Kind::AutoNotify);
}

#[test]
fn drafts_are_unasked_only_in_preset_recipes_and_only_where_the_operator_says() {
    for (tool, recipe, lifted, kind) in [
        ("WriteEmailDraft", None, true, Kind::Wait),
        ("WriteEmailDraft", Some(Recipe::Custom), true, Kind::Wait),
        ("WriteEmailDraft", Some(Recipe::InboxTriage), false, Kind::Wait),
        ("WriteEmailDraft", Some(Recipe::InboxTriage), true, Kind::AutoNotify),
        ("ScheduleRun", Some(Recipe::InboxTriage), true, Kind::Wait),
        ("SendEmail", Some(Recipe::InboxTriage), true, Kind::Wait),
    ] {
        let mut sample = Sample::new();
        sample.tool(tool, r#"{"to": "a@ok.example"}"#);
        sample.draft.recipe = recipe;
        let mut case = Case::new(&sample, Profile::Balanced);
        if lifted {
            case.unasked_tools = [tool.into()].into();
        }
        assert_eq!(case.decide().kind, kind, "{tool} {recipe:?} {lifted}");
        assert_eq!(case.kinds().contains(&ReasonKind::NonReadTool), kind == Kind::Wait);
    }
}

#[test]
fn contract_runs_of_reads_alone_do_not_ask() {
    let mut sample = Sample::new();
    sample.tool("ReadWeb", r#"{"url": "https://ok.example/"}"#);
    sample.draft.execution = Execution::Contract;
    assert_eq!(Case::new(&sample, Profile::Conservative).decide().kind, Kind::AutoSilent);
}

#[test]
fn rules_ask_and_deny() {
    let sample = harmless();
    for (verdicts, kind) in [
        (&[Then::Ask][..], Kind::Wait),
        (&[Then::Deny], Kind::Reject),
        (&[Then::Ask, Then::Deny, Then::Ask], Kind::Reject),
    ] {
        let mut case = Case::new(&sample, Profile::Balanced);
        case.rules = verdicts.iter().map(|verdict| rule(*verdict)).collect();
        let decision = case.decide();
        assert_eq!(decision.kind, kind);
        assert_eq!(decision.reasons.len(), verdicts.len() + 1);
        assert!(decision.reasons[1].message.contains(&case.rules[0].name()));
    }
}

#[test]
fn the_budget_is_rolling_and_counts_risk_and_files() {
    let sample = harmless();
    for (risk, files, expected) in [
        (65, 14, &[][..]),
        (66, 0, &[ReasonKind::SessionRisk]),
        (0, 15, &[ReasonKind::SessionFiles]),
        (80, 40, &[ReasonKind::SessionRisk, ReasonKind::SessionFiles]),
    ] {
        let mut case = Case::new(&sample, Profile::Balanced);
        case.session.risk = risk;
        case.session.files = (0..files).map(|i| format!("f{i}")).collect();
        assert_eq!(case.kinds(), expected, "{risk} {files}");
        assert_eq!(case.decide().session.files, files + 1);
        // The same file again is no further file.
        case.session.files.insert("src/a.rs".into());
        assert_eq!(case.decide().session.files, files + 1);
    }
}

#[test]
fn a_plan_too_large_by_itself_is_not_told_to_wait_for_earlier_ones() {
    let sample = harmless();
    let mut case = Case::new(&sample, Profile::Balanced);
    case.budget.files = 0;
    case.session.files.insert("earlier".into());
    let decision = case.decide();
    let reason = decision.reasons.last().unwrap();
    assert_eq!(reason.kind, ReasonKind::SessionFiles);
    assert_eq!(reason.message, "this plan alone touches 1 file; 0 may be touched unasked");
    assert!(!reason.to_pass.as_ref().unwrap().contains("ten minutes"));
}

#[test]
fn slices_of_a_change_are_seen_as_one() {
    let sample = harmless();
    for (class, asks) in [
        (Class::Neutral, false),
        (Class::Additive, false),
        (Class::Behaviour, true),
        (Class::Dangerous, true),
    ] {
        let mut case = Case::new(&sample, Profile::Balanced);
        case.together = Some((class, Evidence::of_plan("a guard went", 0)));
        let expected: &[ReasonKind] = if asks { &[ReasonKind::SessionClass] } else { &[] };
        assert_eq!(case.kinds(), expected, "{class}");
    }
    let mut case = Case::new(&sample, Profile::Balanced);
    case.session.deletes = 3;
    assert_eq!(case.kinds(), [ReasonKind::SessionClass], "three deletes in three plans");
}

#[test]
fn ten_small_plans_in_a_row_ask_before_they_are_one_large_one() {
    let mut session = Spend::default();
    let mut asked = None;
    for i in 0..10 {
        let mut sample = Sample::new();
        sample.delete(&format!("src/{i}.rs"));
        let mut case = Case::new(&sample, Profile::Balanced);
        case.session = session.clone();
        if case.decide().kind == Kind::Wait {
            asked = Some(i);
            break;
        }
        session = session.and(&Spend::of(&sample.subject(), &case.assessment.risk));
    }
    assert_eq!(asked, Some(2), "the third delete is one more than two");
}

#[test]
fn splitting_never_lowers_the_session_total() {
    each("splitting", |_, seed, whole, mut rng| {
        let (mut left, mut right) = (whole.clone(), whole.clone());
        let cut = rng.below(whole.draft.steps.len() + 1);
        let ids: Vec<String> = whole.draft.steps[..cut].iter().map(|s| s.step_id.clone()).collect();
        keep(&mut left, |step| ids.contains(step));
        keep(&mut right, |step| !ids.contains(step));
        let spend = |s: &Sample| Spend::of(&s.subject(), &s.risk());
        let one = spend(&whole);
        let together = spend(&left).and(&spend(&right)).totals();
        assert!(one.totals().risk >= one.risk, "seed {seed}");
        assert!(together.risk >= one.totals().risk, "seed {seed}");
        assert_eq!(together.files, one.totals().files, "seed {seed}");
    });
}

fn keep(sample: &mut Sample, test: impl Fn(&String) -> bool) {
    sample.draft.steps.retain(|step| test(&step.step_id));
    sample.changes.retain(|change| test(&change.step));
    sample.facts.retain(|fact| test(&fact.step));
}

#[test]
fn rules_ceilings_and_spent_budget_never_loosen() {
    each("rules", |_, seed, sample, mut rng| {
        let mut case = Case::new(&sample, *rng.pick(&PROFILES));
        let before = case.decide();
        match rng.below(5) {
            0 => case.rules.push(rule(Then::Ask)),
            1 => case.rules.push(rule(Then::Deny)),
            2 => case.ceiling = Setting::Known(*rng.pick(&PROFILES)),
            3 => case.ceiling = Setting::read("broken"),
            _ => case.session.risk = 60,
        }
        let after = case.decide();
        assert!(after.kind <= before.kind, "seed {seed}");
        assert!(!after.reasons.is_empty());
    });
}

#[test]
fn decisions_and_spends_have_a_canonical_form() {
    let mut sample = harmless();
    sample.delete("Makefile");
    sample.fact(kinds::not_analysed());
    let mut case = Case::new(&sample, Profile::Balanced);
    case.rules = vec![rule(Then::Ask)];
    Digest::of_canonical(&case.decide()).unwrap();
    let spend = Spend::of(&sample.subject(), &sample.risk());
    Digest::of_canonical(&spend).unwrap();
    let text = serde_json::to_string(&spend).unwrap();
    assert_eq!(serde_json::from_str::<Spend>(&text).unwrap(), spend);
}

#[test]
fn the_concepts_page_shows_this_table() {
    check_page("decision.md", "table", &markdown());
    check_page("decision.md", "reasons", &reasons_markdown());
}
