//! The primitives against servers on this machine.

mod api;
mod corpora;
mod gate;
mod mail;
mod pages;
mod servers;
mod world;
