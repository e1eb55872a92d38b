//! The one binary and all its doors.
//!
//! A door decides nothing: it turns words into a question for the core and renders the
//! answer. `cli/` has one file per command, `wire/` the stable JSON shapes, `render/`
//! what people see, `review/` the review at a terminal, `paint/` how both look, `reference`
//! the documents generated from all of them. `cli` uses `render` and `review`, and neither
//! uses `cli` or the other.

mod acp;
mod agent;
mod cli;
mod exit;
mod hook;
mod inspector;
mod interrupt;
mod mcp;
mod pages;
mod paint;
mod planner;
mod reader;
pub mod reference;
mod render;
mod review;
mod tools;
mod wire;

pub use cli::run;

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
    }

    /// What only paints or prints must not know who asks for it.
    #[test]
    fn no_room_looks_back_at_the_one_that_uses_it() {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for (room, never) in [
            ("paint", &["cli", "render", "review", "wire"][..]),
            ("render", &["cli", "review"]),
            ("review", &["cli", "render", "wire"]),
        ] {
            for file in sources(&src.join(room)) {
                let text = std::fs::read_to_string(&file).unwrap();
                for other in never {
                    let path = format!("crate::{other}::");
                    assert!(!text.contains(&path), "{} uses {path}", file.display());
                }
            }
        }
    }
}
