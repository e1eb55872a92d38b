//! What a passkey signs is one command, and nothing else is done with it.

use std::cell::Cell;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Request, StatusCode};
use data_encoding::BASE64URL_NOPAD;
use exacta_engine::gate::{Gate, GateError};
use exacta_server::Served;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};

use crate::world::{Answer, HOST, ORIGIN, World, request};

/// How a public key of this kind begins, as DER.
const P256: &[u8] = &[
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

/// A key that somebody holds.
struct Key {
    pair: EcdsaKeyPair,
    id: Vec<u8>,
    counter: Cell<u32>,
}

fn text(bytes: &[u8]) -> String {
    BASE64URL_NOPAD.encode(bytes)
}

impl Key {
    fn new() -> Self {
        let (kind, random) = (&ECDSA_P256_SHA256_ASN1_SIGNING, SystemRandom::new());
        let document = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).unwrap();
        Self { pair, id: b"a key of the tests".to_vec(), counter: Cell::new(0) }
    }

    fn data(&self, flags: u8, more: &[u8]) -> Vec<u8> {
        self.counter.set(self.counter.get() + 1);
        let name = digest(&SHA256, b"abc.localhost");
        let counter = self.counter.get().to_be_bytes();
        [name.as_ref(), &[flags], counter.as_slice(), more].concat()
    }

    fn client(kind: &str, challenge: &Value, origin: &str) -> Vec<u8> {
        json!({"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": false})
            .to_string()
            .into_bytes()
    }

    fn described(&self, challenge: &Value) -> Value {
        let length = u16::try_from(self.id.len()).unwrap().to_be_bytes();
        let more = [[0; 16].as_slice(), &length, &self.id, b"cose"].concat();
        let key = [P256, self.pair.public_key().as_ref()].concat();
        json!({
            "challenge": challenge, "id": text(&self.id), "name": "k", "public_key": text(&key),
            "authenticator_data": text(&self.data(0x45, &more)),
            "client_data": text(&Self::client("webauthn.create", challenge, ORIGIN)),
        })
    }

    fn signs(&self, challenge: &Value) -> Value {
        self.signs_at(challenge, ORIGIN)
    }

    fn signs_at(&self, challenge: &Value, origin: &str) -> Value {
        let client = Self::client("webauthn.get", challenge, origin);
        let data = self.data(0x05, b"");
        let signed = [data.as_slice(), digest(&SHA256, &client).as_ref()].concat();
        let signature = self.pair.sign(&SystemRandom::new(), &signed).unwrap();
        json!({
            "challenge": challenge, "id": text(&self.id), "signature": text(signature.as_ref()),
            "authenticator_data": text(&data), "client_data": text(&client),
        })
    }
}

/// Somebody who signed in with a passkey.
struct Person {
    world: World,
    key: Key,
    cookie: String,
}

type Fields<'f> = Vec<(&'f str, String)>;

impl Person {
    async fn new() -> Self {
        let (world, key) = (World::new(), Key::new());
        let first = world.cookie();
        let asked = world.person(&first, "POST", "/passkeys/ask", Some(json!({"for": "register"})));
        let made = key.described(&asked.await.body["challenge"]);
        let made = world.person(&first, "POST", "/passkeys/register", Some(made)).await;
        assert_eq!(made.status, StatusCode::NO_CONTENT, "{}", made.body);
        let own = [("origin", ORIGIN)];
        let asked = request("POST", "/passkeys/ask", Some(json!({"for": "sign_in"})), &own);
        let signed = key.signs(&world.send(asked).await.body["challenge"]);
        let entered = world.send(request("POST", "/sign-in/passkey", Some(signed), &own)).await;
        assert_eq!(entered.status, StatusCode::NO_CONTENT, "{}", entered.body);
        let cookie = entered.headers["set-cookie"].to_str().unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        Self { world, key, cookie }
    }

    /// What the passkey signs for a form.
    async fn signed(&self, to: &str, fields: &Fields<'_>) -> Value {
        let body = json!({"for": "act", "to": to, "fields": fields});
        let asked = self.world.person(&self.cookie, "POST", "/passkeys/ask", Some(body)).await;
        assert_eq!(asked.status, StatusCode::OK, "{}", asked.body);
        self.key.signs(&asked.body["challenge"])
    }

