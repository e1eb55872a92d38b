//! How `exacta check` ends; what it prints as JSON is the gate's own report.

use exacta_core::judge::decide::Kind;
pub(crate) use exacta_engine::gate::CheckReport;

use crate::exit::Exit;

/// How a command ends that checked a text.
pub(crate) const fn exit_of_check(report: &CheckReport) -> Exit {
    match report.decision {
        Kind::AutoSilent | Kind::AutoNotify => Exit::Done,
        Kind::Wait => Exit::Waits,
        Kind::Reject => Exit::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number in the report is the one that the process ends with.
    #[test]
    fn a_report_says_how_the_command_ends() {
        let report = CheckReport::refused(Vec::new());
        assert_eq!(report.exit_code, exit_of_check(&report).code());
    }
}
