//! From a draft to a plan: every rule, the dry run, the estimates, the hashes.
//!
//! This is the way a plan comes to be, and the only one. Nothing here reads a disk; the
//! files come through the [`Tree`] that the caller passes in.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use crate::judge::decide::{Budget, DecideInput, Decision, Setting, Spend, decide};
use crate::judge::estimate::estimate;
use crate::judge::facts::{Answers, Fact, FactKind, Inspector, Proof};
use crate::judge::ground::{Ground, as_one};
use crate::judge::policy::{self, Known, PlanView, Policy, PolicyInput, RuleVerdict, Then};
use crate::judge::score::{Assessment, Class, Evidence, Proofs, Subject, assess};
use crate::model::canonical;
use crate::model::change::{Change, net};
use crate::model::code::Code;
use crate::model::diagnostic::{Issue, keep_first};
use crate::model::digest::{Blob, Digest};
use crate::model::path::RelPath;
use crate::model::plan::{
    ASSESSOR_VERSION, Action, Constraint, Draft, Effective, Estimates, Origin, Plan, PlanForm,
};
use crate::model::tree::Tree;
use crate::read::dry_run::{DryRun, dry_run};
use crate::read::parse;
use crate::read::validate;
use crate::text::pointer::Pointer;

/// What a person said beside the draft.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// What the person asked for.
    pub intent: Option<String>,
    /// Constraints the person gave.
    pub constraints: Vec<Constraint>,
    /// The plan this one selects steps from.
    pub derived_from: Option<Digest>,
    /// Whether no model had a part in it: a patch, or what git would merge.
    pub no_model: bool,
    /// Who handed the draft in, if the door authenticated them; never a claim.
    pub proposer: Option<String>,
    /// What the proposer's plans of the last minutes took that nobody was asked about.
    pub session: Spend,
    /// What everybody's plans of the last minutes took, the proposer's among them.
    pub everybody: Spend,
    /// The first images of the files that those plans changed, as far as they are kept.
    pub window: Vec<Blob>,
}

/// A draft, examined: everything found, and the plan if nothing speaks against it.
#[derive(Clone, Debug)]
pub struct Examined {
    /// Every finding, in the order of the rules.
    pub issues: Vec<Issue>,
    /// The constraints in force.
    pub constraints: Vec<Effective>,
    /// The policy rules that apply.
    pub rules: Vec<RuleVerdict>,
    /// Estimates; computed also for plans that are refused.
    pub estimates: Estimates,
    /// The plan's name; rejected plans have one too, and are stored under it.
    pub plan_hash: Digest,
    /// The name of what the plan does; absent when that is not fully known.
    pub effect_hash: Option<Digest>,
    /// Risk and quality; absent when a rule refuses the plan before it is assessed.
    pub assessment: Option<Assessment>,
    /// What may happen to the plan; absent like the assessment, and then it is refused.
    pub decision: Option<Decision>,
    /// What the project was asked while the plan was judged, and what it answered.
    pub answers: Answers,
    /// What the plan takes out of the session budget if nobody is asked.
    pub spend: Spend,
    /// The changes, by step and file, of which it is proven that only comments and layout
    /// differ. Shown to people; nothing is decided by it.
    pub laid_out: BTreeSet<(String, RelPath)>,
    /// The sound plan, or the draft as it was.
    pub verdict: Verdict,
}

/// The outcome of an examination.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Every rule holds.
    Sound(Box<Plan>),
    /// Some rule is broken; what could be computed is kept for showing.
    Rejected {
        /// The draft.
        draft: Box<Draft>,
        /// What the dry run found out as far as it went.
        dry_run: DryRun,
    },
}

