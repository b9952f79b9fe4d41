//! BM25 over the fields of chunks and over whole files, a stretch of chunks at a time.
//!
//! Every place of every word is looked at on purpose: what is found is then exact and independent of how documents are
//! spread over segments. All files are surveyed by what decides which of them are ranked, and only those are described
//! by all scores.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::Zeroable;

use crate::error::Result;
use crate::lexical::{Bm25, LexicalIndex, dequantise};
use crate::parallel::map_each;
use crate::view::{ChunkIndex, FileIndex, Postings, View};

use super::known_places::KnownPlaces;
use super::norms::{FILE_BODY, FILE_NAMES, LengthNorms};
use super::places::{InFile, Places};
use super::query::Query;
use super::search::SIDE_BY_SIDE;

/// What a name is worth that has all of the query and, beside it, any number of other words.
const OPEN_NAME: f32 = 0.3;
/// How much of a word's worth in a name hangs on its standing there as written, and not only with the same stem.
const AS_WRITTEN: f32 = 0.2;

/// What the words of a query find in one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Zeroable)]
#[repr(C)]
pub(super) struct ChunkScores {
    /// Stemmed terms in the body.
    pub body: f32,
    /// Terms as written in the body.
    pub exact: f32,
    /// Stemmed terms in the names that the chunk defines.
    pub names: f32,
    /// Stemmed terms in comments.
    pub comments: f32,
    /// What share of the query, by rarity, the chunk has. Length plays no part.
    pub coverage: f32,
    /// What share of the query the names that the chunk defines have, less the more else is in these names.
    pub name_coverage: f32,
    /// How much of the names that it defines the query has, in words.
    in_names: f32,
    /// Whether any word was found in it, 0 or 1.
    is_touched: u32,
}

/// What the words of a query find in one file.
#[derive(Debug, Clone, Copy, PartialEq, Zeroable)]
#[repr(C)]
pub(super) struct FileWords {
    /// The best of each score among its chunks that pass.
    pub best: ChunkScores,
    /// Stemmed terms in the whole file.
    pub body: f32,
    /// Stemmed terms in all names that it defines.
    pub names: f32,
    /// What share of the query, by rarity among files, the whole file has.
    pub coverage: f32,
    /// The same of all names that it defines.
    pub names_coverage: f32,
}

impl FileWords {
    /// Takes in the scores of one of its chunks.
    #[inline]
    pub(super) fn raise(&mut self, scores: &ChunkScores) {
        let best = &mut self.best;
        best.body = best.body.max(scores.body);
        best.exact = best.exact.max(scores.exact);
        best.names = best.names.max(scores.names);
        best.comments = best.comments.max(scores.comments);
        best.coverage = best.coverage.max(scores.coverage);
        best.name_coverage = best.name_coverage.max(scores.name_coverage);
    }
}

/// A query's words in a branch.
#[derive(Debug)]
pub(super) struct Scorer<'a> {
    words: Vec<Word>,
    columns: Postings<'a>,
    norms: &'a LengthNorms,
    /// How rare all stems together are, among chunks and among files.
    total: f32,
    file_total: f32,
}

#[derive(Debug)]
struct Word {
    places: Arc<Places>,
    /// Whether its stem counts, which it does once however many words have it.
    counts_stem: bool,
    /// What its stem is worth in texts.
    weights: Weights,
}

/// Frequencies whose worth is looked up.
const FEW: usize = 8;

/// What a stem is worth in the text of a chunk, by frequency and length code.
#[derive(Debug)]
struct Weights {
    /// Nothing for a stem with fewer places than these have entries.
    few: Vec<[f32; 256]>,
    rarity: f32,
}

impl Weights {
    fn new(places: &Places, norms: &[f32; 256]) -> Self {
        let rarity = places.body;
        let weigh = |frequency| norms.map(|norm| Bm25::TEXT.weigh(rarity, frequency, norm));
        let few = if places.len() < FEW * norms.len() { Vec::new() } else { (0..FEW as u32).map(weigh).collect() };
        Self { few, rarity }
    }

    #[inline]
    fn of(&self, frequency: u16, length: u8, norms: &[f32; 256]) -> f32 {
        match self.few.get(usize::from(frequency)) {
            Some(weights) => weights[usize::from(length)],
            None => Bm25::TEXT.weigh(self.rarity, frequency.into(), norms[usize::from(length)]),
        }
    }
}

