//! Ranks the chunks of the best files by how probably they are what a query needs.
//!
//! Texts are read for the first files alone, and of each only the chunks that cover the query best: the others are ranked
//! by their scores.

use codecairn_base::error::Result;
use codecairn_base::id::BlobId;
use codecairn_base::parallel::map_each;
use codecairn_base::span::ByteSpan;
use codecairn_index::view::{ChunkIndex, ChunkRow};
use memchr::memchr_iter;

use super::excerpts::ChunkLines;
use super::features::FeatureVector;
use super::query_words::QueryWords;
use super::ranked_files::RankedFiles;
use super::request::Request;
use super::search::{Found, Texts};
use super::searcher::Searcher;
use super::span_features::{COVERAGE, FileEvidence, RankedFile, SpanVector, span_features};

/// Files whose texts are read.
const MAX_READ_FILES: usize = 20;
/// Bytes of a file that are searched for lines with the query's words, by the coverage of its chunks: so many in the first
/// [`HALVING_FILES`], half of that in the next ones, and so on, as a later file is less often the right one.
const MAX_READ_BYTES: usize = 24 << 10;
const HALVING_FILES: usize = 3;
/// Of any file that is read, no fewer.
const MIN_READ_BYTES: usize = 4 << 10;
/// Bytes of text from which on it is searched in parallel.
const MIN_PARALLEL_BYTES: usize = 1 << 15;

/// The chunks of a ranked file, each with its probability among all chunks of the ranked files.
pub(super) struct RankedSpans<'a> {
    pub(super) chunks: &'a [ChunkIndex],
    pub(super) lines: Vec<ChunkLines>,
    pub(super) features: Vec<SpanVector>,
    pub(super) of_file: &'a FeatureVector,
    pub(super) probabilities: Vec<f32>,
    text: FileText,
}

impl RankedSpans<'_> {
    /// The most probable chunk; ties go to the first.
    pub(super) fn best(&self) -> ChunkIndex {
        self.chunks[self.best_at()]
    }

    /// Where it is among the chunks.
    pub(super) fn best_at(&self) -> usize {
        let probable = self.probabilities.iter().enumerate();
        probable.max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0))).map_or(0, |(at, _)| at)
    }

    /// How probably the file has what is needed.
    pub(super) fn probability(&self) -> f32 {
        self.probabilities.iter().sum()
    }

    /// The bytes of the lines of a chunk that lies at `span`; one number for all of them where they were not read.
    pub(super) fn line_sizes(&self, span: ByteSpan) -> Vec<u32> {
        match self.text.get(span) {
            Some(text) => text.split_inclusive('\n').map(|line| line.len() as u32).collect(),
            None => vec![span.end - span.start],
        }
    }
}

/// What was read of a file.
#[derive(Default)]
struct FileText {
    /// The text from some byte on.
    text: String,
    start: u32,
    /// Where the names of definitions begin, in order.
    definitions: Vec<u32>,
}

impl FileText {
    /// The text of a chunk, if it was read.
    fn get(&self, span: ByteSpan) -> Option<&str> {
        let at = |byte: u32| byte.checked_sub(self.start).map(|byte| byte as usize);
        self.text.get(at(span.start)?..at(span.end)?)
    }
}

