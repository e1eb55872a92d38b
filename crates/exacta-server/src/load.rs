//! How many bytes of bodies are in memory at once.
//!
//! A body is weighed before it is read, and its weight is given back once the command that it
//! carried is done; an answer, once it was sent. Each caller has a share, and so have all agents
//! and all people together, so that one token cannot fill the memory, and agents keep no person
//! out. Small bodies weigh nothing: their number is bounded by that of connections.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use futures_util::StreamExt as _;
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::crowd::Guest;
use crate::problem::Problem;
use crate::rate::Asker;

/// So much weighs nothing.
const LIGHT: u64 = 16 << 10;
/// The largest body that any route takes; one that does not say how large it is counts as that.
const LARGEST: u64 = (16 << 20) + (64 << 10);
/// So much of one caller's requests is in memory at once: two of the largest.
const OWN: usize = 33 << 20;
/// So much of all agents', and as much of all people's.
const ALL: usize = 66 << 20;
/// So much of those who show no right.
const STRANGERS: usize = 8 << 20;
/// Weights are counted in these.
const UNIT: u64 = 1 << 10;
/// How long a body waits for room before its caller is told to come again.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a body is still taken, and thrown away, whose request was refused: many clients read
/// no answer before they have sent all of it.
const DRAIN: Duration = Duration::from_secs(5);
/// After how many seconds to come again.
const AGAIN: u64 = 2;
/// Answers larger than this are weighed, too.
const LONG_ANSWER: u64 = 256 << 10;
/// They are handed on in pieces of this size.
const PIECE: usize = 64 << 10;
/// How long whoever asked may take to read one.
const READ_LASTS: Duration = Duration::from_mins(2);

tokio::task_local! {
    /// The weight of the request that is being answered.
    static WEIGHT: Option<Arc<Weight>>;
}

