//! The home of an agent on a copy: folders that it keeps from one time to the next, for one
//! project, with its settings and its login put there first. Nothing of them goes back to the
//! real home but the one credential file that the agent may have renewed.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use exacta_engine::checks::Room;

use super::profile::Profile;

/// More than any login has.
const LONGEST: u64 = 256 << 10;

/// The kept folders of one agent in one project.
pub(crate) struct AgentHome<'p> {
    profile: &'p Profile,
    /// The real home.
    home: PathBuf,
    /// Where the kept folders lie, under their names.
    kept: PathBuf,
    /// What the credential was when it was put there.
    credential: Option<Vec<u8>>,
}

impl<'p> AgentHome<'p> {
    /// Makes the folders ready; `None` for an agent that keeps nothing.
    pub(crate) fn ready(
        profile: &'p Profile,
        home: Option<PathBuf>,
        state: &Path,
        project: &str,
    ) -> io::Result<Option<Self>> {
        let Some(home) = home.filter(|_| !profile.kept.is_empty()) else { return Ok(None) };
        let kept = state.join("agents").join(project).join(&profile.program);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&kept)?;
        for folder in &profile.kept {
            // What an agent left is its own affair, unless it leads out of its folder.
            fresh_folder(&kept, Path::new(folder))?;
        }
        for name in &profile.copies {
            if is_newer(&home.join(name), &kept.join(name)) {
                put(&home.join(name), &kept, Path::new(name))?;
            }
        }
        let credential = profile.credential.as_ref().and_then(|name| read(&kept.join(name)));
        Ok(Some(Self { profile, home, kept, credential }))
    }

    /// Shows the folders to the command, at their places.
    pub(crate) fn show(&self, room: &mut Room) {
        for folder in &self.profile.kept {
            room.kept.push((self.kept.join(folder), self.home.join(folder)));
        }
    }

    /// Takes a credential over that the agent has renewed. True when it did.
    pub(crate) fn take_back(&self) -> io::Result<bool> {
        let Some(name) = &self.profile.credential else { return Ok(false) };
        let Some(now) = read(&self.kept.join(name)) else { return Ok(false) };
        let there = self.home.join(name);
        // Only the renewal of a login that was there; and only while nobody else renewed it.
        let unchanged = self.credential.is_some() && read(&there) == self.credential;
        let is_object = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(&now);
        if !unchanged || Some(&now) == self.credential.as_ref() || is_object.is_err() {
            return Ok(false);
        }
        write_private(&there, &now)?;
        Ok(true)
    }
}

/// Makes a folder below ours, none of whose parts is a link.
fn fresh_folder(kept: &Path, folder: &Path) -> io::Result<()> {
    let mut at = kept.to_owned();
    for part in folder.components() {
        at.push(part);
        match fs::symlink_metadata(&at) {
            Ok(seen) if seen.is_dir() => continue,
            Ok(_) => fs::remove_file(&at)?,
            Err(_) => {}
        }
        fs::DirBuilder::new().mode(0o700).create(&at)?;
    }
    Ok(())
}

/// A regular file of a sensible size, no link followed.
fn read(path: &Path) -> Option<Vec<u8>> {
    // Nobody would ever write into a pipe that an agent left there.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let nofollow = flags.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(nofollow).open(path).ok()?;
    file.metadata().ok().filter(|seen| seen.is_file() && seen.len() <= LONGEST)?;
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn is_newer(real: &Path, own: &Path) -> bool {
    let time = |path: &Path| fs::metadata(path).ok().map(|seen| (seen.mtime(), seen.mtime_nsec()));
    time(real).is_some_and(|real| time(own).is_none_or(|own| own < real))
}

/// Copies a file of the real home to its place below the kept folders.
fn put(real: &Path, kept: &Path, name: &Path) -> io::Result<()> {
    // In the real home a settings file may well be a link of the user's.
    let Ok(real) = real.canonicalize() else { return Ok(()) };
    let Some(bytes) = read(&real) else { return Ok(()) };
    if let Some(folder) = name.parent() {
        fresh_folder(kept, folder)?;
    }
    write_private(&kept.join(name), &bytes)
}

/// Replaces a file in one step.
fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::Builder::new().prefix(".exacta-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_data()?;
    file.persist(path).map(drop).map_err(|failed| failed.error)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::super::profile::profile;
    use super::*;

    fn ready<'p>(profile: &'p Profile, at: &Path) -> AgentHome<'p> {
        let home = Some(at.join("home"));
        AgentHome::ready(profile, home, &at.join("state"), "p1").unwrap().unwrap()
    }

    #[test]
    fn a_renewed_login_goes_back_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let (real, own) = (at.join("home/.claude"), at.join("state/agents/p1/claude/.claude"));
        fs::create_dir_all(&real).unwrap();
        fs::write(real.join(".credentials.json"), "{\"token\": 1}").unwrap();
        fs::write(real.join("history"), "mine").unwrap();
        let claude = profile("claude");
        let home = ready(&claude, at);
        assert_eq!(fs::read_to_string(own.join(".credentials.json")).unwrap(), "{\"token\": 1}");
        assert!(!own.join("history").exists());
        fs::write(own.join("history"), "its own").unwrap();
        assert!(!home.take_back().unwrap());
        fs::write(own.join(".credentials.json"), "not a login").unwrap();
        assert!(!home.take_back().unwrap());
        fs::write(own.join(".credentials.json"), "{\"token\": 2}").unwrap();
        assert!(home.take_back().unwrap());
        assert_eq!(fs::read_to_string(real.join(".credentials.json")).unwrap(), "{\"token\": 2}");
        assert_eq!(fs::read_to_string(real.join("history")).unwrap(), "mine");
        // Somebody signed in anew meanwhile: theirs stays.
        let home = ready(&claude, at);
        fs::write(own.join(".credentials.json"), "{\"token\": 3}").unwrap();
        fs::write(real.join(".credentials.json"), "{\"token\": 9}").unwrap();
        assert!(!home.take_back().unwrap());
        assert_eq!(fs::read_to_string(own.join("history")).unwrap(), "its own");
    }

    #[test]
    fn links_that_an_agent_left_lead_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let (real, own) = (at.join("home/.claude"), at.join("state/agents/p1/claude"));
        fs::create_dir_all(&real).unwrap();
        fs::create_dir_all(at.join("prey")).unwrap();
        fs::create_dir_all(&own).unwrap();
        symlink(at.join("prey"), own.join(".claude")).unwrap();
        fs::write(real.join(".credentials.json"), "{\"token\": 1}").unwrap();
        let claude = profile("claude");
        let home = ready(&claude, at);
        assert_eq!(fs::read_dir(at.join("prey")).unwrap().count(), 0);
        fs::write(at.join("prey/secret"), "{\"stolen\": 1}").unwrap();
        fs::remove_file(own.join(".claude/.credentials.json")).unwrap();
        symlink(at.join("prey/secret"), own.join(".claude/.credentials.json")).unwrap();
        assert!(!home.take_back().unwrap());
        assert!(fs::read_to_string(real.join(".credentials.json")).unwrap().contains("token"));
    }
}
