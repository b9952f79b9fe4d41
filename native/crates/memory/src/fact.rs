//! Defines facts, as a caller gives them and as they are stored, and cleans them in between.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use codecairn_base::error::{Error, Result};
use codecairn_base::hash::ContentHash;

use super::anchor::Anchor;
use super::options::MemoryOptions;
use super::privacy;
use super::words::{FactType, Origin, Scope, State};

/// A fact longer than this is a document: it belongs into a file that the fact names.
const MAX_FACT_BYTES: usize = 64 << 10;

/// A statement to store, in its author's words.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewFact {
    /// The statement.
    pub text: String,
    /// Its type.
    #[serde(rename = "type")]
    pub fact_type: FactType,
    /// Its scope; the project if absent: that something holds in all projects is never inferred.
    #[serde(default)]
    pub scope: Option<Scope>,
    /// A few words; the statement's beginning if empty.
    #[serde(default)]
    pub title: String,
    /// Its subject, if that has one value at a time: a newer fact of the same subject and predicate ends
    /// the older one.
    #[serde(default)]
    pub subject: String,
    /// See `subject`.
    #[serde(default)]
    pub predicate: String,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// See the module `privacy`.
    #[serde(default)]
    pub privacy_tags: Vec<String>,
    /// Its origin.
    pub origin: Origin,
    /// How it was made: `add`, `rule`, `model`, `import`, `init`.
    pub maker: String,
    /// How sure its maker is, from 0 to 1.
    pub confidence: f32,
    /// Never ended or condensed except by a user.
    #[serde(default)]
    pub is_pinned: bool,
    /// The host's id of the session it belongs to.
    #[serde(default)]
    pub session: Option<String>,
    /// The git branch and commit that were checked out.
    #[serde(default)]
    pub branch: String,
    /// See `branch`.
    #[serde(default)]
    pub commit: String,
    /// Since when it holds, in milliseconds since the epoch; now if absent.
    #[serde(default)]
    pub valid_from_ms: Option<i64>,
    /// When it stops being shown.
    #[serde(default)]
    pub expires_ms: Option<i64>,
    /// The events it rests on.
    #[serde(default)]
    pub sources: Vec<i64>,
    /// The code it speaks of.
    #[serde(default)]
    pub anchors: Vec<Anchor>,
    /// Facts that it ends, by id; a user's statement ends pinned ones, too.
    #[serde(default)]
    pub supersedes: Vec<String>,
    /// Anything else, by name.
    #[serde(default)]
    pub meta: BTreeMap<String, String>,
    /// For what is made of other records: [`Memory::removals`](super::Memory::removals) before they were read. It is not
    /// stored if something was removed since.
    #[serde(default)]
    pub removals: Option<u64>,
}

impl NewFact {
    /// A fact with explicit text.
    pub(crate) fn told(text: impl Into<String>, fact_type: FactType, origin: Origin) -> Self {
        Self {
            text: text.into(),
            fact_type,
            scope: None,
            title: String::new(),
            subject: String::new(),
            predicate: String::new(),
            tags: Vec::new(),
            privacy_tags: Vec::new(),
            origin,
            maker: "add".to_owned(),
            confidence: 1.0,
            is_pinned: false,
            session: None,
            branch: String::new(),
            commit: String::new(),
            valid_from_ms: None,
            expires_ms: None,
            sources: Vec::new(),
            anchors: Vec::new(),
            supersedes: Vec::new(),
            meta: BTreeMap::new(),
            removals: None,
        }
    }
}

/// The changes to a fact; `None` leaves a part as it is.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FactChange {
    /// The statement.
    pub text: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub fact_type: Option<FactType>,
    /// A few words.
    pub title: Option<String>,
    /// Words to find it by.
    pub tags: Option<Vec<String>>,
    /// Never ended or condensed except by a user.
    pub is_pinned: Option<bool>,
    /// Why.
    pub reason: String,
    /// Who changes it; a person if absent.
    pub origin: Option<Origin>,
}

/// One version of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// Its id, the same for all versions.
    pub id: String,
    /// Counted from 1.
    pub version: u32,
    /// The project's name.
    pub project: String,
    /// Its scope.
    pub scope: Scope,
    /// Its type.
    #[serde(rename = "type")]
    pub fact_type: FactType,
    /// A few words.
    pub title: String,
    /// The statement.
    pub text: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Its subject.
    pub subject: String,
    /// See `subject`.
    pub predicate: String,
    /// Its origin.
    pub origin: Origin,
    /// How it was made.
    pub maker: String,
    /// How sure its maker was.
    pub confidence: f32,
    /// Never ended or condensed except by a user.
    pub is_pinned: bool,
    /// Returned only to callers that ask for private records.
    pub is_private: bool,
    /// The state of this version.
    pub state: State,
    /// The git branch that was checked out.
    pub branch: String,
    /// The commit that was checked out.
    pub commit: String,
    /// Since when it holds, in milliseconds since the epoch.
    pub valid_from_ms: i64,
    /// The end of its validity.
    pub invalid_at_ms: Option<i64>,
    /// The fact that ended it.
    pub superseded_by: Option<String>,
    /// When this version was written.
    pub recorded_ms: i64,
    /// When the next version took its place, or it was forgotten.
    pub retracted_ms: Option<i64>,
    /// When it stops being shown.
    pub expires_ms: Option<i64>,
    /// Why this version was made, or why it ended.
    pub reason: String,
    /// The events it rests on.
    pub sources: Vec<i64>,
    /// Anything else, by name.
    pub meta: BTreeMap<String, String>,
}

