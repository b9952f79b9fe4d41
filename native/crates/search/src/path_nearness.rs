//! Computes the features that compare the paths of a pool with the query's vectors.

use codecairn_base::error::Result;
use codecairn_index::view::{FileIndex, PathParts};
use codecairn_model::embed::Scratch;

use super::searcher::Searcher;

impl Searcher {
    /// The nearness of paths by the built-in model, whichever space the texts are searched in.
    pub(super) fn nearness_of_paths(&self, pool: &[(FileIndex, f32)], query: &[f32]) -> Result<Vec<f32>> {
        if self.vectors.is_empty() {
            return Ok(vec![0.0; pool.len()]);
        }
        let embed =
            |scratch: &mut Scratch, file: FileIndex| self.embedder.embed_query(self.view.file(file).path, scratch);
        self.path_vectors.nearness(pool, query, embed)
    }

    /// The same with words weighted by their IDF among paths, so that a folder of most files counts for nothing.
    pub(super) fn nearness_of_rare_words(&self, pool: &[(FileIndex, f32)], query: &[f32]) -> Result<Vec<f32>> {
        if self.vectors.is_empty() {
            return Ok(vec![0.0; pool.len()]);
        }
        let kin = self.view.kin();
        let embed = |scratch: &mut Scratch, file: FileIndex| {
            let PathParts { folders, name, .. } = PathParts::of(self.view.file(file).path);
            self.embedder.embed_weighted(&format!("{folders}/{name}"), &|word| kin.rarity(word), scratch)
        };
        self.rare_path_vectors.nearness(pool, query, embed)
    }
}
