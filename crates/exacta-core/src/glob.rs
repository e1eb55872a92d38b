//! Path globs, one dialect everywhere: `*` stays inside a folder, `**` crosses folders.

use alloc::string::String;

use globset::{Error, Glob, GlobBuilder, GlobMatcher, GlobSet};

/// Compiles a glob.
///
/// # Errors
/// When the text is not a glob.
pub fn compile(glob: &str) -> Result<GlobMatcher, Error> {
    Ok(build(glob)?.compile_matcher())
}

/// Compiles many globs into one matcher, whose cost for a path hardly grows with them.
///
/// # Errors
/// When one of the texts is not a glob.
pub fn compile_all(globs: &[String]) -> Result<GlobSet, Error> {
    let mut set = GlobSet::builder();
    for glob in globs {
        set.add(build(glob)?);
    }
    set.build()
}

fn build(glob: &str) -> Result<Glob, Error> {
    GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build()
}