impl Examined {
    /// Whether no finding refuses the plan.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        matches!(self.verdict, Verdict::Sound(_))
    }

    /// The draft, whatever became of it.
    #[must_use]
    pub fn draft(&self) -> &Draft {
        match &self.verdict {
            Verdict::Sound(plan) => &plan.draft,
            Verdict::Rejected { draft, .. } => draft,
        }
    }

    /// Adds what somebody else found; an error among it refuses the plan.
    pub fn add(&mut self, found: Vec<Issue>) {
        let refuses = found.iter().any(Issue::is_error);
        self.issues.extend(found);
        keep_first(&mut self.issues);
        if !refuses {
            return;
        }
        self.decision = None;
        self.spend = Spend::default();
        if let Verdict::Sound(plan) = &self.verdict {
            let Plan { draft, changes, images, comparisons, .. } = plan.as_ref().clone();
            // The sums have done their part: caps and estimates are judged.
            let dry_run = DryRun { changes, images, comparisons, ..DryRun::default() };
            self.verdict = Verdict::Rejected { draft: Box::new(draft), dry_run };
        }
    }

    /// Says where in `text`, which was handed in, each finding belongs.
    pub fn locate(&mut self, text: &[u8]) {
        let draft = match &self.verdict {
            Verdict::Sound(plan) => &plan.draft,
            Verdict::Rejected { draft, .. } => draft,
        };
        if draft.patch.is_some() {
            parse::locate_patch(draft, &mut self.issues);
        } else if let Ok(text) = core::str::from_utf8(text) {
            parse::locate(text, &mut self.issues);
        }
    }

    /// Every file effect that is known, in execution order.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        match &self.verdict {
            Verdict::Sound(plan) => &plan.changes,
            Verdict::Rejected { dry_run, .. } => &dry_run.changes,
        }
    }

    /// The bytes of an image that a change names.
    #[must_use]
    pub fn image(&self, digest: &Digest) -> Option<&Blob> {
        match &self.verdict {
            Verdict::Sound(plan) => plan.images.get(digest),
            Verdict::Rejected { dry_run, .. } => dry_run.images.get(digest),
        }
    }

    /// The canonical form that the plan's hash names; `policy` and `context` must be
    /// those of the examination.
    ///
    /// # Errors
    /// As [`examine`].
    pub fn canonical_form(
        &self,
        policy: &Policy,
        context: &Context,
    ) -> Result<Vec<u8>, serde_json::Error> {
        let changes = self.effect_hash.is_some().then_some(self.changes());
        let assessment = self.assessment.as_ref();
        let (constraints, estimates) = (&self.constraints, &self.estimates);
        let judged = Judged { assessment, answers: &self.answers };
        let form = form(self.draft(), changes, constraints, estimates, judged, policy, context)?;
        let mut bytes = Vec::new();
        canonical::write(&form, &mut bytes)?;
        Ok(bytes)
    }

    /// Whether the draft makes no plan at all, not even a rejected one: it does not have the
    /// form of a plan, or it names a primitive that does not exist.
    #[must_use]
    pub fn makes_no_plan(&self) -> bool {
        let formless = [Code::PlanInvalidTool, Code::PlanSchemaInvalid];
        self.issues.iter().any(|issue| formless.contains(&issue.code))
    }
}

/// A plan whose steps take each other back is refused: it would approve nothing.
fn net_effect(draft: &Draft, changes: &[Change], issues: &mut Vec<Issue>) {
    let Some((first, rest)) = changes.split_first() else { return };
    // A file that one step changes ends as another: most plans are told by their first file.
    if rest.iter().any(|change| change.path == first.path)
        && !draft.steps.iter().any(|step| matches!(step.action, Action::Tool(_)))
        && net(changes).is_empty()
    {
        let message = "together the steps leave every file as it is";
        issues.push(
            Issue::error(Code::StepNoEffect, "plan_effect", message)
                .at(Pointer::root().key("steps"))
                .help("plan only what is to change in the end"),
        );
    }
}

