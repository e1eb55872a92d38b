//! Path globs, one dialect everywhere: `*` stays inside a folder, `**` crosses folders.

use globset::{Error, GlobBuilder, GlobMatcher};

/// Compiles a glob.
///
/// # Errors
/// When the text is not a glob.
pub fn compile(glob: &str) -> Result<GlobMatcher, Error> {
    Ok(GlobBuilder::new(glob)
        .literal_separator(true)
        .backslash_escape(true)
        .build()?
        .compile_matcher())
}
