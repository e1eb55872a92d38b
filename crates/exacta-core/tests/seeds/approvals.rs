//! Which steps a person is asked about, whatever the plan says of itself (seed 004, "Approval
//! Model" and "Safety invariants").

use exacta_core::judge::decide::Kind;
use exacta_core::judge::policy::Profile;
use exacta_core::model::plan::RiskTier;
use exacta_testkit::Check;
use serde_json::{Value, json};

use super::online;

const RECIPES: [&str; 3] = ["Custom", "DailyBrief", "InboxTriage"];

/// An operator who lets as much as possible run alone.
fn generous() -> Check {
    let mut check = online();
    (check.policy.profile, check.policy.autonomy_ceiling) = (Profile::Balanced, Profile::Balanced);
    check.policy.unasked_primitives =
        ["TriageEmail", "WriteOutcomeDraft", "WriteEmailDraft"].map(str::to_owned).into();
    check
}

/// A plan of one step that says that it is harmless.
fn harmless(recipe: &str, tool: &str, args: &Value) -> Value {
    json!({"recipe": recipe, "intent": "read https://ok.example/news and write to ok@corp.com",
        "goal": "read https://ok.example/news and write to ok@corp.com",
        "steps": [{"id": "step_1", "label": "Read https://ok.example/news for ok@corp.com",
            "primitive": {"name": tool, "args": args},
            "requires_approval": false, "risk_tier": "Low"}]})
}

fn judged(check: &Check, draft: &Value) -> (Kind, RiskTier) {
    let examined = check.sound(draft.to_string());
    (examined.decision.unwrap().kind, examined.assessment.unwrap().risk.tier)
}

#[test]
fn send_email_always_asks_and_is_high() {
    let args = json!({"to": "ok@corp.com", "subject": "News", "body": "None."});
    for recipe in RECIPES {
        let found = judged(&generous(), &harmless(recipe, "SendEmail", &args));
        assert_eq!(found, (Kind::Wait, RiskTier::High), "{recipe}");
    }
    let call = json!({"url": "https://ok.example/news", "body": {}});
    let found = judged(&generous(), &harmless("Custom", "CallApi", &call));
    assert_eq!(found, (Kind::Wait, RiskTier::High));
}

#[test]
fn what_writes_always_asks_in_a_custom_plan() {
    let drafts = [
        ("TriageEmail", json!({})),
        ("WriteOutcomeDraft", json!({"heading": "News", "body": "None."})),
        ("WriteEmailDraft", json!({"to": "ok@corp.com", "subject": "News", "body": "None."})),
    ];
    for (tool, args) in drafts {
        let (custom, tier) = judged(&generous(), &harmless("Custom", tool, &args));
        assert_eq!((custom, tier), (Kind::Wait, RiskTier::Medium), "{tool}");
        // By default a preset recipe asks as well; only the operator may lift that.
        let preset = harmless("DailyBrief", tool, &args);
        let mut usual = generous();
        usual.policy.unasked_primitives.clear();
        assert_eq!(judged(&usual, &preset).0, Kind::Wait, "{tool}");
        assert_eq!(judged(&generous(), &preset).0, Kind::AutoNotify, "{tool}");
    }
}

#[test]
fn what_only_reads_may_run_alone_unless_the_plan_asks() {
    let reads = [
        ("ReadWeb", json!({"url": "https://ok.example/news"})),
        ("ReadSources", json!({"sources": ["https://ok.example/news"]})),
        ("ReadForwardedEmail", json!({})),
    ];
    for (tool, args) in reads {
        for recipe in RECIPES {
            let mut draft = harmless(recipe, tool, &args);
            let found = judged(&generous(), &draft);
            assert_eq!(found, (Kind::AutoSilent, RiskTier::Low), "{recipe} {tool}");
            draft["steps"][0]["requires_approval"] = json!(true);
            assert_eq!(judged(&generous(), &draft).0, Kind::Wait, "{recipe} {tool}");
        }
    }
}