/// Scores of a stretch of chunks: room that is used for one stretch after the other.
#[derive(Debug, Default)]
pub(super) struct Stretch {
    start: u32,
    /// From the first chunk on; zeros where nothing was found, and while nobody uses it.
    scores: Vec<ChunkScores>,
    /// Chunks with scores, counted from the first one, each once.
    touched: Vec<u32>,
}

impl<'a> Scorer<'a> {
    /// For the words of `query`.
    pub(super) fn new(
        query: &Query,
        view: &'a View,
        index: &LexicalIndex,
        norms: &'a LengthNorms,
        known: &KnownPlaces,
    ) -> Result<Self> {
        let is_large = view.chunk_count() >= SIDE_BY_SIDE;
        let places = map_each(&query.terms, is_large, || (), |(), term| known.find(term, view, index));
        let places = places.into_iter().collect::<Result<Vec<_>>>()?;
        let (mut total, mut file_total) = (f32::MIN_POSITIVE, f32::MIN_POSITIVE);
        let mut words: Vec<Word> = Vec::with_capacity(places.len());
        for (at, (term, places)) in query.terms.iter().zip(places).enumerate() {
            let counts_stem = query.terms[..at].iter().all(|before| before.stem != term.stem);
            if counts_stem {
                total += places.body;
                file_total += places.file_body;
            }
            let weights = Weights::new(&places, &norms.body);
            words.push(Word { places, counts_stem, weights });
        }
        Ok(Self { words, columns: view.postings(), norms, total, file_total })
    }

    /// By term of the query: how rare its stem is among files.
    pub(super) fn rarity(&self) -> Vec<f32> {
        self.words.iter().map(|word| word.places.file_body).collect()
    }

    /// By term of the query: how rare the word as written is among chunks.
    pub(super) fn rarity_as_written(&self) -> Vec<f32> {
        self.words.iter().map(|word| word.places.exact).collect()
    }

    /// How many places there are to look at.
    pub(super) fn len(&self) -> usize {
        self.words.iter().map(|word| word.places.len()).sum()
    }

    /// Whether any word stands in a stretch of chunks.
    pub(super) fn is_in(&self, chunks: &Range<u32>) -> bool {
        self.words.iter().any(|word| !word.places.within(chunks).is_empty())
    }

    /// Adds what stems give to the texts and the names of a stretch of chunks, which are zeros before. `named` takes the
    /// chunks in whose names one stands, counted from the first, each once.
    pub(super) fn survey(&self, chunks: &Range<u32>, bodies: &mut [f32], names: &mut [f32], named: &mut Vec<u32>) {
        for word in self.words.iter().filter(|word| word.counts_stem) {
            for place in word.places.within(chunks) {
                let at = place.chunk - chunks.start;
                bodies[at as usize] += word.weights.of(place.body, place.length, &self.norms.body);
                if place.names > 0 {
                    let score = &mut names[at as usize];
                    if *score <= 0.0 {
                        named.push(at);
                    }
                    *score += self.in_names(&word.places, place.chunk, place.names);
                }
            }
        }
    }

    /// Adds what stems give to whole files, from the first of some on that follow each other.
    pub(super) fn survey_files(&self, files: &Range<u32>, bodies: &mut [f32]) {
        for word in self.words.iter().filter(|word| word.counts_stem) {
            for &InFile { file, body, .. } in word.places.in_files(files) {
                if body > 0 {
                    bodies[(file - files.start) as usize] += self.in_file(&word.places, file, body);
                }
            }
        }
    }

    /// All scores of a file, by those of its chunks that pass.
    pub(super) fn describe(
        &self,
        (file, chunks): (FileIndex, &Range<u32>),
        passes: impl Fn(ChunkIndex) -> bool,
        stretch: &mut Stretch,
    ) -> FileWords {
        let mut words = FileWords::zeroed();
        for word in self.words.iter().filter(|word| word.counts_stem) {
            let places = &word.places;
            let Some(InFile { file, body, names }) = places.in_file(file) else { continue };
            words.coverage += places.file_body;
            if body > 0 {
                words.body += self.in_file(places, file, body);
            }
            if names > 0 {
                words.names_coverage += places.file_body;
                words.names += FILE_NAMES.weigh(places.file_names, names, self.norms.file_names[file as usize]);
            }
        }
        words.coverage /= self.file_total;
        words.names_coverage /= self.file_total;
        self.score(chunks, stretch);
        stretch.drain(|chunk, scores| {
            if passes(chunk) {
                words.raise(scores);
            }
        });
        words
    }

