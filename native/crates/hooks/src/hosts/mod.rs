//! Translates the events of each host, and writes the answers that it reads: one row of [`HOSTS`] for each.

mod opencode;

use serde_json::Value;

use super::event::{HookEvent, Payload};

/// A host whose events are understood.
#[derive(Debug)]
pub struct Host {
    /// Its name on the command line.
    pub name: &'static str,
    translate: fn(&str, &Payload) -> Option<HookEvent>,
    reply: fn(&str, &str) -> Value,
}

/// All hosts.
pub const HOSTS: [Host; 1] = [Host { name: "opencode", translate: opencode::translate, reply: opencode::reply }];

impl Host {
    /// The host with a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        HOSTS.iter().find(|host| host.name == name)
    }

    /// Translates an event; `None` if it is of no interest.
    pub fn translate(&self, event: &str, payload: &Payload) -> Option<HookEvent> {
        (self.translate)(event, payload)
    }

    /// The answer that injects a context, or has a turn go on with it; an empty one does nothing.
    pub fn reply(&self, event: &str, context: &str) -> Value {
        (self.reply)(event, context)
    }
}

#[cfg(test)]
mod tests;
