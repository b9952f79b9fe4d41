//! Analyses documents into batches that belong to no segment yet: many threads make batches, one appends them to a
//! segment.

use codecairn_base::span::ByteSpan;

use super::analyzer::{Splitter, for_each_word};
use super::interner::{Interner, Strings};
use super::length::quantise;
use super::posting::Frequencies;

/// The indexed fields of a chunk.
#[derive(Debug, Clone, Copy, Default)]
pub struct Document<'a> {
    /// The chunk's text: the field *body*.
    pub text: &'a str,
    /// Names of the symbols defined in it, without qualifiers: the field *names*.
    pub names: &'a [&'a str],
    /// The spans of comments in `text`, in order and disjoint: the field *comments*, in addition to *body*. Parts of a
    /// span that lie outside the text or overlap the span before are ignored.
    pub comments: &'a [ByteSpan],
}

/// The distinct terms of several documents with their frequencies.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct AnalyzedBatch {
    terms: Strings,
    documents: Vec<AnalyzedDocument>,
    occurrences: Vec<(u32, Frequencies)>,
}

#[derive(Debug, PartialEq, Eq)]
struct AnalyzedDocument {
    /// One past its last entry in `occurrences`.
    end: usize,
    lengths: [u8; 3],
}

impl AnalyzedBatch {
    /// Analyses `documents`. Each distinct word is split and stemmed once per batch.
    pub fn analyze<'a>(documents: impl IntoIterator<Item = Document<'a>>) -> Self {
        let mut analysis = Analysis::default();
        for document in documents {
            analysis.add(&document);
        }
        let Analysis { terms, mut documents, mut occurrences, .. } = analysis;
        documents.shrink_to_fit();
        occurrences.shrink_to_fit();
        Self { terms: terms.into_strings(), documents, occurrences }
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Memory in use.
    pub fn byte_size(&self) -> usize {
        self.terms.byte_size()
            + size_of::<AnalyzedDocument>() * self.documents.len()
            + size_of::<(u32, Frequencies)>() * self.occurrences.len()
    }

    pub(super) fn terms(&self) -> &Strings {
        &self.terms
    }

    /// Each document's length codes (body, names, comments) and its distinct terms with their frequencies.
    pub(super) fn documents(&self) -> impl Iterator<Item = ([u8; 3], &[(u32, Frequencies)])> {
        let starts = std::iter::once(0).chain(self.documents.iter().map(|document| document.end));
        starts.zip(&self.documents).map(|(start, document)| (document.lengths, &self.occurrences[start..document.end]))
    }
}

#[derive(Debug, Clone, Copy)]
enum SourcePart {
    Code,
    Comment,
    Name,
}

/// The tables of a batch while it is built.
#[derive(Default)]
struct Analysis {
    words: Interner,
    /// By word: one past its last entry in `terms_of_words`.
    word_ends: Vec<u32>,
    terms_of_words: Vec<u32>,
    terms: Interner,
    splitter: Splitter,
    /// By term: how often in the document at hand.
    counts: Vec<Frequencies>,
    /// The terms of the document at hand.
    touched: Vec<u32>,
    documents: Vec<AnalyzedDocument>,
    occurrences: Vec<(u32, Frequencies)>,
}

impl Analysis {
    fn add(&mut self, document: &Document<'_>) {
        let text = document.text;
        let mut at = 0;
        for comment in document.comments {
            let (start, end) = (text.floor_char_boundary(comment.start as usize), comment.end as usize);
            let (start, end) = (start.max(at), text.floor_char_boundary(end).max(at));
            if start < end {
                self.read(&text[at..start], SourcePart::Code);
                self.read(&text[start..end], SourcePart::Comment);
                at = end;
            }
        }
        self.read(&text[at..], SourcePart::Code);
        for name in document.names {
            self.read(name, SourcePart::Name);
        }
        self.finish_document();
    }

