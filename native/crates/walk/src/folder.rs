//! Combines the ignore rules that hold inside one folder with those above.
//!
//! Rules are kept as a chain from a folder up; a folder without any of its own shares its parent's link. For each
//! kind of ignore file the nearest folder with a matching rule decides, then the kinds decide in this order:
//! `.codecairnignore`, `.ignore`, `.gitignore`, `.git/info/exclude`. Git's own rules end at the repository they
//! belong to; whether there is a repository at all does not matter to `.gitignore`. As in git, its rules are about files
//! that it does not track.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::contained_files::{MAX_RULE_BYTES, read_bounded};
use super::git::Repository;
use super::git_index::{Tracked, TrackedFiles};
use super::skip::SkipReason;

/// Names of the files that hold ignore rules.
pub(super) const RULE_FILES: [&str; 3] = [".codecairnignore", ".ignore", ".gitignore"];

/// A file of ignore rules that is there and not read.
#[derive(Debug, Clone)]
pub(super) struct RefusedRules {
    /// Where it lies.
    pub(super) file: PathBuf,
    /// Why it is not read, as a class and in words.
    pub(super) reason: SkipReason,
    /// See `reason`.
    pub(super) detail: String,
}

/// One link of the chain.
#[derive(Debug)]
pub(super) struct FolderRules {
    parent: Option<Arc<Self>>,
    own: Gitignore,
    general: Gitignore,
    git: Gitignore,
    git_exclude: Gitignore,
    /// What git tracks, if the folder is the top of a repository.
    tracked: Option<TrackedFiles>,
    /// Whether git's rules leave out the folder, which holds files that it tracks all the same.
    is_ignored_by_git: bool,
}

/// The verdict of the ignore files on an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Left out.
    Ignored,
    /// Nothing leaves it out.
    Walked,
    /// A folder that git's rules leave out, with files that it tracks: these are walked.
    OnlyTracked,
    /// `.codecairnignore` includes it by negation, which overrides all other rules.
    Wanted,
}

impl FolderRules {
    /// The rules inside `folder`, the top of `repository` if it is one, when those inside its parent are `parent`.
    pub(super) fn load(
        folder: &Path,
        repository: Option<&Repository>,
        parent: Option<&Arc<Self>>,
        is_ignored_by_git: bool,
        reader: &mut RuleReader<'_>,
    ) -> Arc<Self> {
        let [own, general, git] = RULE_FILES.map(|name| reader.read(folder, folder.join(name), true));
        let git_exclude = repository.map_or_else(Gitignore::empty, |repository| {
            reader.read(folder, repository.common_dir.join("info").join("exclude"), false)
        });
        let is_bare = [&own, &general, &git, &git_exclude].iter().all(|rules| rules.is_empty());
        match parent {
            Some(parent) if is_bare && repository.is_none() && parent.is_ignored_by_git == is_ignored_by_git => {
                Arc::clone(parent)
            }
            _ => Arc::new(Self {
                parent: parent.cloned(),
                own,
                general,
                git,
                git_exclude,
                tracked: repository.map(TrackedFiles::of),
                is_ignored_by_git,
            }),
        }
    }

    /// What the rules say about an entry of this folder; of git's global excludes `global` come last.
    pub(super) fn judge(&self, path: &Path, is_dir: bool, global: &Gitignore) -> Verdict {
        match self.nearest(|folder| &folder.own, path, is_dir) {
            Match::Ignore(()) => return Verdict::Ignored,
            Match::Whitelist(()) => return Verdict::Wanted,
            Match::None => {}
        }
        match self.nearest(|folder| &folder.general, path, is_dir) {
            Match::Ignore(()) => return Verdict::Ignored,
            Match::Whitelist(()) => return Verdict::Walked,
            Match::None => {}
        }
        let by_git = || {
            self.nearest_in_repository(|folder| &folder.git, path, is_dir)
                .or_else(|| self.nearest_in_repository(|folder| &folder.git_exclude, path, is_dir))
                .or_else(|| global.matched(path, is_dir).map(|_| ()))
        };
        if !self.is_ignored_by_git && !by_git().is_ignore() {
            return Verdict::Walked;
        }
        match self.tracked(path) {
            Tracked::File if !is_dir => Verdict::Walked,
            Tracked::Submodule if is_dir => Verdict::Walked,
            Tracked::Folder if is_dir => Verdict::OnlyTracked,
            _ => Verdict::Ignored,
        }
    }

    /// What git tracks at a path.
    fn tracked(&self, path: &Path) -> Tracked {
        let tracked = self.chain().find_map(|folder| folder.tracked.as_ref());
        tracked.map_or(Tracked::Nothing, |tracked| tracked.find(path))
    }

