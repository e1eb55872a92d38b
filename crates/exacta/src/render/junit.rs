//! The check as a JUnit report: one test case, failed by each finding that refuses.

use std::io;

use exacta_core::shown::visible;
use quick_xml::Writer;
use quick_xml::events::BytesText;

use super::Subject;
use crate::wire::CheckReport;

/// The XML document.
pub(super) fn document(subject: &Subject<'_>, report: &CheckReport) -> io::Result<String> {
    let errors: Vec<_> = report.issues.iter().filter(|issue| issue.is_error()).collect();
    let failures = usize::from(!errors.is_empty()).to_string();
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
                    if errors.is_empty() {
                        return case.write_empty().map(drop);
                    }
                    case.write_inner_content(|writer| {
                        for issue in &errors {
                            let message = visible(issue.message.as_bytes());
                            let place = issue.place.map_or_else(String::new, |place| {
                                format!("{}:{}:{} ", subject.name, place.line, place.column)
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
                        Ok(())
                    })
                    .map(drop)
                })
                .map(drop)
        })?;
    let body = String::from_utf8_lossy(&writer.into_inner()).into_owned();
    Ok(format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{body}"))
}
