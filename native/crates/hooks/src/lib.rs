//! What agents' hosts call at each event: what happened is recorded, and what is remembered is put before the agent.
//!
//! A host writes JSON that must be read whatever it holds.

pub mod json;
