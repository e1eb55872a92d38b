//! Making a plan of a text: examined, stored, ready for the record.

use std::collections::BTreeSet;

use exacta_core::judge::decide::Kind;
use exacta_core::judge::examine::{Context, Examined, Verdict, examine};
use exacta_core::judge::policy::Policy;
use exacta_core::judge::score::Classed;
use exacta_core::life::binding::{PlannerRequest, Source};
use exacta_core::life::lifecycle::{Deadline, Moment};
use exacta_core::model::change::net;
use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::id::{CorrelationId, PlanId, RunId};
use exacta_core::model::path::RelPath;
use exacta_core::model::plan::{Action, Constraint, Draft};
use exacta_core::record::{Event, PickedHunks, PlanCreated};
use serde_json::value::RawValue;

use super::cached_facts::Noting;
use super::error::GateError;
use super::frozen::Recording;
use super::handle::Gate;
use super::propose::SourceKind;
use super::stored::{FORMAT, PlanRecord};
use super::{binding, configuration};
use crate::log::Wanted;
use crate::machine::time_text;

pub(super) const MS_A_MINUTE: u64 = 60_000;
/// How much of a goal the record keeps.
const GOAL_CHARS: usize = 120;

/// Where a plan comes from.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub(super) kind: SourceKind,
    pub(super) text: Vec<u8>,
    pub(super) steps: Option<Vec<String>>,
    /// The steps of which only hunks were selected.
    pub(super) hunks: Vec<PickedHunks>,
    pub(super) correlation_id: CorrelationId,
    /// The plan whose steps were selected: its id and hash.
    pub(super) derived_from: Option<(PlanId, Digest)>,
    pub(super) parent: Option<PlanId>,
    /// The run that it takes back.
    pub(super) undoes: Option<RunId>,
    pub(super) intent: Option<String>,
    pub(super) constraints: Vec<Constraint>,
    pub(super) proposer: Option<String>,
    /// The request of our own planner that it answers.
    pub(super) measured: Option<PlannerRequest>,
}

/// A plan that is stored but not yet on the record.
pub(super) struct NewPlan {
    pub(super) created: PlanCreated,
    pub(super) examined: Examined,
    /// What was stored for it.
    objects: Vec<Digest>,
}

impl Gate<'_> {
    /// Examines a draft on the files as they are now.
    pub(super) fn create(
        &self,
        draft: Draft,
        origin: &Origin,
        policy: &Policy,
        now: &Moment,
    ) -> Result<NewPlan, GateError> {
        // It is stored, shown and cited.
        let intent = origin.intent.as_deref().map(self.ports.mask);
        let mut context = Context {
            intent: intent.clone(),
            constraints: origin.constraints.clone(),
            derived_from: origin.derived_from.as_ref().map(|(_, hash)| *hash),
            no_model: !origin.kind.may_be_a_models(),
            proposer: origin.proposer.clone(),
            ..Context::default()
        };
        self.recall_at(&mut context, policy, now);
        let text = Blob::new(origin.text.clone());
        let time = time_text(now.wall_ms);
        let request = origin.measured.as_ref().map_or_else(|| text.digest(), |asked| asked.hash);
        let mut binding = binding::record(origin.proposer.as_deref(), policy, request, time)?;
        if let Some(asked) = &origin.measured {
            binding.source = Source::Measured;
            binding.provider_request_id.clone_from(&asked.provider_id);
        }
        let configuration = configuration::survey(self.ports.port, &policy.project_config)?;
        let recording = Recording::of(self.ports.tree);
        let noting = Noting::of(self.ports.inspector);
        let mut examined = examine(draft, &recording, &noting, policy, &context)?;
        self.guard_findings(&mut examined, policy)?;
        let findings = noting.end();
        let (mut tree, mut blobs) = recording.end();
        tree.set_targets(&targets(&examined));
        for change in examined.changes() {
            let images = change.before.iter().chain(&change.after);
            let known = images.filter_map(|digest| Some((*digest, examined.image(digest)?)));
            blobs.extend(known.map(|(digest, blob)| (digest, blob.clone())));
        }
        let form = String::from_utf8(examined.canonical_form(policy, &context)?)
            .map_err(<serde_json::Error as serde::de::Error>::custom)?;
        let plan_id: PlanId = self.new_id()?;
        let record = PlanRecord {
            format: FORMAT.into(),
            plan_id: plan_id.clone(),
            correlation_id: origin.correlation_id.clone(),
            kind: origin.kind,
            text: text.digest(),
            steps: origin.steps.clone(),
            hunks: origin.hunks.clone(),
            derived_from: context.derived_from,
            intent,
            constraints: origin
                .constraints
                .iter()
                .map(serde_json::to_string)
                .collect::<Result<_, _>>()?,
            proposer: origin.proposer.clone(),
            session: context.session.clone(),
            everybody: context.everybody.clone(),
            tree,
            findings,
            configuration,
            binding,
            blobs: blobs.keys().copied().chain([text.digest()]).collect(),
            form: RawValue::from_string(form)?,
        };
        let object = record.to_blob()?;
        let created = PlanCreated {
            binding: record.binding.hash()?,
            correlation_id: origin.correlation_id.clone(),
            deadline: Deadline::after(now, policy.ttl_minutes.saturating_mul(MS_A_MINUTE)),
            derived_from: origin.derived_from.as_ref().map(|(plan_id, _)| plan_id.clone()),
            goal: self.goal(&examined, origin),
            parent: origin.parent.clone(),
            plan_hash: examined.plan_hash,
            plan_id,
            proposer: origin.proposer.clone(),
            record: object.digest(),
            session: self.session(now),
            undoes: origin.undoes.clone(),
        };
        let mut objects: Vec<Blob> = blobs.into_values().collect();
        objects.extend([text, object]);
        self.objects.put(&objects)?;
        let objects = objects.iter().map(Blob::digest).collect();
        Ok(NewPlan { created, examined, objects })
    }

    /// Appends events that make a plan; `false` when the record has moved on or what was
    /// stored for the plan is gone, and it must be made again.
    pub(super) fn commit_new(&self, wanted: &Wanted, plan: &NewPlan) -> Result<bool, GateError> {
        Self::committed(self.log.append_if(wanted, &|| self.objects.hold(&plan.objects)))
    }

    /// What the plan is for, in a line.
    fn goal(&self, examined: &Examined, origin: &Origin) -> String {
        let words = origin.intent.as_deref().or(examined.draft().goal.as_deref());
        let words = words.map_or_else(
            || {
                let files = net(examined.changes());
                let verb = match files.as_slice() {
                    all if all.iter().all(|file| file.before.is_none()) => "create",
                    all if all.iter().all(|file| file.after.is_none()) => "delete",
                    _ => "change",
                };
                match files.as_slice() {
                    [] => "(no goal given)".into(),
                    [one] => format!("{verb} {}", one.path),
                    [one, rest @ ..] => format!("{verb} {} and {} more", one.path, rest.len()),
                }
            },
            |words| words.split_whitespace().collect::<Vec<_>>().join(" "),
        );
        let masked = (self.ports.mask)(&words);
        match masked.char_indices().nth(GOAL_CHARS) {
            None => masked,
            Some((at, _)) => format!("{}…", masked.get(..at).unwrap_or_default()),
        }
    }
}

