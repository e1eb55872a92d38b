//! Every mistake has its place, its key and its advice, and blocks the whole file.

use crate::told;
use exacta_core::judge::policy::{LayerName, read};
use exacta_testkit::{Budget, Rng};

/// Text, and what must be said about it (all of it, in order).
const CASES: &[(&str, &str)] = &[
    (
        "profil = 'manual'",
        "1:1 /profil unknown_key: there is no key `profil` | did you mean `profile`?\n",
    ),
    (
        "profile = 'yolo'",
        "1:11 /profile value: `profile` has the unknown value `yolo` | allowed here: `manual`, `conservative`, `balanced`\n",
    ),
    (
        "profile = 'Manual'",
        "1:11 /profile value: `profile` has the unknown value `Manual` | did you mean `manual`?\n",
    ),
    (
        "profile = 3",
        "1:11 /profile type: `profile` must be a string, not an integer | write a string\n",
    ),
    (
        "version = 2",
        "1:11 /version version: version 2 of the policy format is not known here | write `version = 1`\n",
    ),
    (
        "version = '1'",
        "1:11 /version type: `version` must be an integer of at least 0, not a string | write an integer of at least 0\n",
    ),
    (
        "ttl_minutes = 0",
        "1:15 /ttl_minutes range: `ttl_minutes` must be an integer from 1 to 43200 | write an integer from 1 to 43200\n",
    ),
    (
        "ttl_minutes = -5",
        "1:15 /ttl_minutes range: `ttl_minutes` must be an integer from 1 to 43200 | write an integer from 1 to 43200\n",
    ),
    (
        "token_budget = 9_007_199_254_740_992",
        "1:16 /token_budget range: `token_budget` must be an integer of at least 0 | write an integer of at least 0\n",
    ),
    (
        "[caps]\nmax_file = 3",
        "2:1 /caps/max_file unknown_key: there is no key `caps.max_file` | did you mean `max_files`?\n",
    ),
    (
        "[caps]\nmax_files = 2.5",
        "2:13 /caps/max_files type: `caps.max_files` must be an integer of at least 0, not a decimal number | write an integer of at least 0\n",
    ),
    (
        "caps.max_cost_usd = 1e3",
        "1:21 /caps/max_cost_usd range: `caps.max_cost_usd` must be an amount in US dollars, such as 5 or 0.25, with at most six decimals | write an amount in US dollars, such as 5 or 0.25, with at most six decimals\n",
    ),
    ("caps = 3", "1:8 /caps type: `caps` must be a table, not an integer | write a table\n"),
    (
        "allowed_domains = 'a.example'",
        "1:19 /allowed_domains type: `allowed_domains` must be an array of strings, not a string | write an array of strings\n",
    ),
    (
        "allowed_domains = [\n  'ok.example',\n  'https://a.example',\n]",
        "3:3 /allowed_domains/1 entry: `https://a.example` is not a host name: the host part `https:` is not a plain lower-case name | write a name such as `example.com`, or `*.example.com` for every name below it\n",
    ),
    (
        "allowed_domains = ['a.example/x', 'é.example', 1]",
        "1:20 /allowed_domains/0 entry: `a.example/x` is not a host name | write the name alone, without path, such as `example.com`\n\
         1:35 /allowed_domains/1 entry: `é.example` is not a host name: the host part `é.example` is not a plain lower-case name | write a name such as `example.com`, or `*.example.com` for every name below it\n\
         1:48 /allowed_domains/2 type: `allowed_domains[2]` must be a string, not an integer | write a string\n",
    ),
    (
        "allowed_recipients = ['Bob <b@x.example>']",
        "1:23 /allowed_recipients/0 entry: `Bob <b@x.example>` is not a mail address | write it bare, such as `name@example.com`\n",
    ),
    (
        "primitives = ['ReadWebb']",
        "1:15 /primitives/0 entry: `ReadWebb` is not a primitive | did you mean `ReadWeb`?\n",
    ),
    (
        "unasked_primitives = ['SendEmail']",
        "1:23 /unasked_primitives/0 entry: `SendEmail` is not a primitive that writes drafts | allowed here: `TriageEmail`, `WriteOutcomeDraft`, `WriteEmailDraft`, `ScheduleRun`\n",
    ),
    (
        "known_urls = ['example.com']",
        "1:15 /known_urls/0 entry: `example.com` is not an address: the address starts with neither `https://` nor `http://` | write it in full, such as `https://example.com/page`\n",
    ),
    (
        "project_config = ['a[']",
        "1:19 /project_config/0 entry: `a[` is not a glob: unclosed character class; missing ']' | use `*` inside a folder and `**` across folders, such as `src/**`\n",
    ),
    (
        "project_config = ['/etc/x']",
        "1:19 /project_config/0 entry: `/etc/x` is not a glob: it matches no file: targets are relative, without `.`, `..` or empty parts | use `*` inside a folder and `**` across folders, such as `src/**`\n",
    ),
    (
        "constraints = ['no_deletes']",
        "1:16 /constraints/0 constraint: `constraints[0]`: the constraint kind `no_deletes` is unknown | did you mean `no_delete`?\n",
    ),
    (
        "[[constraints]]\nkind = 'max_files'",
        "1:1 /constraints/0 constraint: `constraints[0]`: `max_files` needs `max` | add `max` as an integer\n",
    ),
    (
        "proposers.p = {provider = 'x', class = 'LOCAL'}",
        "1:15 /proposers/p/model missing_key: `proposers.p.model` is missing | add `model`\n\
         1:40 /proposers/p/class value: `proposers.p.class` has the unknown value `LOCAL` | allowed here: `LOCAL_ONLY`, `TRUSTED_CLOUD`, `UNTRUSTED_CLOUD`\n",
    ),
    (
        "[proposers.anonymous]\nprovider = 'x'\nmodel = 'y'\nclass = 'LOCAL_ONLY'",
        "1:1 /proposers/anonymous name: no proposer can be called `anonymous` | choose another name\n",
    ),
    (
        "skills.'a b' = {}",
        "1:8 /skills/a b name: `a b` is not a name | use letters, digits and `-_.:/@+`, at most 128 of them\n",
    ),
    (
        "checks.c = {command = []}",
        "1:23 /checks/c/command empty: `checks.c.command` is empty, so it could never hold | name at least one, or remove it\n",
    ),
    (
        "[[rule]]\nmatch = {path = ['x']}\nthen = 'allow'",
        "1:1 /rule/0/reason missing_key: `rule[0].reason` is missing | add `reason`\n\
         2:10 /rule/0/match/path unknown_key: there is no key `rule[0].match.path` | did you mean `paths`?\n\
         3:8 /rule/0/then value: `rule[0].then` has the unknown value `allow` | allowed here: `deny`, `ask`\n",
    ),
    (
        "[[rule]]\nmatch = {paths = ['{a']}\nthen = 'deny'\nreason = ' '",
        "2:19 /rule/0/match/paths/0 entry: `{a` is not a glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?) | use `*` inside a folder and `**` across folders, such as `src/**`\n\
         4:10 /rule/0/reason empty: `rule[0].reason` is empty | write a few words\n",
    ),
    (
        "[rule]\nthen = 'deny'",
        "1:1 /rule type: `rule` must be an array of tables, each under `[[rule]]`, not a table | write an array of tables, each under `[[rule]]`\n",
    ),
    (
        "[[rule]]\nmatch = {ops = [], min_risk = 101, recipes = ['custom']}\nthen = 'ask'\nreason = 'r'",
        "2:16 /rule/0/match/ops empty: `rule[0].match.ops` is empty, so it could never hold | name at least one, or remove it\n\
         2:31 /rule/0/match/min_risk range: `rule[0].match.min_risk` must be an integer from 0 to 100 | write an integer from 0 to 100\n\
         2:47 /rule/0/match/recipes/0 value: `rule[0].match.recipes[0]` has the unknown value `custom` | did you mean `Custom`?\n",
    ),
];

