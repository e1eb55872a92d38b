//! The exacta command.

fn main() {}
