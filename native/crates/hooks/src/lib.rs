//! What agents' hosts call at each event: what happened is recorded, and what is remembered is put before the agent.
//!
//! A [`Host`] translates its events by a pure function. Whatever a host sends, it gets an answer.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

mod environment;
mod event;
mod foreign_file;
mod hosts;
pub mod json;
mod state;
mod text;
mod tool_use;

pub use environment::Environment;
pub use event::{HookEvent, Payload, REQUESTED, Record, Source, Wants};
pub use hosts::{CommandEnd, HOSTS, Host, TranscriptReader};
pub use state::State;
