//! Ranks the chunks of the best files by how probably they are what a query needs.
//!
//! Texts are read for the first files alone, and of each only the chunks that cover the query best: the others are ranked
//! by their scores.

use codecairn_base::error::Result;
use codecairn_base::id::BlobId;
use codecairn_base::parallel::map_each;
use codecairn_base::span::ByteSpan;
use codecairn_index::view::{ChunkIndex, ChunkRow, View};
use memchr::memchr_iter;

use super::answer_places::{Piece, Place, places_of};
use super::excerpts::ChunkLines;
use super::features::FeatureVector;
use super::query_words::{LineMatch, QueryWords};
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

    /// The places of the file, in order.
    pub(super) fn all_places(&self) -> &[Place] {
        &self.text.places
    }

    /// What the lines of a place have of the query, and their sizes.
    pub(super) fn lines_of(&self, place: &Place, view: &View) -> PlaceLines {
        let rows = place.chunks.clone().map(|at| view.chunk(self.chunks[at]));
        let (mut first, mut span) = (1, ByteSpan { start: 0, end: 0 });
        let mut matches = Vec::new();
        for (row, at) in rows.zip(place.chunks.clone()) {
            if at == place.chunks.start {
                (first, span) = (row.lines.start, row.span);
            }
            span.end = row.span.end;
            let offset = (row.lines.start - first) as usize;
            let moved = |found: &LineMatch| LineMatch { line: found.line + offset, ..*found };
            matches.extend(self.lines[at].matches.iter().map(moved));
        }
        let at = self.most_probable(place);
        let offset = (view.chunk(self.chunks[at]).lines.start - first) as usize;
        let mut signature = offset + self.lines[at].signature;
        let text = self.text.get(span).unwrap_or_default();
        let sizes = text.split_inclusive('\n').map(|line| line.len() as u32).collect();
        let mut head = None;
        if let Some(name) = place.name {
            if name >= span.start {
                signature = self.text.newlines(span.start, name).map_or(signature, |lines| lines as usize);
            } else {
                head = self.head(name, view);
            }
        }
        PlaceLines { first, lines: ChunkLines { matches, signature }, sizes, head }
    }

    /// The line with a name: its number and its bytes; none where it was not read.
    fn head(&self, name: u32, view: &View) -> Option<(u32, ByteSpan)> {
        let chunk = self.chunk_with(name, view)?;
        let line = chunk.lines.start + self.text.newlines(chunk.span.start, name)?;
        Some((line, self.text.line_at(name)?))
    }

    /// The chunk that a byte of the file is in.
    fn chunk_with(&self, byte: u32, view: &View) -> Option<ChunkRow> {
        let at = self.chunks.partition_point(|&chunk| view.chunk(chunk).span.end <= byte);
        self.chunks.get(at).map(|&chunk| view.chunk(chunk)).filter(|row| row.span.start <= byte)
    }

    /// The number of the most probable chunk of a place; ties go to the first.
    pub(super) fn most_probable(&self, place: &Place) -> usize {
        let chunks = place.chunks.clone();
        let best = chunks.max_by(|&a, &b| self.probabilities[a].total_cmp(&self.probabilities[b]).then(b.cmp(&a)));
        best.unwrap_or(place.chunks.start)
    }
}

/// The lines of a place.
pub(super) struct PlaceLines {
    /// The number of the first of them.
    pub(super) first: u32,
    /// What they have of the query.
    pub(super) lines: ChunkLines,
    /// Their bytes; none where they were not read.
    pub(super) sizes: Vec<u32>,
    /// The line with the name of the definition that the place is a later piece of: its number and its bytes.
    pub(super) head: Option<(u32, ByteSpan)>,
}

/// What was read of a file.
#[derive(Default)]
struct FileText {
    /// The text from some byte on.
    text: String,
    start: u32,
    /// Where the names of definitions begin, in order.
    names: Vec<u32>,
    /// All places of the file, in order.
    places: Vec<Place>,
}

impl FileText {
    /// A file that was not read, with a place for each of so many chunks.
    fn apart(chunks: usize) -> Self {
        let places = (0..chunks).map(|at| Place { chunks: at..at + 1, name: None }).collect();
        Self { places, ..Self::default() }
    }