    /// Scores a stretch of chunks; `stretch` is empty before.
    pub(super) fn score(&self, chunks: &Range<u32>, stretch: &mut Stretch) {
        stretch.begin(chunks);
        for word in &self.words {
            self.add(word, chunks, stretch);
        }
        for &at in &stretch.touched {
            self.finish(&mut stretch.scores[at as usize], chunks.start + at);
        }
    }

    fn add(&self, Word { places: word, counts_stem, weights }: &Word, chunks: &Range<u32>, stretch: &mut Stretch) {
        for place in word.within(chunks) {
            let scores = stretch.touch(place.chunk);
            let norm = self.norms.body[usize::from(place.length)];
            if place.exact > 0 {
                scores.exact += Bm25::TEXT.weigh(word.exact, place.exact.into(), norm);
            }
            if place.is_name {
                scores.in_names += AS_WRITTEN;
            }
            if !counts_stem {
                continue;
            }
            if place.body > 0 || place.names > 0 {
                scores.coverage += word.body;
            }
            scores.body += weights.of(place.body, place.length, &self.norms.body);
            if place.names > 0 {
                scores.names += self.in_names(word, place.chunk, place.names);
                scores.name_coverage += word.body;
                scores.in_names += 1.0 - AS_WRITTEN;
            }
            if place.comments > 0 {
                let norm = self.norms.comments[usize::from(self.columns.lengths[place.chunk as usize][2])];
                scores.comments += Bm25::TEXT.weigh(word.comments, place.comments.into(), norm);
            }
        }
    }

    /// What a stem is worth in the names that a chunk defines.
    #[inline]
    fn in_names(&self, word: &Places, chunk: u32, frequency: u8) -> f32 {
        let length = self.columns.lengths[chunk as usize][1];
        Bm25::NAMES.weigh(word.names, frequency.into(), self.norms.names[usize::from(length)])
    }

    /// What it is worth in all of a file.
    #[inline]
    fn in_file(&self, word: &Places, file: u32, frequency: u32) -> f32 {
        FILE_BODY.weigh(word.file_body, frequency, self.norms.file_body[file as usize])
    }

    /// Makes shares of what was added up.
    #[inline]
    fn finish(&self, scores: &mut ChunkScores, chunk: u32) {
        scores.coverage /= self.total;
        if scores.name_coverage > 0.0 {
            // The name as a whole is a term beside its parts.
            let parts = dequantise(self.columns.lengths[chunk as usize][1]).saturating_sub(1).max(1);
            let closed = (OPEN_NAME + (1.0 - OPEN_NAME) * scores.in_names / parts as f32).min(1.0);
            scores.name_coverage *= closed / self.total;
        }
    }
}

impl Stretch {
    fn begin(&mut self, chunks: &Range<u32>) {
        debug_assert!(self.touched.is_empty(), "the scores of one stretch at a time");
        self.start = chunks.start;
        if self.scores.len() < chunks.len() {
            self.scores.resize(chunks.len(), ChunkScores::zeroed());
        }
    }

    /// The scores of a chunk, to be added to.
    #[inline]
    fn touch(&mut self, chunk: u32) -> &mut ChunkScores {
        let at = chunk - self.start;
        let scores = &mut self.scores[at as usize];
        if scores.is_touched == 0 {
            scores.is_touched = 1;
            self.touched.push(at);
        }
        scores
    }

    /// Calls `each` with the chunks in which anything was found, in no order, and is empty afterwards.
    pub(super) fn drain(&mut self, mut each: impl FnMut(ChunkIndex, &ChunkScores)) {
        for at in self.touched.drain(..) {
            let scores = &mut self.scores[at as usize];
            each(ChunkIndex(self.start + at), scores);
            *scores = ChunkScores::zeroed();
        }
    }

    /// The scores of all its chunks.
    pub(super) fn into_scores(self) -> Vec<ChunkScores> {
        self.scores
    }
}
