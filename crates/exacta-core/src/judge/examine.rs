//! From a draft to a plan: every rule, the dry run, the estimates, the hashes.
//!
//! This is the way a plan comes to be, and the only one. Nothing here reads a disk; the
//! files come through the [`Tree`] that the caller passes in.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::HashMap;

use crate::judge::decide::{Budget, DecideInput, Decision, Setting, Spend, decide};
use crate::judge::estimate::estimate;
use crate::judge::facts::{Fact, Inspector, asked, moved_modules, settle, with_names};
use crate::judge::policy::{self, Known, PlanView, Policy, PolicyInput, RuleVerdict, Then};
use crate::judge::score::{Assessment, Class, Evidence, Subject, assess, worst_of};
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
    /// Who handed the draft in, if the door authenticated them; never a claim.
    pub proposer: Option<String>,
    /// What the proposer's plans of the last minutes took that nobody was asked about.
    pub session: Spend,
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
    /// What the plan takes out of the session budget if nobody is asked.
    pub spend: Spend,
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
        let form =
            form(self.draft(), changes, constraints, estimates, assessment, policy, context)?;
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
    validate::caps(&draft, &run.totals, &estimates, policy, &mut issues);
    let constraints = effective(&draft, policy, context);
    validate::constraints(&draft, &constraints, &run.changes, &run.totals, &mut issues);
    validate::checks(&constraints, policy, &mut issues);
    let mut sound = complete && !issues.iter().any(Issue::is_error);
    // Reading hostile bytes is dear: only for plans that can pass, or where a rule needs it.
    let facts = if sound || complete && validate::needs_facts(&constraints) {
        look(&run.changes, &run.images, tree, inspector)
    } else {
        Vec::new()
    };
    if complete {
        validate::dependencies(&constraints, &run.changes, &facts, &mut issues);
        validate::tests(&constraints, &run.changes, &facts, &mut issues);
        sound &= !issues.iter().any(Issue::is_error);
    }
    let mut view = PlanView::new(&draft, &run.changes, &run.totals);
    view.proposer = context.proposer.as_deref();
    let (assessment, rules, decision, spend) = if sound {
        let joined = as_one(&run.changes);
        let whole = if joined.len() < run.changes.len() {
            look(&joined, &run.images, tree, inspector)
        } else {
            Vec::new()
        };
        let together = with_recent(&joined, &run.images, context, tree, inspector);
        let known = [facts.as_slice(), whole.as_slice()];
        let together = together.as_ref();
        let judged = judge(view, &run, known, together, tree, &estimates, policy, context);
        let (assessment, rules, decision, spend) = judged;
        (Some(assessment), rules, Some(decision), spend)
    } else {
        // Refused already: only rules that would apply whatever the risk are of interest.
        view.risk = Some(0);
        (None, policy::rules(policy, &view), None, Spend::default())
    };
    sound &= !rules.iter().any(|rule| rule.then == Then::Deny);
    issues.extend(rules.iter().filter_map(RuleVerdict::issue).map(|issue| placed(issue, &draft)));

    let changes = complete.then_some(run.changes.as_slice());
    let form =
        form(&draft, changes, &constraints, &estimates, assessment.as_ref(), policy, context)?;
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
        spend,
        verdict,
    })
}

/// What the plan's hash covers.
fn form<'p>(
    draft: &'p Draft,
    changes: Option<&'p [Change]>,
    constraints: &'p [Effective],
    estimates: &'p Estimates,
    assessment: Option<&'p Assessment>,
    policy: &Policy,
    context: &Context,
) -> Result<PlanForm<'p>, serde_json::Error> {
    Ok(PlanForm {
        kind: PlanForm::KIND,
        draft,
        changes,
        constraints,
        caps: policy.caps_for(draft.skill_id.as_deref()),
        estimates,
        policy_hash: policy.hash()?,
        profile: policy.effective_profile(),
        assessor_version: ASSESSOR_VERSION,
        derived_from: context.derived_from,
        quality: assessment.map(|assessment| &assessment.quality),
        risk: assessment.map(|assessment| &assessment.risk),
    })
}

