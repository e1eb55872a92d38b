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
        let quiet = style::QUIET;
        let size = |digest: Option<Digest>| {
            digest.and_then(|digest| plan.blob(&digest)).map(|blob| blob.bytes().len())
        };
        // Beside a hash there is no room for it in a window of 80 columns.
        let bytes = match (size(net.before), size(net.after)) {
            (Some(before), Some(after)) => format!("  {quiet}{before} to {after} bytes{quiet:#}"),
            (Some(size), None) | (None, Some(size)) => format!("  {quiet}{size} bytes{quiet:#}"),
            (None, None) => String::new(),
        };
        document.content(format!("  {}{bytes}", effect(plan, &net, signs)));
        for (word, digest) in [("before", net.before), ("after ", net.after)] {
            document.line(format!("      {quiet}{word} {}{quiet:#}", image(plan, digest)));
        }
    }
}

fn image(plan: &ReviewPlan<'_>, digest: Option<Digest>) -> String {
    let Some(digest) = digest else { return "nothing".into() };
    let missing = if plan.blob(&digest).is_some() { "" } else { "  missing" };
    format!("{digest}{missing}")
}
