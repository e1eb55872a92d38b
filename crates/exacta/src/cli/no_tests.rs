//! Whether a test runner says that it ran nothing: it passes then, and has shown nothing.

/// More of an output is not read.
const MOST_BYTES: usize = 1 << 20;

/// Lines with one of these say that nothing ran.
const WORDS: [&str; 13] = [
    "no tests ran",
    "no tests found",
    "no tests to run",
    "no tests were",
    "no tests executed",
    "no test files",
    "no test suites found",
    "no test specified",
    "there are no tests",
    "nothing to be done for 'test'",
    "'test' is up to date",
    "test no-source",
    "no specs found",
];

/// The line that says so, if one does and none says that something ran.
pub(super) fn nothing_ran(output: &[u8]) -> Option<String> {
    let output = String::from_utf8_lossy(output.get(..MOST_BYTES).unwrap_or(output));
    let mut said = None;
    for line in output.lines() {
        let line = anstream::adapter::strip_str(line).to_string();
        let lower = line.to_lowercase();
        // A package of many may have none.
        let none = WORDS.iter().any(|words| lower.contains(words));
        let count = if none { None } else { count(&lower) };
        if count.is_some_and(|count| count > 0) || (!none && lower.starts_with("ok  \t")) {
            return None;
        }
        if none || count == Some(0) {
            said.get_or_insert_with(|| line.trim().to_owned());
        }
    }
    said
}

/// How many tests a line counts: `running 3 tests`, `Ran 0 tests in 0.0s`, `12 passing`,
/// `# tests 4`, `Tests run: 7`; the largest number where it has several.
fn count(line: &str) -> Option<u64> {
    const BEHIND: [&str; 8] =
        ["test", "tests", "passed", "passing", "examples", "example", "runs", "specs"];
    /// That there are none of these says nothing.
    const OTHERS: [&str; 3] = ["failed", "failing", "skipped"];
    const BEFORE: [&str; 3] = ["tests", "tests run", "pass"];
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || c == ',' || c == ';')
        .filter(|word| !word.is_empty())
        .collect();
    let number = |word: &&str| word.trim_end_matches('.').parse::<u64>().ok();
    let at = |index: Option<usize>| index.and_then(|at| words.get(at)).copied().unwrap_or_default();
    let counted = words.iter().enumerate().filter_map(|(index, word)| {
        let number = number(word)?;
        let behind = at(index.checked_add(1)).trim_end_matches([':', '.']);
        let before = at(index.checked_sub(1)).trim_end_matches(':');
        let run = before == "run" && at(index.checked_sub(2)) == "tests";
        let other = number > 0 && OTHERS.contains(&behind);
        let counts = BEHIND.contains(&behind) || BEFORE.contains(&before) && words.len() <= 4;
        (counts || run || other).then_some(number)
    });
    counted.max()
}

#[cfg(test)]
mod tests {
    use super::nothing_ran;

    #[test]
    fn a_runner_that_ran_nothing_says_so() {
        for output in [
            "\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
            "?   \texample.org/a\t[no test files]\n?   \texample.org/b\t[no test files]\n",
            "ok  \texample.org/a\t0.002s [no tests to run]\n",
            "no tests ran in 0.01s\n",
            "\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n",
            "Ran 0 tests in 0.000s\n\nOK\n",
            "\n  0 passing (1ms)\n",
            "TAP version 13\n1..0\n# tests 0\n# pass 0\n# fail 0\n",
            "\u{1b}[34mℹ tests 0\u{1b}[39m\nℹ pass 0\n",
            "No tests found, exiting with code 0\n",
            "No test files found, exiting with code 0\n",
            "make: 'test' is up to date.\n",
            "make: Nothing to be done for 'test'.\n",
            "No examples found.\n\nFinished in 0.0003 seconds\n0 examples, 0 failures\n",
            "No tests executed!\n",
            "Tests run: 0, Failures: 0, Errors: 0\n",
            "> Task :test NO-SOURCE\n",
        ] {
            assert!(nothing_ran(output.as_bytes()).is_some(), "{output}");
        }
    }

    #[test]
    fn a_runner_that_ran_something_or_says_nothing_is_believed() {
        for output in [
            "",
            "all good\n",
            "running 0 tests\n\nrunning 12 tests\n............\ntest result: ok. 12 passed; 0 failed\n",
            "?   \ta\t[no test files]\nok  \tb\t0.002s\n",
            "ok  \tb\t(cached)\nok  \ta\t0.1s [no tests to run]\n",
            "........                     [100%]\n8 passed in 0.12s\n",
            "3 skipped in 0.01s\n",
            "Ran 4 tests in 0.000s\n\nOK\n",
            "  12 passing (1s)\n",
            "# tests 3\n# pass 3\n# fail 0\n",
            "Tests:       4 passed, 4 total\n",
            "Tests run: 7, Failures: 0, Errors: 0\n",
            "5 examples, 0 failures\n",
            "0 tests skipped, 12 tests passed\n",
            "0 failed, all is well\n",
            "pass 0 of the loop\nfound 0 problems\n",
        ] {
            assert_eq!(nothing_ran(output.as_bytes()), None, "{output}");
        }
    }
}
