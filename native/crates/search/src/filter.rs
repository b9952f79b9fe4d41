//! Applies conditions on hits. Every retriever does so before it cuts its list, so that no match is lost by a cut.

use std::collections::BTreeSet;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use codecairn_base::bitmap::Bitmap;
use codecairn_base::error::{Error, Result};
use codecairn_index::view::{ChunkIndex, View};
use codecairn_syntax::kind::Kind;

/// Conditions on hits: a hit must match an entry of each list that is not empty.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    /// Kinds of chunk.
    pub kinds: Vec<Kind>,
    /// Language ids.
    pub languages: Vec<String>,
    /// Folders, relative to the root.
    pub directories: Vec<String>,
    /// Patterns in the syntax of gitignore.
    pub globs: Vec<String>,
    /// Patterns in the syntax of gitignore; what matches one is left out.
    pub exclude: Vec<String>,
    /// Exact paths; `None` for any.
    pub paths: Option<BTreeSet<String>>,
}

impl Filters {
    /// Whether every chunk passes.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
            && self.languages.is_empty()
            && self.directories.is_empty()
            && self.globs.is_empty()
            && self.exclude.is_empty()
            && self.paths.is_none()
    }

    /// The chunks that pass, by number; `None` if all do.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a pattern that can't be read.
    pub(crate) fn apply(&self, view: &View) -> Result<Option<Bitmap>> {
        if self.is_empty() {
            return Ok(None);
        }
        let (globs, exclude) = (compiled(&self.globs)?, compiled(&self.exclude)?);
        let matches = |globs: &Gitignore, path: &str| globs.matched_path_or_any_parents(path, false).is_ignore();
        let kinds = self.kinds.iter().fold(0u16, |kinds, &kind| kinds | 1 << kind as u8);
        let directories: Vec<String> = self.directories.iter().map(|folder| normalised(folder)).collect();
        let mut allowed = Bitmap::new(view.chunk_count());
        for file in view.files() {
            let passes = (self.languages.is_empty() || self.languages.iter().any(|id| id == file.language.id))
                && (directories.is_empty() || directories.iter().any(|folder| lies_in(file.path, folder)))
                && globs.as_ref().is_none_or(|globs| matches(globs, file.path))
                && !exclude.as_ref().is_some_and(|exclude| matches(exclude, file.path))
                && self.paths.as_ref().is_none_or(|paths| paths.contains(file.path));
            if passes {
                for chunk in file.first_chunk..file.first_chunk + file.chunk_count {
                    if self.kinds.is_empty() || view.chunk(ChunkIndex(chunk)).kinds & kinds > 0 {
                        allowed.set(chunk as usize);
                    }
                }
            }
        }
        Ok(Some(allowed))
    }
}

/// A matcher of patterns in the syntax of gitignore; `None` without any.
fn compiled(patterns: &[String]) -> Result<Option<Gitignore>> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let bad = |glob: &str, source: &ignore::Error| Error::InvalidArgument(format!("bad pattern `{glob}`: {source}"));
    let mut builder = GitignoreBuilder::new("");
    // An ignore file's unclosed `[` matches nothing without a word, as git's does; a person mistyped.
    builder.allow_unclosed_class(false);
    for pattern in patterns {
        builder.add_line(None, pattern).map_err(|source| bad(pattern, &source))?;
    }
    builder.build().map(Some).map_err(|source| bad(&patterns.join(" "), &source))
}

fn normalised(folder: &str) -> String {
    folder.replace('\\', "/").trim_start_matches("./").trim_matches('/').to_owned()
}

/// Whether `path` lies in `folder`; everything lies in the root (`""` or `.`).
fn lies_in(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || folder == "."
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_matches_nothing_is_an_error() {
        for pattern in ["[", "src/[a", "*.{py", "[z-a]", "\\"] {
            let error = compiled(&[pattern.to_owned()]).unwrap_err();
            assert!(error.to_string().contains(&format!("bad pattern `{pattern}`")), "{error}");
        }
        assert!(compiled(&["[[]a]".to_owned()]).is_ok());
    }

    #[test]
    fn folders_hold_what_lies_below_them() {
        assert!(lies_in("src/a.rs", "src"));
        assert!(!lies_in("src2/a.rs", "src"));
        assert!(lies_in("a.rs", &normalised("./")));
        assert!(lies_in("src/x/a.rs", &normalised(".\\src\\x\\")));
    }
}
