//! Notes the project of each session, for its events after its folder is gone.

use codecairn_base::{Error, Result};
use codecairn_memory::ProjectName;
use serde::{Deserialize, Serialize};

use super::project_config::ProjectConfig;
use super::state::{State, name_of};

const SUB: &str = "session-places";

/// A session's project with its settings, and by which it is recognised in the memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionPlace {
    pub(crate) place: ProjectConfig,
    pub(crate) project: ProjectName,
}

/// Notes the place of a session, unless it is noted already.
pub(crate) fn note(state: &State, agent: &str, session: &str, place: &SessionPlace) -> Result<()> {
    if session.is_empty() {
        return Ok(());
    }
    let name = name_of(&[agent, session]);
    let text = serde_json::to_string(place).map_err(|error| Error::Internal(error.to_string()))?;
    if state.read(SUB, &name).as_ref() == Some(&text) {
        return Ok(());
    }
    state.write(SUB, &name, &text).map_err(|error| Error::io(state.folder().join(SUB), error))
}

/// The place of a session when its folder was last there.
pub(crate) fn find(state: &State, agent: &str, session: &str) -> Option<SessionPlace> {
    let text = (!session.is_empty()).then(|| state.read(SUB, &name_of(&[agent, session]))).flatten()?;
    serde_json::from_str(&text).ok()
}
