//! Mail against scripted servers and against a real one.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use exacta_core::judge::policy::{Policy, Secret, Security};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::servers::Identity;
use super::world::Here;
use crate::error::{AfterEffect, ToolError};
use crate::net::loopback::Loopback;

const HOST: &str = "mail.example";

/// Where a server breaks off or refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    NoStarttls,
    Injected,
    RefuseFrom,
    RefuseRcpt,
    RefuseData,
    RefuseEnd,
    DropGreeting,
    DropHello,
    DropFrom,
    DropRcpt,
    DropData,
    DropInside,
    DropEnd,
    Garbage,
}

#[derive(Default)]
struct Seen {
    commands: Vec<String>,
    mails: Vec<String>,
}

/// A server that speaks SMTP as far as its fault lets it.
struct Post {
    at: SocketAddr,
    identity: Identity,
    seen: Arc<Mutex<Seen>>,
}

impl Post {
    async fn start(fault: Fault, certificate: &str) -> Self {
        let identity = Identity::of(&[certificate]);
        let acceptor = identity.acceptor();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let seen: Arc<Mutex<Seen>> = Arc::default();
        let shared = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (acceptor, seen) = (acceptor.clone(), Arc::clone(&shared));
                tokio::spawn(async move {
                    if fault == Fault::DropGreeting {
                        return;
                    }
                    if talk(&mut stream, fault, true, &seen).await != Some(true) {
                        return;
                    }
                    if let Ok(mut stream) = acceptor.accept(stream).await {
                        talk(&mut stream, fault, false, &seen).await;
                    }
                });
            }
        });
        Self { at, identity, seen }
    }

    fn seen(&self) -> (Vec<String>, Vec<String>) {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        (seen.commands.clone(), seen.mails.clone())
    }
}

/// One side of a connection; `Some(true)` when TLS is to begin.
async fn talk(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    fault: Fault,
    plain: bool,
    seen: &Mutex<Seen>,
) -> Option<bool> {
    let note = |command: &str| {
        seen.lock().unwrap_or_else(PoisonError::into_inner).commands.push(command.to_owned());
    };
    if plain {
        let hello: &[u8] = if fault == Fault::Garbage { b"hello?\r\n" } else { b"220 hi\r\n" };
        stream.write_all(hello).await.ok()?;
    }
    let mut ahead = Vec::new();
    loop {
        let line = line(stream, &mut ahead).await?;
        note(line.split(' ').next().unwrap_or_default());
        let upper = line.to_uppercase();
        let answer = if upper.starts_with("EHLO") {
            match (fault, plain) {
                (Fault::DropHello, _) => return None,
                (Fault::NoStarttls, true) => "250 mail\r\n",
                (_, true) => "250-mail\r\n250 STARTTLS\r\n",
                _ => "250-mail\r\n250 AUTH LOGIN PLAIN\r\n",
            }
        } else if upper.starts_with("STARTTLS") {
            // What is injected here claims to be the answers to what is asked under TLS.
            let go: &[u8] = if fault == Fault::Injected {
                b"220 go\r\n250 evil\r\n250 evil\r\n250 evil\r\n354 evil\r\n250 evil\r\n"
            } else {
                b"220 go\r\n"
            };
            stream.write_all(go).await.ok()?;
            return Some(true);
        } else if upper.starts_with("AUTH") {
            note(&line);
            "235 ok\r\n"
        } else if upper.starts_with("MAIL") {
            note(&line);
            match fault {
                Fault::DropFrom => return None,
                Fault::RefuseFrom => "550 no\r\n",
                _ => "250 ok\r\n",
            }
        } else if upper.starts_with("RCPT") {
            note(&line);
            match fault {
                Fault::DropRcpt => return None,
                Fault::RefuseRcpt => "550 nobody\r\n",
                _ => "250 ok\r\n",
            }
        } else if upper.starts_with("DATA") {
            match fault {
                Fault::DropData => return None,
                Fault::RefuseData => "451 later\r\n",
                _ => {
                    stream.write_all(b"354 go\r\n").await.ok()?;
                    if fault == Fault::DropInside {
                        return None;
                    }
                    let mail = data(stream, &mut ahead).await?;
                    seen.lock().unwrap_or_else(PoisonError::into_inner).mails.push(mail);
                    match fault {
                        Fault::DropEnd => return None,
                        Fault::RefuseEnd => "554 spam\r\n",
                        _ => "250 queued as 42\r\n",
                    }
                }
            }
        } else if upper.starts_with("QUIT") {
            return None;
        } else {
            "250 ok\r\n"
        };
        stream.write_all(answer.as_bytes()).await.ok()?;
        stream.flush().await.ok()?;
    }
}

