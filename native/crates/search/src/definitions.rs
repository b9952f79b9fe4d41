//! Finds the definitions of a name. Equals are ordered by how many files mention theirs, then by depth, path and position.

use std::collections::{BTreeSet, HashMap};

use codecairn_base::error::Result;
use codecairn_index::view::{ChunkIndex, FileIndex};
use codecairn_syntax::kind::Kind;
use codecairn_syntax::language::Class;

use super::filter::Filters;
use super::query::{last_component, normalised};
use super::request::RankedChunk;
use super::searcher::Searcher;

/// Files of a name's definitions whose mentions are counted; of a name with more, all are as good.
const MAX_COUNTED_FILES: usize = 64;

impl Searcher {
    /// The definitions of `name` (plain or qualified, ignoring case), best first: code before declarations, copies, tests
    /// and examples, types before members; each as its chunk and the number of its symbol.
    /// `defined_names` gives the symbols that begin in a chunk: their numbers, and names with scopes.
    pub fn define(
        &self,
        name: &str,
        filters: &Filters,
        limit: usize,
        defined_names: impl Fn(ChunkIndex) -> Result<Vec<(u32, String)>>,
    ) -> Result<Vec<(RankedChunk, u32)>> {
        let allowed = filters.apply(&self.view)?;
        let wanted = normalised(name);
        let last = last_component(name);
        let mut found: Vec<(ChunkIndex, u32, f32)> = Vec::new();
        let mut chunks: Vec<ChunkIndex> = self.view.chunks_defining(last).collect();
        chunks.sort_unstable();
        chunks.dedup();
        for chunk in chunks {
            if allowed.as_ref().is_none_or(|allowed| allowed.get(chunk.0 as usize)) {
                for (symbol, candidate) in defined_names(chunk)? {
                    let fit = fit(&candidate, &wanted, name);
                    found.extend(fit.map(|fit| (chunk, symbol, fit + self.quality(chunk))));
                }
            }
        }
        let files: BTreeSet<FileIndex> = found.iter().map(|&(chunk, ..)| self.view.file_of(chunk)).collect();
        let prominence = |file: FileIndex| -> Result<(FileIndex, (f32, usize))> {
            let counts = files.len() <= MAX_COUNTED_FILES;
            let mentions = if counts { self.mentions.of(file, &self.view, &self.lexical)? } else { 0.0 };
            Ok((file, (mentions, self.view.file(file).path.matches('/').count())))
        };
        let prominence: HashMap<FileIndex, (f32, usize)> =
            files.iter().map(|&file| prominence(file)).collect::<Result<_>>()?;
        found.sort_by(|a, b| {
            let (of_a, of_b) = (prominence[&self.view.file_of(a.0)], prominence[&self.view.file_of(b.0)]);
            let by_file = of_b.0.total_cmp(&of_a.0).then(of_a.1.cmp(&of_b.1));
            b.2.total_cmp(&a.2).then(by_file).then((a.0, a.1).cmp(&(b.0, b.1)))
        });
        found.truncate(limit);
        let ranked = |(chunk, symbol, score)| {
            (RankedChunk { chunk, score, confidence: None, contributions: Vec::new(), spans: Vec::new() }, symbol)
        };
        Ok(found.into_iter().map(ranked).collect())
    }

    /// The quality of a chunk as a definition, 0 to 1: by the role of its file and the kind of its symbol.
    fn quality(&self, chunk: ChunkIndex) -> f32 {
        let row = self.view.chunk(chunk);
        let file = self.view.file(row.file);
        let role = file.role;
        let place = match () {
            () if role.test => 0.0,
            () if role.example || file.class == Class::Generated => 0.2,
            () if role.copied => 0.3,
            () if role.declaration => 0.4,
            () if role.legacy || role.platform => 0.6,
            () => 0.8,
        };
        let kind = match row.kind {
            Kind::Class | Kind::Interface | Kind::Struct | Kind::Enum | Kind::Trait | Kind::Type => 0.15,
            Kind::Function | Kind::Module => 0.12,
            Kind::Method => 0.1,
            Kind::Constant | Kind::Section | Kind::Block => 0.0,
        };
        place + kind
    }
}

/// How well a candidate's qualified name fits: 3 to the letter, 2 ignoring case, 1 as the end of it.
fn fit(candidate: &str, wanted: &str, typed: &str) -> Option<f32> {
    let lower = normalised(candidate);
    if candidate == typed || last_component(candidate) == typed {
        Some(3.0)
    } else if lower == wanted {
        Some(2.0)
    } else if lower.strip_suffix(wanted).is_some_and(|scope| scope.ends_with('.')) {
        Some(1.0)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualified_names_fit_by_their_end() {
        assert_eq!(fit("Session.get", "get", "get"), Some(3.0));
        assert_eq!(fit("http.Session.get", "session.get", "Session::get"), Some(1.0));
        assert_eq!(fit("Session.get", &normalised("Session:get"), "Session:get"), Some(2.0));
        assert_eq!(fit("Session.forget", "get", "get"), None);
        assert_eq!(fit("GET", "get", "get"), Some(2.0));
        for typed in ["#bump", "P.#bump", "P##bump"] {
            assert!(fit("P.#bump", &normalised(typed), typed).is_some(), "{typed}");
        }
        assert_eq!(fit("P.bump", &normalised("#bump"), "#bump"), None);
    }
}