#[test]
fn each_mistake_is_told_where_it_stands() {
    for (text, expected) in CASES {
        let issues = read(LayerName::Operator, text.as_bytes()).expect_err(text);
        assert_eq!(told(&issues), *expected, "{text}");
    }
}

#[test]
fn broken_toml_is_refused_with_its_place() {
    for (text, line, column) in [
        ("profile = ", 1, 11),
        ("profile = 'manual'\nprofile = 'manual'", 2, 1),
        ("[caps]\n[caps]", 2, 2),
        ("a = 'x", 1, 7),
        ("\u{1}", 1, 1),
        ("ttl_minutes = 1 2", 1, 15),
    ] {
        let issues = read(LayerName::Project, text.as_bytes()).expect_err(text);
        let place = issues.first().and_then(|issue| issue.place).unwrap();
        assert_eq!((place.line, place.column), (line, column), "{text}: {}", told(&issues));
    }
}

#[test]
fn text_that_is_not_utf8_is_refused() {
    let issues = read(LayerName::Project, b"# \xc3\xa9\n# x\xff").unwrap_err();
    assert_eq!(told(&issues), "2:4  utf8: the file is not UTF-8 text | save it as UTF-8\n");
}

#[test]
fn hidden_characters_in_names_are_written_out() {
    let issues = read(LayerName::Project, "'pro\u{202e}file' = 1".as_bytes()).unwrap_err();
    assert!(told(&issues).contains("`pro<U+202E>file`"), "{}", told(&issues));
}

#[test]
fn deep_and_long_input_is_refused_without_harm() {
    for text in [
        "a=".to_owned() + &"[".repeat(100_000),
        "a.".repeat(100_000) + "b=1",
        "[a.".to_owned() + &"a.".repeat(10_000) + "b]",
        "x='".to_owned() + &"y".repeat(1_000_000) + "'",
        "[[rule]]\n".repeat(20_000),
    ] {
        assert!(read(LayerName::Project, text.as_bytes()).is_err());
    }
}

#[test]
fn damaged_text_is_read_or_refused_but_never_breaks_the_reader() {
    let good: Vec<&[u8]> = CASES.iter().map(|(text, _)| text.as_bytes()).collect();
    let budget = Budget::new("damaged policies", 50_000, 5, 2_000_000);
    let mut seed = 0;
    while budget.allows(seed) {
        let mut rng = Rng::new(seed);
        let mut text = rng.pick(&good).to_vec();
        text.push(b'\n');
        text.extend_from_slice(rng.pick::<&[u8]>(&good));
        for _ in 0..=rng.below(4) {
            let at = rng.below(text.len());
            match rng.below(3) {
                0 => text[at] = *rng.pick(b"[]{}='\"\\\n#.,0\xff\xc3"),
                1 => text.truncate(at.max(1)),
                _ => text.insert(at, *rng.pick(b"[]{}='\"\\\n#.,0\xe2")),
            }
        }
        if let Err(issues) = read(LayerName::Project, &text) {
            assert!(!issues.is_empty(), "seed {seed}");
            assert!(issues.iter().all(|issue| issue.place.is_some()), "seed {seed}: {issues:?}");
        }
        seed += 1;
    }
    budget.report(seed);
}
