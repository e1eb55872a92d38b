//! The whole review and every kind of difference, as text.

use exacta_core::model::plan::Constraint;
use exacta_testkit::Check;

use super::sample::{ONE_LINE, Sample};
use crate::paint::Look;
use crate::review::diff;

#[test]
fn a_review_says_everything_in_the_order_a_person_needs_it() {
    let mut check = Check::on([("a.txt", "one\n")]);
    check.context.intent = Some("say two in a.txt".into());
    check.context.constraints = vec![
        Constraint::PathsWithin { globs: vec!["*.txt".into()] },
        Constraint::MaxChangedLines { max: 10 },
        Constraint::MustTouch { globs: vec!["a*".into()] },
    ];
    assert_eq!(
        Sample::of(&check, ONE_LINE).shown(Look::PLAIN),
        "\
plan 0193-plan
  1 file changed, risk 66 of 100, quality 1.000

Why you are asked
  high risk always asks a person (risk 66, quality 1.000, profile `conservative`)
  something could not be analysed
    - could not be analysed (child_died)  a.txt
  a step asks for a person
    - the step asks for a person  step_1
  dangerous: it can break or expose more than the lines it changes
    - could not be analysed (child_died)  a.txt

Asked for, as it was handed in
  │ say two in a.txt

Steps (1; what is approved happens whole or not at all)
  step_1
      modify a.txt  0644  +1 -1

Changes
  a.txt  modified by step_1
  @@ -1,1 +1,1 @@
  1   - one
    1 + two

Files (1)
  modify a.txt  0644  +1 -1  4 to 4 bytes
      before 2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806
      after  27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a

Constraints (3)
  paths_within *.txt  (given with the intent)
      kept: all files touched are inside: a.txt
  max_changed_lines 10  (given with the intent)
      kept: 2 of at most 10 changed lines
  must_touch a*  (given with the intent)
      kept: `a*` by a.txt

Risk 66/100 high  [#############.......]
Effect dangerous  it can break or expose more than the lines it changes; 0% understood
    - could not be analysed (child_died)  a.txt
  Breaking changes       5 of 15
    +5    could not be analysed (child_died)  a.txt
  Code complexity        3 of 10
    +3    could not be analysed (child_died)  a.txt
  at least 66          step_1: dangerous (it can break or expose more than the lines it changes: could not be analysed (child_died))
  no problems in File operations, Dependency changes, Refactoring scope, Security impact

Quality 1.000  [####################]
  no problems in completeness, specificity, feasibility, safety, clarity

Estimate
  1422 tokens, 0.003 USD, 1 s, confidence high

The planner's words (untrusted: nothing below was checked or decides what runs)
  step_1, title
  │ Say two

Plan
  plan_id    0193-plan
  plan_hash  64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525
  proposer   agent-7
  expires in 29 min 5 s
"
    );
}

#[test]
fn every_kind_of_change_shows_what_it_does() {
    let file = |text: &[u8], mode: u32| Some((text.to_vec(), mode));
    let sample = Sample::of_changes([
        ("back", file(b"1\n", 0o644), file(b"2\n", 0o644)),
        ("back", file(b"2\n", 0o644), file(b"1\n", 0o644)),
        ("bin", None, file(b"\x00\x01\x02", 0o755)),
        ("empty", None, file(b"", 0o644)),
        ("gone", file(b"x\n", 0o644), None),
        ("mode", file(b"x\n", 0o644), file(b"x\n", 0o755)),
        ("text", file(b"same\nold value\nend", 0o644), file(b"same\nnew value \n\tend\r\n", 0o644)),
        ("twice", file(b"1\n", 0o644), file(b"2\n", 0o644)),
        ("twice", file(b"2\n", 0o644), file(b"3\n", 0o644)),
    ]);
    let mut out = Vec::new();
    let look = Look { width: Some(100), ..Look::PLAIN };
    sample.with(|plan| diff(plan, look, &mut out)).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "  back  in the end unchanged, touched by step_1, step_2
  step_1 alone:
  @@ -1,1 +1,1 @@
  1   - 1
    1 + 2
  step_2 alone:
  @@ -1,1 +1,1 @@
  1   - 2
    1 + 1

  bin  created by step_3
  may be executed
  after: 3 bytes that are not text, ae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc
  + 00000000  00 01 02                                         |...|

  empty  created by step_4
  an empty file

  gone  deleted by step_5
  @@ -1,1 +0,0 @@
  1   - x

  mode  modified by step_6
  mode 0644 → 0755
  the content stays the same

  text  modified by step_7
  @@ -1,3 +1,3 @@
  1 1   same
  2   - old value
  3   - end
      \\ no line feed at the end of the file
    2 + new value·
    3 + →   end<U+000D>

  twice  modified by step_8, step_9
  all 2 steps together:
  @@ -1,1 +1,1 @@
  1   - 1
    1 + 3
  step_8 alone:
  @@ -1,1 +1,1 @@
  1   - 1
    1 + 2
  step_9 alone:
  @@ -1,1 +1,1 @@
  1   - 2
    1 + 3
"
    );
}