/// What the inspector tells about the changes.
fn look(
    changes: &[Change],
    images: &HashMap<Digest, Blob>,
    tree: &dyn Tree,
    inspector: &dyn Inspector,
) -> Vec<Fact> {
    let nothing = Blob::new(Vec::new());
    let inspected = asked(changes, images, &nothing);
    if inspected.is_empty() {
        return Vec::new();
    }
    let mut facts = inspector.inspect(&inspected, &manifests(tree));
    facts.extend(moved_modules(changes));
    settle(with_names(facts, changes, tree), changes, tree)
}

/// What the plan does together with recent ones that nobody was asked about: each file that
/// they share as one change from the image before the first of them.
fn with_recent(
    joined: &[Change],
    images: &HashMap<Digest, Blob>,
    context: &Context,
    tree: &dyn Tree,
    inspector: &dyn Inspector,
) -> Option<(Class, Evidence)> {
    let earlier = |change: &Change| {
        let first = context.session.firsts.get(change.path.as_str()).copied()?;
        (change.before != Some(first)).then_some(first)
    };
    let mut images = images.clone();
    let mut changes = Vec::new();
    for change in joined {
        let Some(first) = earlier(change) else { continue };
        if Some(first) == change.after {
            continue;
        }
        let Some(blob) = context.window.iter().find(|blob| blob.digest() == first) else {
            let finding = "the image before recent plans is not kept";
            return Some((Class::Dangerous, Evidence::of_change(change, finding, 0)));
        };
        images.insert(first, blob.clone());
        changes.push(Change { before: Some(first), ..change.clone() });
    }
    if changes.is_empty() {
        return None;
    }
    worst_of(&look(&changes, &images, tree, inspector))
}

/// One change for each file, from its first image to its last: what several steps do to a
/// file in turn is judged as one as well.
fn as_one(changes: &[Change]) -> Vec<Change> {
    let mut joined: Vec<Change> = Vec::with_capacity(changes.len());
    let mut places: HashMap<&RelPath, usize> = HashMap::new();
    for change in changes {
        let known = places.get(&change.path).and_then(|at| joined.get_mut(*at));
        let Some(first) = known else {
            places.insert(&change.path, joined.len());
            joined.push(change.clone());
            continue;
        };
        first.after = change.after;
        first.mode_after = change.mode_after;
        first.step.clone_from(&change.step);
    }
    joined.retain(|change| change.before != change.after);
    joined
}

/// Scores, rules, decision. Nothing here can make a refused plan pass.
fn judge(
    mut view: PlanView<'_>,
    run: &DryRun,
    [facts, whole]: [&[Fact]; 2],
    together: Option<&(Class, Evidence)>,
    tree: &dyn Tree,
    estimates: &Estimates,
    policy: &Policy,
    context: &Context,
) -> (Assessment, Vec<RuleVerdict>, Decision, Spend) {
    let subject = Subject {
        draft: view.draft,
        changes: &run.changes,
        images: &run.images,
        facts,
        whole,
        intent: context.intent.as_deref().filter(|_| context.derived_from.is_none()),
        changed_lines: u32::try_from(run.totals.changed_lines).unwrap_or(u32::MAX),
        has_tests: tree.has_tests(),
    };
    let assessment = assess(&subject);
    view.risk = Some(assessment.risk.score.into());
    let spend = Spend::of(&subject, &assessment.risk);
    let mut rules = policy::rules(policy, &view);
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
        together,
        budget: Budget::of(policy),
        listed_urls: &policy.known_urls,
        unasked_tools: &policy.unasked_primitives,
    });
    (assessment, rules, decision, spend)
}

/// The manifests at the project's root that can be read.
fn manifests(tree: &dyn Tree) -> Vec<Blob> {
    ["Cargo.toml", "package.json", "pyproject.toml"]
        .iter()
        .filter_map(|name| RelPath::parse(name).ok())
        .filter_map(|path| Some(tree.look(&path).ok()??.blob))
        .collect()
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
