//! Adding a file, or a `forbid` to one, never loosens what is decided about a plan.

use exacta_core::judge::decide::Kind;
use exacta_core::judge::policy::LayerName::{self, Operator, Project, System};
use exacta_core::judge::policy::Policy;
use exacta_engine::policy::read_cedar;
use exacta_testkit::{Budget, Rng};

use crate::world::{ADDS, DELETES, READS, UNSOUND, balanced, judged, kind, policy};

const CONDITIONS: [&str; 12] = [
    "resource.risk > 5",
    "resource.steps > 1",
    "resource.deleted.count > 0",
    "resource.touched.folders.contains(\"src\")",
    "resource.findings.contains(\"secret_added\")",
    "resource.tools.contains(\"ReadWeb\")",
    "resource.quality < 900",
    "principal == Proposer::\"p\"",
    "resource.profile == \"balanced\"",
    "context.session.files > 0",
    "resource.dimensions has completeness && resource.dimensions.completeness < 1000",
    // Fails wherever it is evaluated.
    "resource.steps + 9223372036854775807 > 0",
];
const ACTIONS: [&str; 3] =
    ["action", "action == Action::\"may_run\"", "action == Action::\"may_run_unasked\""];

fn one(rng: &mut Rng, effect: &str) -> String {
    let (action, condition) = (*rng.pick(&ACTIONS), *rng.pick(&CONDITIONS));
    let body = match rng.below(5) {
        0 => String::new(),
        1 => format!(" unless {{ {condition} }}"),
        2 => format!(" when {{ {condition} && {} }}", rng.pick(&CONDITIONS)),
        _ => format!(" when {{ {condition} }}"),
    };
    format!("{effect} (principal, {action}, resource){body};\n")
}

fn text(rng: &mut Rng, layer: LayerName) -> String {
    let mut text = String::new();
    for _ in 0..rng.below(4) {
        let effect = if layer == Project || rng.percent(40) { "forbid" } else { "permit" };
        text += &one(rng, effect);
    }
    if layer != Project && rng.percent(60) {
        text += "permit (principal, action, resource);\n";
    }
    text
}

fn under(files: &[(LayerName, String)], loosest: bool) -> Policy {
    let files: Vec<_> = files.iter().map(|(layer, text)| (*layer, text.as_str())).collect();
    if loosest { balanced(&files) } else { policy(&files) }
}

/// A condition may be one that Cedar finds impossible beside another.
fn usable(layer: LayerName, text: &str) -> bool {
    read_cedar(layer, text.as_bytes()).is_ok()
}

#[test]
fn a_file_or_a_forbid_never_loosens() {
    let budget = Budget::of_processor("decisions under Cedar", 1_500, 20, 100_000);
    let drafts = [ADDS, DELETES, READS, UNSOUND];
    let mut seed = 0;
    let mut kinds = [0_u64; 4];
    let mut tightened = 0;
    while budget.allows(seed) {
        let mut rng = Rng::new(seed ^ 0xceda);
        seed += 1;
        let (draft, loosest) = (*rng.pick(&drafts), rng.percent(50));
        let proposer = *rng.pick(&[None, Some("p"), Some("q")]);
        let mut files: Vec<(LayerName, String)> = Vec::new();
        let decide =
            |files: &[(LayerName, String)]| kind(&judged(&under(files, loosest), draft, proposer));
        let mut last: Kind = decide(&files);
        for layer in [System, Operator, Project] {
            let mut text = text(&mut rng, layer);
            if rng.percent(30) || !usable(layer, &text) {
                continue;
            }
            files.push((layer, text.clone()));
            let with_file = decide(&files);
            assert!(with_file <= last, "seed {seed}: a file loosened: {files:#?}");
            text += &one(&mut rng, "forbid");
            if !usable(layer, &text) {
                last = with_file;
                continue;
            }
            files.pop();
            files.push((layer, text));
            let with_forbid = decide(&files);
            assert!(with_forbid <= with_file, "seed {seed}: a forbid loosened: {files:#?}");
            tightened += u64::from(with_forbid < with_file);
            last = with_forbid;
        }
        kinds[last as usize] += 1;
    }
    budget.report(seed);
    assert!(kinds[Kind::Reject as usize] > 0 && kinds[Kind::Wait as usize] > 0, "{kinds:?}");
    assert!(kinds[Kind::AutoSilent as usize] > 0 && tightened > 0, "{kinds:?}");
}
