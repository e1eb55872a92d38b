//! Words and their kinds for a review, read in a confined child like everything else.
//!
//! The review asks for the words of the files it shows; a child that dies or takes too
//! long costs colours and nothing else.

use std::io::{Read, Write};

use exacta_core::model::path::RelPath;
use exacta_core::review::Token;
use serde::{Deserialize, Serialize};

use crate::child::ChildError;
use crate::confine::{allow_time_for, confine};
use crate::syntax::{may_end_the_process, tokens};
use crate::wire::{WireError, exactly, malformed, read_frame, write_frame};

/// The version of this form.
const VERSION: u32 = 1;
/// The most bytes of images that are read.
const MOST_IMAGES: u64 = 64 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    version: u32,
    /// Path and length of each image; the bytes follow in the same order.
    images: Vec<(String, u64)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    version: u32,
    words: Vec<Option<Vec<Token>>>,
}

/// Writes the question: images with the paths that tell their languages.
///
/// # Errors
/// When the pipe fails.
pub fn write_question(images: &[(&RelPath, &[u8])], out: &mut impl Write) -> Result<(), WireError> {
    let lengths = images.iter().map(|(path, bytes)| (path.as_str().into(), bytes.len() as u64));
    write_frame(&Header { version: VERSION, images: lengths.collect() }, out)?;
    for (_, bytes) in images {
        out.write_all(bytes)?;
    }
    out.flush()?;
    Ok(())
}

/// Reads the answer: the words of each image, where there are any.
///
/// # Errors
/// When the pipe fails or the message is not one of this version.
pub fn read_answer(input: &mut impl Read) -> Result<Vec<Option<Vec<Token>>>, WireError> {
    let answer: Answer = read_frame(input)?;
    if answer.version == VERSION { Ok(answer.words) } else { Err(malformed("unknown version")) }
}

/// Gives up every right that reading bytes does not need, then answers one question.
///
/// # Errors
/// When the process cannot be confined, or the pipes fail.
pub fn serve(input: &mut impl Read, output: &mut impl Write) -> Result<(), ChildError> {
    confine()?;
    let header: Header = read_frame(input)?;
    if header.version != VERSION {
        return Err(malformed("unknown version").into());
    }
    let mut left = MOST_IMAGES;
    let mut images = Vec::new();
    for (path, length) in &header.images {
        left = left.checked_sub(*length).ok_or_else(|| malformed("too many bytes"))?;
        let path = RelPath::parse(path).map_err(|fault| malformed(&fault.to_string()))?;
        images.push((path, exactly(input, *length)?));
    }
    allow_time_for(MOST_IMAGES - left)?;
    may_end_the_process();
    let words = images.iter().map(|(path, bytes)| tokens(path, bytes)).collect();
    write_frame(&Answer { version: VERSION, words }, output)?;
    output.flush().map_err(WireError::from)?;
    Ok(())
}
