//! `exacta demo`: good and bad plans on a small project, with what the gate says.

use std::fs;
use std::path::Path;

use exacta_core::examine::{Context, examine};
use exacta_core::parse::{self, Limits};
use exacta_core::policy::Policy;
use exacta_core::shown::visible;
use exacta_engine::workspace::Root;

use crate::cli::CliError;
use crate::exit::Exit;
use crate::inspector::Confined;
use crate::render::{self, Printer, Subject};
use crate::wire::CheckReport;

/// Show what the gate does, on a throw-away project.
///
/// Nothing outside a temporary folder is touched, and that folder is removed at the end.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Keep the folder with the project and the plans, and print where it is.
    #[arg(long)]
    keep: bool,
}

/// The sample project.
const FILES: [(&str, &str); 2] = [
    ("src/greet.py", include_str!("../../../../examples/demo/src/greet.py")),
    ("README.md", include_str!("../../../../examples/demo/README.md")),
];

/// The sample drafts: what each shows, and its text.
const DRAFTS: [(&str, &str, &str); 4] = [
    (
        "good.json",
        "A sound plan: one exact edit and one new file.",
        include_str!("../../../../examples/demo/good.json"),
    ),
    (
        "broken.json",
        "A plan with a wrong dependency, a cycle, and a target outside the project.",
        include_str!("../../../../examples/demo/broken.json"),
    ),
    (
        "stale.json",
        "A diff made against an older version of the file: no offset, no fuzz, no guess.",
        include_str!("../../../../examples/demo/stale.json"),
    ),
    (
        "chatty.txt",
        "A planner that talks around its plan. Nothing is searched for or repaired.",
        include_str!("../../../../examples/demo/chatty.txt"),
    ),
];

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let folder = tempfile::tempdir()?;
    for (name, text) in FILES {
        write(folder.path(), name, text)?;
    }
    printer.line("A small project, four plans for it. Nothing is changed by checking.\n")?;
    for (name, shows, text) in DRAFTS {
        printer.line(&format!("== {name}: {shows}\n"))?;
        check(folder.path(), name, text, printer)?;
        printer.line("")?;
    }
    if args.keep {
        for (name, _, text) in DRAFTS {
            write(folder.path(), name, text)?;
        }
        let path = folder.keep();
        let shown = visible(path.as_os_str().as_encoded_bytes());
        printer.line(&format!("Kept in {shown}: `exacta -C {shown} check good.json`."))?;
    }
    printer
        .line("Try your own: `exacta check plan.json`, or `git diff main...topic | exacta check --patch -`.")?;
    Ok(Exit::Done)
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), CliError> {
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    Ok(fs::write(path, text)?)
}

fn check(folder: &Path, name: &str, text: &str, printer: &mut Printer) -> Result<(), CliError> {
    let root = Root::open(folder)?;
    let mut examined = None;
    let report = match parse::draft(text.as_bytes(), Limits::default()) {
        Err(issues) => CheckReport::refused(issues),
        Ok(draft) => {
            let mut outcome =
                examine(draft, &root, &Confined, &Policy::default(), &Context::default())?;
            parse::locate(text, &mut outcome.issues);
            CheckReport::examined(examined.insert(outcome))
        }
    };
    let subject = Subject { name: name.into(), text: text.as_bytes(), is_patch: false };
    render::check(render::Format::Human, &subject, &report, examined.as_ref(), printer)
}
