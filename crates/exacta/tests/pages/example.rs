//! One example of a page: what it hands in, and what comes out.

use super::block::Block;
use super::page::Page;
use super::project::Project;

/// What an example hands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Draft,
    Patch,
    Policy,
    Results,
}

/// The file of a policy in the small project, by the language of the block.
fn policy_file(block: &Block) -> &'static str {
    if block.info.starts_with("cedar") { ".exacta/policy.cedar" } else { ".exacta/policy.toml" }
}

/// An example that was run.
pub(crate) struct Outcome {
    pub(crate) kind: Kind,
    /// Whether the page says that it is accepted.
    pub(crate) ok: bool,
    pub(crate) exit: i32,
    pub(crate) output: String,
    /// The block that shows the output.
    pub(crate) shown: Option<Block>,
}

/// Runs every example of a page, each in a project of its own.
pub(crate) fn run(page: &Page) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for (index, block) in page.blocks.iter().enumerate() {
        let words: Vec<&str> = block.info.split(' ').collect();
        let (kind, file) = match words.get(1) {
            Some(&"draft") => (Kind::Draft, "plan.json"),
            Some(&"patch") => (Kind::Patch, "change.patch"),
            Some(&"policy") if words.contains(&"for") => continue,
            Some(&"policy") => (Kind::Policy, policy_file(block)),
            Some(&"results") => (Kind::Results, "results.json"),
            _ => continue,
        };
        let project = Project::new();
        if words.contains(&"linked") {
            project.write("linked.toml", page.of(block));
            project.link("linked.toml", file);
        } else {
            project.write(file, &written_out(page.of(block)));
        }
        let mut args = match kind {
            Kind::Draft => vec!["check"],
            Kind::Patch => vec!["check", "--patch"],
            Kind::Policy => vec!["policy", "check"],
            Kind::Results => vec!["results", "check"],
        };
        if kind != Kind::Policy {
            args.push(file);
        }
        let before = index.checked_sub(1).and_then(|before| page.blocks.get(before));
        if let Some(plan) = before.filter(|block| block.info == "json plan") {
            project.write("plan.json", page.of(plan));
            args.extend(["--plan", "plan.json"]);
        }
        if let Some(policy) = before.filter(|block| block.info.ends_with(" policy for")) {
            project.write(policy_file(policy), page.of(policy));
        }
        let (exit, output) = project.exacta(&args);
        let shown = page.blocks.get(index + 1).filter(|next| next.info == "text").cloned();
        outcomes.push(Outcome { kind, ok: words.contains(&"ok"), exit, output, shown });
    }
    outcomes
}

/// Writes out `<3 times x>`: `x` three times, with the number of each for `#`. Objects
/// get commas between them.
fn written_out(text: &str) -> String {
    let Some((before, rest)) = text.split_once('<') else { return text.into() };
    let parts = rest.split_once('>').and_then(|(inside, after)| {
        let (count, what) = inside.split_once(" times ")?;
        Some((count.parse::<usize>().ok()?, what, after))
    });
    let Some((count, what, after)) = parts else {
        return format!("{before}<{}", written_out(rest));
    };
    let each: Vec<_> = (1..=count).map(|n| what.replace('#', &n.to_string())).collect();
    let between = if what.starts_with('{') { ",\n    " } else { "" };
    format!("{before}{}{}", each.join(between), written_out(after))
}

#[test]
fn repetitions_are_written_out() {
    assert_eq!(
        written_out(r#"[<2 times {"a": #}>, "<3 times x>", "<b>"]"#),
        "[{\"a\": 1},\n    {\"a\": 2}, \"xxx\", \"<b>\"]"
    );
}
