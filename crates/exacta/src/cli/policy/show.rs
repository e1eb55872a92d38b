//! `exacta policy show`: every key, its value, and where that came from.

use exacta_core::judge::policy::Origin;
use exacta_core::text::shown::visible;
use exacta_engine::policy::{CedarFile, Loaded};

use crate::cli::{CliError, in_force, project};
use crate::exit::Exit;
use crate::paint::style;
use crate::render::Printer;
use crate::wire::{CedarEffect, CedarPolicyRow, PolicyFile, PolicyReport};

/// Show the policy in force: every value and the layer it came from.
///
/// Values that a layer asked for but that would have loosened the policy are listed at
/// the end; they have no effect.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta policy show\n  exacta policy show --json | jq .record.active_profile\n\nExit codes: 0 shown, 10 a policy file is refused, 1 I/O error."
)]
pub(crate) struct Args {
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let loaded = in_force::shown(&project::open(printer)?)?;
    let Loaded { merged, files, cedar, standing, .. } = loaded;
    if let Some(text) = in_force::unconfirmed(&standing) {
        printer.warn(&text);
    }
    let report = PolicyReport {
        record: merged.policy.record()?,
        files: files
            .into_iter()
            .map(|file| PolicyFile { layer: file.layer, path: file.path.display().to_string() })
            .collect(),
        cedar: cedar.iter().flat_map(|file| listed(file)).collect(),
        keys: merged.rows(),
        ignored: merged.ignored,
    };
    if args.json {
        printer.json(&report)?;
    } else {
        people(&report, printer)?;
    }
    Ok(Exit::Done)
}

fn listed(file: &CedarFile) -> Vec<CedarPolicyRow> {
    let row = |policy: &exacta_engine::policy::CedarPolicy| CedarPolicyRow {
        layer: file.layer(),
        line: policy.place.line,
        effect: if policy.permits { CedarEffect::Permit } else { CedarEffect::Forbid },
        name: policy.name.clone(),
        reason: policy.reason.clone(),
    };
    file.policies().iter().map(row).collect()
}

fn people(report: &PolicyReport, printer: &mut Printer) -> Result<(), CliError> {
    let (strong, quiet, warning) = (style::STRONG, style::QUIET, style::WARNING);
    printer.line(&format!("{strong}Layers{strong:#}, in order: system and operator set what none before them has set; else \
         each can only tighten"))?;
    printer.line(&format!("  {:<11} {quiet}always{quiet:#}", Origin::BuiltIn.as_str()))?;
    for file in &report.files {
        let path = visible(file.path.as_bytes());
        printer.line(&format!("  {:<11} {path}", file.layer.as_str()))?;
    }
    printer.line(&format!("{strong}Keys{strong:#}"))?;
    let width = report.keys.iter().map(|row| row.key.len()).max().unwrap_or(0);
    for row in &report.keys {
        let names: Vec<_> = row.origins.iter().map(|origin| origin.as_str()).collect();
        let value = visible(row.written().as_bytes());
        let key = visible(row.key.as_bytes());
        printer.line(&format!("  {key:<width$}  {value}  {quiet}{}{quiet:#}", names.join(", ")))?;
    }
    if !report.cedar.is_empty() {
        printer.line(&format!("{strong}Cedar{strong:#}, every layer's policies must allow"))?;
    }
    for CedarPolicyRow { layer, line, effect, name, reason } in &report.cedar {
        let name = visible(name.as_bytes());
        let reason = reason.as_deref().map(|text| format!("  {}", visible(text.as_bytes())));
        let (effect, layer) = (effect.as_str(), layer.as_str());
        let reason = reason.unwrap_or_default();
        printer
            .line(&format!("  {effect} {name}{reason}  {quiet}{layer}, line {line}{quiet:#}"))?;
    }
    if !report.ignored.is_empty() {
        printer.line(&format!("{strong}Ignored{strong:#}, because it would loosen the policy"))?;
    }
    for loosening in &report.ignored {
        let message = visible(loosening.issue().message.as_bytes());
        printer.line(&format!("  {warning}warning{warning:#}: {message}"))?;
    }
    let hash = report.record.safety_policy_hash;
    Ok(printer.line(&format!("{quiet}policy_hash{quiet:#} {hash}"))?)
}
