//! Reading, watching and summing up pages.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use exacta_core::judge::policy::Policy;
use exacta_engine::tools::{Spent, ToolCaps};
use serde_json::{Value, json};

use super::servers::{Answer, Asked, Site, ok, status, with};
use super::world::Here;
use crate::guard::Meter;

const HOST: &str = "site.example";

async fn site(script: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> (Site, Here) {
    let site = Site::start(&[HOST], script).await;
    let here = Here::new(site.loopback(&[HOST]), Policy::default());
    (site, here)
}

fn page(body: &str) -> Answer {
    ok("text/html", format!("<html><head><title>T</title></head><body>{body}</body></html>"))
}

fn robots_or(asked: &Asked, answer: impl FnOnce() -> Answer) -> Answer {
    if asked.path == "/robots.txt" { status(404, "") } else { answer() }
}

#[tokio::test]
async fn a_page_is_read_as_text() {
    let (_site, here) =
        site(|asked| robots_or(asked, || page("<h1>Head</h1><p>Some text</p>"))).await;
    let out = here.call("ReadWeb", json!({"url": "https://site.example/"})).await.unwrap();
    assert_eq!((out["title"].as_str(), out["status"].as_u64()), (Some("T"), Some(200)));
    assert!(out["text"].as_str().unwrap().contains("Some text"));
    assert_eq!(out.get("changed"), None);
}

#[tokio::test]
async fn robots_txt_is_kept_and_asked_for_once() {
    let (site, here) = site(|asked| match asked.path.as_str() {
        "/robots.txt" => ok("text/plain", "User-agent: *\nDisallow: /private\n"),
        _ => page("x"),
    })
    .await;
    let read =
        |path: &str| here.call("ReadWeb", json!({"url": format!("https://site.example{path}")}));
    assert!(read("/open").await.is_ok());
    assert_eq!(read("/private/x").await.unwrap_err().code, "ROBOTS_DISALLOWED");
    assert!(read("/other").await.is_ok());
    assert_eq!(site.paths(), ["/robots.txt", "/open", "/other"]);
}

#[tokio::test]
async fn a_site_whose_robots_txt_cannot_be_had_is_not_read() {
    let (site, here) = site(|asked| match asked.path.as_str() {
        "/robots.txt" => status(503, ""),
        _ => page("x"),
    })
    .await;
    let fault = here.call("ReadWeb", json!({"url": "https://site.example/"})).await.unwrap_err();
    assert_eq!(fault.code, "ROBOTS_DISALLOWED");
    assert_eq!(site.paths(), ["/robots.txt"]);
}

#[tokio::test]
async fn a_redirect_asks_the_robots_txt_of_where_it_leads() {
    let hosts = [HOST, "other.example"];
    let site = Site::start(&hosts, |asked| {
        let there = asked.header("host").is_some_and(|host| host.starts_with("other."));
        match asked.path.as_str() {
            "/robots.txt" if there => ok("text/plain", "User-agent: *\nDisallow: /private\n"),
            "/robots.txt" => status(404, ""),
            "/open" => status(302, "location: https://other.example/page"),
            "/closed" => status(302, "location: https://other.example/private/page"),
            _ => page("x"),
        }
    })
    .await;
    let here = Here::new(site.loopback(&hosts), Policy::default());
    let read =
        |path: &str| here.call("ReadWeb", json!({"url": format!("https://site.example{path}")}));
    let out = read("/open").await.unwrap();
    assert_eq!(out["address"], "https://other.example/page");
    assert_eq!(read("/closed").await.unwrap_err().code, "ROBOTS_DISALLOWED");
    assert_eq!(site.paths(), ["/robots.txt", "/open", "/robots.txt", "/page", "/closed"]);
}

#[tokio::test]
async fn what_did_not_change_is_not_sent_again() {
    let (site, here) = site(|asked| {
        robots_or(asked, || match asked.header("if-none-match").as_deref() {
            Some("\"v1\"") => status(304, ""),
            _ => with("content-type: text/html\r\netag: \"v1\"", "<p>body</p>"),
        })
    })
    .await;
    let read = || here.call("ReadWeb", json!({"url": "https://site.example/p"}));
    let first = read().await.unwrap();
    let second = read().await.unwrap();
    assert_eq!(first["text"], second["text"]);
    assert_eq!((&first["not_modified"], &second["not_modified"]), (&json!(false), &json!(true)));
    assert_eq!(site.asked().last().unwrap().header("if-none-match").as_deref(), Some("\"v1\""));
}

#[tokio::test]
async fn pages_are_counted_before_they_are_read() {
    let (site, here) = site(|asked| robots_or(asked, || page("x"))).await;
    let mut ctx = here.context("k");
    let caps = ToolCaps { run: Spent { calls: 9, pages: 1, micro_usd: 0 }, day: None };
    ctx.meter = Meter::new(caps, Spent::default(), Spent::default());
    let args = json!({"url": "https://site.example/"});
    assert!(here.call_in(&ctx, "ReadWeb", args.clone()).await.is_ok());
    let fault = here.call_in(&ctx, "ReadWeb", args).await.unwrap_err();
    assert_eq!(fault.code, "PAGE_CAP_EXCEEDED");
    assert_eq!(site.paths(), ["/robots.txt", "/"]);
}

/// A page that shows one body after another, each as often as the script says.
async fn turns(bodies: Vec<Answer>) -> (Site, Here) {
    let bodies: Arc<Vec<Vec<u8>>> = Arc::new(
        bodies
            .into_iter()
            .map(|answer| match answer {
                Answer::Bytes(bytes) => bytes,
                _ => panic!("only bytes"),
            })
            .collect(),
    );
    let turn = Arc::new(AtomicUsize::new(0));
    site(move |asked| {
        robots_or(asked, || {
            let at = turn.fetch_add(1, Ordering::SeqCst).min(bodies.len() - 1);
            Answer::Bytes(bodies[at].clone())
        })
    })
    .await
}

fn watch(more: &Value) -> Value {
    let mut args =
        json!({"url": "https://site.example/", "watch": true, "sensitivity_percent": 90});
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    args
}

#[tokio::test]
async fn a_change_is_reported_once_and_only_after_it_was_reported_is_it_known() {
    let (_site, here) = turns(vec![page("<p>Price 5</p>"), page("<p>Price 6</p>")]).await;
    let look = || here.call("ReadWeb", watch(&json!({})));
    let first = look().await.unwrap();
    assert_eq!(
        (&first["first"], &first["changed"], &first["alert"]),
        (&json!(true), &json!(false), &json!(""))
    );
    let second = look().await.unwrap();
    assert_eq!(second["changed"], true);
    let alert = second["alert"].as_str().unwrap();
    assert!(alert.contains("- Price 5") && alert.contains("+ Price 6"), "{alert}");
    // Nobody reported it: it is found again.
    let again = look().await.unwrap();
    assert_eq!(again["changed"], true);
    let note = json!({"message": again["alert"], "watch": again["watch"]});
    let told = here.call("NotifyUser", note).await.unwrap();
    assert_eq!(told["delivered"], true);
    let after = look().await.unwrap();
    assert_eq!((&after["changed"], &after["alert"]), (&json!(false), &json!("")));
    let note = json!({"message": after["alert"], "watch": after["watch"]});
    let told = here.call_as("other", "NotifyUser", note).await.unwrap();
    assert_eq!(
        (&told["delivered"], &told["reason"]),
        (&json!(false), &json!("there is nothing to say"))
    );
}

#[tokio::test]
async fn a_moment_of_the_page_is_not_a_change() {
    let (_site, here) = turns(vec![page("<p>a</p>"), page("<p>b</p>"), page("<p>a</p>")]).await;
    here.call("ReadWeb", watch(&json!({}))).await.unwrap();
    let out = here.call("ReadWeb", watch(&json!({}))).await.unwrap();
    assert_eq!(out["changed"], false);
}

#[tokio::test]
async fn errors_captchas_and_empty_selections_are_no_change() {
    let (_site, here) = turns(vec![
        page("<p id=x>a</p>"),
        status(500, ""),
        page("<p>Please solve this captcha</p>"),
        page("<p>other</p>"),
        page("<p id=x>  </p>"),
        page("<p id=x>a</p>"),
    ])
    .await;
    let look = || here.call("ReadWeb", watch(&json!({"selector": "#x"})));
    assert_eq!(look().await.unwrap()["first"], true);
    assert_eq!(look().await.unwrap_err().code, "HTTP_STATUS");
    assert_eq!(look().await.unwrap_err().code, "SELECTION_EMPTY");
    assert_eq!(look().await.unwrap_err().code, "SELECTION_EMPTY");
    assert_eq!(look().await.unwrap_err().code, "SELECTION_EMPTY");
    let out = look().await.unwrap();
    assert_eq!((&out["first"], &out["changed"]), (&json!(false), &json!(false)));
    let (_site, here) = turns(vec![page("<p>a</p>"), page("<p>Verify you are human</p>")]).await;
    here.call("ReadWeb", watch(&json!({}))).await.unwrap();
    let fault = here.call("ReadWeb", watch(&json!({}))).await.unwrap_err();
    assert_eq!(fault.code, "PAGE_BLOCKED");
}

#[tokio::test]
async fn ignored_text_vanishes_and_selectors_narrow() {
    let body = |views: u32, price: u32| {
        page(&format!("<p>Views {views}</p><p class=price>Price {price}</p>"))
    };
    let (_site, here) = turns(vec![body(1, 5), body(2, 5), body(3, 6)]).await;
    let args = watch(&json!({"selector": ".price"}));
    here.call("ReadWeb", args.clone()).await.unwrap();
    assert_eq!(here.call("ReadWeb", args.clone()).await.unwrap()["changed"], false);
    let out = here.call("ReadWeb", args).await.unwrap();
    assert_eq!(out["changed"], true);
    assert!(!out["alert"].as_str().unwrap().contains("Views"));
    let (_site, here) = turns(vec![body(1, 5), body(2, 5)]).await;
    let args = watch(&json!({"ignore": ["Views 1", "Views 2"]}));
    here.call("ReadWeb", args.clone()).await.unwrap();
    let out = here.call("ReadWeb", args).await.unwrap();
    assert_eq!((&out["changed"], &out["alert"]), (&json!(false), &json!("")));
}

const FEED: &str = r#"<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
    <item><title>Old</title><link>https://site.example/1</link><guid>1</guid><pubDate>Tue, 17 Nov 2026 04:00:00 GMT</pubDate></item>
    <item><title>New</title><link>https://site.example/2</link><guid>2</guid><pubDate>Wed, 18 Nov 2026 04:00:00 GMT</pubDate></item>
    </channel></rss>"#;

#[tokio::test]
async fn sources_are_summed_up_with_their_source_and_failures_are_named() {
    let (_site, here) = site(|asked| match asked.path.as_str() {
        "/robots.txt" => status(404, ""),
        "/feed" => ok("application/rss+xml", FEED),
        "/page" => page("<p>A page with words</p>"),
        _ => status(500, ""),
    })
    .await;
    let sources = json!([
        "https://site.example/feed",
        "https://site.example/page",
        "https://site.example/broken"
    ]);
    let read = || here.call("ReadSources", json!({"sources": sources}));
    let out = read().await.unwrap();
    assert_eq!((out["items"].as_array().unwrap().len(), out["read"].as_u64()), (3, Some(2)));
    let sum = |out: &Value| {
        here.call(
            "AggregateDailySummary",
            json!({"items": out["items"], "failed": out["failed"], "max_bullets": 3}),
        )
    };
    let text = sum(&out).await.unwrap()["text"].as_str().unwrap().to_owned();
    let new = text.find("- New (https://site.example/2; from https://site.example/feed)");
    assert!(new < text.find("- Old"), "{text}");
    assert!(new.is_some(), "{text}");
    assert!(
        text.contains("Could not be read: https://site.example/broken (the server answered 500)"),
        "{text}"
    );
    // Until they are reported they stay new; afterwards there is nothing new.
    assert_eq!(sum(&read().await.unwrap()).await.unwrap()["nothing_new"], false);
    let draft = json!({"heading": "Daily brief", "body": text, "watch": out["watch"]});
    here.call("WriteOutcomeDraft", draft).await.unwrap();
    let later = sum(&read().await.unwrap()).await.unwrap();
    assert_eq!(later["nothing_new"], true);
    assert!(later["text"].as_str().unwrap().contains("Nothing new."));
}

#[tokio::test]
async fn when_every_source_fails_the_step_fails() {
    let (_site, here) = site(|asked| robots_or(asked, || status(500, ""))).await;
    let fault =
        here.call("ReadSources", json!({"sources": ["https://site.example/a"]})).await.unwrap_err();
    assert_eq!(fault.code, "HTTP_STATUS");
}

#[tokio::test]
async fn drafts_are_written_whole_and_taken_back() {
    let here = Here::new(crate::net::loopback::Loopback::default(), Policy::default());
    let args = json!({"heading": "A\nB", "body": "text"});
    let out = here.call("WriteOutcomeDraft", args.clone()).await.unwrap();
    let file = here.world.outbox.join(out["draft"].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "# A B\n\ntext\n");
    let again = here.call("WriteOutcomeDraft", args.clone()).await.unwrap();
    assert_eq!(out, again);
    here.take_back("WriteOutcomeDraft", &args, &out).await.unwrap();
    assert!(!file.exists());
    here.take_back("WriteOutcomeDraft", &args, &out).await.unwrap();
    here.call("WriteOutcomeDraft", args.clone()).await.unwrap();
    std::fs::write(&file, "edited").unwrap();
    // Done again after an interruption, it does not write over an edit.
    let fault = here.call("WriteOutcomeDraft", args.clone()).await.unwrap_err();
    assert_eq!(fault.code, "DRAFT_EDITED");
    let fault = here.take_back("WriteOutcomeDraft", &args, &out).await.unwrap_err();
    assert_eq!(fault.code, "DRAFT_EDITED");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "edited");
    std::fs::remove_file(&file).unwrap();
    // What a draft reported is reported again once the draft was taken back.
    let memory = crate::memory::Memory::at(&here.world.memory);
    let name = crate::memory::Memory::name("page", &["x"]);
    memory.set(&name, &json!("one")).unwrap();
    memory.pend(&name, &json!("two")).unwrap();
    let args = json!({"body": "text", "watch": name});
    here.call("WriteOutcomeDraft", args.clone()).await.unwrap();
    assert_eq!(memory.settled(&name).unwrap(), Some(json!("two")));
    here.take_back("WriteOutcomeDraft", &args, &Value::Null).await.unwrap();
    assert_eq!(memory.settled(&name).unwrap(), Some(json!("one")));
}

