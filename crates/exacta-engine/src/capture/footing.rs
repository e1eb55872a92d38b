//! The copy while its command still runs: it may exchange any name for a link between two looks,
//! so every step is taken from a handle of the folder before, and no link is followed.

use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat, unlinkat};
use rustix::io::Errno;

/// A name that stands still: whatever happens to the name, the handle means what was there.
const STILL: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const FOLDER: OFlags = STILL.union(OFlags::DIRECTORY);
/// New folders and files of the copy are nobody else's.
const PRIVATE: Mode = Mode::RWXU;

/// The folder that a copy lies in.
pub(super) struct Footing(OwnedFd);

/// Something in the copy, held fast.
pub(super) struct Held(File);

impl Held {
    /// What it is.
    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }

    /// A path that leads to it and to nothing else, as long as it is held.
    pub(super) fn path(&self) -> PathBuf {
        Path::new("/proc/self/fd").join(self.0.as_raw_fd().to_string())
    }

    /// Gives us the rights to look into a folder, whatever the command took away.
    pub(super) fn open_up(&self, seen: &Metadata) -> io::Result<()> {
        let open = Permissions::from_mode(seen.permissions().mode() & 0o7777 | 0o700);
        std::fs::set_permissions(self.path(), open)
    }
}

impl Footing {
    /// Holds the folder of a copy.
    pub(super) fn at(tree: &Path) -> io::Result<Self> {
        Ok(Self(rustix::fs::open(tree, FOLDER, Mode::empty())?))
    }

    /// What lies at a path of the copy, behind no link.
    pub(super) fn hold(&self, path: &Path) -> io::Result<Held> {
        let (above, name) = self.above(path, false)?;
        let flags = if name == Path::new(".") { FOLDER } else { STILL };
        Ok(Held(File::from(openat(&above, name, flags, Mode::empty())?)))
    }

    /// Makes a file of the copy what the file of the project is, or takes it away where the
    /// project has none.
    pub(super) fn take_over(&self, path: &Path, live: &Path) -> io::Result<()> {
        let gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        let reads = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut from = match rustix::fs::open(live, reads, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT | Errno::NOTDIR) => {
                return match self.above(path, false) {
                    Ok((above, name)) => clear(&above, name).map(drop),
                    Err(error) if gone(&error) => Ok(()),
                    Err(error) => Err(error),
                };
            }
            // A link or something special is no plan's.
            Err(Errno::LOOP | Errno::NXIO) => return Ok(()),
            Err(errno) => return Err(errno.into()),
        };
        let seen = from.metadata()?;
        if !seen.is_file() {
            return Ok(());
        }
        let (above, name) = self.above(path, true)?;
        // A folder in the place of the file stays, and is proposed again.
        if !clear(&above, name)? {
            return Ok(());
        }
        let writes = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mut to = File::from(openat(&above, name, writes, PRIVATE)?);
        io::copy(&mut from, &mut to)?;
        to.set_permissions(seen.permissions())
    }

    /// The folder that a path lies in, and its name there. What stands in the place of a folder
    /// is cleared away where folders are made.
    fn above<'p>(&self, path: &'p Path, make: bool) -> io::Result<(OwnedFd, &'p Path)> {
        let mut at = self.0.try_clone()?;
        let mut parts = path.components().peekable();
        let odd = || io::Error::from(io::ErrorKind::InvalidFilename);
        while let Some(part) = parts.next() {
            let Component::Normal(name) = part else { return Err(odd()) };
            if parts.peek().is_none() {
                return Ok((at, Path::new(name)));
            }
            at = match openat(&at, name, FOLDER, Mode::empty()) {
                Ok(next) => next,
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) if make => {
                    clear(&at, Path::new(name))?;
                    mkdirat(&at, name, PRIVATE)?;
                    openat(&at, name, FOLDER, Mode::empty())?
                }
                // A link in the place of a folder: there is no such path.
                Err(Errno::NOTDIR | Errno::LOOP) => {
                    return Err(io::ErrorKind::NotFound.into());
                }
                Err(errno) => return Err(errno.into()),
            };
        }
        Ok((at, Path::new(".")))
    }
}

