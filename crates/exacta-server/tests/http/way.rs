//! The way from what agents are told to the room, whose name they are not told.

use axum::http::StatusCode;
use exacta_core::model::digest::Digest;

use crate::world::{HOST, World, request};

const PLAIN: &str = "127.0.0.1:4100";
const NAME: &str = "new.abc.localhost";

#[tokio::test(flavor = "multi_thread")]
async fn the_plain_address_says_nothing_and_stands_alone() {
    let world = World::new();
    let plan = world.plan(1).await;
    let id = plan["plan_id"].as_str().unwrap();
    let tag = Digest::of(format!("exacta/room/v1\n{NAME}").as_bytes()).to_string();
    let unknown = "01a1f1df-0b22-7af3-8397-434b7fb8418c";
    for path in [format!("/open/{id}"), format!("/open/{unknown}"), "/open".into()] {
        let page = world.send(request("GET", &path, None, &[("host", PLAIN)])).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        let text = page.body.as_str().unwrap();
        assert!(!text.contains("localhost") && text.contains(&tag), "{text}");
        assert!(!text.contains("Add a file") && !text.contains("b.txt"), "{text}");
        assert!(!text.contains("<script>") && !text.contains("style="), "{text}");
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
        assert!(!page.headers.contains_key("set-cookie"));
    }
    let remember = world.send(request("GET", "/remember", None, &[("host", PLAIN)])).await;
    assert_eq!(remember.status, StatusCode::OK);
    assert!(!remember.body.as_str().unwrap().contains("localhost"));
    // What a browser stores belongs to one address; the others are not it.
    for host in ["localhost:4100", "[::1]:4100"] {
        for path in ["/open", &format!("/open/{id}"), "/remember"] {
            let other = world.send(request("GET", path, None, &[("host", host)])).await;
            assert_eq!(other.status, StatusCode::NOT_FOUND, "{host}{path}");
        }
    }
    for path in ["/remember", "/open/%2e%2e", "/open/a%2Fb", "/open/../sign-in"] {
        let other = world.send(request("GET", path, None, &[("host", HOST)])).await;
        assert!(other.status.is_client_error(), "{path}: {}", other.status);
    }
    let outside = world.send(request("GET", "/signed-in", None, &[("host", PLAIN)])).await;
    assert_eq!(outside.status, StatusCode::SEE_OTHER);
    assert_eq!(outside.headers["location"], "/sign-in");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_from_elsewhere_leads_to_the_plan_with_the_session_it_did_not_bring() {
    let world = World::new();
    let (cookie, plan) = (world.cookie(), world.plan(1).await);
    let (id, project) = (plan["plan_id"].as_str().unwrap(), plan["project_id"].as_str().unwrap());
    let path = format!("/open/{id}");
    let site = |site: &'static str| {
        [("sec-fetch-site", site), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")]
    };
    let first = world.send(request("GET", &path, None, &site("cross-site"))).await;
    assert_eq!(first.status, StatusCode::OK);
    assert!(first.body.as_str().unwrap().contains(&format!("content=\"0;url={path}?here\"")));
    let mut own = site("same-origin").to_vec();
    // It asks once more, not for ever.
    let nobody =
        world.send(request("GET", &format!("{path}?here"), None, &site("cross-site"))).await;
    assert_eq!(
        (nobody.status, &nobody.headers["location"]),
        (StatusCode::SEE_OTHER, &"/sign-in".parse().unwrap())
    );
    own.push(("cookie", &cookie));
    let page = world.send(request("GET", &path, None, &own)).await;
    let to = format!("/projects/{project}/plans/{id}");
    assert_eq!(
        (page.status, page.headers["location"].to_str().unwrap()),
        (StatusCode::SEE_OTHER, to.as_str())
    );
    let inbox = world.send(request("GET", "/open", None, &own)).await;
    assert_eq!(inbox.headers["location"], "/");
    let none = "/open/01a1f1df-0b22-7af3-8397-434b7fb8418c";
    assert_eq!(world.send(request("GET", none, None, &own)).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_plain_address_learns_the_name_behind_a_hash_after_a_sign_in() {
    let world = World::new();
    let cookie = world.cookie();
    let page = world.person(&cookie, "GET", "/signed-in", None).await;
    let text = page.body.as_str().unwrap();
    assert!(text.contains(&format!("data-next=\"http://{PLAIN}/remember#{NAME}\"")), "{text}");
    let away = world.person(&cookie, "GET", "/signed-in?to=https://evil.example", None).await;
    assert!(!away.body.to_string().contains("evil.example"), "{}", away.body);
}
