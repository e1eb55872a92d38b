//! From a gate to the page of a plan: everything is looked up here, on a thread that may wait.

use std::collections::BTreeMap;

use exacta_core::life::lifecycle::Cause;
use exacta_core::model::change::{Change, net};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use exacta_core::model::path::RelPath;
use exacta_core::model::plan::Action;
use exacta_core::read::validate::named_checks;
use exacta_core::review::{Role, Row, Subject, Syntax, Token, compose};
use exacta_engine::gate::{Gate, GateError, Shown};
use maud::Markup;

use super::difference::{self, Layout};
use super::frame::Notice;
use super::looks::{Looks, Words};
use super::plan::{PlanView, plan};
use super::since::{Since, Standing};

/// So many bytes of code are given colours, the smallest files first; the rest is shown at once.
const MOST_COLOURED: usize = 1 << 20;

/// What a request asks of the page.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    /// The project's id and name.
    pub(super) project: (String, String),
    /// How differences are laid out.
    pub(super) layout: Layout,
    /// What just happened.
    pub(super) notice: Option<Notice>,
    /// Words of a form that was refused.
    pub(super) kept: Option<String>,
    /// Whether files can be opened in an editor.
    pub(super) editor: bool,
    /// Whether a passkey signs what is approved.
    pub(super) passkey: bool,
}

/// The page of a plan; `token` makes the word that forms carry from the plan's hash.
pub(super) fn page(
    gate: &Gate<'_>,
    plan_id: &PlanId,
    asked: &Asked,
    looks: &Looks,
    token: &dyn Fn(&str) -> String,
) -> Result<Markup, GateError> {
    let shown = gate.show(plan_id)?;
    let status = gate.status(plan_id)?;
    let (created, examined) = (&shown.entry.created, &shown.examined);
    let image = |digest: &Digest| examined.image(digest).cloned();
    let subject = Subject {
        plan_id: &created.plan_id,
        plan_hash: created.plan_hash,
        intent: shown.intent.as_deref(),
        proposer: created.proposer.as_deref(),
        draft: examined.draft(),
        changes: examined.changes(),
        image: &image,
        examined,
        // Time goes on while somebody looks; the head of the page says it.
        expires_in: None,
        stale: status.out_of_date.as_deref(),
    };
    let syntax = match &looks.words {
        Some(words) => Syntax::read(&subject, |images| coloured(images, words.as_ref())),
        None => Syntax::default(),
    };
    let review = compose(&subject, &syntax);
    let checks = named_checks(&examined.constraints);
    let checks: Vec<String> = checks.into_iter().map(Into::into).collect();
    let hash = created.plan_hash.to_string();
    let since = since(gate, &shown, &asked.project.0);
    Ok(plan(&PlanView {
        project: (&asked.project.0, &asked.project.1),
        review: &review,
        examined,
        status: &status,
        goal: &created.goal,
        proposer: created.proposer.as_deref(),
        checks: &checks,
        lengths: &lengths(&subject),
        layout: asked.layout,
        since: since.as_ref(),
        same: shown.same,
        token: &token(&hash),
        notice: asked.notice.as_ref(),
        kept: asked.kept.as_deref(),
        editor: asked.editor,
        passkey: asked.passkey,
        intent: created.correlation_id.as_str(),
        marks: &step_marks(&shown),
    }))
}

/// A word for what each step does, by its id.
fn step_marks(shown: &Shown) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for step in &shown.examined.draft().steps {
        let text = match &step.action {
            Action::Tool(call) => {
                format!(
                    "{}\n{}\n",
                    call.name,
                    serde_json::to_string(&call.args).unwrap_or_default()
                )
            }
            Action::File(_) => String::new(),
        };
        texts.insert(step.step_id.clone(), text);
    }
    for change in shown.examined.changes() {
        let digest = |digest: Option<Digest>| digest.map(|one| one.to_string()).unwrap_or_default();
        let (before, after) = (digest(change.before), digest(change.after));
        let (was, is) = (change.mode_before, change.mode_after);
        let line = format!("{}\n{before}\n{after}\n{was:?}\n{is:?}\n", change.path);
        texts.entry(change.step.clone()).or_default().push_str(&line);
    }
    texts.into_iter().map(|(step, text)| (step, difference::mark_of(&text))).collect()
}

