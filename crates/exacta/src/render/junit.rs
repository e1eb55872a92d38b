//! The check as a JUnit report: one test case, failed by each finding that refuses and by
//! everything that keeps the plan from running alone.

use std::io;

use exacta_core::text::shown::visible;
use quick_xml::Writer;
use quick_xml::events::BytesText;

use super::Subject;
use super::deciding::{Deciding, deciding};
use crate::wire::CheckReport;

/// The XML document.
pub(super) fn document(subject: &Subject<'_>, report: &CheckReport) -> io::Result<String> {
    let errors: Vec<_> = report.issues.iter().filter(|issue| issue.is_error()).collect();
    let decided = deciding(report);
    let passes = errors.is_empty() && decided.is_empty();
    let failures = usize::from(!passes).to_string();
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer
        .create_element("testsuites")
        .with_attributes([("name", "exacta check"), ("tests", "1"), ("failures", &failures)])
        .write_inner_content(|writer| {
            writer
                .create_element("testsuite")
                .with_attributes([("name", "plan"), ("tests", "1"), ("failures", &failures)])
                .write_inner_content(|writer| {
                    let case = writer.create_element("testcase").with_attributes([
                        ("name", subject.name.as_str()),
                        ("classname", "exacta.check"),
                    ]);
                    if passes {
                        return case.write_empty().map(drop);
                    }
                    case.write_inner_content(|writer| {
                        for issue in &errors {
                            let message = visible(issue.message.as_bytes());
                            let place = issue.place.map_or_else(String::new, |place| {
                                let (name, place) = subject.at(place);
                                format!("{name}:{}:{} ", place.line, place.column)
                            });
                            let text = format!(
                                "{place}{}\n{message}\n{}",
                                visible(issue.pointer.as_str().as_bytes()),
                                visible(issue.help.as_bytes())
                            );
                            writer
                                .create_element("failure")
                                .with_attributes([
                                    ("type", issue.code.as_str()),
                                    ("message", message.as_str()),
                                ])
                                .write_text_content(BytesText::new(&text))?;
                        }
                        for what in &decided {
                            let message = visible(what.message.as_bytes());
                            writer
                                .create_element("failure")
                                .with_attributes([
                                    ("type", what.id.as_str()),
                                    ("message", message.as_str()),
                                ])
                                .write_text_content(BytesText::new(&place_of(what)))?;
                        }
                        Ok(())
                    })
                    .map(drop)
                })
                .map(drop)
        })?;
    let body = String::from_utf8_lossy(&writer.into_inner()).into_owned();
    Ok(format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{body}"))
}

/// The file and line, and what it means for the plan.
fn place_of(what: &Deciding) -> String {
    let word = if what.rejects { "the plan is rejected" } else { "the plan waits for a person" };
    match &what.place {
        Some((file, Some(line))) => format!("{}:{line} {word}", visible(file.as_bytes())),
        Some((file, None)) => format!("{} {word}", visible(file.as_bytes())),
        None => word.into(),
    }
}