/// Every path that a plan touches or would have touched.
fn targets(examined: &Examined) -> BTreeSet<&str> {
    let files = examined.draft().steps.iter().filter_map(|step| match &step.action {
        Action::File(file) => Some(file.target.as_str()),
        Action::Tool(_) => None,
    });
    let each = examined.changes().iter();
    let touched = each.flat_map(|change| [Some(&change.path), change.renamed_from.as_ref()]);
    files.chain(touched.flatten().map(RelPath::as_str)).collect()
}

impl NewPlan {
    /// The two entries that every plan begins with.
    pub(super) fn events(&self) -> Vec<Event> {
        let assessment = self.examined.assessment.as_ref();
        vec![
            Event::PlanCreated(Box::new(self.created.clone())),
            Event::PlanEvaluated {
                decision: self.decision(),
                plan_id: self.created.plan_id.clone(),
                quality: assessment.map(|a| a.quality.overall.get()),
                reasons: self.reasons(),
                risk: assessment.map(|a| a.risk.score),
            },
        ]
    }

    /// What may happen to it; a plan that breaks a rule is rejected.
    pub(super) fn decision(&self) -> Kind {
        match (&self.examined.verdict, &self.examined.decision) {
            (Verdict::Sound(_), Some(decision)) => decision.kind,
            _ => Kind::Reject,
        }
    }

    /// Why, a line each.
    fn reasons(&self) -> Vec<String> {
        let issues = self.examined.issues.iter().filter(|issue| issue.is_error());
        let mut reasons: Vec<String> =
            issues.map(|issue| format!("{}: {}", issue.code.as_str(), issue.message)).collect();
        if let Some(decision) = &self.examined.decision {
            reasons.extend(decision.reasons.iter().map(|reason| reason.message.clone()));
        }
        // Which findings ask most is counted later.
        if let Some(classed) = self.class() {
            reasons.push(format!("{}: {}", classed.class, classed.evidence.finding));
        }
        reasons.truncate(20);
        reasons
    }

    fn class(&self) -> Option<&Classed> {
        self.examined.assessment.as_ref()?.risk.class.as_ref()
    }

    /// Why it is rejected, in one line.
    pub(super) fn rejection(&self) -> String {
        self.reasons().into_iter().next().unwrap_or_else(|| "it breaks a rule".into())
    }
}
