//! A project in a folder, a server over it, and people and agents who call it.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use exacta_core::judge::facts::{Fact, Inspected, Inspector};
use exacta_core::judge::policy::{Locality, Policy, Profile, Proposer};
use exacta_core::model::digest::Blob;
use exacta_core::record::Assurance;
use exacta_engine::gate::ProjectIdentity;
use exacta_engine::machine::ThisMachine;
use exacta_engine::project::{LoadPolicy, Parts, Project};
use exacta_engine::proof::Proof;
use exacta_engine::trust::TrustStore;
use exacta_engine::workspace::Root;
use exacta_server::{Address, AppState, Config, Served, router};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt as _;

pub(crate) const HOST: &str = "new.abc.localhost:4100";
pub(crate) const ORIGIN: &str = "http://new.abc.localhost:4100";

struct NoFacts;

impl Inspector for NoFacts {
    fn inspect(&self, _: &[Inspected<'_>], _: &[Blob]) -> Vec<Fact> {
        Vec::new()
    }
}

/// One project and its server.
pub(crate) struct World {
    pub(crate) folder: TempDir,
    pub(crate) state: AppState,
    pub(crate) router: axum::Router,
    /// The text of each token.
    pub(crate) tokens: Vec<String>,
    _outer: TempDir,
}

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl World {
    /// A server whose agents are unregistered, `one` and `two`.
    pub(crate) fn new() -> Self {
        let (folder, outer_folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        std::fs::write(folder.path().join("a.txt"), "one\n").unwrap();
        let outer = TrustStore::new(Some(outer_folder.path().as_os_str()), None).unwrap();
        let root = Root::open(folder.path()).unwrap();
        let identity = ProjectIdentity::of(&root, outer.clone()).unwrap();
        let secrets = identity.start(&root, &ThisMachine).unwrap();
        let root = Arc::new(root);
        let policy: Arc<LoadPolicy> = Arc::new(|| {
            let mut policy = Policy { profile: Profile::Manual, ..Policy::default() };
            for name in ["one", "two"] {
                let proposer = Proposer {
                    class: Locality::LocalOnly,
                    model: "m".into(),
                    provider: "p".into(),
                    skills: None,
                };
                policy.proposers.insert(name.into(), proposer);
            }
            Ok(policy)
        });
        let parts = Parts {
            workspace: root.clone(),
            tree: root,
            inspector: Arc::new(NoFacts),
            machine: Arc::new(ThisMachine),
            policy: Arc::clone(&policy),
            room: None,
            mask: Arc::new(str::to_owned),
        };
        let tokens: Vec<_> = [None, Some("one"), Some("two")]
            .into_iter()
            .map(|name| outer.agent_token(&secrets.project, name).unwrap())
            .collect();
        let texts = tokens
            .iter()
            .map(|token| std::fs::read_to_string(&token.file).unwrap().trim().to_owned())
            .collect();
        let project = Project::new(parts, secrets.clone());
        let id = secrets.project.clone();
        let served = Served::new(id, ("p".into(), "/p".into()), project, policy, tokens);
        let state = AppState::new(Config {
            address: Address {
                host: "new.abc.localhost".into(),
                keys: "abc.localhost".into(),
                port: 4100,
                tls: false,
            },
            outside: None,
            projects: vec![served],
            outer,
            signer: secrets.signer,
            machine: Arc::new(ThisMachine),
            person: "uid 1".into(),
            patch: |_| Some(b"patch\n".to_vec()),
            agents: None,
            planner: Some(Arc::new(|_: &std::path::Path, intent: &str| {
                if intent.contains("fail") {
                    return Err("the provider cannot be reached".to_owned());
                }
                let text = draft("planned.txt").to_string().into_bytes();
                let hash = exacta_core::model::digest::Digest::of(intent.as_bytes());
                let provider_id = intent.contains("named").then(|| "req_011C".to_owned());
                let request = exacta_core::life::binding::PlannerRequest { hash, provider_id };
                Ok(exacta_server::PlannedText { text, proposer: "one".into(), request })
            })),
        });
        let router = router(state.clone());
        Self { folder, state, router, tokens: texts, _outer: outer_folder }
    }

    /// The cookie of a person who signed in.
    pub(crate) fn cookie(&self) -> String {
        let proof = Proof::for_tests(Assurance::Terminal);
        let link = self.state.sign_ins.mint(&proof, Instant::now()).unwrap();
        let session = self.state.sign_ins.enter(&link, Instant::now()).unwrap();
        format!("exacta_session={session}")
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let body = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into()));
        Answer { status: parts.status, headers: parts.headers, body }
    }

    /// An agent's request.
    pub(crate) async fn agent(
        &self,
        which: usize,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Answer {
        let token = &self.tokens[which];
        self.send(request(method, path, body, &[("authorization", &format!("Bearer {token}"))]))
            .await
    }

    /// A person's request.
    pub(crate) async fn person(
        &self,
        cookie: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Answer {
        self.send(request(method, path, body, &[("cookie", cookie), ("origin", ORIGIN)])).await
    }

    /// A plan of an agent that waits.
    pub(crate) async fn plan(&self, which: usize) -> Value {
        let made = self
            .agent(which, "POST", "/api/v1/plans/draft", Some(json!({"draft": draft("b.txt")})))
            .await;
        assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
        assert_eq!(made.body["status"], "validated");
        made.body
    }
}

pub(crate) fn request(
    method: &str,
    path: &str,
    body: Option<Value>,
    headers: &[(&str, &str)],
) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    if !headers.iter().any(|(name, _)| *name == "host") {
        request = request.header("host", HOST);
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    match body {
        Some(body) => request
            .header("content-type", "application/json")
            .body(Body::from(body.to_string()))
            .unwrap(),
        None => request.body(Body::empty()).unwrap(),
    }
}

/// A draft that creates a file.
pub(crate) fn draft(path: &str) -> Value {
    json!({
        "goal": "Add a file that says two",
        "provider": {"task_class": "edit", "preference": "quality", "request_id": "r-1", "provider_request_id": "claimed"},
        "steps": [{
            "step_id": "step_1", "title": format!("Create {path}"), "type": "file_create",
            "target": path, "content": "two\n",
        }],
    })
}
