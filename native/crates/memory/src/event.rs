//! Defines events, as a host reports them and as they are stored, and cleans them in between.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use codecairn_base::error::{Error, Result};
use codecairn_base::hash::ContentHash;

use super::classify::category;
use super::options::MemoryOptions;
use super::privacy::{self, Verdict};
use super::words::{Category, Origin, Role};

/// A title longer than this is cut.
const MAX_TITLE_BYTES: usize = 300;

/// An event as a host reports it. Its texts are cleaned by privacy before they are stored anywhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewEvent {
    /// The host's id of the session.
    pub session: String,
    /// The host's id of the session that started this one.
    pub parent_session: Option<String>,
    /// The host's id of the event, so that one delivered twice is stored once; derived from the content if absent.
    pub key: Option<String>,
    /// Which agent reports.
    pub host: String,
    /// The model that the agent runs on.
    pub model: String,
    /// Which of the host's hooks fired.
    pub hook: String,
    /// The role of the speaker; inferred if absent.
    pub role: Option<Role>,
    /// Its category; inferred if absent.
    pub category: Option<Category>,
    /// The origin of the content; by the role if absent.
    pub origin: Option<Origin>,
    /// A few words.
    pub title: String,
    /// The prompt, the answer, or the tool's output.
    pub body: String,
    /// The tool's name.
    pub tool: String,
    /// The tool's input: a command line, a pattern.
    pub command: String,
    /// The file concerned, relative to the root with `/`.
    pub path: String,
    /// How a command ended.
    pub exit_code: Option<i32>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The caller's privacy tags, see the module `privacy`.
    pub privacy_tags: Vec<String>,
    /// When it happened, in milliseconds since the epoch; now if absent.
    pub ts_ms: Option<i64>,
    /// The git branch and commit that were checked out.
    pub branch: String,
    /// See `branch`.
    pub commit: String,
    /// Whether it happened on the current checkout, which is looked up unless `branch` or `commit` is given.
    pub is_here: bool,
    /// Anything else, by name.
    pub meta: BTreeMap<String, String>,
    /// For what is made of other records: [`Memory::removals`](super::Memory::removals) before they were read. It is not
    /// stored if something was removed since.
    pub removals: Option<u64>,
}

/// An event in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its number in the log; `E<seq>` is its id.
    pub seq: i64,
    /// See [`NewEvent::key`].
    pub key: String,
    /// The project's name.
    pub project: String,
    /// The host's id of the session.
    pub session: String,
    /// When it happened, in milliseconds since the epoch.
    pub ts_ms: i64,
    /// See [`NewEvent::hook`].
    pub hook: String,
    /// Its category.
    pub category: Category,
    /// How much it matters: 0 most, 4 least.
    pub priority: u8,
    /// Who speaks.
    pub role: Role,
    /// A few words.
    pub title: String,
    /// The text, cleaned and made short.
    pub body: String,
    /// See [`NewEvent::tool`].
    pub tool: String,
    /// See [`NewEvent::command`].
    pub command: String,
    /// See [`NewEvent::path`].
    pub path: String,
    /// How a command ended.
    pub exit_code: Option<i32>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The git branch that was checked out.
    pub branch: String,
    /// The commit that was checked out.
    pub commit: String,
    /// Returned only to callers that ask for private records.
    pub is_private: bool,
    /// The origin of the content.
    pub origin: Origin,
    /// Bytes of the text before it was made short.
    pub raw_bytes: u64,
    /// How many stretches privacy took out.
    pub redactions: u32,
    /// Anything else, by name.
    pub meta: BTreeMap<String, String>,
}

impl Event {
    /// Its id.
    pub fn id(&self) -> String {
        format!("E{}", self.seq)
    }

    /// Whether it says nothing: all of it is hidden, and it names no file.
    pub(crate) fn is_blank(&self) -> bool {
        [&self.title, &self.body, &self.command, &self.path].iter().all(|text| text.is_empty())
    }
}

