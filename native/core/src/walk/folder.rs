//! The ignore rules that hold inside one folder, and how they combine with those above.
//!
//! Rules are kept as a chain from a folder up; a folder without any of its own shares its parent's link. For each
//! kind of ignore file the nearest folder with a matching rule decides, then the kinds decide in this order:
//! `.codecairnignore`, `.ignore`, `.gitignore`, `.git/info/exclude`. Git's own rules end at the repository they
//! belong to; whether there is a repository at all does not matter to `.gitignore`.

use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::git::Repository;

/// Names of the files that hold ignore rules.
pub(super) const RULE_FILES: [&str; 3] = [".codecairnignore", ".ignore", ".gitignore"];

/// One link of the chain.
#[derive(Debug)]
pub(super) struct FolderRules {
    parent: Option<Arc<Self>>,
    own: Gitignore,
    general: Gitignore,
    git: Gitignore,
    git_exclude: Gitignore,
    is_repository: bool,
}

/// What the ignore files say about an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Left out.
    Ignored,
    /// Nothing leaves it out.
    Walked,
    /// `.codecairnignore` asks for it by negation, whatever other rules say.
    Wanted,
}

impl FolderRules {
    /// The rules inside `folder`, the top of `repository` if it is one, when those inside its parent are `parent`.
    pub(super) fn load(folder: &Path, repository: Option<&Repository>, parent: Option<&Arc<Self>>) -> Arc<Self> {
        let [own, general, git] = RULE_FILES.map(|name| read_rules(folder, &folder.join(name)));
        let git_exclude = repository.map_or_else(Gitignore::empty, |repository| {
            read_rules(folder, &repository.common_dir.join("info").join("exclude"))
        });
        let is_bare = [&own, &general, &git, &git_exclude].iter().all(|rules| rules.is_empty());
        match parent {
            Some(parent) if is_bare && repository.is_none() => Arc::clone(parent),
            _ => Arc::new(Self {
                parent: parent.cloned(),
                own,
                general,
                git,
                git_exclude,
                is_repository: repository.is_some(),
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
        let matched = self
            .nearest(|folder| &folder.general, path, is_dir)
            .or_else(|| self.nearest_in_repository(|folder| &folder.git, path, is_dir))
            .or_else(|| self.nearest_in_repository(|folder| &folder.git_exclude, path, is_dir))
            .or_else(|| global.matched(path, is_dir).map(|_| ()));
        if matched.is_ignore() { Verdict::Ignored } else { Verdict::Walked }
    }

    fn nearest(&self, rules: fn(&Self) -> &Gitignore, path: &Path, is_dir: bool) -> Match<()> {
        first_match(self.chain(), rules, path, is_dir)
    }

    /// Like [`nearest`](Self::nearest), but no further up than the repository that the folder belongs to.
    fn nearest_in_repository(&self, rules: fn(&Self) -> &Gitignore, path: &Path, is_dir: bool) -> Match<()> {
        let mut is_beyond = false;
        let inside = self.chain().take_while(move |folder| !std::mem::replace(&mut is_beyond, folder.is_repository));
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

/// The rules of one ignore file, relative to `folder`; none if it can't be read. As in git, a line that makes no
/// sense is passed over, and bytes that are no UTF-8 spoil only their own line.
pub(super) fn read_rules(folder: &Path, file: &Path) -> Gitignore {
    let Ok(bytes) = std::fs::read(file) else {
        return Gitignore::empty();
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        // A refused line adds nothing.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
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