/// Examines a draft on the files of `tree` under `policy`.
///
/// # Errors
/// Never for values that the parser produced; the canonicaliser's error is passed on.
pub fn examine(
    draft: Draft,
    tree: &dyn Tree,
    inspector: &dyn Inspector,
    policy: &Policy,
    context: &Context,
) -> Result<Examined, serde_json::Error> {
    let derived = context.derived_from.is_some();
    let mut issues = Vec::new();
    validate::ids(&draft, derived, &mut issues);
    let graph = validate::graph(&draft, &mut issues);
    validate::order(&draft, &graph, derived, &mut issues);
    let paths = validate::targets(&draft, &graph, &mut issues);
    validate::tools(&draft, &graph, policy, context.intent.as_deref(), &mut issues);
    validate::claims(&draft, policy, &mut issues);
    validate::skill(&draft, policy, context.proposer.as_deref(), &mut issues);

    // Without an order there is nothing to apply; in draft order findings are still useful.
    let in_draft_order: Vec<usize>;
    let order = if graph.order.is_empty() {
        in_draft_order = (0..draft.steps.len()).collect();
        &in_draft_order
    } else {
        &graph.order
    };
    let before = issues.len();
    let caps = policy.caps_for(draft.skill_id.as_deref());
    let run = dry_run(&draft, order, &paths, tree, &caps, &mut issues);
    let complete =
        issues.len() == before && !graph.order.is_empty() && every_target_known(&draft, &paths);

    if complete {
        net_effect(&draft, &run.changes, &mut issues);
    }
    let price = policy.price_of(context.proposer.as_deref());
    let estimates = estimate(&draft, &run.totals, price);
    let estimates = if context.no_model { estimates.without_model() } else { estimates };
    validate::caps(&draft, &run.totals, &estimates, policy, &mut issues);
    let constraints = effective(&draft, policy, context);
    validate::constraints(&draft, &constraints, &run.changes, &run.totals, &mut issues);
    validate::checks(&constraints, policy, &mut issues);
    let mut sound = complete && !issues.iter().any(Issue::is_error);
    // Reading hostile bytes is dear: only for plans that can pass, or where a rule needs it.
    let ground = Ground { tree, inspector, policy };
    let mut answers = Answers::default();
    let facts = if sound || complete && validate::needs_facts(&constraints) {
        ground.look(&run.changes, &run.images, &mut answers)
    } else {
        Vec::new()
    };
    if complete {
        validate::dependencies(&constraints, &run.changes, &facts, &mut issues);
        validate::tests(&constraints, &run.changes, &facts, &mut issues);
        sound &= !issues.iter().any(Issue::is_error);
    }
    let laid_out = laid_out(&facts);
    let mut view = PlanView::new(&draft, &run.changes, &run.totals);
    view.proposer = context.proposer.as_deref();
    let (assessment, rules, decision, spend) = if sound {
        let joined = as_one(&run.changes);
        let whole = if joined.len() < run.changes.len() {
            ground.look(&joined, &run.images, &mut answers)
        } else {
            Vec::new()
        };
        let together = ground.with_recent(&joined, &run.images, context);
        let known = [facts.as_slice(), whole.as_slice()];
        let together = together.as_ref();
        let judged = judge(view, &run, known, together, &ground, &estimates, context);
        let (assessment, rules, decision, spend) = judged;
        answers.tests = Some(tree.has_tests());
        (Some(assessment), rules, Some(decision), spend)
    } else {
        // Refused already: only rules that would apply whatever the risk are of interest.
        view.risk = Some(0);
        (None, policy::rules(policy, &view), None, Spend::default())
    };
    sound &= !rules.iter().any(|rule| rule.then == Then::Deny);
    issues.extend(rules.iter().filter_map(RuleVerdict::issue).map(|issue| placed(issue, &draft)));

    let changes = complete.then_some(run.changes.as_slice());
    let judged = Judged { assessment: assessment.as_ref(), answers: &answers };
    let form = form(&draft, changes, &constraints, &estimates, judged, policy, context)?;
    let plan_hash = form.hash()?;
    let effect_hash = if complete { Some(form.effect_hash()?) } else { None };
    let verdict = match effect_hash {
        Some(effect_hash) if sound => Verdict::Sound(Box::new(Plan {
            draft,
            changes: run.changes,
            images: run.images,
            comparisons: run.comparisons,
            order: graph.order,
            plan_hash,
            effect_hash,
        })),
        _ => Verdict::Rejected { draft: Box::new(draft), dry_run: run },
    };
    keep_first(&mut issues);
    Ok(Examined {
        issues,
        constraints,
        rules,
        estimates,
        plan_hash,
        effect_hash,
        assessment,
        decision,
        answers,
        spend,
        laid_out,
        verdict,
    })
}

/// The changes in which only comments and layout differ.
fn laid_out(facts: &[Fact]) -> BTreeSet<(String, RelPath)> {
    let proofs = Proofs::of(facts.iter());
    let looked = facts.iter().filter(|fact| {
        matches!(fact.kind, FactKind::Proven { .. })
            && proofs.get(&fact.step, &fact.path).0 == Proof::Layout
    });
    looked.map(|fact| (fact.step.clone(), fact.path.clone())).collect()
}

