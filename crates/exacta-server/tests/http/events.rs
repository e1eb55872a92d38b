//! Event streams: they go on where they broke off, show each what is theirs, and end with the
//! right to listen.

use std::time::Duration;

use axum::body::Body;
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

use crate::world::{World, request};

struct Stream {
    body: Body,
    text: String,
}

impl Stream {
    async fn open(world: &World, headers: &[(&str, &str)]) -> Self {
        let request = request("GET", "/api/v1/events", None, headers);
        let response = world.router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
        Self { body: response.into_body(), text: String::new() }
    }

    /// Reads until `done`, the end, or a little while.
    async fn read(&mut self, done: impl Fn(&str) -> bool) -> bool {
        for _ in 0..200 {
            if done(&self.text) {
                return true;
            }
            match tokio::time::timeout(Duration::from_secs(3), self.body.frame()).await {
                Ok(Some(Ok(frame))) => {
                    let data = frame.into_data().unwrap_or_default();
                    self.text.push_str(&String::from_utf8_lossy(&data));
                }
                _ => return done(&self.text),
            }
        }
        false
    }

    fn names(&self) -> Vec<&str> {
        self.text.lines().filter_map(|line| line.strip_prefix("event: ")).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_goes_on_where_it_broke_off() {
    let world = World::new();
    let cookie = world.cookie();
    world.plan(0).await;
    let mut stream = Stream::open(&world, &[("cookie", &cookie)]).await;
    world.plan(1).await;
    assert!(stream.read(|text| text.contains("event: validated")).await, "{}", stream.text);
    assert_eq!(stream.names(), ["draft", "validated"]);
    let last = stream.text.lines().rfind(|line| line.starts_with("id: ")).unwrap();
    let last = last.strip_prefix("id: ").unwrap().to_owned();
    drop(stream);
    world.plan(2).await;
    let headers = [("cookie", cookie.as_str()), ("last-event-id", last.as_str())];
    let mut again = Stream::open(&world, &headers).await;
    assert!(again.read(|text| text.contains("event: validated")).await, "{}", again.text);
    assert_eq!(again.names(), ["draft", "validated"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_hears_of_its_own_plans_until_its_right_is_taken_back() {
    let world = World::new();
    let token = format!("Bearer {}", world.tokens[1]);
    let mut stream = Stream::open(&world, &[("authorization", &token)]).await;
    world.plan(2).await;
    world.plan(1).await;
    assert!(stream.read(|text| text.contains("event: validated")).await, "{}", stream.text);
    assert_eq!(stream.text.matches("event: draft").count(), 1, "{}", stream.text);
    std::fs::remove_file(&world.state.projects[0].tokens[1].file).unwrap();
    let from = stream.text.len();
    world.plan(2).await;
    stream.read(|_| false).await;
    assert!(!stream.text[from..].contains("event:"), "{}", stream.text);
}
