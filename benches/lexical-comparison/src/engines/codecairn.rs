//! Ours: every chunk scored in four fields (body as written and by stem, names, comments), the sum ranked.

use std::path::Path;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::id::{DocId, Generation};
use codecairn_lexical::analyzer::query_terms;
use codecairn_lexical::{AnalyzedBatch, Bm25, Document, Field, LexicalIndex, SegmentBuilder};
use codecairn_base::span::ByteSpan;

use super::Engine;
use crate::corpus::Chunk;

const FIELDS: [(Field, Bm25); 3] =
    [(Field::Body, Bm25::TEXT), (Field::Names, Bm25::NAMES), (Field::Comments, Bm25::TEXT)];

/// An index with what a branch keeps ready: its documents and the length norms of each field.
pub struct Codecairn {
    index: LexicalIndex,
    live: Bitmap,
    norms: [Vec<f32>; 3],
}

impl Codecairn {
    pub fn build(folder: &Path, files: &[Vec<Chunk>]) -> Self {
        let mut builder = SegmentBuilder::new(DocId(0));
        for file in files {
            builder.push(&analyze(file), &vec![true; file.len()]);
        }
        let count = builder.len();
        let file = builder.write(folder, Generation(1)).expect("the segment can be written");
        let index = LexicalIndex::open(folder, &[file]).expect("what was written opens");
        let mut live = Bitmap::new(count);
        (0..count).for_each(|doc| live.set(doc));
        let lengths = |field| (0..count as u32).map(|doc| index.lengths(DocId(doc)).of(field)).collect::<Vec<u32>>();
        let norms = FIELDS.map(|(field, bm25)| bm25.norms(lengths(field).into_iter()));
        Self { index, live, norms }
    }
}

fn analyze(file: &[Chunk]) -> AnalyzedBatch {
    let names: Vec<Vec<&str>> = file.iter().map(|chunk| chunk.names.iter().map(String::as_str).collect()).collect();
    let span = |&(start, end): &(usize, usize)| ByteSpan::new(start, end);
    let comments: Vec<Vec<ByteSpan>> = file.iter().map(|chunk| chunk.comments.iter().map(span).collect()).collect();
    let documents = file.iter().zip(&names).zip(&comments);
    AnalyzedBatch::analyze(documents.map(|((chunk, names), comments)| Document { text: &chunk.text, names, comments }))
}

impl Engine for Codecairn {
    fn search(&self, query: &str, limit: usize) -> Vec<u32> {
        let count = self.live.len();
        let mut scores = vec![0f32; count];
        for term in query_terms(query) {
            let (exact, group) = self.index.postings(&term, &self.live).expect("the segment is whole");
            Bm25::TEXT.accumulate(&exact, Field::Body, count, &self.norms[0], &mut scores);
            for ((field, bm25), norms) in FIELDS.into_iter().zip(&self.norms) {
                bm25.accumulate(&group, field, count, norms, &mut scores);
            }
        }
        best(&scores, limit)
    }
}

fn best(scores: &[f32], limit: usize) -> Vec<u32> {
    let mut found: Vec<u32> = (0..scores.len() as u32).filter(|&doc| scores[doc as usize] > 0.0).collect();
    let better = |&a: &u32, &b: &u32| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b));
    if found.len() > limit {
        found.select_nth_unstable_by(limit, better);
        found.truncate(limit);
    }
    found.sort_unstable_by(better);
    found
}
