//! Scores the fields of chunks and whole files by BM25, a file at a time.
//!
//! All files are scored by what decides the pool, with [`MaxScore`](super::max_score); all other scores are computed
//! for the files of the pool. Scores do not depend on how documents are spread over segments.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::Zeroable;

use codecairn_base::error::Result;
use codecairn_base::parallel::map_each;
use codecairn_index::view::{ChunkIndex, FileIndex, Postings, View};
use codecairn_lexical::{Bm25, LexicalIndex, dequantise};

use super::chunk_postings::{ChunkPosting, ChunkPostings, FilePosting};
use super::norms::{FILE_BODY, FILE_NAMES, LengthNorms};
use super::posting_cache::PostingCache;
use super::query::Query;
use super::scores::MIN_PARALLEL_CHUNKS;
use super::scores::{ChunkScoreBuffer, ChunkScores, FileWords};
use super::term_weights::TermWeights;

/// The share of name coverage that stays when a name has many other words besides the query's.
const OPEN_NAME: f32 = 0.3;
/// The share of a term's weight in a name that needs the exact term, and not only its stem.
const AS_WRITTEN: f32 = 0.2;

/// The terms of a query with their postings in a branch.
#[derive(Debug)]
pub(super) struct Scorer<'a> {
    words: Vec<Term>,
    pub(super) columns: Postings<'a>,
    pub(super) norms: &'a LengthNorms,
    /// The sums of the IDF of all stems, among chunks and among files.
    total: f32,
    file_total: f32,
}

/// A term of a query.
#[derive(Debug)]
pub(super) struct Term {
    pub(super) postings: Arc<ChunkPostings>,
    /// Whether its stem counts: of several terms with one stem, the first one's does.
    counts_stem: bool,
    /// The BM25 of its stem in texts.
    pub(super) weights: TermWeights,
}

impl<'a> Scorer<'a> {
    /// Looks up the postings of all terms of `query`.
    pub(super) fn new(
        query: &Query,
        view: &'a View,
        index: &LexicalIndex,
        norms: &'a LengthNorms,
        known: &PostingCache,
    ) -> Result<Self> {
        let is_large = view.chunk_count() >= MIN_PARALLEL_CHUNKS;
        let postings = map_each(&query.terms, is_large, || (), |(), term| known.find(term, view, index));
        let postings = postings.into_iter().collect::<Result<Vec<_>>>()?;
        let (mut total, mut file_total) = (f32::MIN_POSITIVE, f32::MIN_POSITIVE);
        let mut words: Vec<Term> = Vec::with_capacity(postings.len());
        for (at, (term, postings)) in query.terms.iter().zip(postings).enumerate() {
            let counts_stem = query.terms[..at].iter().all(|before| before.stem != term.stem);
            if counts_stem {
                total += postings.body;
                file_total += postings.file_body;
            }
            let weights = TermWeights::new(&postings, &norms.body);
            words.push(Term { postings, counts_stem, weights });
        }
        Ok(Self { words, columns: view.postings(), norms, total, file_total })
    }

    /// By term of the query: the IDF of its stem among files.
    pub(super) fn rarity(&self) -> Vec<f32> {
        self.words.iter().map(|word| word.postings.file_body).collect()
    }

    /// By term of the query: the IDF of the exact term among chunks.
    pub(super) fn rarity_as_written(&self) -> Vec<f32> {
        self.words.iter().map(|word| word.postings.exact).collect()
    }

    /// By term of the query: the same, but 0 for terms that no text has, by which no text is told from another.
    pub(super) fn weights_as_written(&self) -> Vec<f32> {
        let weight = |word: &Term| if word.postings.is_written { word.postings.exact } else { 0.0 };
        self.words.iter().map(weight).collect()
    }

    /// The number of postings by chunk, of all terms together.
    pub(super) fn len(&self) -> usize {
        self.words.iter().map(|word| word.postings.len()).sum()
    }

    /// The terms whose stems count.
    pub(super) fn stems(&self) -> impl Iterator<Item = &Term> {
        self.words.iter().filter(|word| word.counts_stem)
    }

