//! Every file with what happens to it, its modes and the names of its images.

use exacta_core::digest::Digest;

use super::steps::effect;
use crate::render::style;
use crate::review::ReviewPlan;
use crate::review::document::Document;
use crate::review::look::Signs;

pub(super) fn add(plan: &ReviewPlan<'_>, signs: Signs, document: &mut Document) {
    let files = plan.touched();
    document.heading(&format!("Files ({})", files.len()));
    for file in files {
        let net = file.net();
        document.content(format!("  {}", effect(plan, &net, signs)));
        for (word, digest) in [("before", net.before), ("after ", net.after)] {
            let quiet = style::QUIET;
            document.line(format!("      {quiet}{word} {}{quiet:#}", image(plan, digest)));
        }
    }
}

fn image(plan: &ReviewPlan<'_>, digest: Option<Digest>) -> String {
    let Some(digest) = digest else { return "nothing".into() };
    match plan.blob(&digest) {
        Some(blob) => format!("{digest}  {} bytes", blob.bytes().len()),
        None => format!("{digest}  missing"),
    }
}
