//! What agents' hosts call at each event: what happened is recorded, and what is remembered is put before the agent.
//!
//! A call is a process, and its host waits for it. [`serve()`] reads a few small files, opens the memory, and answers; work that
//! takes longer is named in its [`Answer`] for a process in the background. A [`Host`] translates its events by a pure function.
//! Whatever a host sends, it gets an answer.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

mod asking;
mod environment;
mod event;
mod foreign_file;
mod hosts;
pub mod json;
mod opt_out;
mod project_config;
mod routing;
mod serve;
mod session_place;
mod state;
mod text;
mod tool_use;
mod workspace_path;

pub use environment::Environment;
pub use event::{HookEvent, Payload, REQUESTED, Record, Source, Wants};
pub use hosts::{CommandEnd, HOSTS, Host, TranscriptReader};
pub use project_config::{ProjectConfig, Resolution};
pub use serve::{Answer, Call, DueWork, NEUTRAL, Services, serve};
pub use state::State;
