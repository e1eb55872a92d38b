//! The room: a new root with the system's programs, the view, and nothing else.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Component, Path, PathBuf};

use rustix::mount::{UnmountFlags, unmount};

use super::{Obstacle, mounts};
use crate::checks::wire::{Request, View};

/// Folders of the system: programs, libraries and what they read.
const SYSTEM: [&str; 9] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix"];
/// Settings that programs need to run at all; none of them is a secret.
const SETTINGS: [&str; 19] = [
    "alternatives",
    "ca-certificates",
    "fonts",
    "group",
    "host.conf",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "magic",
    "maven",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "pki/tls/certs",
    "ssl/certs",
    "timezone",
];
/// Devices that give away and take nothing.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
/// What root could set through the processes' folder for the whole machine.
const SETTABLE: [&str; 7] = ["acpi", "bus", "fs", "irq", "mtrr", "sys", "sysrq-trigger"];
/// What tells there of more than the command's own processes: memory, keys of the user,
/// messages, timers and pages of the kernel.
const TELLING: [&str; 17] = [
    "iomem",
    "ioports",
    "kallsyms",
    "kcore",
    "key-users",
    "keys",
    "kmsg",
    "kpagecgroup",
    "kpagecount",
    "kpageflags",
    "latency_stats",
    "pagetypeinfo",
    "sched_debug",
    "scsi",
    "slabinfo",
    "timer_list",
    "vmallocinfo",
];
/// Room in memory for the command's temporary files, beside what its view takes.
const SCRATCH: &str = "mode=1777,size=1g";

/// The same for its home, which only it may enter.
const HOME: &str = "mode=700,size=1g";

/// Builds the room and moves into it.
pub(super) fn build(request: &Request) -> Result<(), Obstacle> {
    let root = &request.root;
    mounts::keep_to_ourselves().map_err(Obstacle::wall("mounts"))?;
    mounts::empty(root, "mode=755,size=16m").map_err(Obstacle::wall("new root"))?;
    devices(&root.join("dev")).map_err(Obstacle::wall("devices"))?;
    scratch(root).map_err(Obstacle::wall("scratch folders"))?;
    home(request).map_err(Obstacle::wall("home"))?;
    programs(request).map_err(Obstacle::wall("programs"))?;
    let proc = root.join("proc");
    fs::create_dir(&proc).map_err(Obstacle::wall("processes"))?;
    mounts::processes(&proc).map_err(Obstacle::wall("processes"))?;
    show_view(request)?;
    hide(request).map_err(Obstacle::wall("hidden folders"))?;
    mounts::freeze(root).map_err(Obstacle::wall("new root"))?;
    move_in(root).map_err(Obstacle::wall("new root"))
}

/// Where something of the old root is in the new one.
fn inside(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

fn programs(request: &Request) -> io::Result<()> {
    let mut settings = SETTINGS.map(|name| Path::new("/etc").join(name)).to_vec();
    settings.extend(java());
    let system = SYSTEM.map(PathBuf::from);
    let names = if request.network { name_servers() } else { Vec::new() };
    // A folder comes before what lies in it, which would otherwise keep its place.
    let mut reads: Vec<&PathBuf> = request.reads.iter().collect();
    reads.sort_by_key(|path| path.components().count());
    for path in system.iter().chain(&settings).chain(&names).chain(reads) {
        // What lies in the project is seen through the view, and only there; and nobody
        // is shown a folder that the project is in.
        let apart = !path.starts_with(&request.project) && path.components().count() > 1;
        if apart {
            show(&request.root, path)?;
        }
    }
    Ok(())
}

/// Where Debian keeps the settings of each Java, without which it does not start.
fn java() -> Vec<PathBuf> {
    let names = fs::read_dir("/etc").into_iter().flatten().flatten();
    let java = names.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"java"));
    java.map(|entry| entry.path()).collect()
}

/// How names of hosts are found: the file, and what it is a link to.
fn name_servers() -> Vec<PathBuf> {
    let file = PathBuf::from("/etc/resolv.conf");
    let behind = file.canonicalize().ok();
    [file].into_iter().chain(behind).collect()
}

/// Whether an empty home can be had at this place: it may cover neither the view nor a
/// folder of the system.
pub(crate) fn is_free(home: &Path, project: &Path) -> bool {
    let covers = |path: &&str| home.starts_with(path) || Path::new(path).starts_with(home);
    let system = SYSTEM.iter().chain(&["/proc", "/dev", "/tmp", "/etc", "/run", "/var"]);
    home.is_absolute()
        && home.components().all(|part| part != Component::ParentDir)
        && !home.starts_with(project)
        && !system.into_iter().any(covers)
}

fn home(request: &Request) -> io::Result<()> {
    let Some(home) = &request.home else { return Ok(()) };
    let at = inside(&request.root, home);
    fs::create_dir_all(&at)?;
    mounts::empty(&at, HOME)?;
    // The home is empty, so no link leads anywhere yet.
    for (from, place) in request.kept.iter().filter(|(_, place)| place.starts_with(home)) {
        let at = inside(&request.root, place);
        fs::create_dir_all(&at)?;
        mounts::also(from, &at)?;
    }
    Ok(())
}