async fn line(stream: &mut (impl AsyncRead + Unpin), ahead: &mut Vec<u8>) -> Option<String> {
    loop {
        if let Some(at) = ahead.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = ahead.drain(..=at).collect();
            return Some(String::from_utf8_lossy(&line).trim_end().to_owned());
        }
        let mut part = [0; 4096];
        let count = stream.read(&mut part).await.ok().filter(|count| *count > 0)?;
        ahead.extend_from_slice(&part[..count]);
    }
}

async fn data(stream: &mut (impl AsyncRead + Unpin), ahead: &mut Vec<u8>) -> Option<String> {
    loop {
        let text = String::from_utf8_lossy(ahead).into_owned();
        if let Some((mail, rest)) = text.split_once("\r\n.\r\n") {
            let mail = mail.to_owned();
            *ahead = rest.as_bytes().to_vec();
            return Some(mail);
        }
        let mut part = [0; 4096];
        let count = stream.read(&mut part).await.ok().filter(|count| *count > 0)?;
        ahead.extend_from_slice(&part[..count]);
    }
}

fn policy() -> Policy {
    let allowed_recipients = ["you@corp.example", "two@corp.example"].map(Into::into).into();
    let mut policy = Policy { allowed_recipients, ..Policy::default() };
    let mail = &mut policy.tools.mail;
    mail.send = true;
    mail.server = Some(HOST.into());
    mail.from = Some("me@corp.example".into());
    policy
}

fn here(post: &Post, policy: Policy) -> Here {
    let hosts = BTreeMap::from([(HOST.to_owned(), post.at)]);
    Here::new(Loopback { hosts, roots: vec![post.identity.certificate.clone()] }, policy)
}

fn letter() -> Value {
    json!({"to": "you@corp.example", "subject": "Hi", "body": "One\n.\nTwo"})
}

#[tokio::test]
async fn a_mail_is_sent_under_tls_and_signed_in() {
    let post = Post::start(Fault::None, HOST).await;
    let mut policy = policy();
    policy.tools.mail.user = Some("me".into());
    policy.tools.mail.password = Some("pw".into());
    let command =
        Secret::Command { argv: ["echo", "s3cret"].map(Into::into).to_vec(), timeout_seconds: 5 };
    policy.tools.secrets = BTreeMap::from([("pw".into(), command)]);
    let here = here(&post, policy);
    let args = json!({"to": ["you@corp.example"], "bcc": "two@corp.example", "subject": "Grüße", "body": "x\r\n.\r\nMAIL FROM:<e@x.example>"});
    let out = here.call("SendEmail", args).await.unwrap();
    assert_eq!(out["message_id"], "0123456789abcdef@exacta.corp.example");
    assert!(out["server"].as_str().unwrap().contains("queued as 42"), "{out}");
    let (commands, mails) = post.seen();
    assert_eq!(mails.len(), 1);
    assert!(
        mails[0].contains("Message-ID: <0123456789abcdef@exacta.corp.example>"),
        "{}",
        mails[0]
    );
    assert!(!mails[0].contains("two@"), "{}", mails[0]);
    assert!(commands.contains(&"RCPT TO:<two@corp.example>".to_owned()), "{commands:?}");
    assert_eq!(commands.iter().filter(|one| *one == "MAIL").count(), 1);
    assert!(commands.iter().any(|one| one.starts_with("AUTH PLAIN ")), "{commands:?}");
    assert!(!format!("{out:?}").contains("s3cret"));
}

/// Every phase of the protocol: what is certain is certain, what is not is unknown, and a
/// mail is handed over once at most.
#[tokio::test]
async fn what_breaks_in_each_phase_says_what_became_of_the_mail() {
    use AfterEffect::{NotSent, Unknown};
    for (fault, after, mails) in [
        (Fault::NoStarttls, NotSent, 0),
        (Fault::DropGreeting, NotSent, 0),
        (Fault::Garbage, NotSent, 0),
        (Fault::DropHello, NotSent, 0),
        (Fault::DropFrom, NotSent, 0),
        (Fault::RefuseFrom, NotSent, 0),
        (Fault::DropRcpt, NotSent, 0),
        (Fault::RefuseRcpt, NotSent, 0),
        (Fault::DropData, Unknown, 0),
        (Fault::RefuseData, NotSent, 0),
        (Fault::DropInside, Unknown, 0),
        (Fault::DropEnd, Unknown, 1),
        (Fault::RefuseEnd, NotSent, 1),
    ] {
        let post = Post::start(fault, HOST).await;
        let here = here(&post, policy());
        let ctx = here.context("k");
        let found: ToolError = here.call_in(&ctx, "SendEmail", letter()).await.unwrap_err();
        assert_eq!(found.after_effect, after, "{fault:?}: {found}");
        // Only from right before DATA can anything have left.
        let gone = matches!(
            fault,
            Fault::DropData
                | Fault::RefuseData
                | Fault::DropInside
                | Fault::DropEnd
                | Fault::RefuseEnd
        );
        assert_eq!(ctx.effect.is_passed(), gone, "{fault:?}");
        let (commands, got) = post.seen();
        assert_eq!(got.len(), mails, "{fault:?}");
        assert!(commands.iter().filter(|one| *one == "DATA").count() <= 1, "{fault:?}");
    }
}

