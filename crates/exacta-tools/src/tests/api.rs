//! Calls of configured services, and notifications.

use std::collections::BTreeMap;

use exacta_core::judge::policy::{Endpoint, Policy, Secret};
use serde_json::json;

use super::servers::{Answer, Asked, Site, ok, status};
use super::world::Here;
use crate::error::AfterEffect;

const HOST: &str = "api.example";

async fn service(
    script: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    change: impl FnOnce(&mut Policy),
) -> (Site, Here) {
    let site = Site::start(&[HOST], script).await;
    let mut policy = Policy::default();
    let endpoint = |path: &str, price| Endpoint {
        header: "authorization".into(),
        method: "POST".into(),
        micro_usd: price,
        secret: Some("key".into()),
        url: format!("https://api.example{path}"),
    };
    policy.tools.endpoints = BTreeMap::from([
        ("t".into(), endpoint("/t", Some(10))),
        ("free".into(), endpoint("/free", None)),
    ]);
    policy.tools.secrets = BTreeMap::from([(
        "key".into(),
        Secret::Command { argv: ["echo", "s3cret"].map(Into::into).to_vec(), timeout_seconds: 5 },
    )]);
    change(&mut policy);
    let here = Here::new(site.loopback(&[HOST]), policy);
    (site, here)
}

#[tokio::test]
async fn a_configured_service_is_called_with_its_secret_and_key() {
    let (site, here) = service(|_| ok("application/json", r#"{"id": 7}"#), |_| {}).await;
    let args = json!({"url": "https://api.example/t", "body": {"a": 1}});
    let out = here.call("CallApi", args).await.unwrap();
    assert_eq!(out, json!({"status": 200, "answer": {"id": 7}}));
    let asked = site.asked().remove(0);
    assert!(asked.head.starts_with("POST /t "), "{}", asked.head);
    assert_eq!(asked.header("authorization").as_deref(), Some("Bearer s3cret"));
    assert_eq!(asked.header("idempotency-key").as_deref(), Some("0123456789abcdef"));
    assert_eq!(asked.body, r#"{"a":1}"#);
}

/// Some services repeat what they were sent, and answers are kept on the record.
#[tokio::test]
async fn a_secret_that_the_service_repeats_is_not_kept() {
    for answer in
        [r#"{"headers": ["Bearer s3cret"], "s3cret": {"a": "xs3cretx"}}"#, "you said Bearer s3cret"]
    {
        let (_site, here) = service(move |_| ok("application/json", answer), |_| {}).await;
        let out = here.call("CallApi", json!({"url": "https://api.example/t"})).await.unwrap();
        let kept = out["answer"].to_string();
        assert!(!kept.contains("s3cret") && kept.contains("Bearer [secret]"), "{kept}");
    }
}

#[tokio::test]
async fn what_is_not_configured_or_has_no_price_is_not_called() {
    let (site, here) = service(|_| ok("application/json", "{}"), |_| {}).await;
    for (url, code) in [
        ("https://api.example/other", "ENDPOINT_UNKNOWN"),
        ("https://api.example/t?x=1", "ENDPOINT_UNKNOWN"),
        ("https://api.example/t/", "ENDPOINT_UNKNOWN"),
        ("https://api.example/free", "PRICE_UNKNOWN"),
    ] {
        assert_eq!(
            here.call("CallApi", json!({"url": url})).await.unwrap_err().code,
            code,
            "{url}"
        );
    }
    assert!(site.asked().is_empty());
}

#[tokio::test]
async fn the_answer_says_what_became_of_the_call() {
    for (answer, after) in [
        (400, Some(AfterEffect::NotSent)),
        (302, Some(AfterEffect::Unknown)),
        (408, Some(AfterEffect::Unknown)),
        (409, Some(AfterEffect::NotSent)),
        (500, Some(AfterEffect::Unknown)),
        (0, Some(AfterEffect::Unknown)),
        (204, None),
    ] {
        let (site, here) = service(
            move |_| match answer {
                0 => Answer::HangUp,
                302 => status(302, "location: https://api.example/t"),
                code => status(code, ""),
            },
            |_| {},
        )
        .await;
        let out = here.call("CallApi", json!({"url": "https://api.example/t"})).await;
        assert_eq!(out.as_ref().err().map(|fault| fault.after_effect), after, "{answer}");
        assert!(!format!("{out:?}").contains("s3cret"));
        assert_eq!(site.asked().len(), 1, "{answer}");
    }
}

#[tokio::test]
async fn a_notification_goes_where_policy_says_once_a_run_and_capped_a_day() {
    let (site, here) = service(
        |_| ok("text/plain", "ok"),
        |policy| {
            policy.tools.notify.terminal = false;
            policy.tools.notify.webhook = Some("https://api.example/hook".into());
            policy.tools.notify.ntfy = Some("https://api.example/topic".into());
            policy.tools.notify.daily_limit = 2;
        },
    )
    .await;
    let note = json!({"heading": "H\u{1b}[31m", "message": "line\u{1b}]0;x\u{7}\nnext"});
    let out = here.call("NotifyUser", note.clone()).await.unwrap();
    assert_eq!((&out["delivered"], &out["ways"]), (&json!(true), &json!(["webhook", "ntfy"])));
    assert_eq!(site.paths(), ["/hook", "/topic"]);
    assert!(site.asked().iter().all(|asked| !asked.body.contains('\u{1b}')));
    // The same step of the same run, taken up again.
    assert_eq!(here.call("NotifyUser", note.clone()).await.unwrap()["delivered"], false);
    assert_eq!(here.call_as("b", "NotifyUser", note.clone()).await.unwrap()["delivered"], true);
    let out = here.call_as("c", "NotifyUser", note).await.unwrap();
    assert!(out["reason"].as_str().unwrap().contains("used up"), "{out}");
    assert_eq!(site.asked().len(), 4);
}

#[tokio::test]
async fn quiet_hours_hold_a_notification_back() {
    let (site, here) = service(
        |_| ok("text/plain", "ok"),
        |policy| policy.tools.notify.webhook = Some("https://api.example/hook".into()),
    )
    .await;
    let note = |quiet| json!({"message": "x", "quiet": quiet});
    let out = here.call("NotifyUser", note(json!(["00:00-12:00", "12:00-00:00"]))).await.unwrap();
    assert_eq!(out["delivered"], false);
    let fault = here.call("NotifyUser", note(json!(["9-5"]))).await.unwrap_err();
    assert_eq!(fault.code, "ARGS_INVALID");
    assert!(site.asked().is_empty());
}

#[tokio::test]
async fn when_no_way_works_the_step_says_so() {
    let (_site, here) = service(
        |_| status(500, ""),
        |policy| {
            policy.tools.notify.terminal = false;
            policy.tools.notify.webhook = Some("https://api.example/hook".into());
        },
    )
    .await;
    let fault = here.call("NotifyUser", json!({"message": "x"})).await.unwrap_err();
    assert_eq!(fault.code, "NOTIFY_FAILED");
}