    async fn sends(&self, to: &str, fields: &Fields<'_>, signed: Option<&Value>) -> Answer {
        let secret = self.cookie.split_once('=').unwrap().1;
        let person = self.world.state.sign_ins.person(secret, Instant::now()).unwrap();
        let hash = &fields.iter().find(|(name, _)| *name == "plan_hash").unwrap().1;
        let token = self.world.state.form_token(&person, hash);
        let signed = signed.map(Value::to_string).unwrap_or_default();
        let more = [("token", token), ("seen", "all".into()), ("passkey", signed)];
        let encoded = |text: &str| -> String {
            let plain = |byte: &u8| byte.is_ascii_alphanumeric();
            let one = |byte: u8| {
                if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
            };
            // A browser ends lines so, whatever its scripts see.
            text.replace('\n', "\r\n").bytes().map(one).collect()
        };
        let pairs =
            fields.iter().chain(&more).map(|(name, value)| format!("{name}={}", encoded(value)));
        let body = pairs.collect::<Vec<_>>().join("&");
        let request = Request::post(to)
            .header("host", HOST)
            .header("cookie", &self.cookie)
            .header("origin", ORIGIN)
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Body::from(body));
        self.world.send(request.unwrap()).await
    }

    async fn plan(&self, name: &str) -> (Value, String) {
        let steps = [1, 2].map(|number| {
            json!({
                "step_id": format!("step_{number}"), "title": "A file", "dependencies": [],
                "type": "file_create", "target": format!("{name}{number}.txt"), "content": "x\n",
            })
        });
        let body = json!({"draft": {"goal": "Add files", "steps": steps}});
        let made = self.world.agent(1, "POST", "/api/v1/plans/draft", Some(body)).await.body;
        let project = made["project_id"].as_str().unwrap();
        let to = format!("/projects/{project}/plans/{}/decide", made["plan_id"].as_str().unwrap());
        (made, to)
    }

    async fn stands(&self, plan: &Value) -> Value {
        let path = format!("/api/v1/plans/{}", plan["plan_id"].as_str().unwrap());
        self.world.person(&self.cookie, "GET", &path, None).await.body
    }
}

fn fields(plan: &Value, act: &str) -> Fields<'static> {
    let hash = plan["plan_hash"].as_str().unwrap().to_owned();
    vec![("plan_hash", hash), ("act", act.to_owned())]
}

fn ticked(plan: &Value, act: &str, steps: &[&str]) -> Fields<'static> {
    let mut all = fields(plan, act);
    all.extend(steps.iter().map(|step| ("step", (*step).to_owned())));
    all
}

/// Everything on the record.
fn kept_in(project: &Served) -> String {
    let written = |gate: &Gate<'_>| {
        let entries = gate.entries()?;
        Ok::<_, GateError>(serde_json::to_string(&entries).unwrap())
    };
    project.ask_here(written).unwrap()
}

/// Nothing on the record names the room, however it is written there.
fn names_no_room(kept: &str) {
    let name = HOST.split('.').next().unwrap();
    assert!(!kept.contains(&format!("{name}.abc")), "{kept}");
    let entries: Value = serde_json::from_str(kept).unwrap();
    let mut signed = 0;
    for entry in entries.as_array().unwrap() {
        let approval = &entry["event"]["plan_approved"]["approval"];
        let Some(client) = approval["passkey"]["client_data"].as_str() else { continue };
        let client = BASE64URL_NOPAD.decode(client.as_bytes()).unwrap();
        let client = String::from_utf8(client).unwrap();
        assert!(client.contains("http://*.abc.localhost:4100"), "{client}");
        signed += 1;
    }
    assert!(signed > 0, "{kept}");
}

