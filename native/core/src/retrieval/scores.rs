//! BM25 over the fields of chunks and over whole files, for every chunk of a branch at once.
//!
//! Exhaustive on purpose: at the sizes of code every posting of a handful of terms is read in well
//! under a millisecond, and the ranker then has every feature of every file, exact and independent
//! of how documents are spread over segments.

use bytemuck::{Zeroable, zeroed_vec};

use crate::error::Result;
use crate::lexical::{Bm25, Field, LexicalIndex, TermPostings, dequantise, idf};
use crate::view::{ChunkIndex, FileIndex, View};

use super::query::Query;

/// Of whole files: their length says less about what they are for than a chunk's does.
const FILE_BODY: Bm25 = Bm25 { k1: Bm25::TEXT.k1, b: 0.6 };
const FILE_NAMES: Bm25 = Bm25 { k1: Bm25::TEXT.k1, b: 0.5 };

/// What a name is worth that has all of the query and, beside it, any number of other words.
const OPEN_NAME: f32 = 0.3;
/// How much of a word's worth in a name hangs on its standing there as written, and not only with the same stem.
const AS_WRITTEN: f32 = 0.2;

/// The length terms of BM25's denominator, which depend on the branch and not on the query.
#[derive(Debug)]
pub struct LengthNorms {
    /// By length code, as those of chunks are few.
    body: [f32; 256],
    names: [f32; 256],
    comments: [f32; 256],
    file_body: Vec<f32>,
    file_names: Vec<f32>,
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

/// What the words of a query find in one chunk. All of it lies side by side: most postings lead to another part of memory.
#[derive(Debug, Clone, Copy, Zeroable)]
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

/// What the words of a query find: by chunk and by file, zero where nothing matches.
#[derive(Debug)]
pub(super) struct LexicalScores {
    /// The chunks that any word was found in, each once, in no order: all others have zeros only.
    pub touched: Vec<ChunkIndex>,
    by_chunk: Vec<ChunkScores>,
    /// Stemmed terms in whole files.
    pub file_body: Vec<f32>,
    /// Stemmed terms in all names that a file defines.
    pub file_names: Vec<f32>,
    /// What share of the query, by rarity among files, the whole file has.
    pub file_coverage: Vec<f32>,
    /// The same of all names that the file defines.
    pub file_names_coverage: Vec<f32>,
    /// By term of the query: how rare its stem is among files.
    pub rarity: Vec<f32>,
}

impl LexicalScores {
    /// Zeros for every chunk and file of a branch.
    pub(super) fn zeros(view: &View) -> Self {
        let (chunks, files) = (view.chunk_count(), view.file_count());
        Self {
            touched: Vec::new(),
            // Memory that is zero to begin with is not written until it is needed.
            by_chunk: zeroed_vec(chunks),
            file_body: vec![0.0; files],
            file_names: vec![0.0; files],
            file_coverage: vec![0.0; files],
            file_names_coverage: vec![0.0; files],
            rarity: Vec::new(),
        }
    }

    /// The scores of one chunk.
    #[inline]
    pub(super) fn of(&self, ChunkIndex(chunk): ChunkIndex) -> &ChunkScores {
        &self.by_chunk[chunk as usize]
    }

    /// Makes everything zero again, by way of what was touched.
    pub(super) fn clear(&mut self) {
        if self.touched.len() > self.by_chunk.len() / 4 {
            self.by_chunk.fill(ChunkScores::zeroed());
        } else {
            for chunk in &self.touched {
                self.by_chunk[chunk.0 as usize] = ChunkScores::zeroed();
            }
        }
        let Self { file_body, file_names, file_coverage, file_names_coverage, .. } = self;
        for by_file in [file_body, file_names, file_coverage, file_names_coverage] {
            by_file.fill(0.0);
        }
        self.rarity.clear();
        self.touched.clear();
    }

    /// Scores every chunk and file of the branch, starting from zeros.
    pub(super) fn add(&mut self, query: &Query, view: &View, index: &LexicalIndex, norms: &LengthNorms) -> Result<()> {
        let mut tally = FileTally::new(view.file_count());
        let (mut total, mut file_total) = (f32::MIN_POSITIVE, f32::MIN_POSITIVE);
        let mut stems: Vec<&str> = Vec::with_capacity(query.terms.len());
        for term in &query.terms {
            let (exact, stemmed) = index.postings(term, view.live())?;
            self.add_exact(&exact, view, norms);
            if let Some(known) = stems.iter().position(|stem| *stem == term.stem) {
                self.rarity.push(self.rarity[known]);
            } else {
                let (among_chunks, among_files) = self.add_stemmed(&stemmed, view, norms, &mut tally);
                total += among_chunks;
                file_total += among_files;
                self.rarity.push(among_files);
            }
            stems.push(&term.stem);
        }
        for share in self.file_coverage.iter_mut().chain(&mut self.file_names_coverage) {
            *share /= file_total;
        }
        let lengths = view.postings().lengths;
        for &ChunkIndex(chunk) in &self.touched {
            let scores = &mut self.by_chunk[chunk as usize];
            scores.coverage /= total;
            // The name as a whole is a term beside its parts.
            let parts = dequantise(lengths[chunk as usize][1]).saturating_sub(1).max(1);
            scores.name_coverage *= (OPEN_NAME + (1.0 - OPEN_NAME) * scores.in_names / parts as f32).min(1.0) / total;
        }
        Ok(())
    }