    /// All scores of a file, by those of its chunks that pass.
    pub(super) fn describe(
        &self,
        file: FileIndex,
        chunks: &Range<u32>,
        passes: impl Fn(ChunkIndex) -> bool,
        stretch: &mut ChunkScoreBuffer,
    ) -> FileWords {
        let mut words = FileWords::zeroed();
        self.score(file, chunks, stretch, |word, FilePosting { file, body, names, .. }| {
            let postings = &word.postings;
            if body + names > 0 {
                words.coverage += postings.file_body;
            }
            if body > 0 {
                words.body += self.in_file(postings, file, body);
            }
            if names > 0 {
                words.names_coverage += postings.file_body;
                words.names += FILE_NAMES.weigh(postings.file_names, names, self.norms.file_names[file as usize]);
            }
        });
        words.coverage /= self.file_total;
        words.names_coverage /= self.file_total;
        stretch.drain(|chunk, scores| {
            if passes(chunk) {
                words.raise(scores);
            }
        });
        words
    }

    /// Scores the chunks of a file into `stretch`, which is empty before. `each` is called with each stem's posting of
    /// the whole file.
    pub(super) fn score(
        &self,
        file: FileIndex,
        chunks: &Range<u32>,
        stretch: &mut ChunkScoreBuffer,
        mut each: impl FnMut(&Term, FilePosting),
    ) {
        stretch.begin(chunks, self.words.len());
        for (at, word) in self.words.iter().enumerate() {
            let Some((found, postings)) = word.postings.in_file(file, &mut stretch.near[at]) else { continue };
            if word.counts_stem {
                each(word, found);
            }
            self.add(word, postings, stretch);
        }
        stretch.for_each_touched(|chunk, scores| self.finish(scores, chunk.0));
    }

    fn add(
        &self,
        Term { postings: word, counts_stem, weights }: &Term,
        postings: &[ChunkPosting],
        stretch: &mut ChunkScoreBuffer,
    ) {
        for posting in postings {
            let scores = stretch.touch(posting.chunk);
            let norm = self.norms.body[usize::from(posting.length)];
            if posting.exact > 0 {
                scores.exact += Bm25::TEXT.weigh(word.exact, posting.exact.into(), norm);
            }
            if posting.is_name {
                scores.in_names += AS_WRITTEN;
            }
            if !counts_stem {
                continue;
            }
            if posting.body > 0 || posting.names > 0 {
                scores.coverage += word.body;
            }
            scores.body += weights.of(posting.body, posting.length, &self.norms.body);
            if posting.names > 0 {
                scores.names += self.in_names(word, posting.chunk, posting.names);
                scores.name_coverage += word.body;
                scores.in_names += 1.0 - AS_WRITTEN;
            }
            if posting.comments > 0 {
                let norm = self.norms.comments[usize::from(self.columns.lengths[posting.chunk as usize][2])];
                scores.comments += Bm25::TEXT.weigh(word.comments, posting.comments.into(), norm);
            }
        }
    }

    /// The BM25 of a stem in the names that a chunk defines.
    #[inline]
    pub(super) fn in_names(&self, word: &ChunkPostings, chunk: u32, frequency: u8) -> f32 {
        let length = self.columns.lengths[chunk as usize][1];
        Bm25::NAMES.weigh(word.names, frequency.into(), self.norms.names[usize::from(length)])
    }

    /// The BM25 of a stem in a whole file.
    #[inline]
    pub(super) fn in_file(&self, word: &ChunkPostings, file: u32, frequency: u32) -> f32 {
        FILE_BODY.weigh(word.file_body, frequency, self.norms.file_body[file as usize])
    }

    /// Divides the summed coverages by the total IDF.
    #[inline]
    fn finish(&self, scores: &mut ChunkScores, chunk: u32) {
        scores.coverage /= self.total;
        if scores.name_coverage > 0.0 {
            // The joined identifier is one more term than its parts.
            let parts = dequantise(self.columns.lengths[chunk as usize][1]).saturating_sub(1).max(1);
            let closed = (OPEN_NAME + (1.0 - OPEN_NAME) * scores.in_names / parts as f32).min(1.0);
            scores.name_coverage *= closed / self.total;
        }
    }
}
