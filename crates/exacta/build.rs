//! Two things that make every start of the program shorter: the unwinder is a part of it where
//! the C compiler has it as an archive (one shared library less to find, map and set up), and
//! the places that the loader fixes up are packed (no table of megabytes to read).

use std::env;
use std::path::PathBuf;
use std::process::Command;

const ARCHIVE: &str = "libgcc_eh.a";

/// The first C library whose loader reads packed places.
const PACKED_SINCE: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CC");
    if !is_built_for_this_machine() {
        return;
    }
    if let Some(folder) = archive().as_deref().and_then(|path| path.parent()) {
        println!("cargo::rustc-link-search=native={}", folder.display());
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
    if c_library().is_some_and(|version| version >= PACKED_SINCE) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Whether the machine that builds is one that the program runs on, with GNU's C library.
fn is_built_for_this_machine() -> bool {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|is| is == value);
    is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && env::var_os("HOST") == env::var_os("TARGET")
}

/// Where the archive is. Without one the shared library does as well.
fn archive() -> Option<PathBuf> {
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let told = Command::new(compiler).arg(format!("-print-file-name={ARCHIVE}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(told.stdout).ok()?.trim());
    // A compiler that has none says the bare name.
    (path.is_absolute() && path.is_file()).then_some(path)
}

/// The version of the C library, as in `glibc 2.36`. Without an answer nothing is packed.
fn c_library() -> Option<(u32, u32)> {
    let told = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let told = String::from_utf8(told.stdout).ok()?;
    let (major, minor) = told.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
