//! Ranks the chunks of the best files by how probably they are what a query needs.
//!
//! Texts are read for the first files alone, and of each only the chunks that cover the query best: the others are ranked
//! by their scores.

use std::sync::Arc;

use codecairn_base::error::Result;
use codecairn_base::parallel::map_each;
use codecairn_index::view::{ChunkIndex, ChunkRow};

use super::excerpts::ChunkLines;
use super::query_words::QueryWords;
use super::ranked_files::RankedFiles;
use super::request::Request;
use super::search::{Found, Texts};
use super::searcher::Searcher;
use super::span_features::{FileEvidence, RankedFile, SpanVector, span_features};

/// Files whose texts are read.
const MAX_READ_FILES: usize = 20;
/// Bytes of a file that are searched for lines with the query's words, by the coverage of its chunks.
const MAX_READ_BYTES: usize = 24 << 10;
/// Bytes of text from which on it is searched in parallel.
const MIN_PARALLEL_BYTES: usize = 1 << 15;

/// The chunks of a ranked file, each with its probability among all chunks of the ranked files.
pub(super) struct RankedSpans<'a> {
    pub(super) chunks: &'a [ChunkIndex],
    pub(super) lines: Vec<ChunkLines>,
    pub(super) features: Vec<SpanVector>,
    pub(super) probabilities: Vec<f32>,
}

impl RankedSpans<'_> {
    /// The most probable chunk; ties go to the first.
    pub(super) fn best(&self) -> ChunkIndex {
        let probable = self.probabilities.iter().zip(self.chunks);
        let best = probable.max_by(|a, b| a.0.total_cmp(b.0).then(b.1.cmp(a.1)));
        best.map_or(self.chunks[0], |(_, chunk)| *chunk)
    }

    /// How probably the file has what is needed.
    pub(super) fn probability(&self) -> f32 {
        self.probabilities.iter().sum()
    }
}

/// The text of a file, and where the names of its definitions begin.
#[derive(Default)]
struct FileText {
    text: Arc<str>,
    definitions: Vec<u32>,
}

impl Searcher {
    /// The spans of some ranked files, in their order. Each file has a chunk.
    pub(super) fn rank_spans<'a>(
        &self,
        request: &Request<'_>,
        order: &RankedFiles<'_>,
        found: &'a [Found],
        texts: &dyn Texts,
    ) -> Result<Vec<RankedSpans<'a>>> {
        let words = QueryWords::new(request.query, &order.rarity_as_written);
        let mut read = Vec::with_capacity(found.len());
        for (at, (_, evidence)) in found.iter().enumerate() {
            let text = if at < MAX_READ_FILES { self.read(evidence, texts)? } else { FileText::default() };
            read.push((evidence, text));
        }
        let is_much = read.iter().map(|(_, file)| file.text.len()).sum::<usize>() >= MIN_PARALLEL_BYTES;
        let lines = map_each(&read, is_much, || (), |(), (evidence, file)| self.lines(evidence, file, &words));
        let file = |((at, evidence), lines): (&'a Found, Vec<ChunkLines>)| {
            let (_, score, features) = &order.files[*at];
            RankedFile { score: *score, features, evidence, lines }
        };
        let files: Vec<RankedFile<'_>> = found.iter().zip(lines).map(file).collect();
        let features = span_features(&self.view, &words, &files);
        let all: Vec<&SpanVector> = features.iter().flatten().collect();
        let mut probabilities = self.span_ranker.probabilities(request.query.kind, &all).into_iter();
        let ranked = |((file, (_, evidence)), features): ((RankedFile<'_>, &'a Found), Vec<SpanVector>)| RankedSpans {
            chunks: &evidence.chunks,
            lines: file.lines,
            probabilities: probabilities.by_ref().take(features.len()).collect(),
            features,
        };
        Ok(files.into_iter().zip(found).zip(features).map(ranked).collect())
    }

    /// The text of the file of some chunks.
    fn read(&self, evidence: &FileEvidence, texts: &dyn Texts) -> Result<FileText> {
        let first = evidence.chunks.first().map(|&chunk| self.view.file(self.view.chunk(chunk).file).blob);
        let read = |blob| Ok(FileText { text: texts.text(blob)?, definitions: texts.definitions(blob)? });
        first.map(read).transpose().map(Option::unwrap_or_default)
    }

    /// The lines of the chunks of a file, and what they have of the query.
    fn lines(&self, evidence: &FileEvidence, file: &FileText, words: &QueryWords) -> Vec<ChunkLines> {
        let mut by_coverage: Vec<usize> = (0..evidence.chunks.len()).collect();
        by_coverage.sort_by(|&a, &b| evidence.scores[b][0].total_cmp(&evidence.scores[a][0]));
        let mut left = MAX_READ_BYTES;
        let mut is_read = vec![false; evidence.chunks.len()];
        for at in by_coverage {
            let size = self.view.chunk(evidence.chunks[at]).span.len();
            if evidence.scores[at][0] <= 0.0 {
                break;
            }
            if let Some(rest) = left.checked_sub(size) {
                (left, is_read[at]) = (rest, true);
            }
        }
        let lines = |(&chunk, is_read): (&ChunkIndex, bool)| {
            let ChunkRow { span, lines, .. } = self.view.chunk(chunk);
            let Some(text) = file.text.get(span.range()).filter(|_| is_read) else {
                return ChunkLines::unread(span.end - span.start, (lines.end - lines.start + 1) as usize);
            };
            let matches = words.matches(text);
            let first = file.definitions.partition_point(|&name| name < span.start);
            let names = file.definitions[first..].iter().take_while(|&&name| name < span.end);
            let mut definitions: Vec<usize> = Vec::new();
            let (mut line, mut from) = (0, 0);
            for name in names {
                let to = (name - span.start) as usize;
                line += text.get(from..to).map_or(0, |text| text.matches('\n').count());
                from = to;
                definitions.push(line);
            }
            ChunkLines::new(text, matches, &definitions)
        };
        evidence.chunks.iter().zip(is_read).map(lines).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_probable_chunk_is_the_best_and_the_first_of_equals() {
        let chunks = [3, 5, 8].map(ChunkIndex);
        let best = |probabilities: [f32; 3]| {
            let probabilities = probabilities.to_vec();
            let spans = RankedSpans { chunks: &chunks, lines: Vec::new(), features: Vec::new(), probabilities };
            (spans.best(), spans.probability())
        };
        assert_eq!(best([0.125, 0.5, 0.25]), (ChunkIndex(5), 0.875));
        assert_eq!(best([0.25, 0.5, 0.5]).0, ChunkIndex(5));
        assert_eq!(best([0.0; 3]).0, ChunkIndex(3));
    }
}