#[tokio::test(flavor = "multi_thread")]
async fn at_the_door_a_passkey_opens_and_nothing_else_does() {
    const DOOR: &str = "abc.localhost:4100";
    const AT: &str = "http://abc.localhost:4100";
    let person = Person::new().await;
    let world = &person.world;
    let own = [("host", DOOR), ("origin", AT)];
    let page = world.send(request("GET", "/sign-in", None, &[("host", DOOR)])).await;
    assert_eq!(page.status, StatusCode::OK);
    let shown = page.body.as_str().unwrap();
    assert!(shown.contains("passkey") && !shown.contains("credential"), "{shown}");
    assert!(!shown.contains("new."), "{shown}");
    // A session of the room is none here, and nothing begins one.
    let cookie = ("cookie", person.cookie.as_str());
    let inside = world.send(request("GET", "/", None, &[("host", DOOR), cookie])).await;
    assert_eq!(inside.headers["location"], "/sign-in");
    let api = world.send(request("GET", "/api/v1/plans", None, &[("host", DOOR), cookie])).await;
    assert_eq!(api.status, StatusCode::UNAUTHORIZED);
    let more = Some(json!({"for": "register"}));
    let more = world.send(request("POST", "/passkeys/ask", more, &[own[0], own[1], cookie])).await;
    assert_eq!(more.status, StatusCode::UNAUTHORIZED);
    // What was signed on another page, or asked for on another, opens nothing.
    let asked = || async {
        let asked = request("POST", "/passkeys/ask", Some(json!({"for": "sign_in"})), &own);
        world.send(asked).await.body["challenge"].clone()
    };
    for (origin, host, from) in
        [(ORIGIN, DOOR, AT), ("http://abc.localhost:9", DOOR, AT), (AT, HOST, ORIGIN)]
    {
        let signed = Some(person.key.signs_at(&asked().await, origin));
        let sent = [("host", host), ("origin", from)];
        let answer = world.send(request("POST", "/sign-in/passkey", signed, &sent)).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{origin} {host}: {}", answer.body);
    }
    let signed = Some(person.key.signs_at(&asked().await, AT));
    let answer = world.send(request("POST", "/sign-in/passkey", signed, &own)).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert!(!answer.headers.contains_key("set-cookie"));
    let to = answer.body["to"].as_str().unwrap();
    let link = to.strip_prefix(&format!("{ORIGIN}/sign-in/")).unwrap().strip_suffix("#go").unwrap();
    let enter = || {
        Request::post("/sign-in")
            .header("host", HOST)
            .header("origin", ORIGIN)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Body::from(format!("link={link}")))
            .unwrap()
    };
    let entered = world.send(enter()).await;
    assert_eq!(entered.status, StatusCode::SEE_OTHER);
    let session = entered.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap();
    let secret = session.split_once('=').unwrap().1;
    let signed_in = world.state.sign_ins.person(secret, Instant::now()).unwrap();
    assert!(signed_in.by_passkey(), "what it lets happen, the passkey signs");
    assert_eq!(world.send(enter()).await.status, StatusCode::UNAUTHORIZED, "it was used");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_knocks_at_the_door_keeps_nobody_from_signing() {
    let person = Person::new().await;
    let (plan, to) = person.plan("a").await;
    let whole = fields(&plan, "approve");
    let signed = person.signed(&to, &whole).await;
    let own = [("host", "abc.localhost:4100"), ("origin", "http://abc.localhost:4100")];
    for _ in 0..300 {
        let asked = request("POST", "/passkeys/ask", Some(json!({"for": "sign_in"})), &own);
        assert_eq!(person.world.send(asked).await.status, StatusCode::OK);
    }
    let answer = person.sends(&to, &whole, Some(&signed)).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cookie_that_a_page_beside_the_room_set_keeps_nobody_out() {
    let person = Person::new().await;
    let cookie = format!("exacta_session=made-up; {}", person.cookie);
    let answer = person.world.person(&cookie, "GET", "/api/v1/plans", None).await;
    assert_eq!(answer.status, StatusCode::OK);
    // Two people at once are nobody.
    let other = person.world.cookie();
    let cookie = format!("{other}; {}", person.cookie);
    let answer = person.world.person(&cookie, "GET", "/api/v1/plans", None).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_signed_for_anything_else_approves_nothing() {
    let person = Person::new().await;
    let (plan, to) = person.plan("a").await;
    let (other, elsewhere) = person.plan("b").await;
    let whole = fields(&plan, "approve");
    let one = ticked(&plan, "selected", &["step_1"]);
    let mut another_hash = whole.clone();
    another_hash[0].1 = "0".repeat(64);
    let mut with_words = ticked(&plan, "parts", &["step_1"]);
    with_words.push(("request", "the other\nway round".into()));
    let mut other_words = with_words.clone();
    other_words.last_mut().unwrap().1 = "this way".into();
    for (why, signed_to, made_for, sent) in [
        ("another plan", &elsewhere, &fields(&other, "approve"), &whole),
        ("another hash", &to, &another_hash, &whole),
        ("some steps, for all", &to, &one, &whole),
        ("all, for some steps", &to, &whole, &one),
        ("one step, for another", &to, &one, &ticked(&plan, "selected", &["step_2"])),
        ("one step, for two", &to, &one, &ticked(&plan, "selected", &["step_1", "step_2"])),
        ("with the rest, without", &to, &with_words, &one),
        ("other words", &to, &with_words, &other_words),
    ] {
        let signed = person.signed(signed_to, made_for).await;
        let answer = person.sends(&to, sent, Some(&signed)).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{why}: {}", answer.body);
        // It was used up, too: now it is not good for what it was made for, either.
        let again = person.sends(signed_to, made_for, Some(&signed)).await;
        assert!(again.status.is_client_error(), "{why}");
        assert_eq!(person.stands(&plan).await["status"], "validated", "{why}");
    }
    let nothing = person.sends(&to, &whole, None).await;
    assert_eq!(nothing.status, StatusCode::FORBIDDEN);
    let path = format!("/api/v1/plans/{}/approve", plan["plan_id"].as_str().unwrap());
    let body = Some(json!({"plan_hash": plan["plan_hash"]}));
    let api = person.world.person(&person.cookie, "POST", &path, body).await;
    assert_eq!(api.status, StatusCode::FORBIDDEN, "{}", api.body);
    assert_eq!(person.stands(&plan).await["status"], "validated");
    // Saying no takes no signature.
    let path = format!("/api/v1/plans/{}/reject", other["plan_id"].as_str().unwrap());
    let body = Some(json!({"plan_hash": other["plan_hash"], "reason": "no"}));
    let no = person.world.person(&person.cookie, "POST", &path, body).await;
    assert_eq!(no.status, StatusCode::OK, "{}", no.body);

    // Exactly this, and it is kept, where no agent reads it.
    let signed = person.signed(&to, &with_words).await;
    let answer = person.sends(&to, &with_words, Some(&signed)).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
    let derived = answer.headers["location"].to_str().unwrap();
    let derived = derived.rsplit('/').next().unwrap().split('?').next().unwrap();
    let stands = person.stands(&json!({"plan_id": derived})).await;
    assert_eq!(stands["approval"]["assurance"], "passkey", "{stands}");
    let project = &person.world.state.projects[0];
    let kept = kept_in(project);
    assert!(kept.contains("exacta/act/v2\\ndecide_parts\\n"), "{kept}");
    names_no_room(&kept);
    let verified = person.world.person(&person.cookie, "GET", "/api/v1/audit/verify", None).await;
    assert_eq!(verified.body["ok"], true, "{}", verified.body);
    let intent = plan["correlation_id"].as_str().unwrap();
    for path in [
        format!("/api/v1/plans/{derived}"),
        format!("/api/v1/plans/{derived}/events"),
        format!("/api/v1/audit/{intent}"),
    ] {
        let read = person.world.agent(1, "GET", &path, None).await;
        assert_eq!(read.status, StatusCode::OK, "{path}");
        assert!(read.body.to_string().contains("approv"), "{path}");
        assert!(!read.body.to_string().contains("client_data"), "{path}: {}", read.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn taking_back_is_signed_too_and_for_one_run() {
    let person = Person::new().await;
    let (plan, to) = person.plan("a").await;
    let whole = fields(&plan, "approve");
    let signed = person.signed(&to, &whole).await;
    let approved = person.sends(&to, &whole, Some(&signed)).await;
    assert_eq!(approved.status, StatusCode::SEE_OTHER, "{}", approved.body);
    let start = json!({"plan_id": plan["plan_id"], "plan_hash": plan["plan_hash"]});
    let ran = person.world.person(&person.cookie, "POST", "/api/v1/runs", Some(start)).await;
    let run = ran.body["run_id"].as_str().unwrap().to_owned();
    let file = person.world.folder.path().join("a1.txt");
    for _ in 0..200 {
        let path = format!("/api/v1/runs/{run}");
        let state = person.world.person(&person.cookie, "GET", &path, None).await;
        if state.body["state"] == "completed" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(file.exists());
    let project = plan["project_id"].as_str().unwrap();
    let act = format!("/projects/{project}/runs/{run}/act");
    let (undo, redo) = (fields(&plan, "undo"), fields(&plan, "redo"));
    assert_eq!(person.sends(&act, &undo, None).await.status, StatusCode::FORBIDDEN);
    let path = format!("/api/v1/runs/{run}/undo");
    let body = Some(json!({"plan_hash": plan["plan_hash"]}));
    let api = person.world.person(&person.cookie, "POST", &path, body).await;
    assert_eq!(api.status, StatusCode::FORBIDDEN, "{}", api.body);
    let other = person.signed(&act, &redo).await;
    assert_eq!(person.sends(&act, &undo, Some(&other)).await.status, StatusCode::FORBIDDEN);
    assert!(file.exists());
    let signed = person.signed(&act, &undo).await;
    let undone = person.sends(&act, &undo, Some(&signed)).await;
    assert_eq!(undone.status, StatusCode::SEE_OTHER, "{}", undone.body);
    assert!(!file.exists());
    let kept = kept_in(&person.world.state.projects[0]);
    assert!(kept.contains("exacta/act/v2\\nundo\\n"), "{kept}");
    let verified = person.world.person(&person.cookie, "GET", "/api/v1/audit/verify", None).await;
    assert_eq!(verified.body["ok"], true, "{}", verified.body);
}
