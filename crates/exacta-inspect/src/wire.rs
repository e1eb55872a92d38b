//! How a request and its report travel between the gate and its child.
//!
//! A frame is eight bytes of length, most significant first, and a JSON header; after a
//! request's header come the images, one behind the other, as the header counts them.
//! An image that several steps share travels once.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use exacta_core::judge::facts::Report;
use exacta_core::model::path::RelPath;
use serde::{Deserialize, Serialize};

use crate::request::{Limits, Request, StepInput};

/// The version of this form.
const VERSION: u32 = 3;
/// The longest header that is read.
const MOST_HEADER: u64 = 256 << 20;
/// The most bytes of images that are read.
const MOST_IMAGES: u64 = 1 << 30;

/// Why a frame could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The pipe broke or ended early.
    #[error("the inspector's pipe failed: {0}")]
    Pipe(#[from] io::Error),
    /// The header is not what this version writes.
    #[error("the inspector's message cannot be read: {0}")]
    Malformed(String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    version: u32,
    limits: [usize; 3],
    manifests: Vec<usize>,
    steps: Vec<Entry>,
    images: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    step: String,
    path: String,
    before: Option<usize>,
    after: Option<usize>,
    moved: bool,
}

/// A request that owns its bytes; [`Owned::request`] lends it out.
pub struct Owned {
    header: Header,
    images: Vec<Vec<u8>>,
}

impl Owned {
    /// How many bytes of images came.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.images.iter().map(|image| image.len() as u64).sum()
    }

    /// The request.
    ///
    /// # Errors
    /// When a path breaks the rules or an image is missing.
    pub fn request(&self) -> Result<Request<'_>, WireError> {
        let named = |index: &usize| match self.images.get(*index) {
            Some(bytes) => Ok(bytes.as_slice()),
            None => Err(malformed("an image that is named did not come")),
        };
        let image = |index: &Option<usize>| index.as_ref().map(named).transpose();
        let manifests =
            self.header.manifests.iter().map(named).collect::<Result<_, WireError>>()?;
        let steps = self.header.steps.iter().map(|step| {
            Ok(StepInput {
                step: &step.step,
                path: RelPath::parse(&step.path).map_err(|fault| malformed(&fault.to_string()))?,
                before: image(&step.before)?,
                after: image(&step.after)?,
                moved: step.moved,
            })
        });
        let [file_bytes, plan_bytes, facts] = self.header.limits;
        Ok(Request {
            steps: steps.collect::<Result<_, WireError>>()?,
            manifests,
            limits: Limits { file_bytes, plan_bytes, facts },
        })
    }
}

pub(crate) fn malformed(reason: &str) -> WireError {
    WireError::Malformed(reason.to_owned())
}

/// Writes a request.
///
/// # Errors
/// When the pipe fails.
pub fn write_request<'r>(request: &Request<'r>, out: &mut impl Write) -> Result<(), WireError> {
    let mut places: BTreeMap<&'r [u8], usize> = BTreeMap::new();
    let mut images: Vec<&'r [u8]> = Vec::new();
    let mut index = |bytes: &'r [u8]| {
        *places.entry(bytes).or_insert_with(|| {
            images.push(bytes);
            images.len() - 1
        })
    };
    let manifests = request.manifests.iter().map(|bytes| index(bytes)).collect();
    let steps = request
        .steps
        .iter()
        .map(|step| Entry {
            step: step.step.to_owned(),
            path: step.path.as_str().to_owned(),
            before: step.before.map(&mut index),
            after: step.after.map(&mut index),
            moved: step.moved,
        })
        .collect();
    let limits = request.limits;
    let header = Header {
        version: VERSION,
        limits: [limits.file_bytes, limits.plan_bytes, limits.facts],
        manifests,
        steps,
        images: images.iter().map(|bytes| bytes.len() as u64).collect(),
    };
    write_frame(&header, out)?;
    for image in images {
        out.write_all(image)?;
    }
    out.flush()?;
    Ok(())
}

/// Reads a request.
///
/// # Errors
/// When the pipe fails or the message is not one of this version.
pub fn read_request(input: &mut impl Read) -> Result<Owned, WireError> {
    let header: Header = read_frame(input)?;
    if header.version != VERSION {
        return Err(malformed("unknown version"));
    }
    let mut left = MOST_IMAGES;
    let mut images = Vec::new();
    for length in &header.images {
        left = left.checked_sub(*length).ok_or_else(|| malformed("too many bytes"))?;
        images.push(exactly(input, *length)?);
    }
    Ok(Owned { header, images })
}

/// Writes a report.
///
/// # Errors
/// When the pipe fails.
pub fn write_report(report: &Report, out: &mut impl Write) -> Result<(), WireError> {
    write_frame(report, out)?;
    out.flush()?;
    Ok(())
}

/// Reads a report.
///
/// # Errors
/// When the pipe fails or the message is not a report of this version.
pub fn read_report(input: &mut impl Read) -> Result<Report, WireError> {
    let report: Report = read_frame(input)?;
    if report.version == Report::VERSION { Ok(report) } else { Err(malformed("unknown version")) }
}

pub(crate) fn write_frame(value: &impl Serialize, out: &mut impl Write) -> Result<(), WireError> {
    let bytes = serde_json::to_vec(value).map_err(|error| malformed(&error.to_string()))?;
    out.write_all(&(bytes.len() as u64).to_be_bytes())?;
    out.write_all(&bytes)?;
    Ok(())
}

/// How much of a frame has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrived {
    /// More must come.
    Part,
    /// All of it.
    Whole,
    /// It announces more than anyone reads.
    TooLong,
}

/// How much of its frame `bytes` is.
#[must_use]
pub fn arrived(bytes: &[u8]) -> Arrived {
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else { return Arrived::Part };
    match u64::from_be_bytes(*length) {
        length if length > MOST_HEADER => Arrived::TooLong,
        length if (rest.len() as u64) < length => Arrived::Part,
        _ => Arrived::Whole,
    }
}

pub(crate) fn read_frame<T: for<'de> Deserialize<'de>>(
    input: &mut impl Read,
) -> Result<T, WireError> {
    let mut length = [0; 8];
    input.read_exact(&mut length)?;
    let length = u64::from_be_bytes(length);
    if length > MOST_HEADER {
        return Err(malformed("too long"));
    }
    let bytes = exactly(input, length)?;
    serde_json::from_slice(&bytes).map_err(|error| malformed(&error.to_string()))
}

/// Reads so many bytes; memory grows with what arrives, not with what was announced.
pub(crate) fn exactly(input: &mut impl Read, length: u64) -> Result<Vec<u8>, WireError> {
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(malformed("ended early")) }
}
