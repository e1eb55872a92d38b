//! A plan as Cedar sees it: entities, context, and the two questions.

use std::collections::{HashMap, HashSet};

use cedar_policy::{
    Context, Entities, Entity, EntityId, EntityTypeName, EntityUid, Request, RestrictedExpression,
};
use exacta_core::judge::policy::{Files, Names, Party, PolicyInput, Words};

use super::schema;

/// One of the two questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Without a yes the plan is refused.
    MayRun,
    /// Without a yes a person is asked.
    MayRunUnasked,
}

impl Question {
    /// Both.
    pub(super) const ALL: [Self; 2] = [Self::MayRun, Self::MayRunUnasked];

    /// The name of the action.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::MayRun => "may_run",
            Self::MayRunUnasked => "may_run_unasked",
        }
    }
}

/// A plan, ready to be asked about.
pub(super) struct Put {
    pub(super) entities: Entities,
    pub(super) requests: [(Question, Request); 2],
}

/// Why a plan could not be put to Cedar; it is refused then.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Unputtable(String);

impl Put {
    /// Puts a plan into Cedar's terms; the schema is checked once more.
    pub(super) fn of(matter: &PolicyInput) -> Result<Self, Unputtable> {
        let schema = schema::schema().ok_or_else(|| Unputtable("there is no schema".into()))?;
        let (proposer, plan) = (uid("Proposer", &matter.proposer.name)?, uid("Plan", "plan")?);
        let entities = Entities::from_entities(
            [
                entity(proposer.clone(), party(&matter.proposer))?,
                entity(plan.clone(), attributes(matter)?)?,
            ],
            Some(schema),
        )
        .map_err(unputtable)?;
        let request = |question: Question| {
            let session =
                [("risk", long(matter.session_risk)), ("files", long(matter.session_files))];
            let context = Context::from_pairs([("session".into(), record(session)?)]);
            let (context, action) =
                (context.map_err(unputtable)?, uid("Action", question.as_str())?);
            let (proposer, plan) = (proposer.clone(), plan.clone());
            let request = Request::new(proposer, action, plan, context, Some(schema));
            Ok((question, request.map_err(unputtable)?))
        };
        let [may_run, unasked] = Question::ALL;
        Ok(Self { requests: [request(may_run)?, request(unasked)?], entities })
    }
}

fn attributes(matter: &PolicyInput) -> Result<Vec<(String, RestrictedExpression)>, Unputtable> {
    let m = matter;
    let scores = |list: &[(String, u64)]| {
        RestrictedExpression::new_record(list.iter().map(|(name, n)| (name.clone(), long(*n))))
            .map_err(unputtable)
    };
    let dependencies = record([
        ("added", set(&m.dependencies_added)),
        ("removed", set(&m.dependencies_removed)),
        ("changed", set(&m.dependencies_changed)),
    ])?;
    let all = [
        ("touched", files(&m.touched)?),
        ("created", files(&m.created)?),
        ("modified", files(&m.modified)?),
        ("deleted", files(&m.deleted)?),
        ("mode_changed", files(&m.mode_changed)?),
        ("made_executable", files(&m.made_executable)?),
        ("changed_lines", long(m.changed_lines)),
        ("steps", long(m.steps)),
        ("risk", long(m.risk)),
        ("risk_level", text(&m.risk_level)),
        ("factors", scores(&m.factors)?),
        ("quality", long(m.quality)),
        ("dimensions", scores(&m.dimensions)?),
        ("findings", set(&m.findings)),
        ("roles", set(&m.roles)),
        ("dependencies", dependencies),
        ("tools", set(&m.tools)),
        ("effects", set(&m.effects)),
        ("domains", set(&m.domains)),
        ("recipients", set(&m.recipients)),
        ("tool_calls", long(m.tool_calls)),
        ("pages", long(m.pages)),
        ("tokens", long(m.tokens)),
        ("cost_micro_usd", long(m.cost_micro_usd)),
        ("runtime_seconds", long(m.runtime_seconds)),
        ("recipe", text(&m.recipe)),
        ("skill", text(&m.skill)),
        ("execution", text(&m.execution)),
        ("profile", text(&m.profile)),
    ];
    Ok(all.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

fn party(party: &Party) -> Vec<(String, RestrictedExpression)> {
    [("provider", &party.provider), ("model", &party.model), ("class", &party.class)]
        .into_iter()
        .map(|(name, value)| (name.into(), text(value)))
        .collect()
}

fn files(files: &Files) -> Result<RestrictedExpression, Unputtable> {
    let folded = record(names(&files.folded))?;
    record(
        [("count", long(files.count)), ("folded", folded)].into_iter().chain(names(&files.exact)),
    )
}

fn names(names: &Names) -> [(&'static str, RestrictedExpression); 4] {
    [
        ("paths", set(&names.paths)),
        ("folders", set(&names.folders)),
        ("names", set(&names.names)),
        ("extensions", set(&names.extensions)),
    ]
}

fn record(
    fields: impl IntoIterator<Item = (&'static str, RestrictedExpression)>,
) -> Result<RestrictedExpression, Unputtable> {
    let fields = fields.into_iter().map(|(name, value)| (name.into(), value));
    RestrictedExpression::new_record(fields).map_err(unputtable)
}

fn set(words: &Words) -> RestrictedExpression {
    RestrictedExpression::new_set(words.iter().map(|word| text(word)))
}

fn text(text: &str) -> RestrictedExpression {
    RestrictedExpression::new_string(text.into())
}

/// Numbers beyond what Cedar counts are far beyond every cap.
fn long(number: u64) -> RestrictedExpression {
    RestrictedExpression::new_long(i64::try_from(number).unwrap_or(i64::MAX))
}

fn entity(
    uid: EntityUid,
    attributes: Vec<(String, RestrictedExpression)>,
) -> Result<Entity, Unputtable> {
    let attributes: HashMap<String, RestrictedExpression> = attributes.into_iter().collect();
    Entity::new(uid, attributes, HashSet::new()).map_err(unputtable)
}

fn uid(kind: &str, name: &str) -> Result<EntityUid, Unputtable> {
    let kind: EntityTypeName = kind.parse().map_err(unputtable)?;
    Ok(EntityUid::from_type_name_and_id(kind, EntityId::new(name)))
}

fn unputtable(error: impl std::fmt::Display) -> Unputtable {
    Unputtable(error.to_string())
}
