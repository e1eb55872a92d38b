//! The gate's hints in the command line's words: which command helps.

use exacta_engine::gate::Hint;

/// What to do, in one line; empty when there is nothing to say.
pub(crate) fn words(hints: &[Hint]) -> String {
    hints.iter().map(word).collect::<Vec<_>>().join("; ")
}

fn word(hint: &Hint) -> String {
    match hint {
        Hint::List => "`exacta list` shows every plan and run".into(),
        Hint::MoreOfTheId => "give more of the id; its end differs more than its beginning".into(),
        Hint::ItsRun { run: Some(run) } => format!("its run is `{run}`"),
        Hint::ItsRun { run: None } => "it has not run".into(),
        Hint::ItsPlan { plan } => format!("its plan is `{plan}`"),
        Hint::Show { plan } => format!("look at the plan: `exacta show {plan}`"),
        Hint::History { plan } => {
            format!(
                "`exacta status {plan}` and `exacta log --plan {plan}` show what the record keeps"
            )
        }
        Hint::Review { plan } => format!("`exacta review {plan}` shows it and asks"),
        Hint::Renew { plan } => {
            format!("`exacta renew {plan}` makes a fresh plan of the same draft")
        }
        Hint::Run { plan } => format!("`exacta run {plan}` runs it"),
        Hint::RequestChanges { plan } => {
            format!("`exacta changes {plan} TEXT` takes the approval back")
        }
        Hint::ProposeAnother => "propose a plan for the files as they are now".into(),
        Hint::ProposeFilesAlone => "propose the file steps alone".into(),
        Hint::ApproveWhole => "approve the whole plan, or request changes".into(),
        Hint::SelectAlso { steps } => format!("select {} as well", steps.join(", ")),
        Hint::Undo { run } => format!("`exacta undo {run}` takes it back"),
        Hint::Redo { run } => format!("`exacta redo {run}` takes that back"),
        Hint::Resolve { run } => format!(
            "find out whether it did, then say so: `exacta resolve {run} --happened` or `--not`"
        ),
        Hint::NothingChanged => "nothing was changed".into(),
        Hint::Recover => "`exacta recover` finishes or rolls back what was interrupted".into(),
        Hint::Verify => "`exacta verify` says what is wrong".into(),
        Hint::Log => "`exacta log` says whether it counts".into(),
        Hint::Adopt => "`exacta adopt` starts a new record here".into(),
        Hint::Doctor => "`exacta doctor` looks for the cause".into(),
        Hint::CheckPolicy => "`exacta policy check` shows what is wrong".into(),
        Hint::TryLater => "wait until it has finished, then try again".into(),
        Hint::OtherKey => "give each command a key of its own".into(),
        Hint::AtTerminal => {
            "run the command at a terminal; `decide` in policy chooses another way".into()
        }
        Hint::GiveCredential => "name the file that holds it with `--credential FILE`".into(),
        Hint::GiveHash => "give it with `--hash`".into(),
        Hint::RegisterProposer => "the operator registers it under `[proposers]`".into(),
        Hint::SetClock => "set the clock right first; until it has passed the newest entry of the \
                           record, or the machine restarts, every plan is out of time"
            .into(),
        Hint::MakeReadable => {
            "make the project's files readable for you, or work as their owner".into()
        }
        Hint::MakeWritable => {
            "make the project's files and folders writable for you, or work as their owner".into()
        }
        Hint::FreeSpace => "make room on the file system".into(),
        Hint::TooLarge => "the file is larger than this process or file system may write".into(),
        Hint::Ownership => {
            "let the files' owner run the plan, or remove those attributes first".into()
        }
        Hint::OneName => {
            "give each file one name again; backups by hard links give it a second".into()
        }
        Hint::OwnFolder => {
            "work in the project's own folder (`-C DIR`); nothing was made here".into()
        }
        Hint::RestoreKey => "put it back from a copy; without one, `exacta adopt` makes a new key \
                             and a new record in each project"
            .into(),
        Hint::NarrowConfiguration => {
            "name the files in `project_config`, or patterns without `/` and `**`".into()
        }
        Hint::Again => "then run the command again".into(),
        Hint::Report => "please report this".into(),
        Hint::Text { text } => text.clone(),
    }
}
