//! Any bytes as planner text: parse, examine on an empty project, and read back.
#![no_main]

use exacta_core::judge::examine::{Context, examine};
use exacta_core::judge::facts::Unread;
use exacta_core::read::parse::{self, Limits};
use exacta_core::model::path::RelPath;
use exacta_core::judge::policy::Policy;
use exacta_core::model::tree::{Tree, TreeFault, TreeFile};
use libfuzzer_sys::fuzz_target;

struct Empty;

impl Tree for Empty {
    fn look(&self, _: &RelPath) -> Result<Option<TreeFile>, TreeFault> {
        Ok(None)
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(draft) = parse::draft(bytes, Limits::default()) else { return };
    // The normalised form is a draft again, and the same one.
    let written = exacta_fuzz::json(&draft);
    let again = parse::draft(written.as_bytes(), Limits::default()).expect("reads back");
    assert_eq!(written, exacta_fuzz::json(&again));
    let (policy, context) = (Policy::default(), Context::default());
    let first = examine(draft, &Empty, &Unread, &policy, &context).expect("has a JSON form");
    let second = examine(again, &Empty, &Unread, &policy, &context).expect("has a JSON form");
    assert_eq!(first.plan_hash, second.plan_hash);
});