    /// The text of a chunk, if it was read.
    fn get(&self, span: ByteSpan) -> Option<&str> {
        let at = |byte: u32| byte.checked_sub(self.start).map(|byte| byte as usize);
        self.text.get(at(span.start)?..at(span.end)?)
    }

    /// How many lines end between two bytes, if these were read.
    fn newlines(&self, from: u32, to: u32) -> Option<u32> {
        let text = self.get(ByteSpan { start: from, end: to })?;
        Some(memchr_iter(b'\n', text.as_bytes()).count() as u32)
    }

    /// The line that a byte is in, if it was read.
    fn line_at(&self, byte: u32) -> Option<ByteSpan> {
        let at = byte.checked_sub(self.start)? as usize;
        let (before, after) = self.text.split_at_checked(at)?;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = at + after.find('\n').map_or(after.len(), |newline| newline + 1);
        Some(ByteSpan { start: self.start + start as u32, end: self.start + end as u32 })
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
        if by_coverage.is_empty() {
            by_coverage = (0..evidence.chunks.len()).collect();
        }
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

    /// Of each file its places, and the text from the first of those with wanted chunks to the last, with the lines of their
    /// names.
    fn read(&self, found: &[Found], wanted: &[Vec<bool>], texts: &dyn Texts) -> Result<Vec<FileText>> {
        let files: Vec<usize> = (0..found.len()).filter(|&at| wanted[at].contains(&true)).collect();
        let blob = |&at: &usize| self.view.file(self.view.chunk(found[at].1.chunks[0]).file).blob;
        let blobs: Vec<BlobId> = files.iter().map(blob).collect();
        let mut of_files: Vec<FileText> =
            found.iter().map(|(_, evidence)| FileText::apart(evidence.chunks.len())).collect();
        let mut spans: Vec<(BlobId, ByteSpan)> = Vec::with_capacity(files.len());
        for ((&at, extents), &blob) in files.iter().zip(texts.definitions(&blobs)?).zip(&blobs) {
            let pieces: Vec<Piece> = found[at].1.chunks.iter().map(|&chunk| self.piece(chunk)).collect();
            let file = &mut of_files[at];
            file.places = places_of(&pieces, &extents);
            file.names = extents.iter().map(|extent| extent.name).collect();
            file.names.sort_unstable();
            spans.push((blob, span_to_read(&pieces, &file.places, &wanted[at])));
        }
        for ((&at, text), (_, span)) in files.iter().zip(texts.texts(&spans)?).zip(&spans) {
            (of_files[at].text, of_files[at].start) = (text, span.start);
        }
        Ok(of_files)
    }

    fn piece(&self, chunk: ChunkIndex) -> Piece {
        let ChunkRow { span, lines, .. } = self.view.chunk(chunk);
        Piece { chunk, span, lines }
    }

    /// What the lines of a chunk have of the query.
    fn lines(&self, chunk: ChunkIndex, file: &FileText, words: &QueryWords) -> Option<ChunkLines> {
        let span = self.view.chunk(chunk).span;
        let text = file.get(span)?;
        let first = file.names.partition_point(|&name| name < span.start);
        let names = file.names[first..].iter().take_while(|&&name| name < span.end);
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

/// The bytes of all places with wanted chunks, from the chunk on that has the name of the first of them.
fn span_to_read(pieces: &[Piece], places: &[Place], wanted: &[bool]) -> ByteSpan {
    let is_wanted = |place: &&Place| wanted[place.chunks.clone()].contains(&true);
    let (mut start, mut end) = (u32::MAX, 0);
    for place in places.iter().filter(is_wanted) {
        let first = pieces[place.chunks.start].span.start;
        let with_name = |name: u32| {
            let after = pieces.partition_point(|piece| piece.span.start <= name);
            after.checked_sub(1).map(|at| pieces[at].span.start)
        };
        start = start.min(place.name.and_then(with_name).map_or(first, |start| start.min(first)));
        end = end.max(pieces[place.chunks.end - 1].span.end);
    }
    ByteSpan { start: start.min(end), end }
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