    fn nearest(&self, rules: fn(&Self) -> &Gitignore, path: &Path, is_dir: bool) -> Match<()> {
        first_match(self.chain(), rules, path, is_dir)
    }

    /// Like [`nearest`](Self::nearest), but no further up than the repository that the folder belongs to.
    fn nearest_in_repository(&self, rules: fn(&Self) -> &Gitignore, path: &Path, is_dir: bool) -> Match<()> {
        let mut is_beyond = false;
        let inside =
            self.chain().take_while(move |folder| !std::mem::replace(&mut is_beyond, folder.tracked.is_some()));
        first_match(inside, rules, path, is_dir)
    }

    /// This link and those above.
    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |folder| folder.parent.as_deref())
    }
}

fn first_match<'a>(
    mut folders: impl Iterator<Item = &'a FolderRules>,
    rules: fn(&FolderRules) -> &Gitignore,
    path: &Path,
    is_dir: bool,
) -> Match<()> {
    folders
        .find_map(|folder| Some(rules(folder).matched(path, is_dir).map(|_| ())).filter(|found| !found.is_none()))
        .unwrap_or(Match::None)
}

/// Reads ignore files within bounds, and notes those that are there and not read.
pub(super) struct RuleReader<'a> {
    /// Links of ignore files are followed as long as they stay below this folder.
    pub(super) top: &'a Path,
    /// How much the rules that are still to be read for the whole workspace may cost; see [`cost`].
    pub(super) room: &'a AtomicU64,
    /// The files that are there and were not read.
    pub(super) refused: Vec<RefusedRules>,
}

impl RuleReader<'_> {
    /// The rules of one ignore file, relative to `folder`; none where there is no such file, or where it is refused.
    /// Links of what is not `of_tree`, git's own file, are followed wherever they lead.
    fn read(&mut self, folder: &Path, file: PathBuf, of_tree: bool) -> Gitignore {
        read_rules(folder, &file, of_tree.then_some(self.top), self.room).unwrap_or_else(|(reason, detail)| {
            self.refused.push(RefusedRules { file, reason, detail });
            Gitignore::empty()
        })
    }
}

/// The rules of one ignore file, relative to `folder`; none where there is no such file, or why it is not read: no
/// regular file, too large or beyond the `room`, or a link that leads out of `top`. Without a `top`, links are
/// followed.
///
/// As in git, a line that makes no sense is passed over, and bytes that are no UTF-8 spoil only their own line.
pub(super) fn read_rules(
    folder: &Path,
    file: &Path,
    top: Option<&Path>,
    room: &AtomicU64,
) -> std::result::Result<Gitignore, (SkipReason, String)> {
    let Ok(metadata) = file.symlink_metadata() else {
        return Ok(Gitignore::empty());
    };
    if metadata.is_dir() {
        return Ok(Gitignore::empty());
    }
    if let Some(top) = top.filter(|_| metadata.is_symlink()) {
        match file.canonicalize() {
            Ok(target) if target.starts_with(top) => {}
            Ok(target) => return Err((SkipReason::OutsideWorkspace, format!("a link to {}", target.display()))),
            Err(error) => return Err((SkipReason::BrokenSymlink, error.to_string().to_lowercase())),
        }
    }
    let bytes = read_bounded(file, MAX_RULE_BYTES).map_err(|error| {
        let reason = match error.kind() {
            ErrorKind::FileTooLarge => SkipReason::TooLarge,
            ErrorKind::InvalidInput => SkipReason::Special,
            _ => SkipReason::Unreadable,
        };
        (reason, error.to_string().to_lowercase())
    })?;
    let too_large = |detail: String| (SkipReason::TooLarge, detail);
    let cost = bytes.split(|&byte| byte == b'\n').map(cost).sum();
    room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(cost))
        .map_err(|_| too_large("all rules together are too long, or have too many wildcards".to_owned()))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        // A refused line adds nothing.
        let _ = builder.add_line(None, line);
    }
    builder.build().map_err(|_| too_large("their automaton is too large".to_owned()))
}

/// Charges a line of rules for the time that its automaton takes to build, which each wildcard multiplies.
fn cost(line: &[u8]) -> u64 {
    let wildcards = line.iter().filter(|&byte| matches!(byte, b'*' | b'?' | b'[')).count();
    (line.len() + 1) as u64 * wildcards.max(1) as u64
}

/// `Match::or` evaluates its argument; rules further down the order are costly to ask.
trait OrElse {
    fn or_else(self, other: impl FnOnce() -> Self) -> Self;
}

impl OrElse for Match<()> {
    fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        if self.is_none() { other() } else { self }
    }
}
