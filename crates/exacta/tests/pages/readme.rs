//! `README.md`: the tour is run line by line, on a copy of `examples/demo`.

use std::fmt::Write as _;

use super::page::Page;
use super::project::Project;

#[test]
fn the_tour_prints_what_it_shows() {
    let mut page = Page::read("README.md");
    let project = Project::copy_of("examples/demo");
    let tour: Vec<_> = page.blocks.iter().filter(|b| b.info == "console").cloned().collect();
    assert!(!tour.is_empty());
    for block in tour {
        let mut real = String::new();
        for line in page.of(&block).lines().filter_map(|line| line.strip_prefix("$ ")) {
            let _ = write!(real, "$ {line}\n{}", project.shell(line));
        }
        page.is_really(&block, real);
    }
    page.settle();
}