    /// The scores of a chunk to be added to.
    #[inline]
    fn touch(&mut self, ChunkIndex(chunk): ChunkIndex) -> &mut ChunkScores {
        let scores = &mut self.by_chunk[chunk as usize];
        if scores.is_touched == 0 {
            scores.is_touched = 1;
            self.touched.push(ChunkIndex(chunk));
        }
        scores
    }

    fn add_exact(&mut self, postings: &TermPostings, view: &View, norms: &LengthNorms) {
        let idf = idf(view.live_count(), postings.document_frequency(Field::Body));
        let columns = view.postings();
        for posting in postings {
            for chunk in columns.occurrences(posting.doc) {
                let scores = self.touch(chunk);
                if posting.body > 0 {
                    let norm = norms.body[usize::from(columns.lengths[chunk.0 as usize][0])];
                    scores.exact += Bm25::TEXT.weigh(idf, posting.body.into(), norm);
                }
                if posting.names > 0 {
                    scores.in_names += AS_WRITTEN;
                }
            }
        }
    }

    /// Adds one stem; returns how rare it is among chunks and among files.
    fn add_stemmed(
        &mut self,
        postings: &TermPostings,
        view: &View,
        norms: &LengthNorms,
        tally: &mut FileTally,
    ) -> (f32, f32) {
        let rarity = |field: Field| idf(view.live_count(), postings.document_frequency(field));
        let (body_idf, names_idf, comments_idf) = (rarity(Field::Body), rarity(Field::Names), rarity(Field::Comments));
        let columns = view.postings();
        for posting in postings {
            let (body, names, comments) =
                (u32::from(posting.body), u32::from(posting.names), u32::from(posting.comments));
            for chunk in columns.occurrences(posting.doc) {
                let codes = columns.lengths[chunk.0 as usize].map(usize::from);
                let scores = self.touch(chunk);
                if body + names > 0 {
                    scores.coverage += body_idf;
                }
                if body > 0 {
                    scores.body += Bm25::TEXT.weigh(body_idf, body, norms.body[codes[0]]);
                }
                if names > 0 {
                    scores.names += Bm25::NAMES.weigh(names_idf, names, norms.names[codes[1]]);
                    scores.name_coverage += body_idf;
                    scores.in_names += 1.0 - AS_WRITTEN;
                }
                if comments > 0 {
                    scores.comments += Bm25::TEXT.weigh(comments_idf, comments, norms.comments[codes[2]]);
                }
                tally.add(columns.file_of(chunk), body, names);
            }
        }
        (body_idf, tally.drain_into(self, norms))
    }
}

/// How often one term stands in each file; whole numbers, so that the order of adding can't matter.
struct FileTally {
    counts: Vec<(u32, u32)>,
    touched: Vec<u32>,
}

impl FileTally {
    fn new(files: usize) -> Self {
        Self { counts: vec![(0, 0); files], touched: Vec::new() }
    }

    fn add(&mut self, FileIndex(file): FileIndex, body: u32, names: u32) {
        if body + names == 0 {
            return;
        }
        let count = &mut self.counts[file as usize];
        if *count == (0, 0) {
            self.touched.push(file);
        }
        count.0 += body;
        count.1 += names;
    }

    /// Adds what was counted of one stem to the files' scores; returns how rare it is among files.
    fn drain_into(&mut self, scores: &mut LexicalScores, norms: &LengthNorms) -> f32 {
        let files = self.counts.len();
        let having = |side: fn(&(u32, u32)) -> u32| {
            self.touched.iter().filter(|&&file| side(&self.counts[file as usize]) > 0).count()
        };
        let (body_idf, names_idf) = (idf(files, having(|count| count.0)), idf(files, having(|count| count.1)));
        for file in self.touched.drain(..) {
            let file = file as usize;
            let (in_body, in_names) = std::mem::take(&mut self.counts[file]);
            scores.file_coverage[file] += body_idf;
            if in_body > 0 {
                scores.file_body[file] += FILE_BODY.weigh(body_idf, in_body, norms.file_body[file]);
            }
            if in_names > 0 {
                scores.file_names_coverage[file] += body_idf;
                scores.file_names[file] += FILE_NAMES.weigh(names_idf, in_names, norms.file_names[file]);
            }
        }
        body_idf
    }
}
