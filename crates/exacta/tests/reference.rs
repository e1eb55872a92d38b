//! The reference documents say what the code says.

use std::fs;
use std::path::Path;

/// With `EXACTA_BLESS=1` the documents are written instead of compared.
#[test]
fn the_reference_is_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let bless = std::env::var_os("EXACTA_BLESS").is_some();
    for (name, text) in exacta::reference::documents() {
        let path = folder.join(&name);
        if bless {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &text).unwrap();
        }
        let stored = fs::read_to_string(&path).unwrap_or_default();
        assert!(stored == text, "docs/reference/{name} is stale; run with EXACTA_BLESS=1");
    }
}
