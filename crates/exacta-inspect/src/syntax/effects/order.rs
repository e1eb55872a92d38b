//! What comes before what: a check behind what it was to check, a value that is given away
//! before it is used.

use exacta_core::judge::facts::GuardLoss;
use hashbrown::HashMap;

use super::gather::{Deed, Effects};
use super::losses::Tell;

type Key = fn(&Deed) -> &str;

fn whole(deed: &Deed) -> &str {
    &deed.key
}

/// What is called, whatever it is handed: locals may have other names.
fn callee(deed: &Deed) -> &str {
    deed.key.split('(').next().unwrap_or_default()
}

/// Steps of one function, and where each is that is taken only once.
fn once(effects: &Effects, key: Key) -> HashMap<(&str, &str), Option<usize>> {
    let mut places: HashMap<(&str, &str), Option<usize>> = HashMap::new();
    for (at, deed) in effects.sequence.iter().enumerate() {
        let place = (&*deed.function, key(deed));
        places.entry(place).and_modify(|one| *one = None).or_insert(Some(at));
    }
    places
}

/// Two steps of a function that changed places.
pub(super) fn order(before: &Effects, after: &Effects, tell: Tell<'_>) {
    let same = |(was, is): (&Deed, &Deed)| was.function == is.function && was.key == is.key;
    if before.sequence.len() == after.sequence.len()
        && before.sequence.iter().zip(&after.sequence).all(same)
    {
        return;
    }
    for key in [whole as Key, callee] {
        let (was, is) = (once(before, key), once(after, key));
        // The last place before, so far, of a step of the function, and of one that acts.
        let mut latest: HashMap<&str, (usize, usize)> = HashMap::new();
        for deed in &after.sequence {
            let place = (&*deed.function, key(deed));
            let only = is.get(&place).copied().flatten().is_some();
            if deed.function.is_empty() || place.1.is_empty() || !only {
                continue;
            }
            let Some(at) = was.get(&place).copied().flatten() else { continue };
            let last = latest.entry(&*deed.function).or_insert((0, 0));
            // Values may be set in whatever order.
            let sets = deed.key.starts_with('=');
            let behind = if sets { last.1 } else { last.0 };
            if at < behind {
                tell(GuardLoss::Order, deed, false);
            }
            last.0 = last.0.max(at);
            if !sets {
                last.1 = last.1.max(at);
            }
        }
    }
}