#[tokio::test]
async fn what_was_slipped_in_before_tls_is_not_believed() {
    let post = Post::start(Fault::Injected, HOST).await;
    let here = here(&post, policy());
    here.call("SendEmail", letter()).await.unwrap();
    let (commands, mails) = post.seen();
    assert_eq!(mails.len(), 1);
    // Every command was really answered under TLS: the hello was said twice.
    assert_eq!(commands.iter().filter(|one| *one == "EHLO").count(), 2);
}

#[tokio::test]
async fn a_server_that_is_not_the_one_named_gets_nothing() {
    let post = Post::start(Fault::None, "other.example").await;
    let here = here(&post, policy());
    let fault = here.call("SendEmail", letter()).await.unwrap_err();
    assert_eq!((fault.code, fault.after_effect), ("MAIL_UNPROTECTED", AfterEffect::NotSent));
    let (commands, _) = post.seen();
    assert!(!commands.iter().any(|one| one.starts_with("MAIL")), "{commands:?}");
}

#[tokio::test]
async fn nothing_is_sent_unless_policy_says_so() {
    let post = Post::start(Fault::None, HOST).await;
    let change = |change: fn(&mut Policy)| {
        let mut policy = policy();
        change(&mut policy);
        here(&post, policy)
    };
    for (here, args, code) in [
        (change(|policy| policy.tools.mail.send = false), letter(), "MAIL_OFF"),
        (change(|policy| policy.tools.mail.server = None), letter(), "MAIL_NOT_SET_UP"),
        (change(|policy| policy.tools.mail.daily_limit = 0), letter(), "MAIL_LIMIT"),
        (
            change(|policy| policy.tools.mail.quiet_hours = Some("00:00-23:59".into())),
            letter(),
            "SUPPRESSED",
        ),
        (change(|_| {}), json!({"to": "e@x.example", "subject": "s", "body": "b"}), "MAIL_REFUSED"),
        (
            change(|_| {}),
            json!({"to": "you@corp.example", "cc": "e@x.example", "subject": "s", "body": "b"}),
            "MAIL_REFUSED",
        ),
        (
            change(|_| {}),
            json!({"to": ["you@corp.example", "you@CORP.example"], "subject": "s", "body": "b"}),
            "MAIL_REFUSED",
        ),
        (
            change(|_| {}),
            json!({"to": "you@corp.example", "subject": "s\r\nBcc: e@x.example", "body": "b"}),
            "MAIL_REFUSED",
        ),
    ] {
        assert_eq!(here.call("SendEmail", args.clone()).await.unwrap_err().code, code, "{args}");
    }
    let (_, mails) = post.seen();
    assert!(mails.is_empty());
}

#[tokio::test]
async fn a_day_has_so_many_mails() {
    let post = Post::start(Fault::None, HOST).await;
    let mut policy = policy();
    policy.tools.mail.daily_limit = 2;
    let here = here(&post, policy);
    for key in ["a", "b"] {
        here.call_as(key, "SendEmail", letter()).await.unwrap();
    }
    assert_eq!(here.call_as("c", "SendEmail", letter()).await.unwrap_err().code, "MAIL_LIMIT");
    assert_eq!(post.seen().1.len(), 2);
}

#[tokio::test]
async fn the_operator_is_told_by_mail_in_our_own_words() {
    let post = Post::start(Fault::None, HOST).await;
    let mut policy = policy();
    policy.tools.mail.send = false;
    policy.tools.notify.terminal = false;
    policy.tools.notify.mail = Some("boss@corp.example".into());
    let here = here(&post, policy);
    let note = json!({"heading": "Page changed\r\nBcc: e@x.example", "message": "+ new\n.\n"});
    assert_eq!(here.call("NotifyUser", note).await.unwrap()["ways"], json!(["mail"]));
    let (commands, mails) = post.seen();
    assert_eq!(commands.iter().filter(|one| one.starts_with("RCPT ")).count(), 1);
    assert!(mails[0].contains("Subject: Page changed Bcc: e@x.example"), "{}", mails[0]);
}