/// The kinds of words of as many images as nobody has to wait for.
fn coloured(images: &[(&RelPath, &[u8])], words: &Words) -> Option<Vec<Option<Vec<Token>>>> {
    let mut order: Vec<usize> = (0..images.len()).collect();
    let size = |index: &usize| images.get(*index).map_or(0, |(_, bytes)| bytes.len());
    order.sort_by_key(size);
    let mut room = MOST_COLOURED;
    order.retain(|index| {
        let fits = size(index) <= room;
        room = if fits { room - size(index) } else { 0 };
        fits
    });
    order.sort_unstable();
    let some: Vec<(&RelPath, &[u8])> =
        order.iter().filter_map(|index| images.get(*index).copied()).collect();
    let mut all: Vec<Option<Vec<Token>>> = images.iter().map(|_| None).collect();
    for (index, found) in order.into_iter().zip(words(&some)?) {
        all.get_mut(index).into_iter().for_each(|place| place.clone_from(&found));
    }
    Some(all)
}

/// How many lines the image after each difference has.
fn lengths(subject: &Subject<'_>) -> BTreeMap<(String, Option<String>), usize> {
    let mut lengths = BTreeMap::new();
    let count = |change: &Change| {
        // Where a file goes or comes, all of it is shown.
        let (_, after) = (subject.before(change)?, change.after?);
        let blob = subject.blob(&after)?;
        Some(blob.bytes().split_inclusive(|byte| *byte == b'\n').count())
    };
    for file in subject.touched() {
        let path = file.path.as_str().to_owned();
        let only = file.changes.len() == 1;
        for change in &file.changes {
            let one = if only { file.net() } else { (*change).clone() };
            lengths.extend(
                count(&one).map(|lines| ((path.clone(), Some(change.step.clone())), lines)),
            );
        }
        if !only {
            lengths.extend(count(&file.net()).map(|lines| ((path.clone(), None), lines)));
        }
    }
    lengths
}

/// What changed since the plan that this one answers.
fn since(gate: &Gate<'_>, shown: &Shown, project: &str) -> Option<Since> {
    let parent = shown.entry.created.parent.as_ref()?;
    // What the earlier plan was made of may be gone; then there is nothing to compare.
    let earlier = gate.show(parent).ok()?;
    let request = match earlier.entry.expiry() {
        Some(Cause::ChangesRequested { request }) => Some(request.clone()),
        Some(Cause::StepsSelected { request, .. }) => request.clone(),
        _ => None,
    };
    let of = |shown: &Shown| -> BTreeMap<String, Option<Digest>> {
        let changes = net(shown.examined.changes());
        changes.iter().map(|change| (change.path.as_str().to_owned(), change.after)).collect()
    };
    let (was, is) = (of(&earlier), of(shown));
    let mut files = BTreeMap::new();
    let mut images = BTreeMap::new();
    for (path, after) in &is {
        let standing = match was.get(path) {
            None => Standing::New,
            Some(before) if before == after => Standing::Same,
            Some(before) => {
                let bytes = |shown: &Shown, digest: &Option<Digest>| {
                    let blob = digest.as_ref().and_then(|digest| shown.examined.image(digest));
                    blob.map(|blob| blob.bytes().to_vec()).unwrap_or_default()
                };
                let pair = (bytes(&earlier, before), bytes(shown, after));
                if !pair.0.contains(&0) && !pair.1.contains(&0) {
                    images.insert(path.clone(), pair);
                }
                Standing::Differs
            }
        };
        files.insert(path.clone(), standing);
    }
    for path in was.keys().filter(|path| !is.contains_key(*path)) {
        files.insert(path.clone(), Standing::Dropped);
    }
    let href = format!("/projects/{project}/plans/{parent}");
    Some(Since { plan_id: parent.to_string(), href, request, files, images })
}

/// Which lines of which file somebody wants to see.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) path: String,
    pub(super) step: Option<String>,
    pub(super) before: u32,
    pub(super) after: u32,
    pub(super) count: u32,
    pub(super) layout: Layout,
}

/// Lines of a file that stay, as rows.
pub(super) fn context(
    gate: &Gate<'_>,
    plan_id: &PlanId,
    wanted: &Wanted,
) -> Result<Option<Markup>, GateError> {
    let shown = gate.show(plan_id)?;
    let changes = shown.examined.changes();
    let of_file = |change: &&Change| change.path.as_str() == wanted.path;
    let change = match &wanted.step {
        Some(step) => changes.iter().find(|change| of_file(change) && change.step == *step),
        None => changes.iter().rfind(of_file),
    };
    let Some(after) = change.and_then(|change| change.after) else { return Ok(None) };
    let Some(blob) = shown.examined.image(&after) else { return Ok(None) };
    let lines = blob.bytes().split_inclusive(|byte| *byte == b'\n');
    let rows: Vec<Row> = lines
        .skip(wanted.after as usize)
        .take(wanted.count as usize)
        .map(|line| {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            Row::content(0).show(Role::Context, line)
        })
        .collect();
    Ok(Some(difference::context(&rows, wanted.before, wanted.after, wanted.layout)))
}