impl Searcher {
    /// The spans of some ranked files, in their order. Each file has a chunk.
    pub(super) fn rank_spans<'a>(
        &self,
        request: &Request<'_>,
        order: &'a RankedFiles<'_>,
        found: &'a [Found],
        texts: &dyn Texts,
    ) -> Result<Vec<RankedSpans<'a>>> {
        let words = QueryWords::new(request.query, &order.weights_as_written);
        let wanted = |(at, (_, evidence)): (usize, &Found)| match at {
            ..MAX_READ_FILES => self.wanted(evidence, (MAX_READ_BYTES >> (at / HALVING_FILES)).max(MIN_READ_BYTES)),
            _ => vec![false; evidence.chunks.len()],
        };
        let wanted: Vec<Vec<bool>> = found.iter().enumerate().map(wanted).collect();
        let read = self.read(found, &wanted, texts)?;
        let read: Vec<(&FileEvidence, Vec<bool>, FileText)> = found
            .iter()
            .zip(wanted)
            .zip(read)
            .map(|(((_, evidence), wanted), text)| (evidence, wanted, text))
            .collect();
        let is_much = read.iter().map(|(.., file)| file.text.len()).sum::<usize>() >= MIN_PARALLEL_BYTES;
        let of_file = |(): &mut (), (evidence, wanted, file): &(&FileEvidence, Vec<bool>, FileText)| {
            let chunks = evidence.chunks.iter().zip(wanted);
            chunks.map(|(&chunk, wanted)| if *wanted { self.lines(chunk, file, &words) } else { None }).collect()
        };
        let lines: Vec<Vec<Option<ChunkLines>>> = map_each(&read, is_much, || (), of_file);
        let file = |((at, evidence), lines): (&'a Found, Vec<Option<ChunkLines>>)| {
            let (_, score, features) = &order.files[*at];
            let lines = lines.into_iter().map(Option::unwrap_or_default).collect();
            RankedFile { rank: *at, score: *score, features, evidence, lines }
        };
        let files: Vec<RankedFile<'_>> = found.iter().zip(lines).map(file).collect();
        let features = span_features(&self.view, &words, &files);
        let of_files = files.iter().map(|file| file.features).zip(&features);
        let probabilities = self.models.spans.probabilities(request.query.kind, of_files);
        let ranked = files.into_iter().zip(read).zip(features.into_iter().zip(probabilities));
        let ranked = ranked.map(|((file, (evidence, _, text)), (features, probabilities))| RankedSpans {
            chunks: &evidence.chunks,
            lines: file.lines,
            features,
            of_file: file.features,
            probabilities,
            text,
        });
        Ok(ranked.collect())
    }

    /// Which chunks of a file are searched for lines with the query's words.
    fn wanted(&self, evidence: &FileEvidence, max_bytes: usize) -> Vec<bool> {
        let coverage = |at: usize| evidence.scores[at][COVERAGE];
        let mut by_coverage: Vec<usize> = (0..evidence.chunks.len()).filter(|&at| coverage(at) > 0.0).collect();
        by_coverage.sort_by(|&a, &b| coverage(b).total_cmp(&coverage(a)));
        let mut left = max_bytes;
        let mut wanted = vec![false; evidence.chunks.len()];
        for at in by_coverage {
            if let Some(rest) = left.checked_sub(self.view.chunk(evidence.chunks[at]).span.len()) {
                (left, wanted[at]) = (rest, true);
            }
        }
        wanted
    }

    /// Of each file the text from the first of the wanted chunks to the last.
    fn read(&self, found: &[Found], wanted: &[Vec<bool>], texts: &dyn Texts) -> Result<Vec<FileText>> {
        let (mut files, mut places) = (Vec::new(), Vec::new());
        for (number, ((_, evidence), wanted)) in found.iter().zip(wanted).enumerate() {
            let mut chunks = evidence.chunks.iter().zip(wanted).filter(|chunk| *chunk.1).map(|(&chunk, _)| chunk);
            let Some(first) = chunks.next() else { continue };
            let ChunkRow { file, span: ByteSpan { start, end }, .. } = self.view.chunk(first);
            let end = chunks.map(|chunk| self.view.chunk(chunk).span.end).fold(end, u32::max);
            files.push(number);
            places.push((self.view.file(file).blob, ByteSpan { start, end }));
        }
        let blobs: Vec<BlobId> = places.iter().map(|place| place.0).collect();
        let read = texts.texts(&places)?.into_iter().zip(texts.definitions(&blobs)?).zip(&places);
        let mut of_files: Vec<FileText> = found.iter().map(|_| FileText::default()).collect();
        for (number, ((text, definitions), (_, span))) in files.into_iter().zip(read) {
            of_files[number] = FileText { text, start: span.start, definitions };
        }
        Ok(of_files)
    }

    /// What the lines of a chunk have of the query.
    fn lines(&self, chunk: ChunkIndex, file: &FileText, words: &QueryWords) -> Option<ChunkLines> {
        let span = self.view.chunk(chunk).span;
        let text = file.get(span)?;
        let first = file.definitions.partition_point(|&name| name < span.start);
        let names = file.definitions[first..].iter().take_while(|&&name| name < span.end);
        let (mut line, mut from) = (0, 0);
        let line_of = |&name: &u32| {
            let to = (name - span.start) as usize;
            line += memchr_iter(b'\n', &text.as_bytes()[from..to]).count();
            from = to;
            line
        };
        let definitions: Vec<usize> = names.map(line_of).collect();
        Some(ChunkLines::new(words.matches(text), &definitions))
    }
}

#[cfg(test)]
mod tests {
    use super::super::features::FEATURES;
    use super::*;

    #[test]
    fn the_most_probable_chunk_is_the_best_and_the_first_of_equals() {
        let chunks = [3, 5, 8].map(ChunkIndex);
        let best = |probabilities: [f32; 3]| {
            let probabilities = probabilities.to_vec();
            let (lines, features) = (Vec::new(), Vec::new());
            let (of_file, text) = (&[0.0; FEATURES.len()], FileText::default());
            let spans = RankedSpans { chunks: &chunks, lines, features, of_file, probabilities, text };
            (spans.best(), spans.probability())
        };
        assert_eq!(best([0.125, 0.5, 0.25]), (ChunkIndex(5), 0.875));
        assert_eq!(best([0.25, 0.5, 0.5]).0, ChunkIndex(5));
        assert_eq!(best([0.0; 3]).0, ChunkIndex(3));
    }
}
