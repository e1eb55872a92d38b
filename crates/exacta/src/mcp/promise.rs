//! What a client that was asked to open the review room carries until it asks again.
//!
//! It names a plan and nothing else: with it the client learns how the plan stands. It is good
//! for one caller, one call with the same words, the plan as it was, and a quarter of an hour.
//! It decides nothing, so it may be sent as often as one likes.

use std::fs::File;
use std::io::{self, Read as _};
use std::time::{Duration, Instant};

use exacta_core::model::digest::Digest;
use exacta_engine::run::Key;

/// What the tag is for.
const ROLE: &str = "exacta/mcp/request-state/v1";
/// How long it is good for.
const LASTS: Duration = Duration::from_mins(15);
/// No text of ours is longer.
const LONGEST: usize = 512;

/// Makes promises, and knows its own again. Its secret ends with the process.
#[derive(Debug)]
pub(super) struct Promises {
    key: Key,
    began: Instant,
}

/// Who calls, and what.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) principal: String,
    /// The tool and its arguments.
    pub(super) words: Digest,
}

/// Why a text is none of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// Nobody made it, or for another caller, another call or another plan.
    Foreign,
    /// It was ours, and its time is over.
    Late,
}

impl Promises {
    /// With a secret of its own.
    ///
    /// # Errors
    /// When the machine has no random bytes.
    pub(super) fn new() -> io::Result<Self> {
        let mut secret = [0_u8; 32];
        File::open("/dev/urandom")?.read_exact(&mut secret)?;
        Ok(Self { key: Key::new(secret), began: Instant::now() })
    }

    /// A text that leads back to this plan.
    pub(super) fn make(&self, call: &Call, plan_id: &str, plan_hash: &str) -> String {
        let ends = (self.began.elapsed() + LASTS).as_secs().to_string();
        let tag = self.key.sign(ROLE, &parts(call, plan_id, plan_hash, &ends));
        format!("{plan_id}.{plan_hash}.{ends}.{tag}")
    }

    /// The plan and its hash that a text leads to.
    pub(super) fn open<'t>(
        &self,
        call: &Call,
        text: &'t str,
    ) -> Result<(&'t str, &'t str), Broken> {
        let mut fields = text.split('.');
        let mut next = || fields.next().filter(|_| text.len() <= LONGEST).ok_or(Broken::Foreign);
        let (plan_id, plan_hash, ends, tag) = (next()?, next()?, next()?, next()?);
        if fields.next().is_some()
            || !self.key.verifies(ROLE, &parts(call, plan_id, plan_hash, ends), tag)
        {
            return Err(Broken::Foreign);
        }
        match ends.parse::<u64>() {
            Ok(ends) if self.began.elapsed().as_secs() < ends => Ok((plan_id, plan_hash)),
            _ => Err(Broken::Late),
        }
    }
}

fn parts<'p>(call: &'p Call, plan: &'p str, hash: &'p str, ends: &'p str) -> [&'p [u8]; 5] {
    let words: &[u8] = call.words.as_bytes();
    [call.principal.as_bytes(), words, plan.as_bytes(), hash.as_bytes(), ends.as_bytes()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(principal: &str, words: &str) -> Call {
        Call { principal: principal.into(), words: Digest::of(words.as_bytes()) }
    }

    #[test]
    fn it_is_good_for_its_caller_call_and_plan_alone() {
        let promises = Promises::new().unwrap();
        let here = call("a", "plan_propose {}");
        let made = promises.make(&here, "plan-1", "hash-1");
        assert_eq!(promises.open(&here, &made), Ok(("plan-1", "hash-1")));
        // As often as one likes: nothing is decided by it.
        assert_eq!(promises.open(&here, &made), Ok(("plan-1", "hash-1")));
        for other in [call("b", "plan_propose {}"), call("a", "plan_propose {\"x\":1}")] {
            assert_eq!(promises.open(&other, &made), Err(Broken::Foreign));
        }
        assert_eq!(Promises::new().unwrap().open(&here, &made), Err(Broken::Foreign));
        for altered in [
            made.replace("plan-1", "plan-2"),
            made.replace("hash-1", "hash-2"),
            format!("{made}."),
            format!("{made}0"),
            made.get(..made.len() - 1).unwrap().to_owned(),
            String::new(),
            "....".into(),
            "x".repeat(100_000),
        ] {
            assert_eq!(promises.open(&here, &altered), Err(Broken::Foreign), "{altered:.80}");
        }
    }

    #[test]
    fn it_ends() {
        let promises = Promises::new().unwrap();
        let here = call("a", "plan_propose {}");
        let tag = promises.key.sign(ROLE, &parts(&here, "plan-1", "hash-1", "0"));
        let late = format!("plan-1.hash-1.0.{tag}");
        assert_eq!(promises.open(&here, &late), Err(Broken::Late));
    }
}
