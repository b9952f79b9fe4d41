//! Looks at the code that facts are about: what became of it is shown with a fact, or in a notice about one that was
//! shown before.

use codecairn_base::error::Result;
use codecairn_walk::stat_file;

use super::CodeLookup;
use crate::anchor::{Anchor, AnchorState, AnchorStatus};
use crate::memory::Memory;

/// At most so many symbols are named in a mark.
const MAX_SYMBOLS: usize = 2;
/// At most so many changed lines are shown with an item.
const MAX_LINES: usize = 8;
/// A file changed so shortly before a look may have been read in between.
const RACY_NS: i64 = 2_000_000_000;

/// What became of the code of a fact since it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodeChange {
    /// In words: `net.py::retry changed since noted`.
    pub(super) mark: String,
    /// The first changed lines, marked `-` and `+`; none of code that is gone or not checked.
    pub(super) lines: Vec<String>,
    /// Whether the code is known to have changed, or to be gone.
    pub(super) is_certain: bool,
}

/// Finds out what became of the code of facts.
pub(super) struct CodeChanges<'a> {
    memory: &'a Memory,
    root: &'a std::path::Path,
    lookup: &'a dyn CodeLookup,
    /// Whether changed lines are shown: they are the repository's words, which reach agents unasked only where the user
    /// trusts the workspace.
    shows_code: bool,
}

impl<'a> CodeChanges<'a> {
    pub(super) fn new(
        memory: &'a Memory,
        root: &'a std::path::Path,
        lookup: &'a dyn CodeLookup,
        shows_code: bool,
    ) -> Self {
        Self { memory, root, lookup, shows_code }
    }

    /// What became of the code of a fact; `None` if it is as it was, or the fact is about none.
    pub(super) fn of(&self, id: &str) -> Result<Option<CodeChange>> {
        self.of_anchors(&self.anchors(id)?)
    }

    /// The same for a fact whose code was looked at before, at `looked_ms`: files that were not touched since are not read
    /// again.
    pub(super) fn since(&self, id: &str, looked_ms: i64) -> Result<Option<CodeChange>> {
        let mut anchors = self.anchors(id)?;
        anchors.retain(|anchor| self.is_touched_since(&anchor.path, looked_ms));
        self.of_anchors(&anchors)
    }

    fn anchors(&self, id: &str) -> Result<Vec<Anchor>> {
        // The paths of a project around a submodule begin at another folder.
        if self.memory.is_of_parent(id)? {
            return Ok(Vec::new());
        }
        Ok(self.memory.anchors(&[id.to_owned()])?.pop().unwrap_or_default())
    }

    /// Whether a file may have other content than it had at a time. The system sets the time of the last change, which
    /// tools that restore the time of modification can't.
    fn is_touched_since(&self, path: &str, ms: i64) -> bool {
        stat_file(self.root, path).is_none_or(|stat| {
            stat.ctime_ns == 0 || stat.mtime_ns.max(stat.ctime_ns) >= ms.saturating_mul(1_000_000) - RACY_NS
        })
    }

    fn of_anchors(&self, anchors: &[Anchor]) -> Result<Option<CodeChange>> {
        let looked: Vec<AnchorStatus> = anchors.iter().map(|anchor| self.look(anchor)).collect::<Result<_>>()?;
        let marks: Vec<String> = looked.iter().filter_map(mark_of).take(MAX_SYMBOLS).collect();
        if marks.is_empty() {
            return Ok(None);
        }
        let mut lines: Vec<String> = looked.iter().flat_map(|status| self.lines_of(status)).collect();
        lines.truncate(MAX_LINES);
        let is_certain = looked.iter().any(|each| matches!(each.state, AnchorState::Changed | AnchorState::Orphan));
        Ok(Some(CodeChange { mark: marks.join(", "), lines, is_certain }))
    }

    fn look(&self, anchor: &Anchor) -> Result<AnchorStatus> {
        let here = self.memory.anchor_status(self.root, anchor, &[]);
        if here.state != AnchorState::Orphan || anchor.kind == crate::anchor::LINE {
            return Ok(here);
        }
        let (elsewhere, is_complete) = self.lookup.elsewhere(anchor)?;
        let there = self.memory.anchor_status(self.root, anchor, &elsewhere);
        if is_complete || there.state == AnchorState::Moved {
            return Ok(there);
        }
        Ok(AnchorStatus { state: AnchorState::Unchecked, ..here })
    }

    /// The changed lines of a symbol; without a diff, or where code is not to be shown, which part of it changed.
    fn lines_of(&self, status: &AnchorStatus) -> Vec<String> {
        if status.state != AnchorState::Changed {
            return Vec::new();
        }
        if self.shows_code && !status.diff.is_empty() {
            return status.diff.clone();
        }
        let part = if status.is_signature_changed { "signature" } else { "body" };
        vec![format!("{}: its {part} changed", status.place)]
    }
}

/// What became of a place, in words; `None` if it is as it was.
fn mark_of(status: &AnchorStatus) -> Option<String> {
    let became = match status.state {
        AnchorState::Fresh | AnchorState::Moved => return None,
        AnchorState::Changed => "changed since noted",
        AnchorState::Orphan => "is gone",
        AnchorState::Unchecked => "not checked",
    };
    Some(format!("{} {became}", status.place))
}
