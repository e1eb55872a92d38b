//! `GIT binary patch`: the bytes of a file, or how they are made of the bytes before.
//!
//! git writes both ways: how the new file comes from the old one, and back. The way back is
//! what shows that the file is the one the patch was made from; without it a section is
//! refused. Sizes are those that the text announces, and nothing is unpacked beyond them or
//! beyond the bound of the whole patch.

use alloc::vec::Vec;

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::super::lines::{Cursor, TextLine};
use super::fault::{PatchFault, PatchProblem};
use crate::text::shown::shown;

/// The most bytes that the binary sections of a patch may unpack to, all together.
pub(super) const MAX_UNPACKED: usize = 64 << 20;

/// A binary section: both ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Binary {
    forward: Way,
    back: Way,
}

/// How one image comes about.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Way {
    /// These are its bytes.
    Literal(Vec<u8>),
    /// It is put together from pieces of the other image and new bytes.
    Delta(Vec<u8>),
}

impl Binary {
    /// The image after, if `before` is the image that the patch was made from.
    pub(super) fn apply(&self, before: &[u8]) -> Option<Vec<u8>> {
        let after = self.forward.image(before)?;
        (self.back.image(&after)? == before).then_some(after)
    }

    /// Whether both ways give whole images and they are the same.
    pub(super) fn changes_nothing(&self) -> bool {
        matches!((&self.forward, &self.back), (Way::Literal(new), Way::Literal(old)) if new == old)
    }
}

impl Way {
    fn image(&self, other: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Literal(bytes) => Some(bytes.clone()),
            Self::Delta(delta) => patched(delta, other),
        }
    }
}

/// Reads both ways, behind the line `GIT binary patch`. `room` is how many bytes may still be
/// unpacked.
pub(super) fn read_binary(cursor: &mut Cursor<'_>, room: &mut usize) -> Result<Binary, PatchFault> {
    let forward = read_way(cursor, room)?;
    let back = read_way(cursor, room)?;
    Ok(Binary { forward, back })
}

fn read_way(cursor: &mut Cursor<'_>, room: &mut usize) -> Result<Way, PatchFault> {
    let missing = PatchFault::new(cursor.number(), 1, PatchProblem::Expected("literal or delta"));
    let line = cursor.peek().ok_or_else(|| missing.clone())?;
    let (size, is_delta) = match (cursor.take(b"literal "), cursor.take(b"delta ")) {
        (Some(size), _) => (size, false),
        (None, Some(size)) => (size, true),
        (None, None) => return Err(missing),
    };
    let bad = |problem| PatchFault::on(line, problem);
    let size = count(size.bytes).ok_or_else(|| bad(PatchProblem::Packed(shown(line.bytes))))?;
    *room = room.checked_sub(size).ok_or_else(|| bad(PatchProblem::TooMuchBinary(MAX_UNPACKED)))?;
    let mut packed = Vec::new();
    loop {
        let Some(line) = cursor.next_line() else {
            return Err(PatchFault::new(cursor.number(), 1, PatchProblem::CutOff));
        };
        if line.bytes.is_empty() {
            break;
        }
        unpack_line(line, &mut packed)?;
    }
    let bytes = decompress_to_vec_zlib_with_limit(&packed, size)
        .ok()
        .filter(|bytes| bytes.len() == size)
        .ok_or_else(|| bad(PatchProblem::Packed(shown(line.bytes))))?;
    if is_delta {
        // What a delta puts together counts as well: few bytes can ask for many.
        let (_, made, _) =
            delta_sizes(&bytes).ok_or_else(|| bad(PatchProblem::Packed(shown(line.bytes))))?;
        *room =
            room.checked_sub(made).ok_or_else(|| bad(PatchProblem::TooMuchBinary(MAX_UNPACKED)))?;
    }
    Ok(if is_delta { Way::Delta(bytes) } else { Way::Literal(bytes) })
}