#[tokio::test]
async fn the_vault_is_one_folder_without_ways_out() {
    let vault = tempfile::tempdir().unwrap();
    std::fs::create_dir(vault.path().join("sub")).unwrap();
    std::fs::write(vault.path().join("sub/a.txt"), "inside").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", vault.path().join("link")).unwrap();
    std::os::unix::fs::symlink("/etc", vault.path().join("folder")).unwrap();
    std::fs::write(vault.path().join("big"), vec![b'a'; (1 << 20) + 1]).unwrap();
    let mut policy = Policy::default();
    policy.tools.vault = Some(vault.path().to_str().unwrap().into());
    let here = Here::new(crate::net::loopback::Loopback::default(), policy);
    let read = |path: &str| here.call("ReadVaultFile", json!({"path": path}));
    assert_eq!(read("sub/a.txt").await.unwrap()["text"], "inside");
    for path in [
        "../x",
        "/etc/passwd",
        "link",
        "folder/passwd",
        "sub",
        "nothing",
        "sub/../../x",
        "big",
        ".",
    ] {
        assert_eq!(read(path).await.unwrap_err().code, "VAULT_FAILED", "{path}");
    }
    let none = Here::new(crate::net::loopback::Loopback::default(), Policy::default());
    let fault = none.call("ReadVaultFile", json!({"path": "a"})).await.unwrap_err();
    assert_eq!(fault.code, "VAULT_MISSING");
}