/// What was found out about a plan.
#[derive(Clone, Copy)]
struct Judged<'p> {
    assessment: Option<&'p Assessment>,
    answers: &'p Answers,
}

/// What the plan's hash covers.
fn form<'p>(
    draft: &'p Draft,
    changes: Option<&'p [Change]>,
    constraints: &'p [Effective],
    estimates: &'p Estimates,
    judged: Judged<'p>,
    policy: &Policy,
    context: &Context,
) -> Result<PlanForm<'p>, serde_json::Error> {
    Ok(PlanForm {
        kind: PlanForm::KIND,
        answers: judged.answers,
        draft,
        changes,
        constraints,
        caps: policy.caps_for(draft.skill_id.as_deref()),
        estimates,
        policy_hash: policy.hash()?,
        profile: policy.effective_profile(),
        assessor_version: ASSESSOR_VERSION,
        derived_from: context.derived_from,
        quality: judged.assessment.map(|assessment| &assessment.quality),
        risk: judged.assessment.map(|assessment| &assessment.risk),
    })
}

/// Scores, rules, decision. Nothing here can make a refused plan pass.
fn judge(
    mut view: PlanView<'_>,
    run: &DryRun,
    [facts, whole]: [&[Fact]; 2],
    together: Option<&(Class, Evidence)>,
    ground: &Ground<'_>,
    estimates: &Estimates,
    context: &Context,
) -> (Assessment, Vec<RuleVerdict>, Decision, Spend) {
    let policy = ground.policy;
    let subject = Subject {
        draft: view.draft,
        changes: &run.changes,
        images: &run.images,
        facts,
        whole,
        intent: context.intent.as_deref().filter(|_| context.derived_from.is_none()),
        changed_lines: u32::try_from(run.totals.changed_lines).unwrap_or(u32::MAX),
        has_tests: ground.tree.has_tests(),
    };
    let assessment = assess(&subject);
    view.risk = Some(assessment.risk.score.into());
    let spend = Spend::of(&subject, &assessment.risk);
    let mut rules = policy::rules(policy, &view);
    rules.extend(policy::guarded(policy, &run.changes));
    if !policy.arbiters.is_empty() {
        let known = Known {
            subject: &subject,
            assessment: &assessment,
            estimates,
            changed_lines: view.totals.changed_lines,
            proposer: view.proposer,
            session: context.session.and(&spend).totals(),
        };
        rules.extend(policy.arbiters.ask(&PolicyInput::of(&known, policy)));
    }
    let decision = decide(&DecideInput {
        subject: &subject,
        assessment: &assessment,
        profile: Setting::Known(policy.profile),
        ceiling: Setting::Known(policy.autonomy_ceiling),
        rules: &rules,
        session: &context.session,
        everybody: &context.everybody,
        together,
        budget: Budget::of(policy),
        listed_urls: &policy.known_urls,
        unasked_tools: &policy.unasked_primitives,
    });
    (assessment, rules, decision, spend)
}

fn every_target_known(draft: &Draft, paths: &[Option<RelPath>]) -> bool {
    draft
        .steps
        .iter()
        .zip(paths)
        .all(|(step, path)| path.is_some() || matches!(step.action, Action::Tool(_)))
}

/// Points a finding at the step it is about.
fn placed(issue: Issue, draft: &Draft) -> Issue {
    let step = draft.steps.iter().position(|step| issue.step_id.as_ref() == Some(&step.step_id));
    match step {
        Some(index) => issue.at(Draft::step_pointer(index)),
        None => issue,
    }
}

/// Policy's constraints, then the person's, then the draft's; each can only add.
fn effective(draft: &Draft, policy: &Policy, context: &Context) -> Vec<Effective> {
    let sources = [
        (Origin::Policy, &policy.constraints),
        (Origin::Person, &context.constraints),
        (Origin::Draft, &draft.constraints),
    ];
    sources
        .into_iter()
        .flat_map(|(origin, list)| {
            list.iter().map(move |constraint| Effective { origin, constraint: constraint.clone() })
        })
        .collect()
}
