//! The manifest of a run: what will move where, vouched for by the key.
//!
//! It is written before the first target moves. Recovery trusts nothing else: a file
//! that does not verify, names another run or spells a path PV-4 refuses is not acted on.

use std::borrow::Cow;

use exacta_core::model::change::FileMode;
use exacta_core::model::digest::Digest;
use exacta_core::model::path::RelPath;
use serde::{Deserialize, Serialize};

use crate::run::key::Key;
use crate::run::run_id::RunId;
use crate::workspace::{Image, Spot};

const FORMAT: &str = "exacta/run/v1";
/// About so many bytes are written for an item.
const AN_ITEM: usize = 320;

/// What happens at one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) path: RelPath,
    pub(crate) work: Work,
    /// The name of its slot in the run's folder.
    pub(crate) slot: String,
    /// The steps that asked for it.
    pub(crate) step: String,
}

/// The five movements; each is one rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Target and staged image are exchanged.
    Write { before: Image, after: Image },
    /// The staged image moves to where nothing is.
    Place { after: Image, inode: u64 },
    /// The target moves into the slot.
    Take { before: Image },
    /// A staged folder moves to where nothing is.
    PlaceFolder { inode: u64 },
    /// An empty folder that an earlier run made moves into the slot.
    TakeFolder { inode: u64 },
}

impl Item {
    pub(crate) fn target(&self) -> Spot {
        Spot::target(&self.path)
    }

    pub(crate) fn slot_in(&self, folder: &Spot) -> Spot {
        folder.within(&self.slot)
    }

    pub(crate) fn before(&self) -> Option<Image> {
        match self.work {
            Work::Write { before, .. } | Work::Take { before } => Some(before),
            Work::Place { .. } | Work::PlaceFolder { .. } | Work::TakeFolder { .. } => None,
        }
    }

    pub(crate) fn after(&self) -> Option<Image> {
        match self.work {
            Work::Write { after, .. } | Work::Place { after, .. } => Some(after),
            Work::Take { .. } | Work::PlaceFolder { .. } | Work::TakeFolder { .. } => None,
        }
    }

    pub(crate) fn is_folder(&self) -> bool {
        matches!(self.work, Work::PlaceFolder { .. } | Work::TakeFolder { .. })
    }
}

/// All movements of a run, in the order they are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) run: RunId,
    pub(crate) items: Vec<Item>,
}

