//! Numbers that look random and repeat with their seed, and texts made of them.

use std::time::{Duration, Instant};

use exacta_testkit::{Rng, budget};

/// The generator of one case.
pub(crate) struct Random(Rng);

impl Random {
    /// The generator of one case of a run.
    pub(crate) fn of_case(seed: u64, case: usize) -> Self {
        let mut rng = Rng::new(seed ^ (case as u64).wrapping_mul(0xd134_2543_de82_ef95));
        rng.bits();
        Self(rng)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0.below(limit)
    }

    pub(crate) fn percent(&mut self, chance: usize) -> bool {
        self.0.percent(chance)
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        self.0.pick(from).clone()
    }
}

/// The seed of the run.
pub(crate) fn seed() -> u64 {
    std::env::var("EXACTA_TEST_SEED").map_or(0x5eed_0001, |text| text.parse().unwrap())
}

/// How many cases to run, and how long at most.
pub(crate) struct Budget {
    cases: usize,
    start: Instant,
    time: Duration,
}

impl Budget {
    pub(crate) fn new(usual: usize) -> Self {
        let (factor, minutes) = if budget::is_full() { (10, 30) } else { (1, 2) };
        let time = Duration::from_secs(60 * minutes);
        Self { cases: usual * factor, start: Instant::now(), time }
    }

    /// Whether more is to be done after so many cases.
    pub(crate) fn goes_on(&self, done: usize) -> bool {
        done < self.cases && self.start.elapsed() < self.time
    }

    /// How far it came, for the report.
    pub(crate) fn spent(&self) -> String {
        format!("budget {}, {:.1?}", self.cases, self.start.elapsed())
    }
}

/// Few lines, so that hunks often fit in more than one place.
const LINES: [&[u8]; 22] = [
    b"a",
    b"b",
    b"c",
    b"",
    b"",
    b"}",
    b"    x",
    b"\tx",
    b"a ",
    b"-- x",
    b"++ y",
    b"- z",
    b"+ z",
    b"@@ -1 +1 @@",
    b"diff --git a/q b/q",
    b"\\ No newline at end of file",
    b"--- a/x",
    b"+++ b/x",
    b"a\rb",
    b"a\xe2\x80\xa8b\x0b\x0c",
    b"\xc3\xa4\xe6\x97\xa5",
    b"lonely",
];
const NOT_UTF8: &[u8] = b"\xff\xfe";

/// Lines, each with its newline, the last one perhaps without.
pub(crate) fn text(random: &mut Random, utf8: bool) -> Vec<Vec<u8>> {
    let most = random.pick(&[0, 1, 2, 6, 12, 30]);
    let crlf = random.pick(&[0, 0, 0, 100, 30]);
    let mut lines: Vec<_> = (0..random.below(most + 1)).map(|_| line(random, utf8, crlf)).collect();
    if random.percent(20) {
        open_last(&mut lines);
    }
    lines
}

fn line(random: &mut Random, utf8: bool, crlf: usize) -> Vec<u8> {
    let mut line = random.pick(&LINES).to_vec();
    if random.percent(15) {
        line.extend(random.below(50).to_string().bytes());
    }
    if !utf8 && random.percent(5) {
        line.extend(NOT_UTF8);
    }
    if random.percent(crlf) {
        line.push(b'\r');
    }
    line.push(b'\n');
    line
}

fn open_last(lines: &mut Vec<Vec<u8>>) {
    if let Some(last) = lines.last_mut() {
        last.pop();
        if last.is_empty() {
            lines.pop();
        }
    }
}

/// Changes a few lines.
pub(crate) fn edit(random: &mut Random, lines: &mut Vec<Vec<u8>>, utf8: bool) {
    // A line without newline can only be the last.
    if lines.last().is_some_and(|last| !last.ends_with(b"\n")) {
        lines.last_mut().unwrap().push(b'\n');
    }
    for _ in 0..=random.below(4) {
        let at = random.below(lines.len() + 1);
        match random.below(5) {
            0 if at < lines.len() => lines[at] = line(random, utf8, 10),
            1 if at < lines.len() => drop(lines.remove(at)),
            2 if at < lines.len() => {
                let end = (at + 1 + random.below(4)).min(lines.len());
                lines.drain(at..end);
            }
            3 if at < lines.len() => {
                let again = lines[at].clone();
                lines.insert(at, again);
            }
            _ => (0..=random.below(3)).for_each(|_| lines.insert(at, line(random, utf8, 10))),
        }
    }
    if random.percent(20) {
        open_last(lines);
    }
}