/// Shows a file or folder of the old root at the same place; fine when it is not there.
fn show(root: &Path, path: &Path) -> io::Result<()> {
    let at = inside(root, path);
    if fs::symlink_metadata(&at).is_ok() || path.components().any(|c| c == Component::ParentDir) {
        return Ok(());
    }
    let Ok(seen) = fs::symlink_metadata(path) else { return Ok(()) };
    if let Some(above) = at.parent() {
        fs::create_dir_all(above)?;
    }
    if seen.is_symlink() {
        return symlink(fs::read_link(path)?, at);
    }
    if seen.is_dir() {
        fs::create_dir(&at)?;
    } else if seen.is_file() {
        File::create(&at)?;
    } else {
        return Ok(());
    }
    mounts::also_read_only(path, &at)
}

fn devices(at: &Path) -> io::Result<()> {
    fs::create_dir(at)?;
    mounts::empty(at, "mode=755,size=1m")?;
    for name in DEVICES {
        File::create(at.join(name))?;
        // Root owns the system's own: it could take everybody's rights to them away.
        mounts::device(&Path::new("/dev").join(name), &at.join(name))?;
    }
    for (name, number) in [("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")] {
        symlink(format!("/proc/self/fd{number}"), at.join(name))?;
    }
    fs::create_dir(at.join("shm"))?;
    mounts::empty(&at.join("shm"), SCRATCH)?;
    mounts::freeze(at)
}

/// Takes from the processes' folder what belongs to the whole machine: what can be set is
/// read-only, what tells of others is empty.
pub(super) fn limit_processes() -> io::Result<()> {
    let processes = Path::new("/proc");
    for at in SETTABLE.map(|name| processes.join(name)) {
        match fs::symlink_metadata(&at) {
            Ok(_) => mounts::also_read_only(&at, &at)?,
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err(error),
        }
    }
    TELLING.iter().try_for_each(|name| cover(&processes.join(name)))
}

/// Hides what lies at a place.
fn cover(at: &Path) -> io::Result<()> {
    match fs::metadata(at) {
        Ok(seen) if seen.is_dir() => {
            mounts::empty(at, "mode=755,size=4k")?;
            mounts::freeze(at)
        }
        Ok(_) => mounts::device(Path::new("/dev/null"), at),
        Err(error) if is_absent(&error) => Ok(()),
        Err(error) => Err(error),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn scratch(root: &Path) -> io::Result<()> {
    for name in ["tmp", "run", "var"] {
        fs::create_dir(root.join(name))?;
    }
    mounts::empty(&root.join("tmp"), SCRATCH)?;
    fs::create_dir(root.join("tmp/home"))?;
    // Relative: until the new root is the root, an absolute one leads out of it.
    symlink("../tmp", root.join("var/tmp"))
}

fn show_view(request: &Request) -> Result<(), Obstacle> {
    let at = inside(&request.root, &request.project);
    fs::create_dir_all(&at).map_err(Obstacle::view("no place for the view"))?;
    let seen = fs::metadata(&request.project).map_err(Obstacle::view("no project"))?;
    if (seen.dev(), seen.ino()) != request.identity {
        return Err(Obstacle::View("another folder lies where the project was".into()));
    }
    match &request.view {
        View::Folder(folder) => mounts::also(folder, &at).map_err(Obstacle::view("bind")),
        View::Overlay { layer } => lay(request, layer, &at).map_err(Obstacle::view("overlay")),
    }
}

/// The layers are shown under plain names in the new root, where no separator of mount
/// options can occur, and taken away again once the overlay has them.
fn lay(request: &Request, layer: &Path, at: &Path) -> io::Result<()> {
    std::env::set_current_dir(&request.root)?;
    for (name, from) in [("lower", request.project.as_path()), ("layer", layer)] {
        fs::create_dir(name)?;
        mounts::also(from, Path::new(name))?;
    }
    fs::create_dir("view")?;
    mounts::overlay("view", "lower", "layer/tree", "layer/work")?;
    mounts::also(Path::new("view"), at)?;
    for name in ["lower", "layer", "view"] {
        unmount(name, UnmountFlags::DETACH)?;
        fs::remove_dir(name)?;
    }
    Ok(())
}

/// Covers what must not be seen, wherever a folder that is shown brought it along; some of it
/// with files of ours.
fn hide(request: &Request) -> io::Result<()> {
    for path in &request.hidden {
        cover(&inside(&request.root, path))?;
    }
    for (from, place) in &request.over {
        mounts::also_read_only(from, &inside(&request.root, place))?;
    }
    Ok(())
}

fn move_in(root: &Path) -> io::Result<()> {
    std::env::set_current_dir(root)?;
    rustix::process::pivot_root(".", ".")?;
    // The old root now lies over the new one; without it, nothing leads back.
    unmount(".", UnmountFlags::DETACH)?;
    std::env::set_current_dir("/")
}