/// The bytes are no manifest of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotOurs;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire<'a> {
    #[serde(borrow)]
    format: Cow<'a, str>,
    #[serde(borrow)]
    run: Cow<'a, str>,
    #[serde(borrow)]
    items: Vec<WireItem<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireItem<'a> {
    #[serde(borrow)]
    path: Cow<'a, str>,
    #[serde(borrow)]
    slot: Cow<'a, str>,
    #[serde(borrow)]
    step: Cow<'a, str>,
    work: WireWork,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum WireWork {
    Write { before: WireImage, after: WireImage },
    Place { after: WireImage, inode: u64 },
    Take { before: WireImage },
    PlaceFolder { inode: u64 },
    TakeFolder { inode: u64 },
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireImage {
    digest: Digest,
    mode: u32,
}

impl Manifest {
    /// The bytes as they are stored: one line of JSON, one line that vouches for it.
    ///
    /// # Errors
    /// Never in practice: every part has a JSON form.
    pub(crate) fn to_bytes(&self, key: &Key) -> Result<Vec<u8>, serde_json::Error> {
        let wire = Wire {
            format: FORMAT.into(),
            run: self.run.as_str().into(),
            items: self.items.iter().map(WireItem::from).collect(),
        };
        let mut bytes = Vec::with_capacity(self.items.len().saturating_mul(AN_ITEM));
        serde_json::to_writer(&mut bytes, &wire)?;
        let tag = key.sign(FORMAT, &[&bytes]);
        bytes.push(b'\n');
        bytes.extend_from_slice(tag.as_bytes());
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Reads a stored manifest of `run`.
    pub(crate) fn from_bytes(bytes: &[u8], run: &RunId, key: &Key) -> Result<Self, NotOurs> {
        let text = std::str::from_utf8(bytes).map_err(|_| NotOurs)?;
        let (json, rest) = text.split_once('\n').ok_or(NotOurs)?;
        let tag = rest.strip_suffix('\n').ok_or(NotOurs)?;
        if !key.verifies(FORMAT, &[json.as_bytes()], tag) {
            return Err(NotOurs);
        }
        let wire: Wire<'_> = serde_json::from_str(json).map_err(|_| NotOurs)?;
        if wire.format != FORMAT || wire.run != run.as_str() {
            return Err(NotOurs);
        }
        let items = wire.items.into_iter().map(Item::try_from).collect::<Result<_, _>>()?;
        Ok(Self { run: run.clone(), items })
    }
}

impl<'a> From<&'a Item> for WireItem<'a> {
    fn from(item: &'a Item) -> Self {
        let work = match item.work {
            Work::Write { before, after } => {
                WireWork::Write { before: before.into(), after: after.into() }
            }
            Work::Place { after, inode } => WireWork::Place { after: after.into(), inode },
            Work::Take { before } => WireWork::Take { before: before.into() },
            Work::PlaceFolder { inode } => WireWork::PlaceFolder { inode },
            Work::TakeFolder { inode } => WireWork::TakeFolder { inode },
        };
        let (slot, step) = (item.slot.as_str().into(), item.step.as_str().into());
        Self { path: item.path.as_str().into(), slot, step, work }
    }
}

impl TryFrom<WireItem<'_>> for Item {
    type Error = NotOurs;

    fn try_from(wire: WireItem<'_>) -> Result<Self, NotOurs> {
        let path = RelPath::parse(&wire.path).map_err(|_| NotOurs)?;
        if wire.slot.is_empty() || !wire.slot.bytes().all(|b| b.is_ascii_digit()) {
            return Err(NotOurs);
        }
        let work = match wire.work {
            WireWork::Write { before, after } => {
                Work::Write { before: before.into(), after: after.into() }
            }
            WireWork::Place { after, inode } => Work::Place { after: after.into(), inode },
            WireWork::Take { before } => Work::Take { before: before.into() },
            WireWork::PlaceFolder { inode } => Work::PlaceFolder { inode },
            WireWork::TakeFolder { inode } => Work::TakeFolder { inode },
        };
        Ok(Self { path, work, slot: wire.slot.into_owned(), step: wire.step.into_owned() })
    }
}

impl From<Image> for WireImage {
    fn from(image: Image) -> Self {
        Self { digest: image.digest, mode: image.mode.bits() }
    }
}

impl From<WireImage> for Image {
    fn from(wire: WireImage) -> Self {
        Self { digest: wire.digest, mode: FileMode::from_raw(wire.mode) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_reads_back_and_any_changed_byte_is_noticed() {
        let key = Key::new([1; 32]);
        let run = RunId::parse("r1").unwrap();
        let image =
            |text: &str| Image { digest: Digest::of(text.as_bytes()), mode: FileMode::REGULAR };
        let item = |path: &str, work| Item {
            path: RelPath::parse(path).unwrap(),
            work,
            slot: "0".into(),
            step: "step_1".into(),
        };
        let manifest = Manifest {
            run: run.clone(),
            items: vec![
                item("a", Work::Write { before: image("x"), after: image("y") }),
                item("b", Work::Place { after: image("x"), inode: 5 }),
                item("c", Work::Take { before: image("x") }),
                item("d", Work::PlaceFolder { inode: 6 }),
                item("e", Work::TakeFolder { inode: 7 }),
            ],
        };
        let bytes = manifest.to_bytes(&key).unwrap();
        assert_eq!(Manifest::from_bytes(&bytes, &run, &key), Ok(manifest));
        let other = RunId::parse("r2").unwrap();
        assert_eq!(Manifest::from_bytes(&bytes, &other, &key), Err(NotOurs));
        let foreign = Key::new([2; 32]);
        assert_eq!(Manifest::from_bytes(&bytes, &run, &foreign), Err(NotOurs));
        for at in 0..bytes.len() {
            let mut wrong = bytes.clone();
            wrong[at] ^= 1;
            assert_eq!(Manifest::from_bytes(&wrong, &run, &key), Err(NotOurs), "byte {at}");
            assert_eq!(Manifest::from_bytes(&bytes[..at], &run, &key), Err(NotOurs), "cut {at}");
        }
    }
}
