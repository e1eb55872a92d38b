//! Who this user is outside the environment: the password database, groups, namespaces.
//!
//! Variables can be set by whoever starts a program. These files are root's, and the kernel's.

use std::path::{Path, PathBuf};

use rustix::fs::Stat;

const PASSWORDS: &str = "/etc/passwd";
const GROUPS: &str = "/etc/group";
const UID_MAP: &str = "/proc/self/uid_map";
/// How the kernel shows a user that has no number in this namespace.
const UNMAPPED: u32 = 65_534;

/// The home that the password database gives a user.
#[must_use]
pub fn home_of(user: u32) -> Option<PathBuf> {
    home_in(&std::fs::read_to_string(PASSWORDS).ok()?, user)
}

fn home_in(passwords: &str, user: u32) -> Option<PathBuf> {
    let fields = |line: &str| -> Vec<String> { line.split(':').map(str::to_owned).collect() };
    let mut rows = passwords.lines().map(fields);
    let row = rows.find(|row| row.get(2).and_then(|id| id.parse().ok()) == Some(user))?;
    row.get(5).filter(|home| home.starts_with('/')).map(PathBuf::from)
}

/// The user's number outside, when this process runs in a user namespace of its own.
#[must_use]
pub fn outer_user(user: u32) -> Option<u32> {
    outer_in(&std::fs::read_to_string(UID_MAP).ok()?, user)
}

fn outer_in(map: &str, user: u32) -> Option<u32> {
    let rows: Vec<[u32; 3]> = map
        .lines()
        .filter_map(|line| {
            let mut numbers = line.split_whitespace().map(|number| number.parse().ok());
            Some([numbers.next()??, numbers.next()??, numbers.next()??])
        })
        .collect();
    if rows == [[0, 0, u32::MAX]] {
        return None;
    }
    let inside = |row: &&[u32; 3]| {
        let [first, _, count] = **row;
        user.checked_sub(first).is_some_and(|at| at < count)
    };
    let row = rows.iter().find(inside);
    // A user without a number outside is nobody there.
    Some(row.map_or(UNMAPPED, |[first, outside, _]| outside + (user - first)))
}

/// Whether somebody else could put another file in place in a folder. Root can anyway.
pub(crate) fn others_can_write(folder: &Stat, user: u32) -> bool {
    let mode = folder.st_mode & 0o7777;
    let owner = folder.st_uid;
    let ours = owner == user || owner == 0 || owner == UNMAPPED && outer_user(user).is_some();
    // In a sticky folder of root's nobody renames what is not theirs.
    let sticky = mode & 0o1000 != 0 && (owner == 0 || owner == UNMAPPED);
    let group = mode & 0o020 != 0 && !is_private_group(folder.st_gid, user);
    !ours || (mode & 0o002 != 0 || group) && !sticky
}

/// Whether nobody but the user, or root, is in a group.
fn is_private_group(group: u32, user: u32) -> bool {
    let read = |path: &str| std::fs::read_to_string(Path::new(path)).ok();
    let (Some(passwords), Some(groups)) = (read(PASSWORDS), read(GROUPS)) else { return false };
    is_private_in(&passwords, &groups, group, user)
}

fn is_private_in(passwords: &str, groups: &str, group: u32, user: u32) -> bool {
    let number = |field: Option<&str>| field.and_then(|id| id.parse::<u32>().ok());
    let mut own_names = Vec::new();
    for line in passwords.lines() {
        let fields: Vec<&str> = line.split(':').collect();
        let (id, first_group) = (number(fields.get(2).copied()), number(fields.get(3).copied()));
        if id == Some(user) || id == Some(0) {
            own_names.extend(fields.first().copied());
        } else if first_group == Some(group) {
            return false;
        }
    }
    let mut rows = groups.lines().map(|line| line.split(':').collect::<Vec<&str>>());
    rows.find(|row| number(row.get(2).copied()) == Some(group)).is_some_and(|row| {
        let members = row.get(3).copied().unwrap_or_default();
        members.split(',').all(|name| name.is_empty() || own_names.contains(&name.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbob:x:1001:1001::/home/bob:/bin/sh\neve:x:1002:100::/home/eve:/bin/sh\n";
    const GROUP: &str =
        "root:x:0:\nann:x:1000:\nbob:x:1001:ann\nusers:x:100:\nteam:x:50:ann,bob\nalone:x:51:ann\n";

    #[test]
    fn the_password_database_says_where_home_is() {
        assert_eq!(home_in(PASSWD, 1000), Some("/home/ann".into()));
        assert_eq!(home_in(PASSWD, 7), None);
        assert_eq!(home_in("x:y\n::::::\n", 0), None);
    }

    #[test]
    fn a_group_is_private_when_nobody_else_is_in_it() {
        for (group, user, private) in [
            (1000, 1000, true),
            (51, 1000, true),
            (1001, 1000, false),
            (1001, 1001, false),
            (50, 1000, false),
            (100, 1000, false),
            (77, 1000, false),
            (0, 0, true),
            (0, 1000, true),
        ] {
            assert_eq!(is_private_in(PASSWD, GROUP, group, user), private, "{group} {user}");
        }
    }

    #[test]
    fn a_namespace_of_its_own_is_known_by_its_map() {
        assert_eq!(outer_in("         0          0 4294967295\n", 0), None);
        assert_eq!(outer_in("         0       1000          1\n", 0), Some(1000));
        assert_eq!(outer_in("0 1000 1\n1 100000 65536\n", 5), Some(100_004));
        assert_eq!(outer_in("0 1000 1\n", 9), Some(UNMAPPED));
        assert_eq!(outer_in("", 9), Some(UNMAPPED));
    }
}
