//! The table as the documentation prints it.

use alloc::string::String;
use core::fmt::Write as _;

use super::{
    Counting, Dimension, Factor, FloorRow, HIGH_FROM, MAX_RISK, MEDIUM_FROM, QUALITY_CAPS,
    QualityRow, RiskRow,
};
use crate::judge::score::Class;

/// The page that a table is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// `docs/concepts/risk.md`
    Risk,
    /// `docs/concepts/quality.md`
    Quality,
}

/// The generated part of a page.
#[must_use]
pub fn markdown(page: Page) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = match page {
        Page::Risk => risk(&mut out),
        Page::Quality => quality(&mut out),
    };
    out
}

fn counts(counting: Counting) -> &'static str {
    match counting {
        Counting::Each => "each",
        Counting::EachFile => "each file",
        Counting::EachStep => "each step",
        Counting::First => "the first",
        Counting::Further => "each further",
        Counting::Once => "once, the highest",
        Counting::EachFunction => "each function, the highest",
    }
}

fn measure(when: &str, over: u32) -> String {
    if over == 0 { when.into() } else { format!("{when}: more than {over}") }
}

fn risk(out: &mut String) -> core::fmt::Result {
    writeln!(out, "| factor | at most | finding | points | counts |")?;
    writeln!(out, "| --- | --- | --- | --- | --- |")?;
    for factor in Factor::ALL {
        for row in RiskRow::ALL.iter().filter(|row| row.part() == *factor) {
            let finding = measure(row.when(), row.over());
            let (name, max) = (factor.name(), factor.at_most());
            let (points, counts) = (row.points(), counts(row.counting()));
            writeln!(out, "| {name} | {max} | {finding} | {points} | {counts} |")?;
        }
    }
    writeln!(out, "\n| class of effect | when | risk at least |\n| --- | --- | --- |")?;
    for class in Class::ALL {
        writeln!(out, "| {class} | {} | {} |", class.when(), class.floor())?;
    }
    writeln!(out, "\n| floor of a step | risk at least |\n| --- | --- |")?;
    for row in FloorRow::ALL {
        writeln!(out, "| {} | {} |", row.when(), row.at_least())?;
    }
    writeln!(out, "\n| risk | level | tier |\n| --- | --- | --- |")?;
    writeln!(out, "| 0–{} | low | LOW |", MEDIUM_FROM - 1)?;
    writeln!(out, "| {MEDIUM_FROM}–{} | medium | MEDIUM |", HIGH_FROM - 1)?;
    writeln!(out, "| {HIGH_FROM}–{MAX_RISK} | high | HIGH |")
}

fn quality(out: &mut String) -> core::fmt::Result {
    writeln!(out, "| dimension | weight | finding | points lost | counts |")?;
    writeln!(out, "| --- | --- | --- | --- | --- |")?;
    for dimension in Dimension::ALL {
        for row in QualityRow::ALL.iter().filter(|row| row.part() == *dimension) {
            let finding = measure(row.when(), row.over());
            let (name, weight) = (dimension.name(), dimension.weight());
            let (points, counts) = (row.points(), counts(row.counting()));
            writeln!(out, "| {name} | {weight} | {finding} | {points} | {counts} |")?;
        }
    }
    writeln!(
        out,
        "\n| any of completeness, specificity, feasibility, safety | overall at most |\n| --- | --- |"
    )?;
    let [rejects, asks] = QUALITY_CAPS;
    writeln!(out, "| below 0.{} | 0.{} |", asks.0, asks.1)?;
    writeln!(out, "| below 0.{}, safety left out | 0.{} |", rejects.0, rejects.1)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::score::sample::check_page;

    #[test]
    fn the_concepts_pages_show_this_table() {
        check_page("risk.md", "table", &markdown(Page::Risk));
        check_page("quality.md", "table", &markdown(Page::Quality));
    }

    #[test]
    fn weights_are_hundredths_of_the_whole() {
        assert_eq!(Dimension::ALL.iter().map(|d| d.weight()).sum::<u32>(), 100);
    }
}