/// An event that may be written: cleaned, classified and short. The form in which it is spooled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CleanEvent {
    pub(super) session: String,
    pub(super) parent_session: Option<String>,
    pub(super) host: String,
    pub(super) model: String,
    /// The stored form; `seq` and `project` are not set yet.
    pub(super) event: Event,
    /// See [`NewEvent::removals`].
    #[serde(default)]
    pub(super) removals: Option<u64>,
}

/// Cleans, classifies and compacts an event. `None` if it must not be stored.
pub(super) fn prepare(mut new: NewEvent, options: &MemoryOptions, now_ms: i64) -> Result<Option<CleanEvent>> {
    if new.session.trim().is_empty() {
        return Err(Error::InvalidArgument("an event needs the id of its session".to_owned()));
    }
    let Verdict { is_blocked, is_private, is_strict } = privacy::verdict(&new.privacy_tags);
    if is_blocked {
        return Ok(None);
    }
    let raw_bytes = new.body.len() as u64;
    let had_text = !(new.title.is_empty() && new.body.is_empty() && new.command.is_empty());
    // In the order in which they would be read.
    let (mut names, mut values): (Vec<String>, Vec<String>) = std::mem::take(&mut new.meta).into_iter().unzip();
    let mut texts = vec![&mut new.title, &mut new.command, &mut new.path, &mut new.body];
    texts.extend(new.tags.iter_mut());
    texts.extend(names.iter_mut());
    texts.extend(values.iter_mut());
    texts.extend([
        &mut new.tool,
        &mut new.hook,
        &mut new.branch,
        &mut new.host,
        &mut new.model,
        &mut new.session,
        &mut new.commit,
    ]);
    texts.extend([new.key.as_mut(), new.parent_session.as_mut()].into_iter().flatten());
    let removed = privacy::clean(&mut texts, options.unclosed, is_strict);
    let is_emptied = had_text && [&new.title, &new.body, &new.command].iter().all(|text| privacy::is_nothing(text));
    if is_emptied {
        return Ok(None);
    }
    let role = new.role.unwrap_or(if new.tool.is_empty() { Role::User } else { Role::Tool });
    let category = new.category.unwrap_or_else(|| category(&new, role));
    if role == Role::Tool
        && let Some(short) = privacy::compact(&new.body, options.compact_bytes)
    {
        new.body = short;
    }
    new.title.truncate(new.title.floor_char_boundary(MAX_TITLE_BYTES));
    let ts_ms = new.ts_ms.unwrap_or(now_ms);
    let key = new.key.take().filter(|key| !key.is_empty()).unwrap_or_else(|| content_key(&new, role, ts_ms));
    // The role limits the origin: a tool's output is never a user's statement, whatever its host claims.
    let natural = match role {
        Role::User => Origin::User,
        Role::Assistant => Origin::Agent,
        Role::Tool if category == Category::IntegrationCall => Origin::External,
        Role::Tool | Role::System => Origin::Tool,
    };
    let origin = new.origin.map_or(natural, |given| given.min(natural));
    let event = Event {
        seq: 0,
        key,
        project: String::new(),
        session: new.session.clone(),
        ts_ms,
        hook: new.hook,
        category,
        priority: category.priority(),
        role,
        title: new.title,
        body: new.body,
        tool: new.tool,
        command: new.command,
        path: new.path,
        exit_code: new.exit_code,
        tags: new.tags,
        branch: new.branch,
        commit: new.commit,
        is_private,
        origin,
        raw_bytes,
        redactions: (removed.private + removed.secrets) as u32,
        meta: names.into_iter().zip(values).collect(),
    };
    let NewEvent { session, parent_session, host, model, removals, .. } = new;
    Ok(Some(CleanEvent { session, parent_session, host, model, event, removals }))
}

/// The key of an event that its host gave none: two of equal content at the same millisecond are one.
fn content_key(new: &NewEvent, role: Role, ts_ms: i64) -> String {
    let hash = ContentHash::of_parts(&[
        new.session.as_bytes(),
        new.hook.as_bytes(),
        role.name().as_bytes(),
        &ts_ms.to_le_bytes(),
        new.title.as_bytes(),
        new.tool.as_bytes(),
        new.command.as_bytes(),
        new.path.as_bytes(),
        new.body.as_bytes(),
    ]);
    format!("c:{hash}")
}
