//! Any bytes as a result list, alone and against a plan.
#![no_main]

use exacta_core::results::{self, PlanOutline};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], &[u8])| {
    let (text, plan) = input;
    let _ = results::check(text, None);
    if let Ok(outline) = PlanOutline::read(plan, exacta_core::read::parse::Limits::default()) {
        let _ = results::check(text, Some(&outline));
    }
});
