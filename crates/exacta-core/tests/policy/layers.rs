//! For every key: what tightens, what loosens, and who may set it.

use crate::{merged, value};
use exacta_core::judge::policy::{Direction, KEYS, Origin, Setters, Why};

/// A key; a value, a tighter and a looser one in TOML; the shown form of the first two.
/// A looser value of `""` means that nothing can loosen the key.
struct Case {
    key: &'static str,
    value: (&'static str, &'static str),
    tighter: (&'static str, &'static str),
    looser: &'static str,
}

const fn case(
    key: &'static str,
    value: (&'static str, &'static str),
    tighter: (&'static str, &'static str),
    looser: &'static str,
) -> Case {
    Case { key, value, tighter, looser }
}

const CASES: &[Case] = &[
    case(
        "profile",
        ("profile='conservative'", r#""conservative""#),
        ("profile='manual'", r#""manual""#),
        "profile='balanced'",
    ),
    case(
        "autonomy_ceiling",
        ("autonomy_ceiling='conservative'", r#""conservative""#),
        ("autonomy_ceiling='manual'", r#""manual""#),
        "autonomy_ceiling='balanced'",
    ),
    case("decide", ("decide='hash'", r#""hash""#), ("decide='credential'", r#""credential""#), ""),
    case("ttl_minutes", ("ttl_minutes=90", "90"), ("ttl_minutes=5", "5"), "ttl_minutes=91"),
    case(
        "token_budget",
        ("token_budget=900_000", "900000"),
        ("token_budget=0", "0"),
        "token_budget=900_001",
    ),
    case(
        "retention_days",
        ("retention_days=30", "30"),
        ("retention_days=31", "31"),
        "retention_days=29",
    ),
    case(
        "allowed_domains",
        ("allowed_domains=['a.example','*.b.example']", r#"["*.b.example","a.example"]"#),
        ("allowed_domains=['x.b.example']", r#"["x.b.example"]"#),
        "allowed_domains=['a.example','*.b.example','c.example']",
    ),
    case(
        "allowed_recipients",
        ("allowed_recipients=['a@x.example','b@X.example']", r#"["a@x.example","b@x.example"]"#),
        ("allowed_recipients=[]", "[]"),
        "allowed_recipients=['a@x.example','b@x.example','c@x.example']",
    ),
    case(
        "primitives",
        ("primitives=['ReadWeb','ReadVaultFile']", r#"["ReadVaultFile","ReadWeb"]"#),
        ("primitives=['ReadWeb']", r#"["ReadWeb"]"#),
        "primitives=['ReadWeb','ReadVaultFile','CallApi']",
    ),
    case(
        "unasked_primitives",
        (
            "unasked_primitives=['TriageEmail','WriteEmailDraft']",
            r#"["TriageEmail","WriteEmailDraft"]"#,
        ),
        ("unasked_primitives=['TriageEmail']", r#"["TriageEmail"]"#),
        "unasked_primitives=['TriageEmail','WriteEmailDraft','ScheduleRun']",
    ),
    case(
        "known_urls",
        ("known_urls=['https://a.example/x']", r#"["https://a.example/x"]"#),
        ("known_urls=[]", "[]"),
        "known_urls=['https://a.example/x','https://a.example/y']",
    ),
    case(
        "project_config",
        ("project_config=['a.lock']", r#"["a.lock"]"#),
        ("project_config=['b.lock']", r#"["a.lock","b.lock"]"#),
        "",
    ),
    case(
        "constraints",
        ("constraints=['no_delete']", r#"[{"kind":"no_delete"}]"#),
        (
            "[[constraints]]\nkind='max_files'\nmax=3",
            r#"[{"kind":"no_delete"},{"kind":"max_files","max":3}]"#,
        ),
        "",
    ),
    case(
        "caps.max_steps",
        ("caps.max_steps=99", "99"),
        ("caps.max_steps=1", "1"),
        "caps.max_steps=100",
    ),
    case(
        "caps.max_tool_calls",
        ("caps.max_tool_calls=99", "99"),
        ("caps.max_tool_calls=1", "1"),
        "caps.max_tool_calls=100",
    ),
    case(
        "caps.max_pages",
        ("caps.max_pages=999", "999"),
        ("caps.max_pages=1", "1"),
        "caps.max_pages=1000",
    ),
    case(
        "caps.max_cost_usd",
        ("caps.max_cost_usd=7.25", r#""7.25""#),
        ("caps.max_cost_usd=0.000001", r#""0.000001""#),
        "caps.max_cost_usd=7.250001",
    ),
    case(
        "caps.max_files",
        ("caps.max_files=999", "999"),
        ("caps.max_files=1", "1"),
        "caps.max_files=1000",
    ),
    case(
        "caps.max_changed_lines",
        ("caps.max_changed_lines=99999", "99999"),
        ("caps.max_changed_lines=1", "1"),
        "caps.max_changed_lines=100000",
    ),
    case(
        "caps.max_image_bytes",
        ("caps.max_image_bytes=0x4000_0000", "1073741824"),
        ("caps.max_image_bytes=1", "1"),
        "caps.max_image_bytes=0x4000_0001",
    ),
    case(
        "session_budget.risk",
        ("session_budget.risk=99", "99"),
        ("session_budget.risk=1", "1"),
        "session_budget.risk=100",
    ),
    case(
        "session_budget.files",
        ("session_budget.files=99", "99"),
        ("session_budget.files=1", "1"),
        "session_budget.files=100",
    ),
    case(
        "session_budget.lines",
        ("session_budget.lines=9", "9"),
        ("session_budget.lines=1", "1"),
        "session_budget.lines=10",
    ),
    case(
        "session_budget.minutes",
        ("session_budget.minutes=5", "5"),
        ("session_budget.minutes=60", "60"),
        "session_budget.minutes=4",
    ),
    case(
        "prices.default",
        ("prices.default=1", r#""1""#),
        ("prices.default=3", r#""3""#),
        "prices.default=0.5",
    ),
    case(
        "prices.models.m",
        ("prices.models.m=1", r#""1""#),
        ("prices.models.m=3", r#""3""#),
        "prices.models.m=0.5",
    ),
    case(
        "proposers.p",
        (
            "proposers.p={provider='x',model='y',class='LOCAL_ONLY',skills=['a','b']}",
            r#"{"class":"LOCAL_ONLY","model":"y","provider":"x","skills":["a","b"]}"#,
        ),
        (
            "proposers.p={provider='x',model='y',class='LOCAL_ONLY',skills=['a']}",
            r#"{"class":"LOCAL_ONLY","model":"y","provider":"x","skills":["a"]}"#,
        ),
        "proposers.p={provider='other',model='y',class='LOCAL_ONLY'}",
    ),
    case(
        "skills.s",
        (
            "skills.s={primitives=['ReadWeb','CallApi'],caps={max_files=9}}",
            r#"{"caps":{"max_files":9},"primitives":["CallApi","ReadWeb"]}"#,
        ),
        (
            "skills.s={primitives=['ReadWeb'],caps={max_files=3,max_steps=2}}",
            r#"{"caps":{"max_files":3,"max_steps":2},"primitives":["ReadWeb"]}"#,
        ),
        "skills.s={caps={max_files=10}}",
    ),
    case(
        "checks.c",
        (
            "checks.c={command=['make','test'],runs='always'}",
            r#"{"command":["make","test"],"timeout_seconds":600}"#,
        ),
        (
            "checks.c={command=['make','test'],timeout_seconds=600}",
            r#"{"command":["make","test"],"timeout_seconds":600}"#,
        ),
        "checks.c={command=['true']}",
    ),
    case(
        "tools.ports",
        ("tools.ports=[443,8443]", "[443,8443]"),
        ("tools.ports=[443]", "[443]"),
        "tools.ports=[443,8443,22]",
    ),
    case(
        "tools.inbox",
        ("tools.inbox='/i'", r#""/i""#),
        ("tools.inbox='/i'", r#""/i""#),
        "tools.inbox='/j'",
    ),
    case(
        "tools.vault",
        ("tools.vault='/i'", r#""/i""#),
        ("tools.vault='/i'", r#""/i""#),
        "tools.vault='/j'",
    ),
    case(
        "tools.mail.server",
        ("tools.mail.server='a.example'", r#""a.example""#),
        ("tools.mail.server='a.example'", r#""a.example""#),
        "tools.mail.server='b.example'",
    ),
    case(
        "tools.mail.user",
        ("tools.mail.user='me'", r#""me""#),
        ("tools.mail.user='me'", r#""me""#),
        "tools.mail.user='you'",
    ),
    case(
        "tools.mail.password",
        ("tools.mail.password='key'", r#""key""#),
        ("tools.mail.password='key'", r#""key""#),
        "tools.mail.password='other'",
    ),
    case(
        "tools.mail.from",
        ("tools.mail.from='a@x.example'", r#""a@x.example""#),
        ("tools.mail.from='a@x.example'", r#""a@x.example""#),
        "tools.mail.from='b@x.example'",
    ),
    case(
        "tools.mail.quiet_hours",
        ("tools.mail.quiet_hours='22:00-07:00'", r#""22:00-07:00""#),
        ("tools.mail.quiet_hours='22:00-07:00'", r#""22:00-07:00""#),
        "tools.mail.quiet_hours='23:00-07:00'",
    ),
    case(
        "tools.mail.security",
        ("tools.mail.security='tls'", r#""tls""#),
        ("tools.mail.security='tls'", r#""tls""#),
        "tools.mail.security='starttls'",
    ),
    case(
        "tools.notify.webhook",
        ("tools.notify.webhook='https://a.example/x'", r#""https://a.example/x""#),
        ("tools.notify.webhook='https://a.example/x'", r#""https://a.example/x""#),
        "tools.notify.webhook='https://b.example/x'",
    ),
    case(
        "tools.notify.ntfy",
        ("tools.notify.ntfy='https://a.example/x'", r#""https://a.example/x""#),
        ("tools.notify.ntfy='https://a.example/x'", r#""https://a.example/x""#),
        "tools.notify.ntfy='https://b.example/x'",
    ),
    case(
        "tools.notify.mail",
        ("tools.notify.mail='a@x.example'", r#""a@x.example""#),
        ("tools.notify.mail='a@x.example'", r#""a@x.example""#),
        "tools.notify.mail='b@x.example'",
    ),
    case(
        "tools.notify.secret",
        ("tools.notify.secret='one'", r#""one""#),
        ("tools.notify.secret='one'", r#""one""#),
        "tools.notify.secret='two'",
    ),
    case(
        "tools.editor",
        ("tools.editor=['vim','{file}']", r#"["vim","{file}"]"#),
        ("tools.editor=['vim','{file}']", r#"["vim","{file}"]"#),
        "tools.editor=['emacs','{file}']",
    ),
    case(
        "tools.mail.port",
        ("tools.mail.port=465", "465"),
        ("tools.mail.port=465", "465"),
        "tools.mail.port=25",
    ),
    case("commit", ("commit=true", "true"), ("commit=false", "false"), ""),
    case("editor_decides", ("editor_decides=true", "true"), ("editor_decides=false", "false"), ""),
    case(
        "tools.daily_cost_usd",
        ("tools.daily_cost_usd=7.25", r#""7.25""#),
        ("tools.daily_cost_usd=0.5", r#""0.5""#),
        "tools.daily_cost_usd=8",
    ),
    case(
        "tools.mail.send",
        ("tools.mail.send=true", "true"),
        ("tools.mail.send=false", "false"),
        "",
    ),
    case(
        "tools.notify.terminal",
        ("tools.notify.terminal=true", "true"),
        ("tools.notify.terminal=false", "false"),
        "",
    ),
    case(
        "tools.notify.desktop",
        ("tools.notify.desktop=true", "true"),
        ("tools.notify.desktop=false", "false"),
        "",
    ),
    case(
        "tools.mail.daily_limit",
        ("tools.mail.daily_limit=5", "5"),
        ("tools.mail.daily_limit=1", "1"),
        "tools.mail.daily_limit=6",
    ),
    case(
        "tools.notify.daily_limit",
        ("tools.notify.daily_limit=5", "5"),
        ("tools.notify.daily_limit=1", "1"),
        "tools.notify.daily_limit=6",
    ),
    case(
        "tools.endpoints.e",
        (
            "tools.endpoints.e={url='https://a.example/',price_usd=0.5}",
            r#"{"header":"authorization","method":"POST","url":"https://a.example/","secret":null,"price_usd":"0.5"}"#,
        ),
        (
            "tools.endpoints.e={url='https://a.example/',price_usd=0.5}",
            r#"{"header":"authorization","method":"POST","url":"https://a.example/","secret":null,"price_usd":"0.5"}"#,
        ),
        "tools.endpoints.e={url='https://b.example/',price_usd=0.5}",
    ),
    case(
        "tools.secrets.s",
        ("tools.secrets.s={env='A'}", r#"{"env":"A"}"#),
        ("tools.secrets.s={env='A'}", r#"{"env":"A"}"#),
        "tools.secrets.s={env='B'}",
    ),
];

/// The entry of the table of keys that a shown key belongs to.
fn listed(key: &str) -> &'static exacta_core::judge::policy::Key {
    let stem = |path: &str| path.split_once(".<name>").map(|(table, _)| String::from(table));
    let found = KEYS.iter().find(|listed| {
        listed.path == key || stem(listed.path).is_some_and(|table| key.starts_with(&(table + ".")))
    });
    found.unwrap_or_else(|| panic!("{key} is not in the table"))
}

#[test]
fn every_key_tightens_and_never_loosens() {
    for Case { key, value: (text, shown), tighter: (tight, tight_shown), looser } in CASES {
        let project_may = listed(key).setters != Setters::Trusted;
        // The first trusted layer sets freely, whichever it is.
        assert_eq!(value(&merged(text, "", ""), key), *shown, "{key}");
        assert_eq!(value(&merged("", text, ""), key), *shown, "{key}");
        // Operator tightens system.
        let tightened = merged(text, tight, "");
        assert_eq!(value(&tightened, key), *tight_shown, "{key}");
        assert!(tightened.ignored.is_empty(), "{key} {:?}", tightened.ignored);
        // Project tightens, where it may set the key at all.
        let by_project = merged("", text, tight);
        if project_may {
            assert_eq!(value(&by_project, key), *tight_shown, "{key}");
            assert!(by_project.ignored.is_empty(), "{key} {:?}", by_project.ignored);
        } else {
            assert_eq!(value(&by_project, key), *shown, "{key}");
            assert!(by_project.ignored.iter().all(|i| i.why == Why::NotThisLayer));
            assert!(!by_project.ignored.is_empty(), "{key}");
        }
        if looser.is_empty() {
            continue;
        }
        for (system, operator, project) in
            [(*text, *looser, ""), (*text, "", *looser), ("", text, looser)]
        {
            let kept = merged(system, operator, project);
            assert_eq!(value(&kept, key), *shown, "{key}");
            let [ignored] = kept.ignored.as_slice() else { panic!("{key} {:?}", kept.ignored) };
            assert!(ignored.key.starts_with(key), "{key} {ignored:?}");
            assert!(ignored.issue().message.contains(&ignored.key));
        }
    }
}

#[test]
fn every_key_of_the_table_is_in_the_cases() {
    for key in KEYS.iter().filter(|key| key.direction != Direction::Fixed) {
        let table = key.path.split_once(".<name>").map(|(table, _)| table);
        let covered = CASES.iter().any(|case| {
            case.key == key.path
                || table.is_some_and(|table| {
                    case.key.strip_prefix(table).is_some_and(|r| r.starts_with('.'))
                })
        });
        assert!(covered || key.path.starts_with("rule."), "{} has no case", key.path);
    }
}

#[test]
fn the_project_alone_cannot_raise_what_is_built_in() {
    for (text, key) in [
        ("profile='balanced'", "profile"),
        ("ttl_minutes=31", "ttl_minutes"),
        ("token_budget=200_001", "token_budget"),
        ("allowed_domains=['a.example']", "allowed_domains"),
        ("allowed_recipients=['a@x.example']", "allowed_recipients"),
        ("primitives=['ReadVaultFile']", "primitives"),
        ("unasked_primitives=['TriageEmail']", "unasked_primitives"),
        ("known_urls=['https://a.example/x']", "known_urls"),
        ("caps.max_files=501", "caps.max_files"),
        ("decide='hash'", "decide"),
        ("decide='credential'", "decide"),
        ("session_budget.minutes=9", "session_budget.minutes"),
        ("skills.new={}", "skills.new"),
        ("tools.ports=[443,22]", "tools.ports"),
        ("tools.mail.send=true", "tools.mail.send"),
        ("tools.secrets.s={env='A'}", "tools.secrets.s"),
        ("checks.new={command=['x']}", "checks.new"),
        ("prices.models.m=0", "prices.models.m"),
        ("proposers.p={provider='x',model='y',class='LOCAL_ONLY'}", "proposers.p"),
    ] {
        let merged = merged("", "", text);
        let keys: Vec<_> = merged.ignored.iter().map(|ignored| ignored.key.as_str()).collect();
        assert_eq!(keys, [key], "{text}");
    }
}

#[test]
fn a_model_price_cannot_undercut_the_price_of_an_earlier_layer() {
    let merged = merged("prices.default=10", "prices.models={cheap=1,dear=20}", "");
    assert_eq!(merged.policy.price_for(Some("cheap")), 10_000_000);
    assert_eq!(merged.policy.price_for(Some("dear")), 20_000_000);
    assert_eq!(merged.policy.price_for(None), 10_000_000);
    assert_eq!(merged.policy.price_of(Some("nobody")), 10_000_000);
    assert_eq!(merged.ignored.len(), 1);
}

#[test]
fn origins_name_the_layers() {
    let merged = merged(
        "allowed_domains=['*.x.example']\nttl_minutes=60",
        "caps.max_files=3",
        "allowed_domains=['a.x.example']\nttl_minutes=5\n[[rule]]\nmatch={}\nthen='ask'\nreason='r'",
    );
    let rows = merged.rows();
    let origins = |key: &str| rows.iter().find(|row| row.key == key).unwrap().origins.clone();
    assert_eq!(origins("allowed_domains"), [Origin::System, Origin::Project]);
    assert_eq!(origins("ttl_minutes"), [Origin::Project]);
    assert_eq!(origins("caps.max_files"), [Origin::Operator]);
    assert_eq!(origins("token_budget"), [Origin::BuiltIn]);
    assert_eq!(origins("rule[0]"), [Origin::Project]);
    assert_eq!(merged.policy.sources.len(), 3);
    let layers: Vec<_> =
        merged.policy.sources.iter().map(|s| s.layer.as_str().to_string()).collect();
    assert_eq!(layers, ["system", "operator", "project"]);
}

#[test]
fn skills_bind_the_proposers_that_list_them() {
    let merged = merged(
        "",
        "proposers.bound={provider='x',model='y',class='LOCAL_ONLY',skills=['s','gone']}\n\
         proposers.free={provider='x',model='y',class='LOCAL_ONLY'}\n\
         skills.s={primitives=['ReadWeb'],caps={max_files=2,max_steps=99}}",
        "",
    );
    let policy = merged.policy;
    assert!(policy.check_skill(Some("free"), None).is_ok());
    assert!(policy.check_skill(None, Some("anything")).is_ok());
    assert!(policy.check_skill(Some("bound"), Some("s")).is_ok());
    for skill in [None, Some("other"), Some("gone")] {
        assert!(policy.check_skill(Some("bound"), skill).is_err(), "{skill:?}");
    }
    assert_eq!(policy.caps_for(Some("s")).max_files, 2);
    assert_eq!(policy.caps_for(Some("s")).max_steps, 12);
    assert_eq!(policy.caps_for(Some("unknown")), policy.caps);
    assert!(policy.allows_primitive("ReadWeb", Some("s")));
    assert!(!policy.allows_primitive("CallApi", Some("s")));
    assert!(policy.allows_primitive("CallApi", None));
}