    fn read(&mut self, text: &str, place: SourcePart) {
        for_each_word(text, |word| {
            let word = self.word(word);
            let start = if word == 0 { 0 } else { self.word_ends[word - 1] };
            for &term in &self.terms_of_words[start as usize..self.word_ends[word] as usize] {
                let count = &mut self.counts[term as usize];
                if *count == Frequencies::default() {
                    self.touched.push(term);
                }
                match place {
                    SourcePart::Code => count.body = count.body.saturating_add(1),
                    SourcePart::Comment => {
                        count.body = count.body.saturating_add(1);
                        count.comments = count.comments.saturating_add(1);
                    }
                    SourcePart::Name => count.names = count.names.saturating_add(1),
                }
            }
        });
    }

    /// The number of a word whose terms are known from here on.
    fn word(&mut self, word: &str) -> usize {
        let number = self.words.intern(word.as_bytes()) as usize;
        if number == self.word_ends.len() {
            let (terms, of_words) = (&mut self.terms, &mut self.terms_of_words);
            self.splitter.split(word, |term, _| of_words.push(terms.intern(term.as_bytes())));
            self.word_ends.push(self.terms_of_words.len() as u32);
            self.counts.resize(self.terms.len(), Frequencies::default());
        }
        number
    }

    fn finish_document(&mut self) {
        let mut lengths = [0u32; 3];
        for term in self.touched.drain(..) {
            let found = std::mem::take(&mut self.counts[term as usize]);
            for (length, more) in lengths.iter_mut().zip([found.body, found.names.into(), found.comments.into()]) {
                *length = length.saturating_add(more.into());
            }
            self.occurrences.push((term, found));
        }
        self.documents.push(AnalyzedDocument { end: self.occurrences.len(), lengths: lengths.map(quantise) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each document as `term:body/names/comments`, sorted.
    fn show(batch: &AnalyzedBatch) -> Vec<String> {
        let terms: Vec<&str> = batch.terms.iter().map(|term| std::str::from_utf8(term).unwrap()).collect();
        let show = |&(term, found): &(u32, Frequencies)| {
            format!("{}:{}/{}/{}", terms[term as usize], found.body, found.names, found.comments)
        };
        let document = |(_, list): (_, &[(u32, Frequencies)])| {
            let mut list: Vec<String> = list.iter().map(show).collect();
            list.sort();
            list.join(" ")
        };
        batch.documents().map(document).collect()
    }

    fn spans(list: &[(usize, usize)]) -> Vec<ByteSpan> {
        list.iter().map(|&(start, end)| ByteSpan { start: start as u32, end: end as u32 }).collect()
    }

    #[test]
    fn fields_are_counted_apart() {
        let text = "// load it\nload(x)";
        let first = Document { text, names: &["loadAll"], comments: &spans(&[(0, 10)]) };
        let second = Document { text: "load", names: &[], comments: &[] };
        let batch = AnalyzedBatch::analyze([first, second]);
        assert_eq!(show(&batch), ["all:0/1/0 it:1/0/1 load:2/1/1 loadall:0/1/0 x:1/0/0", "load:1/0/0"]);
        assert_eq!(batch.documents().next().unwrap().0, [4, 3, 2]);
    }

    #[test]
    fn comment_spans_that_make_no_sense_lose_nothing() {
        let text = "größe a b";
        let whole = AnalyzedBatch::analyze([Document { text, names: &[], comments: &[] }]);
        for wrong in [[(3, 50), (0, 2)], [(9, 9), (80, 90)], [(4, 3), (7, 5)]] {
            let batch =
                AnalyzedBatch::analyze([Document { text: "a b größe", names: &[], comments: &spans(&wrong) }]);
            let bodies = |batch: &AnalyzedBatch| batch.documents().next().unwrap().1.len();
            assert_eq!(bodies(&batch), bodies(&whole), "{wrong:?}");
        }
    }

    #[test]
    fn more_than_fits_is_the_most_that_fits() {
        let batch =
            AnalyzedBatch::analyze([Document { text: &"x ".repeat(70_000), names: &["x"; 300], comments: &[] }]);
        assert_eq!(show(&batch), ["x:65535/255/0"]);
    }
}