/// A fact that may be written. The form in which it is spooled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CleanFact {
    pub(super) fact: Fact,
    pub(super) session: Option<String>,
    #[serde(default)]
    pub(super) anchors: Vec<Anchor>,
    #[serde(default)]
    pub(super) supersedes: Vec<String>,
    /// See [`NewFact::removals`].
    #[serde(default)]
    pub(super) removals: Option<u64>,
}

/// Cleans a fact and gives it its id.
pub(super) fn prepare(mut new: NewFact, options: &MemoryOptions, now_ns: i64) -> Result<CleanFact> {
    if new.text.len() > MAX_FACT_BYTES {
        let message = format!("a fact has at most {MAX_FACT_BYTES} bytes, this one {}", new.text.len());
        return Err(Error::InvalidArgument(message));
    }
    let verdict = privacy::verdict(&new.privacy_tags);
    if verdict.is_blocked {
        return Err(Error::InvalidArgument("its privacy tags forbid keeping it".to_owned()));
    }
    let (mut names, mut values): (Vec<String>, Vec<String>) = std::mem::take(&mut new.meta).into_iter().unzip();
    let mut texts = vec![&mut new.title, &mut new.text, &mut new.subject, &mut new.predicate, &mut new.branch];
    texts.extend(new.tags.iter_mut());
    texts.extend(names.iter_mut());
    texts.extend(values.iter_mut());
    texts.extend([&mut new.commit, &mut new.maker]);
    texts.extend(new.session.as_mut());
    texts.extend(new.supersedes.iter_mut());
    for Anchor { path, name, kind, body_hash, signature_hash, body } in &mut new.anchors {
        texts.extend([path, name, kind, body_hash, signature_hash, body]);
    }
    privacy::clean(&mut texts, options.unclosed, verdict.is_strict);
    let text = new.text.trim().to_owned();
    if privacy::is_nothing(&text) {
        return Err(Error::InvalidArgument("nothing is left to remember: the text is empty or private".to_owned()));
    }
    let now_ms = now_ns / 1_000_000;
    let fact = Fact {
        id: new_id(&text, now_ns),
        version: 1,
        project: String::new(),
        scope: new.scope.unwrap_or(Scope::Project),
        fact_type: new.fact_type,
        title: if new.title.trim().is_empty() { title_of(&text) } else { new.title.trim().to_owned() },
        text,
        tags: new.tags,
        subject: new.subject.trim().to_lowercase(),
        predicate: new.predicate.trim().to_lowercase(),
        origin: new.origin,
        maker: new.maker,
        confidence: new.confidence.clamp(0.0, 1.0),
        is_pinned: new.is_pinned,
        is_private: verdict.is_private,
        state: State::Live,
        branch: new.branch,
        commit: new.commit,
        valid_from_ms: new.valid_from_ms.unwrap_or(now_ms),
        invalid_at_ms: None,
        superseded_by: None,
        recorded_ms: now_ms,
        retracted_ms: None,
        expires_ms: new.expires_ms,
        reason: String::new(),
        sources: new.sources,
        meta: names.into_iter().zip(values).collect(),
    };
    Ok(CleanFact {
        fact,
        session: new.session,
        anchors: new.anchors,
        supersedes: new.supersedes,
        removals: new.removals,
    })
}

/// The first line, shortened at a word's end.
pub(super) fn title_of(text: &str) -> String {
    const TITLE_BYTES: usize = 80;
    let line = text.lines().next().unwrap_or_default().trim();
    if line.len() <= TITLE_BYTES {
        return line.to_owned();
    }
    let cut = &line[..line.floor_char_boundary(TITLE_BYTES)];
    format!("{}…", cut.rsplit_once(' ').map_or(cut, |found| found.0))
}

/// Ten hexadecimal digits after an `f`: short enough to type, and drawn from enough that two never meet in practice.
fn new_id(text: &str, now_ns: i64) -> String {
    static COUNTER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let count = COUNTER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let seed = [&now_ns.to_le_bytes()[..], &std::process::id().to_le_bytes(), &count.to_le_bytes()].concat();
    let hash = ContentHash::of_parts(&[text.as_bytes(), &seed]).to_string();
    format!("f{}", &hash[..10])
}