/// A number as git writes it: digits without a leading zero.
fn count(text: &[u8]) -> Option<usize> {
    let plain = text.iter().all(u8::is_ascii_digit) && (text == b"0" || !text.starts_with(b"0"));
    core::str::from_utf8(text).ok().filter(|_| plain)?.parse().ok()
}

/// The digits of base 85, in the order of their values.
const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// The value of each byte as a digit; 85 for what is not one.
const VALUES: [u8; 256] = values();

#[expect(clippy::indexing_slicing, reason = "computed when built; out of bounds does not compile")]
#[expect(clippy::cast_possible_truncation, reason = "below 85")]
const fn values() -> [u8; 256] {
    let mut values = [85; 256];
    let mut value = 0;
    while value < DIGITS.len() {
        values[DIGITS[value] as usize] = value as u8;
        value += 1;
    }
    values
}

/// One line: a letter for the number of bytes, then five digits for each four of them.
fn unpack_line(line: TextLine<'_>, out: &mut Vec<u8>) -> Result<(), PatchFault> {
    let fault = || PatchFault::on(line, PatchProblem::Packed(shown(line.bytes)));
    let (first, digits) = line.bytes.split_first().ok_or_else(fault)?;
    let length = match first {
        b'A'..=b'Z' => usize::from(first - b'A') + 1,
        b'a'..=b'z' => usize::from(first - b'a') + 27,
        _ => return Err(fault()),
    };
    if digits.len() != length.div_ceil(4) * 5 {
        return Err(fault());
    }
    let end = out.len() + length;
    for group in digits.chunks(5) {
        let value = group.iter().try_fold(0_u32, |value, digit| {
            let digit = VALUES.get(usize::from(*digit)).filter(|value| **value < 85)?;
            value.checked_mul(85)?.checked_add(u32::from(*digit))
        });
        out.extend_from_slice(&value.ok_or_else(fault)?.to_be_bytes());
    }
    out.truncate(end);
    Ok(())
}

/// The sizes at the start of a delta, old and new, and the instructions behind them.
fn delta_sizes(delta: &[u8]) -> Option<(usize, usize, &[u8])> {
    let (old, rest) = varint(delta)?;
    let (new, rest) = varint(rest)?;
    (old <= MAX_UNPACKED && new <= MAX_UNPACKED).then_some((old, new, rest))
}

fn varint(mut text: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_usize;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = text.split_first()?;
        text = rest;
        value |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some((value, text));
        }
    }
    None
}

/// Follows the instructions of a delta; `None` when they do not fit the base.
fn patched(delta: &[u8], base: &[u8]) -> Option<Vec<u8>> {
    let (old, new, mut rest) = delta_sizes(delta)?;
    if base.len() != old {
        return None;
    }
    let mut out = Vec::new();
    while let Some((code, tail)) = rest.split_first() {
        rest = tail;
        let piece = if code & 0x80 == 0 {
            // Zero is kept for later by git, and means nothing now.
            let (piece, tail) = rest.split_at_checked(usize::from(*code)).filter(|_| *code != 0)?;
            rest = tail;
            piece
        } else {
            let offset = operand(*code, &mut rest, 0..4)?;
            let length = operand(*code, &mut rest, 4..7)?;
            let length = if length == 0 { 0x1_0000 } else { length };
            base.get(offset..offset.checked_add(length)?)?
        };
        if out.len() + piece.len() > new {
            return None;
        }
        out.extend_from_slice(piece);
    }
    (out.len() == new).then_some(out)
}

/// The bytes of a number that the bits of an instruction say are there.
fn operand(code: u8, rest: &mut &[u8], bits: core::ops::Range<u8>) -> Option<usize> {
    let mut value = 0_usize;
    for (place, bit) in bits.enumerate() {
        if code & (1 << bit) != 0 {
            let (byte, tail) = rest.split_first()?;
            *rest = tail;
            value |= usize::from(*byte) << (8 * place);
        }
    }
    Some(value)
}