/// Takes a name away that is not a folder. True when nothing has it any more.
fn clear(folder: impl AsFd, name: &Path) -> io::Result<bool> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        Err(Errno::ISDIR) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// The project, the copy and something of the user's that both must leave alone.
    fn places() -> (tempfile::TempDir, [PathBuf; 3]) {
        let folder = tempfile::tempdir().unwrap();
        let all = ["project", "copy", "prey"].map(|name| folder.path().join(name));
        for place in &all {
            fs::create_dir(place).unwrap();
        }
        (folder, all)
    }

    #[test]
    fn a_link_in_the_copy_leads_nowhere() {
        let (_folder, [project, copy, prey]) = places();
        fs::create_dir(project.join("src")).unwrap();
        fs::write(project.join("src/keys"), "the project's\n").unwrap();
        fs::write(prey.join("keys"), "the user's\n").unwrap();
        fs::write(prey.join("other"), "the user's\n").unwrap();
        symlink(&prey, copy.join("src")).unwrap();
        let footing = Footing::at(&copy).unwrap();
        assert!(footing.hold(Path::new("src/keys")).is_err());
        // A file that the project does not have any more goes from the copy, not from elsewhere.
        footing.take_over(Path::new("src/other"), &project.join("src/other")).unwrap();
        footing.take_over(Path::new("src/keys"), &project.join("src/keys")).unwrap();
        assert_eq!(fs::read_to_string(prey.join("keys")).unwrap(), "the user's\n");
        assert_eq!(fs::read_to_string(prey.join("other")).unwrap(), "the user's\n");
        assert_eq!(fs::read_to_string(copy.join("src/keys")).unwrap(), "the project's\n");
        assert!(copy.join("src").symlink_metadata().unwrap().is_dir());
        // The last name of a path is no way out either.
        fs::write(project.join("top"), "the project's\n").unwrap();
        symlink(prey.join("keys"), copy.join("top")).unwrap();
        assert!(footing.hold(Path::new("top")).unwrap().metadata().unwrap().is_symlink());
        footing.take_over(Path::new("top"), &project.join("top")).unwrap();
        assert_eq!(fs::read_to_string(prey.join("keys")).unwrap(), "the user's\n");
        assert_eq!(fs::read_to_string(copy.join("top")).unwrap(), "the project's\n");
    }

    #[test]
    fn what_is_held_stays_what_it_was() {
        let (_folder, [_, copy, prey]) = places();
        fs::write(prey.join("secret"), "the user's\n").unwrap();
        fs::write(copy.join("a"), "the agent's\n").unwrap();
        fs::create_dir(copy.join("b")).unwrap();
        let footing = Footing::at(&copy).unwrap();
        let (file, folder) =
            (footing.hold(Path::new("a")).unwrap(), footing.hold(Path::new("b")).unwrap());
        fs::remove_file(copy.join("a")).unwrap();
        fs::remove_dir(copy.join("b")).unwrap();
        symlink(prey.join("secret"), copy.join("a")).unwrap();
        symlink(&prey, copy.join("b")).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        fs::set_permissions(&prey, Permissions::from_mode(0o500)).unwrap();
        folder.open_up(&folder.metadata().unwrap()).unwrap();
        assert_eq!(mode(&prey), 0o500);
        assert_eq!(fs::read_to_string(file.path()).unwrap(), "the agent's\n");
        assert_eq!(fs::read_dir(folder.path()).map_or(0, Iterator::count), 0);
    }

    #[test]
    fn a_folder_that_is_gone_is_made_again() {
        let (_folder, [project, copy, _]) = places();
        fs::create_dir_all(project.join("a/b")).unwrap();
        fs::write(project.join("a/b/c"), "x").unwrap();
        fs::write(copy.join("a"), "in the way").unwrap();
        let footing = Footing::at(&copy).unwrap();
        footing.take_over(Path::new("a/b/c"), &project.join("a/b/c")).unwrap();
        assert_eq!(fs::read_to_string(copy.join("a/b/c")).unwrap(), "x");
        footing.take_over(Path::new("gone/x"), &project.join("gone/x")).unwrap();
    }
}
