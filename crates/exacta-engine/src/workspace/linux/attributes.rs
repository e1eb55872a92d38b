//! Owner and extended attributes: read from one file, given to another.
//!
//! Access lists are extended attributes on Linux, so they travel with the rest.

use std::os::fd::BorrowedFd;

use rustix::fs::{self, Gid, Stat, Uid, XattrFlags};
use rustix::io::{Errno, retry_on_intr};

use crate::workspace::port::{Metadata, PortError};
use crate::workspace::spot::Spot;

/// What a file hands down to what is made in its folder.
pub(super) const DEFAULT_ACCESS: &[u8] = b"system.posix_acl_default";
/// A file's own access list.
pub(super) const ACCESS: &[u8] = b"system.posix_acl_access";

/// Attributes that vouch for the old bytes; on new bytes they would be a lie.
const BOUND_TO_CONTENT: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];

/// Owner and attributes of an open file.
pub(super) fn metadata_of(handle: BorrowedFd<'_>, stat: &Stat) -> Result<Metadata, Errno> {
    let mut metadata = Metadata { owner: Some((stat.st_uid, stat.st_gid)), attributes: Vec::new() };
    for name in names(handle)? {
        if let Some(value) = value(handle, &name)? {
            metadata.attributes.push((name, value));
        }
    }
    Ok(metadata)
}

/// Whether an open file or folder has any attribute.
pub(super) fn has_any(handle: BorrowedFd<'_>) -> Result<bool, Errno> {
    match retry_on_intr(|| fs::flistxattr_query(handle)) {
        Ok(size) => Ok(size > 0),
        Err(Errno::NOTSUP) => Ok(false),
        Err(errno) => Err(errno),
    }
}

fn names(handle: BorrowedFd<'_>) -> Result<Vec<Vec<u8>>, Errno> {
    let size = match retry_on_intr(|| fs::flistxattr_query(handle)) {
        Ok(0) | Err(Errno::NOTSUP) => return Ok(Vec::new()),
        Ok(size) => size,
        Err(errno) => return Err(errno),
    };
    let mut list = vec![0_u8; size + 1024];
    let got = retry_on_intr(|| fs::flistxattr(handle, list.as_mut_slice()))?;
    list.truncate(got);
    Ok(list.split(|b| *b == 0).filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect())
}

/// One attribute; `None` when the file does not have it.
pub(super) fn value(handle: BorrowedFd<'_>, name: &[u8]) -> Result<Option<Vec<u8>>, Errno> {
    let size = match retry_on_intr(|| fs::fgetxattr_query(handle, name)) {
        Ok(size) => size,
        Err(Errno::NODATA | Errno::NOTSUP) => return Ok(None),
        Err(errno) => return Err(errno),
    };
    let mut bytes = vec![0_u8; size];
    let got = retry_on_intr(|| fs::fgetxattr(handle, name, bytes.as_mut_slice()))?;
    bytes.truncate(got);
    Ok(Some(bytes))
}

/// Whether [`apply`] can be expected to succeed for a file that we make.
pub(super) fn can_apply(metadata: &Metadata, at: &Spot) -> Result<(), PortError> {
    let cannot = |what: String| PortError::CannotCarry { at: at.clone(), what, errno: Errno::PERM };
    let us = rustix::process::geteuid();
    if metadata.owner.is_some_and(|(user, _)| !us.is_root() && user != us.as_raw()) {
        return Err(cannot("the owner".into()));
    }
    match metadata.attributes.iter().find(|(name, _)| BOUND_TO_CONTENT.contains(&name.as_slice())) {
        Some((name, _)) => Err(cannot(format!("attribute `{}`", String::from_utf8_lossy(name)))),
        None => Ok(()),
    }
}

/// Gives owner and attributes to a new file, which is `made` so far; answers whether that
/// took a change.
pub(super) fn apply(
    handle: BorrowedFd<'_>,
    made: &Stat,
    metadata: &Metadata,
    at: &Spot,
) -> Result<bool, PortError> {
    let cannot = |what: String| move |errno| PortError::CannotCarry { at: at.clone(), what, errno };
    let mut changed = !metadata.attributes.is_empty();
    if let Some((user, group)) = metadata.owner
        && (made.st_uid, made.st_gid) != (user, group)
    {
        let (user, group) = (Uid::from_raw(user), Gid::from_raw(group));
        fs::fchown(handle, Some(user), Some(group)).map_err(cannot("the owner".into()))?;
        changed = true;
    }
    for (name, value) in &metadata.attributes {
        let what = format!("attribute `{}`", String::from_utf8_lossy(name));
        if BOUND_TO_CONTENT.contains(&name.as_slice()) {
            return Err(cannot(what)(Errno::PERM));
        }
        retry_on_intr(|| fs::fsetxattr(handle, name.as_slice(), value, XattrFlags::empty()))
            .map_err(cannot(what))?;
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What vouches for the old bytes, and what belongs to somebody else, cannot be made again.
    #[test]
    fn what_cannot_be_put_on_is_known_before_it_is_taken_off() {
        let at = Spot::root();
        let us = rustix::process::geteuid();
        let with = |attribute: &[u8]| Metadata {
            owner: Some((us.as_raw(), 0)),
            attributes: vec![(attribute.to_vec(), b"x".to_vec())],
        };
        assert_eq!(can_apply(&with(b"user.note"), &at), Ok(()));
        for name in BOUND_TO_CONTENT {
            assert!(matches!(can_apply(&with(name), &at), Err(PortError::CannotCarry { .. })));
        }
        let others = Metadata { owner: Some((us.as_raw() + 1, 0)), attributes: Vec::new() };
        assert_eq!(can_apply(&others, &at).is_ok(), us.is_root());
    }
}