#[tokio::test]
async fn mail_drafts_stay_in_the_outbox() {
    let here = Here::new(Loopback::default(), policy());
    let args = json!({"to": "you@corp.example", "subject": "Hi", "body": "text"});
    let out = here.call("WriteEmailDraft", args.clone()).await.unwrap();
    let file = here.world.outbox.join(out["draft"].as_str().unwrap());
    assert!(std::fs::read_to_string(&file).unwrap().contains("To: you@corp.example"));
    here.take_back("WriteEmailDraft", &args, &out).await.unwrap();
    assert!(!file.exists());
}

#[tokio::test]
async fn forwarded_mail_is_read_sorted_and_listed() {
    let here = Here::new(Loopback::default(), policy());
    let mut ctx = here.context("k");
    let mail =
        "From: Ann <ann@corp.example>\nSubject: Urgent: budget\nMessage-ID: <1@x>\n\nSee below.\n";
    ctx.inputs = Arc::new(json!({"inbox_source_text": mail}));
    let read = here.call_in(&ctx, "ReadForwardedEmail", json!({})).await.unwrap();
    assert_eq!(read["count"], 1);
    let out = here.call_in(&ctx, "TriageEmail", json!({"letters": read["letters"]})).await.unwrap();
    assert_eq!(out["sorted"][0]["label"], "urgent");
    assert_eq!(out["sorted"][0]["sender"], "ann@corp.example");
    assert_eq!(out["summary"], "1 message: 1 urgent");
    let file = here.world.outbox.join(out["draft"].as_str().unwrap());
    assert!(std::fs::read_to_string(&file).unwrap().contains("the subject has `urgent`"));
    let none = here.call("ReadForwardedEmail", json!({})).await.unwrap_err();
    assert_eq!(none.code, "INBOX_MISSING");
    // Taken back also where the process died before it could say what it had written.
    let args = json!({"letters": read["letters"]});
    for output in [json!({}), Value::Null] {
        let out = here.call("TriageEmail", args.clone()).await.unwrap();
        let file = here.world.outbox.join(out["draft"].as_str().unwrap());
        assert!(file.exists());
        here.take_back("TriageEmail", &args, &output).await.unwrap();
        assert!(!file.exists());
        here.take_back("TriageEmail", &args, &output).await.unwrap();
    }
}

/// A real server, as Debian has it.
struct Real {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl Drop for Real {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Real {
    fn start(identity: &Identity) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (certificate, key) = (folder.path().join("c.pem"), folder.path().join("k.pem"));
        std::fs::write(&certificate, &identity.pem.0).unwrap();
        std::fs::write(&key, &identity.pem.1).unwrap();
        // A free port: taken and given back.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new("/usr/bin/aiosmtpd")
            .args(["-n", "-l", &format!("127.0.0.1:{port}"), "--tlscert"])
            .arg(&certificate)
            .arg("--tlskey")
            .arg(&key)
            .args(["-c", "aiosmtpd.handlers.Mailbox"])
            .arg(folder.path().join("box"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("aiosmtpd is installed by ./test (python3-aiosmtpd)");
        let real = Self { child, port, folder };
        for _ in 0..200 {
            if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return real;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("aiosmtpd does not listen");
    }

    fn mails(&self) -> Vec<String> {
        let folder = self.folder.path().join("box/new");
        std::fs::read_dir(folder)
            .map(|list| {
                list.map(|one| std::fs::read_to_string(one.unwrap().path()).unwrap()).collect()
            })
            .unwrap_or_default()
    }
}

#[tokio::test]
async fn a_real_server_takes_exactly_one_mail_whatever_its_text() {
    let identity = Identity::of(&[HOST]);
    let real = Real::start(&identity);
    let at: SocketAddr = ([127, 0, 0, 1], real.port).into();
    let hosts = BTreeMap::from([(HOST.to_owned(), at)]);
    let mut policy = policy();
    policy.tools.mail.security = Security::Starttls;
    let here = Here::new(Loopback { hosts, roots: vec![identity.certificate.clone()] }, policy);
    let bodies =
        ["plain", "\n.\nMAIL FROM:<e@x.example>\n", "\r\n.\rRSET\r", "ümlaut\n.\r\n.\n", "\0\n.\n"];
    for (count, body) in bodies.iter().enumerate() {
        let args = json!({"to": "you@corp.example", "subject": format!("s{count}"), "body": body});
        here.call_as(&format!("k{count}"), "SendEmail", args).await.unwrap();
        assert_eq!(real.mails().len(), count + 1, "{body:?}");
    }
    let all = real.mails().join("\n");
    assert!(!all.contains("X-MailFrom: e@x.example"), "{all}");
    assert_eq!(all.matches("X-MailFrom: me@corp.example").count(), bodies.len());
}
