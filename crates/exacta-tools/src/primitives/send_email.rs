//! `SendEmail`: sends one mail, at most once. Off until policy turns it on.

use std::collections::BTreeSet;

use async_trait::async_trait;
use exacta_core::judge::policy::Mail;
use exacta_core::model::hours::Hours;
use exacta_core::model::registry::Effect;
use exacta_core::model::web::mail_key;
use serde_json::{Value, json};

use super::args::{object, people, str_of, strings, text};
use crate::clock;
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::mail::{Draft, Envelope, Server, submit};
use crate::memory::{Memory, Taken};
use crate::net::Network;
use crate::primitive::{Output, Primitive};

/// Sends mail.
pub(super) struct SendEmail {
    pub(super) mail: Mail,
    /// Whom policy allows to be written to.
    pub(super) allowed: BTreeSet<String>,
    pub(super) network: Network,
}

#[async_trait]
impl Primitive for SendEmail {
    fn name(&self) -> &'static str {
        "SendEmail"
    }

    fn effect(&self) -> Effect {
        Effect::Send
    }

    fn idempotent(&self) -> bool {
        false
    }

    fn args_schema(&self) -> Value {
        object(
            &[
                ("to", people()),
                ("cc", people()),
                ("bcc", people()),
                ("subject", text(500)),
                ("body", text(500_000)),
            ],
            &["to", "subject", "body"],
        )
    }

    async fn run(&self, ctx: &ToolContext, args: &Value) -> Result<Output, ToolError> {
        if !self.mail.send {
            return Err(ToolError::new(
                "MAIL_OFF",
                "sending mail is off; the operator can set `tools.mail.send = true`",
            ));
        }
        let draft = Draft {
            to: strings(args, "to"),
            cc: strings(args, "cc"),
            bcc: strings(args, "bcc"),
            subject: str_of(args, "subject").unwrap_or_default().to_owned(),
            body: str_of(args, "body").unwrap_or_default().to_owned(),
            ..Draft::default()
        };
        let people = draft.recipients()?;
        for address in &people {
            let listed = self.allowed.iter().any(|one| mail_key(one).as_ref() == Some(address));
            if !listed {
                return Err(ToolError::new(
                    "MAIL_REFUSED",
                    format!("the recipient `{address}` is not allowed by policy"),
                ));
            }
        }
        if quiet(&self.mail, clock::minute()) {
            let hours = self.mail.quiet_hours.as_deref().unwrap_or_default();
            return Err(ToolError::suppressed(format!("no mail is sent during {hours}")));
        }
        let memory = Memory::at(&ctx.world.memory);
        let taken = memory.take_one(
            "mail",
            &ctx.idempotency_key,
            &clock::today(),
            self.mail.daily_limit,
        )?;
        if taken == Taken::NoneLeft {
            let most = self.mail.daily_limit;
            return Err(ToolError::new(
                "MAIL_LIMIT",
                format!("{most} mails were sent today; that is the limit"),
            ));
        }
        let (id, said) = send(ctx, &self.network, &self.mail, draft).await?;
        Ok(Output::new(json!({"message_id": id, "recipients": people, "server": said})))
    }
}

/// Whether nothing is sent at this minute of the day. A span that cannot be read is quiet.
fn quiet(mail: &Mail, minute: u16) -> bool {
    mail.quiet_hours
        .as_deref()
        .is_some_and(|text| Hours::parse(text).is_none_or(|hours| hours.contains(minute)))
}

/// Sends a draft by the operator's server; its name there and what the server said.
pub(super) async fn send(
    ctx: &ToolContext,
    network: &Network,
    mail: &Mail,
    draft: Draft,
) -> Result<(String, String), ToolError> {
    let missing = |what: &str| {
        ToolError::new("MAIL_NOT_SET_UP", format!("policy names no `tools.mail.{what}`"))
    };
    let host = mail.server.clone().ok_or_else(|| missing("server"))?;
    let from = mail.from.clone().ok_or_else(|| missing("from"))?;
    let domain = from.rsplit('@').next().unwrap_or_default();
    // The same on every attempt, so that a second copy would be known as one.
    let message_id = format!("{}@exacta.{domain}", ctx.idempotency_key);
    let login = match (&mail.user, &mail.password) {
        (Some(user), Some(name)) => Some((user.clone(), ctx.world.secrets.get(name).await?)),
        (None, None) => None,
        (Some(_), None) => return Err(missing("password")),
        (None, Some(_)) => return Err(missing("user")),
    };
    let port = u16::try_from(mail.port).map_err(|_| missing("port"))?;
    let draft = Draft {
        from: from.clone(),
        date: clock::mail_date(),
        message_id: message_id.clone(),
        ..draft
    };
    let envelope = Envelope { from, to: draft.recipients()?, message: draft.written()? };
    let server = Server { host, port, security: mail.security, login };
    let said = submit(ctx, network, &server, &envelope).await?;
    Ok((message_id, said))
}
