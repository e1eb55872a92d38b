//! Drafts to measure with.

use std::fmt::Write as _;

/// A source file of about `bytes` bytes; `seed` makes each one different.
pub(crate) fn source(seed: usize, bytes: usize) -> String {
    let mut text = String::new();
    let mut line = 0;
    while text.len() < bytes {
        let _ = writeln!(text, "    let value_{line} = compute(\"{seed}\", {line});");
        line += 1;
    }
    text
}

/// A draft of `steps` file steps: half create a file of `bytes` bytes, half modify one
/// by a diff that shows all of it. Returns the draft and the files it needs.
pub(crate) fn file_draft(steps: usize, bytes: usize) -> (String, Vec<(String, String)>) {
    let mut list = Vec::new();
    let mut files = Vec::new();
    for k in 1..=steps {
        let target = format!("src/module_{}/file_{k}.rs", k % 37);
        let text = source(k, bytes);
        let mut step = serde_json::json!({
            "step_id": format!("step_{k}"),
            "title": format!("change file {k}"),
            "description": "a description of ordinary length, as planners write them",
            "dependencies": if k > 1 { vec![format!("step_{}", k - 1)] } else { Vec::new() },
            "target": target,
        });
        let (kind, field, value) = if k % 2 == 0 {
            ("file_create", "content", text)
        } else {
            let diff = whole_file_diff(&target, &text);
            files.push((target, text));
            ("file_modify", "diff", diff)
        };
        if let Some(object) = step.as_object_mut() {
            object.insert("type".into(), kind.into());
            object.insert(field.into(), value.into());
        }
        list.push(step);
    }
    (serde_json::json!({ "goal": "measure", "steps": list }).to_string(), files)
}

/// A diff of one hunk with the whole file as context and its middle line replaced.
pub(crate) fn whole_file_diff(target: &str, text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut diff = format!("--- a/{target}\n+++ b/{target}\n@@ -1,{0} +1,{0} @@\n", lines.len());
    for (index, line) in lines.iter().enumerate() {
        if index == lines.len() / 2 {
            let _ = write!(diff, "-{line}\n+    let changed = true;\n");
        } else {
            let _ = writeln!(diff, " {line}");
        }
    }
    diff
}
