//! Makes the unwinder a part of the program where the C compiler has it as an archive:
//! one shared library less to find, map and set up at every start.

use std::env;
use std::path::PathBuf;
use std::process::Command;

const ARCHIVE: &str = "libgcc_eh.a";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CC");
    if let Some(folder) = archive().as_deref().and_then(|path| path.parent()) {
        println!("cargo::rustc-link-search=native={}", folder.display());
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}

/// Where the archive is. Without one the shared library does as well.
fn archive() -> Option<PathBuf> {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|is| is == value);
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return None;
    }
    if env::var_os("HOST") != env::var_os("TARGET") {
        return None;
    }
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let told = Command::new(compiler).arg(format!("-print-file-name={ARCHIVE}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(told.stdout).ok()?.trim());
    // A compiler that has none says the bare name.
    (path.is_absolute() && path.is_file()).then_some(path)
}
