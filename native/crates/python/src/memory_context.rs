//! Binds what an agent is shown: Python supplies where code went, and the vectors of prompts.

use std::path::Path;
use std::sync::Mutex;

use codecairn_base::{Error, Result};
use codecairn_memory::context::{Audience, Budget, CodeLookup, Context, ContextBuilder, Form};
use codecairn_memory::{Anchor, Memory, QueryEmbedding};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::clock::zone;
use crate::enter::{enter, to_python};

/// A context as Python asks for it.
#[derive(Deserialize)]
struct Request {
    part: String,
    session: String,
    prompt: String,
    form: String,
    is_new: bool,
    total: usize,
    static_part: usize,
    trusts: bool,
    host: String,
    is_noted: bool,
}

/// The context of a request (JSON), as JSON; what it shows is noted if `is_noted`.
///
/// `elsewhere(kind, path, name)` gives the files in which code may be that is not where it was, and whether these are all;
/// `embed(prompt)` the vector of a prompt in a provider's space (JSON), or `None`.
pub(crate) fn context(
    py: Python<'_>,
    memory: &Memory,
    root: &Path,
    request: &str,
    elsewhere: Py<PyAny>,
    embed: Py<PyAny>,
) -> PyResult<String> {
    let callbacks = Callbacks { elsewhere, embed, raised: Mutex::new(None) };
    let built = enter(py, || {
        let request: Request =
            serde_json::from_str(request).map_err(|error| Error::InvalidArgument(error.to_string()))?;
        let context = build(memory, root, &request, &callbacks)?;
        for note in context.notes.iter().filter(|_| request.is_noted) {
            memory.note_injection(note)?;
        }
        serde_json::to_string(&context).map_err(|error| Error::Internal(error.to_string()))
    });
    let raised = callbacks.raised.into_inner().map_err(|_| to_python(Error::Internal("a callback panicked".into())))?;
    raised.map_or(built, Err)
}

fn build(memory: &Memory, root: &Path, request: &Request, callbacks: &Callbacks) -> Result<Context> {
    let Request { part, session, prompt, form, is_new, total, static_part, trusts, host, is_noted: _ } = request;
    let form: Form = form.parse()?;
    let audience = Audience { trusts: *trusts, host: host.clone() };
    let budget = Budget { total: *total, static_part: *static_part };
    let builder = ContextBuilder::new(memory, root, &audience, budget, form, callbacks);
    match part.as_str() {
        "static" => builder.static_part(session, *is_new),
        "volatile" => builder.volatile(session, prompt),
        "compaction" => builder.compaction(session),
        _ => Err(Error::InvalidArgument(format!("unknown part `{part}`: one of static, volatile, compaction"))),
    }
}

/// Python's functions; what one of them raises ends the work and is raised again.
struct Callbacks {
    elsewhere: Py<PyAny>,
    embed: Py<PyAny>,
    raised: Mutex<Option<PyErr>>,
}

impl Callbacks {
    fn call<T>(&self, work: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T> {
        Python::attach(work).map_err(|error| {
            *self.raised.lock().expect("invariant: not poisoned") = Some(error);
            Error::Internal("a callback failed".into())
        })
    }
}

impl CodeLookup for Callbacks {
    fn zone(&self, ms: i64) -> (i64, String) {
        zone(ms)
    }

    fn elsewhere(&self, anchor: &Anchor) -> Result<(Vec<String>, bool)> {
        self.call(|py| self.elsewhere.call1(py, (&anchor.kind, &anchor.path, &anchor.name))?.extract(py))
    }

    fn embed(&self, prompt: &str) -> Result<Option<QueryEmbedding>> {
        let found: Option<String> = self.call(|py| self.embed.call1(py, (prompt,))?.extract(py))?;
        let read =
            |text: String| serde_json::from_str(&text).map_err(|error| Error::InvalidArgument(error.to_string()));
        found.map(read).transpose()
    }
}
