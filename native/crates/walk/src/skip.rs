//! Defines why an entry is left out.

use std::fmt;

/// Why an entry of the tree is not indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum SkipReason {
    /// An ignore file or a glob of the user's leaves it out. Counted, not listed.
    Ignored = 0,
    /// Book-keeping of a version control system, bare repositories included, or of codecairn. Neither counted nor listed.
    Internal = 1,
    /// It holds credentials by name or content.
    Secret = 2,
    /// It is no text.
    Binary = 3,
    /// A program wrote it for another program: lock files, source maps.
    Generated = 4,
    /// Code squeezed for transport: its readable form is elsewhere.
    Minified = 5,
    /// It has [`MAX_FILE_BYTES`](super::MAX_FILE_BYTES) or more.
    TooLarge = 6,
    /// A link to something inside the workspace, which is indexed under its own name.
    Symlink = 7,
    /// A link that leads out of the workspace.
    OutsideWorkspace = 8,
    /// A link that leads nowhere.
    BrokenSymlink = 9,
    /// The store of another workspace.
    NestedStore = 10,
    /// A linked worktree of a repository: other branches' copies of the same files.
    NestedWorktree = 11,
    /// It can't be opened or listed.
    Unreadable = 12,
    /// It was there when the folder was listed and gone when it was read.
    Vanished = 13,
    /// Its name is not valid Unicode, so that no query could name it.
    UnreadableName = 14,
    /// A pipe, socket or device.
    Special = 15,
}

impl SkipReason {
    /// All reasons, in the order of their numbers.
    pub const ALL: [Self; 16] = [
        Self::Ignored,
        Self::Internal,
        Self::Secret,
        Self::Binary,
        Self::Generated,
        Self::Minified,
        Self::TooLarge,
        Self::Symlink,
        Self::OutsideWorkspace,
        Self::BrokenSymlink,
        Self::NestedStore,
        Self::NestedWorktree,
        Self::Unreadable,
        Self::Vanished,
        Self::UnreadableName,
        Self::Special,
    ];

    /// The reason's name, as stored and as filtered by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ignored => "ignored",
            Self::Internal => "internal",
            Self::Secret => "secret",
            Self::Binary => "binary",
            Self::Generated => "generated",
            Self::Minified => "minified",
            Self::TooLarge => "too-large",
            Self::Symlink => "symlink",
            Self::OutsideWorkspace => "outside-workspace",
            Self::BrokenSymlink => "broken-symlink",
            Self::NestedStore => "nested-store",
            Self::NestedWorktree => "nested-worktree",
            Self::Unreadable => "unreadable",
            Self::Vanished => "vanished",
            Self::UnreadableName => "unreadable-name",
            Self::Special => "special",
        }
    }

    /// Whether the file's content alone decides it, so that the file need not be read again until it changes.
    pub fn is_of_content(self) -> bool {
        matches!(self, Self::Secret | Self::Binary | Self::Generated | Self::Minified)
    }

    /// The reason stored under a number, if there is one.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// An entry that is left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skip {
    /// Relative to the root, with `/`. Of a name that is not valid Unicode, an approximation.
    pub path: String,
    /// Why, as a class.
    pub reason: SkipReason,
    /// Why, in words: which rule, which format, which error. Lower case, no stop.
    pub detail: String,
}

impl Skip {
    /// A skip in full.
    pub fn new(path: impl Into<String>, reason: SkipReason, detail: impl Into<String>) -> Self {
        Self { path: path.into(), reason, detail: detail.into() }
    }

    /// A skip for an entry that the system would not give.
    pub(super) fn io(path: impl Into<String>, error: &std::io::Error) -> Self {
        let reason = match error.kind() {
            std::io::ErrorKind::NotFound => SkipReason::Vanished,
            _ => SkipReason::Unreadable,
        };
        Self::new(path, reason, error.to_string().to_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back_and_names_differ() {
        for (number, reason) in SkipReason::ALL.into_iter().enumerate() {
            assert_eq!(SkipReason::from_number(number as u8), Some(reason));
            assert_eq!(SkipReason::ALL.iter().filter(|other| other.name() == reason.name()).count(), 1);
        }
        assert_eq!(SkipReason::from_number(16), None);
    }

    #[test]
    fn a_missing_file_vanished_and_a_forbidden_one_is_unreadable() {
        let reason = |kind: std::io::ErrorKind| Skip::io("a", &kind.into()).reason;
        assert_eq!(reason(std::io::ErrorKind::NotFound), SkipReason::Vanished);
        assert_eq!(reason(std::io::ErrorKind::PermissionDenied), SkipReason::Unreadable);
    }
}
