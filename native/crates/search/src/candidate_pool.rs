//! Makes the candidate pool of a query: the files that any retriever finds, with their fused scores, in order of path.

use codecairn_base::bitmap::Bitmap;
use codecairn_base::parallel::map_each;
use codecairn_index::view::{ChunkIndex, FileIndex};

use super::features::FileScores;
use super::fusion::{Fusion, RankedList, fuse};
use super::lexical::LexicalScores;
use super::searcher::Searcher;

/// The weights of the retrievers in weighted fusion: body, names, whole file, path, vector, symbol.
const FUSION_WEIGHTS: [f32; 6] = [1.0, 0.6, 0.6, 0.6, 0.8, 1.0];

impl Searcher {
    /// The candidates of all retrievers, in order of path, with their fused scores.
    pub(super) fn pool(
        &self,
        fusion: Fusion,
        allowed: Option<&Bitmap>,
        lexical: &LexicalScores<'_>,
        files: &FileScores,
        paths: &[f32],
    ) -> Vec<(FileIndex, f32)> {
        let passing: Option<Vec<bool>> = allowed.map(|allowed| {
            let mut passing = vec![false; self.view.file_count()];
            for chunk in allowed.iter() {
                passing[self.view.file_of(ChunkIndex(chunk as u32)).0 as usize] = true;
            }
            passing
        });
        let passes = |file: usize| passing.as_ref().is_none_or(|passing| passing[file]);
        let list = |(scores, weight): (&[f32], f32)| {
            let scores = scores.iter().enumerate().map(|(file, &score)| if passes(file) { score } else { 0.0 });
            RankedList::of_scores(scores, weight)
        };
        let scores: [&[f32]; 6] =
            [&lexical.bodies, &lexical.names, &lexical.file_bodies, paths, &files.vector, &files.symbol];
        let weighted: Vec<_> = scores.into_iter().zip(FUSION_WEIGHTS).collect();
        let lists = map_each(&weighted, self.is_large(), || (), |(), &entry| list(entry));
        fuse(&lists, fusion)
    }
}