/// The weight of a body, given back when nobody holds it any more.
#[derive(Debug)]
pub(crate) struct Weight(#[expect(dead_code, reason = "held, not read")] Vec<OwnedSemaphorePermit>);

/// The weight of the request that is being answered, for whatever goes on with its body
/// elsewhere.
pub(crate) fn mine() -> Option<Arc<Weight>> {
    WEIGHT.try_with(Clone::clone).ok().flatten()
}

/// Answers a request whose body weighs this.
pub(crate) async fn with<T>(weight: Option<Arc<Weight>>, answer: impl Future<Output = T>) -> T {
    WEIGHT.scope(weight, answer).await
}

/// What is in memory.
pub(crate) struct Loads {
    requests: Pool,
    answers: Pool,
    patience: Duration,
}

impl Default for Loads {
    fn default() -> Self {
        Self { requests: Pool::new(), answers: Pool::new(), patience: PATIENCE }
    }
}

struct Pool {
    agents: Arc<Semaphore>,
    people: Arc<Semaphore>,
    strangers: Arc<Semaphore>,
    own: Mutex<BTreeMap<Asker, Arc<Semaphore>>>,
}

/// A number of bytes as a number of permits.
fn units(bytes: usize) -> usize {
    bytes / usize::try_from(UNIT).unwrap_or(1)
}

impl Pool {
    fn new() -> Self {
        let of = |bytes| Arc::new(Semaphore::new(units(bytes)));
        Self { agents: of(ALL), people: of(ALL), strangers: of(STRANGERS), own: Mutex::default() }
    }

    /// What a caller's bodies are taken from: their own share first.
    fn shares(&self, asker: Asker, is_agent: bool) -> Vec<Arc<Semaphore>> {
        match asker {
            Asker::Known(_) => {
                let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
                // Whose share is whole holds nothing.
                own.retain(|_, share| {
                    Arc::strong_count(share) > 1 || share.available_permits() < units(OWN)
                });
                let whole = || Arc::new(Semaphore::new(units(OWN)));
                let mine = Arc::clone(own.entry(asker).or_insert_with(whole));
                vec![mine, Arc::clone(if is_agent { &self.agents } else { &self.people })]
            }
            Asker::Mistaken | Asker::Nobody => vec![Arc::clone(&self.strangers)],
        }
    }
}

/// The permits for so many bytes.
fn permits(bytes: u64) -> u32 {
    u32::try_from(bytes.min(LARGEST).div_ceil(UNIT)).unwrap_or(u32::MAX)
}

/// How large a body says that it is.
fn length(headers: &HeaderMap) -> Option<u64> {
    if headers.contains_key(header::TRANSFER_ENCODING) {
        return Some(LARGEST);
    }
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

impl Loads {
    /// Room for the body of a request, at most `most` bytes of it; waits a while for it.
    pub(crate) async fn take_in(
        &self,
        asker: Asker,
        headers: &HeaderMap,
        most: u64,
    ) -> Result<Option<Arc<Weight>>, Problem> {
        let bytes = length(headers).unwrap_or_default().min(most);
        if bytes <= LIGHT {
            return Ok(None);
        }
        let shares = self.requests.shares(asker, headers.contains_key(header::AUTHORIZATION));
        let all = async {
            let mut held = Vec::new();
            for share in shares {
                held.push(share.acquire_many_owned(permits(bytes)).await.ok()?);
            }
            Some(Arc::new(Weight(held)))
        };
        match tokio::time::timeout(self.patience, all).await {
            Ok(Some(weight)) => Ok(Some(weight)),
            _ => Err(too_much()),
        }
    }

    /// An answer that is weighed until it was sent, if it is long. Whoever does not read it in
    /// time is left.
    pub(crate) fn send_out(
        &self,
        asker: Asker,
        is_agent: bool,
        guest: Option<Arc<Guest>>,
        response: Response,
    ) -> Result<Response, Problem> {
        let Some(bytes) = response.body().size_hint().exact().filter(|all| *all > LONG_ANSWER)
        else {
            return Ok(response);
        };
        let mut held = Vec::new();
        for share in self.answers.shares(asker, is_agent) {
            held.push(share.try_acquire_many_owned(permits(bytes)).map_err(|_| too_much())?);
        }
        let sent = CancellationToken::new();
        if let Some(guest) = guest {
            let sent = sent.clone();
            tokio::spawn(async move {
                if tokio::time::timeout(READ_LASTS, sent.cancelled()).await.is_err() {
                    guest.leave();
                }
            });
        }
        let weighed = |body| {
            let (ends, left) = (sent.drop_guard(), Bytes::new());
            Body::new(Weighed { body, left, _weight: Weight(held), _ends: ends })
        };
        Ok(response.map(weighed))
    }
}

fn too_much() -> Problem {
    let detail = "too much is being read or sent for this caller at once; nothing was done";
    Problem::too_many_for(detail, AGAIN)
}

/// Takes what is still sent of a body that nobody wants.
pub(crate) async fn drain(body: Body) {
    let mut parts = body.into_data_stream();
    let _ =
        tokio::time::timeout(DRAIN, async { while let Some(Ok(_)) = parts.next().await {} }).await;
}

/// A body that weighs what it is, handed on in pieces of its own: the last one of them does not
/// keep all of it in memory.
struct Weighed {
    body: Body,
    left: Bytes,
    _weight: Weight,
    _ends: DropGuard,
}

impl HttpBody for Weighed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        while self.left.is_empty() {
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => self.left = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                other => return other,
            }
        }
        let length = self.left.len().min(PIECE);
        let piece = Bytes::copy_from_slice(&self.left.split_to(length));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let left = u64::try_from(self.left.len()).unwrap_or(u64::MAX);
        let exact = self.body.size_hint().exact().map(|more| more.saturating_add(left));
        exact.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use exacta_core::model::digest::Digest;
    use http_body_util::BodyExt as _;

    use super::*;

    fn impatient() -> Loads {
        Loads { patience: Duration::from_millis(20), ..Loads::default() }
    }

    fn sized(bytes: u64) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(bytes));
        headers.insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer x"));
        headers
    }

    fn agent(name: &[u8]) -> Asker {
        Asker::Known(Digest::of(name))
    }

    #[tokio::test]
    async fn a_caller_has_a_share_all_agents_have_one_and_people_have_another() {
        let (loads, large) = (impatient(), sized(15 << 20));
        let take = |asker| loads.take_in(asker, &large, LARGEST);
        let (one, two, three) = (agent(b"1"), agent(b"2"), agent(b"3"));
        let held = [take(one).await.unwrap(), take(one).await.unwrap()];
        assert_eq!(take(one).await.unwrap_err().status().as_u16(), 429);
        // What is small passes, and so do others.
        assert!(loads.take_in(one, &sized(LIGHT), LARGEST).await.unwrap().is_none());
        let more = [take(two).await.unwrap(), take(two).await.unwrap()];
        assert!(take(three).await.is_err(), "all agents together");
        let mut person = sized(15 << 20);
        person.remove(header::AUTHORIZATION);
        assert!(loads.take_in(agent(b"4"), &person, LARGEST).await.is_ok());
        drop(held);
        assert!(take(one).await.is_ok() && take(three).await.is_ok());
        drop(more);
    }

    #[tokio::test]
    async fn one_that_does_not_say_how_large_it_is_counts_as_the_largest() {
        let loads = impatient();
        let mut headers = HeaderMap::new();
        headers.insert(header::TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
        let first = loads.take_in(agent(b"1"), &headers, LARGEST).await.unwrap();
        let second = loads.take_in(agent(b"1"), &headers, LARGEST).await.unwrap();
        assert!(first.is_some() && second.is_some());
        assert!(loads.take_in(agent(b"1"), &headers, LARGEST).await.is_err());
    }

    #[tokio::test]
    async fn a_long_answer_weighs_until_it_was_read_and_arrives_whole() {
        let loads = Loads::default();
        let text: Vec<u8> = (0..20 << 20).map(|at: u32| at.to_le_bytes()[0]).collect();
        let answer = || {
            let response = Response::new(Body::from(text.clone()));
            loads.send_out(agent(b"1"), true, None, response)
        };
        let (first, second) = (answer().unwrap(), answer().unwrap());
        assert!(answer().is_err());
        assert!(first.body().size_hint().exact() == Some(20 << 20));
        let read = first.into_body().collect().await.unwrap().to_bytes();
        assert!(read == text);
        assert!(answer().is_ok());
        drop(second);
        let short = Response::new(Body::from("short"));
        assert!(loads.send_out(Asker::Nobody, false, None, short).is_ok());
    }
}
