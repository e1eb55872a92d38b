//! `README.md`, the guides and the page of the record: each is followed line by line, on a copy of `examples/demo`.

use std::fs;
use std::path::Path;

use super::tour;

const SAMPLE: &str = "examples/demo";

#[test]
fn the_tour_prints_what_it_shows() {
    tour::follow("README.md", SAMPLE);
}

#[test]
fn the_record_is_what_its_page_shows() {
    tour::follow("docs/concepts/record.md", SAMPLE);
}

#[test]
fn the_guides_print_what_they_show() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides");
    let mut guides: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    guides.sort();
    assert!(!guides.is_empty());
    for guide in guides {
        tour::follow(&format!("docs/guides/{guide}"), SAMPLE);
    }
}
