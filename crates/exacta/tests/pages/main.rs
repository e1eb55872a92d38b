//! Everything the pages show is real: each example is run and its output compared.
//!
//! | fence | what is run | what must come out |
//! | --- | --- | --- |
//! | `json draft` | `exacta check plan.json` | refused; on an error page with its code |
//! | `json draft ok` | the same | accepted |
//! | `diff patch` | `exacta check --patch change.patch` | refused with the page's code |
//! | `toml policy` | `exacta policy check`, as the project's policy | refused; with `ok` accepted |
//! | `toml policy for` | nothing; it is the policy of the draft behind it | |
//! | `json results` | `exacta results check results.json` | broken, with the page's code |
//! | `json plan` | nothing; it is the `--plan` of the results behind it | |
//! | `console` | each line that starts with `$ `, at a terminal | exactly the lines behind it |
//! | `toml file PATH`, any language | nothing; the text is written to that file | |
//!
//! A `text` fence behind an example is what the program prints for it. With
//! `EXACTA_BLESS=1` outputs are written into the pages instead of compared.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::string_slice,
    clippy::indexing_slicing,
    reason = "a test may stop where it fails"
)]

mod block;
mod concepts;
mod errors;
mod example;
mod masks;
mod page;
mod project;
mod readme;
mod terminal;
mod tour;
