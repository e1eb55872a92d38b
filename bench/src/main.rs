//! Ours and the peers, side by side.

fn main() {}
