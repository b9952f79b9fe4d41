//! Computes the length terms of BM25's denominator, which depend on the branch and not on the query, in O(chunks).

use codecairn_index::view::{ChunkIndex, View};
use codecairn_lexical::{Bm25, dequantise};

/// For the texts of whole files, whose length is less of a disadvantage than that of a chunk.
pub(super) const FILE_BODY: Bm25 = Bm25 { k1: Bm25::TEXT.k1, b: 0.6 };
/// For the names of whole files.
pub(super) const FILE_NAMES: Bm25 = Bm25 { k1: Bm25::TEXT.k1, b: 0.5 };

/// The norms of one branch.
#[derive(Debug)]
pub struct LengthNorms {
    /// By length code, as those of chunks are few.
    pub(super) body: [f32; 256],
    pub(super) names: [f32; 256],
    pub(super) comments: [f32; 256],
    /// By file.
    pub(super) file_body: Vec<f32>,
    pub(super) file_names: Vec<f32>,
}

impl LengthNorms {
    /// The norms of one branch.
    pub fn of(view: &View) -> Self {
        let postings = view.postings();
        let mut documents = [[0u64; 256]; 3];
        let (mut bodies, mut names) = (vec![0; view.file_count()], vec![0; view.file_count()]);
        for (chunk, codes) in (0u32..).zip(postings.lengths) {
            for (counts, code) in documents.iter_mut().zip(codes) {
                counts[usize::from(*code)] += 1;
            }
            let file = postings.file_of(ChunkIndex(chunk)).0 as usize;
            bodies[file] += dequantise(codes[0]);
            names[file] += dequantise(codes[1]);
        }
        let [of_bodies, of_names, of_comments] = &documents;
        Self {
            body: Bm25::TEXT.norms_by_code(of_bodies),
            names: Bm25::NAMES.norms_by_code(of_names),
            comments: Bm25::TEXT.norms_by_code(of_comments),
            file_body: FILE_BODY.norms(bodies.into_iter()),
            file_names: FILE_NAMES.norms(names.into_iter()),
        }
    }
}
