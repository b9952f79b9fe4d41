//! BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) over postings.

use codecairn_base::id::DocId;

use super::frequency_list::FrequencyList;
use super::length::{FieldLengths, dequantise};

/// A field of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// The chunk's text, comments included.
    Body,
    /// Names of the symbols it defines.
    Names,
    /// Its comments.
    Comments,
}

impl FieldLengths {
    /// The length of one field.
    pub fn of(self, field: Field) -> u32 {
        match field {
            Field::Body => self.body,
            Field::Names => self.names,
            Field::Comments => self.comments,
        }
    }
}

/// A document with the frequencies of a term in it, which saturate at their type's maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// The document.
    pub doc: DocId,
    /// Occurrences in the text.
    pub body: u16,
    /// Occurrences in the names it defines.
    pub names: u8,
    /// Occurrences in its comments.
    pub comments: u8,
}

impl Posting {
    /// The term frequency in `field`.
    #[inline]
    pub(crate) fn frequency(self, field: Field) -> u32 {
        match field {
            Field::Body => self.body.into(),
            Field::Names => self.names.into(),
            Field::Comments => self.comments.into(),
        }
    }
}

/// The documents that have a term (or any term of a stem's group), in rising order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermPostings {
    postings: Vec<Posting>,
}

impl TermPostings {
    /// The postings, one per document.
    pub fn iter(&self) -> std::slice::Iter<'_, Posting> {
        self.postings.iter()
    }

    /// Number of documents that have the term in any field.
    pub fn len(&self) -> usize {
        self.postings.len()
    }

    /// Whether no document has it.
    pub fn is_empty(&self) -> bool {
        self.postings.is_empty()
    }

    /// The number of documents that have the term in `field`.
    pub fn document_frequency(&self, field: Field) -> usize {
        self.postings.iter().map(|posting| usize::from(posting.frequency(field) > 0)).sum()
    }

    pub(super) fn reserve(&mut self, more: usize) {
        self.postings.reserve(more);
    }

    #[inline]
    pub(super) fn push(&mut self, posting: Posting) {
        self.postings.push(posting);
    }

    /// Appends postings of later documents.
    pub(super) fn append(&mut self, mut later: Self) {
        if self.is_empty() {
            *self = later;
        } else {
            self.postings.append(&mut later.postings);
        }
    }

    /// The union with `other`; frequencies of a document in both are added.
    pub(super) fn union(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return if self.is_empty() { other } else { self };
        }
        let (short, long) = if self.len() <= other.len() { (self, other) } else { (other, self) };
        let mut postings = Vec::with_capacity(short.len() + long.len());
        let mut rest = &long.postings[..];
        for posting in &short.postings {
            // The documents in between are copied as a run: lists of one stem differ much in length.
            let run = rest.iter().take_while(|other| other.doc < posting.doc).count();
            postings.extend_from_slice(&rest[..run]);
            rest = &rest[run..];
            let mut sum = *posting;
            if let Some(other) = rest.first().filter(|other| other.doc == posting.doc) {
                sum.body = sum.body.saturating_add(other.body);
                sum.names = sum.names.saturating_add(other.names);
                sum.comments = sum.comments.saturating_add(other.comments);
                rest = &rest[1..];
            }
            postings.push(sum);
        }
        postings.extend_from_slice(rest);
        Self { postings }
    }
}

impl<'a> IntoIterator for &'a TermPostings {
    type Item = &'a Posting;
    type IntoIter = std::slice::Iter<'a, Posting>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The parameters of BM25 for one field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// The saturation of the term frequency: with a small value, further occurrences soon stop to count.
    pub k1: f32,
    /// The share of length normalisation, 0 to 1.
    pub b: f32,
}

impl Bm25 {
    /// For texts: the values that Robertson and Zaragoza ("The Probabilistic Relevance Framework", 2009) report to
    /// hold up across collections, and Lucene's defaults.
    pub const TEXT: Self = Self { k1: 1.2, b: 0.75 };
    /// For names: a definition with many names is hardly less about each; `b` from our retrieval benchmark.
    pub const NAMES: Self = Self { k1: 1.2, b: 0.4 };

    /// For remarks and facts, which are short.
    pub const REMARK: Self = Self { k1: 1.6, b: 0.75 };

    /// The length norms `k1 · (1 - b + b · length / average)` of the documents that are searched: BM25's denominator is
    /// the frequency plus the norm.
    pub fn norms(self, lengths: impl Iterator<Item = u32> + Clone) -> Vec<f32> {
        let (total, count) = lengths.clone().fold((0u64, 0u64), |sum, length| (sum.0 + u64::from(length), sum.1 + 1));
        let average = average_length(total, count);
        lengths.map(|length| self.norm(length, average)).collect()
    }

    /// The norms by length code, given the number of documents of each code.
    pub fn norms_by_code(self, documents: &[u64; 256]) -> [f32; 256] {
        let lengths = std::array::from_fn(|code| dequantise(code as u8));
        let total = documents.iter().zip(&lengths).map(|(count, length)| count * u64::from(*length)).sum();
        let average = average_length(total, documents.iter().sum());
        lengths.map(|length| self.norm(length, average))
    }

    /// The length norm of a document among others of an [average](average_length) length.
    #[inline]
    pub fn norm(self, length: u32, average: f32) -> f32 {
        self.k1 * (1.0 - self.b + self.b * length as f32 / average)
    }

    /// The contribution of a term to a document's score.
    #[inline]
    pub fn weigh(self, idf: f32, frequency: u32, norm: f32) -> f32 {
        let frequency = frequency as f32;
        idf * frequency * (self.k1 + 1.0) / (frequency + norm)
    }

    /// Adds the contributions of one term in one field to `scores`. Both `norms` and `scores` are indexed by document;
    /// `documents` is the number of documents that are searched.
    pub fn accumulate(
        self,
        postings: &TermPostings,
        field: Field,
        documents: usize,
        norms: &[f32],
        scores: &mut [f32],
    ) {
        let idf = idf(documents, postings.document_frequency(field));
        for posting in postings {
            let (doc, frequency) = (posting.doc.index(), posting.frequency(field));
            if frequency > 0 {
                scores[doc] += self.weigh(idf, frequency, norms[doc]);
            }
        }
    }

    /// Adds the contribution of a term with this weight to the score of each document that has it. Both `norms` and
    /// `scores` are indexed by document.
    pub fn accumulate_list(self, list: &FrequencyList, idf: f32, norms: &[f32], scores: &mut [f32]) {
        match list {
            FrequencyList::Sparse(list) => {
                for &(document, count) in list {
                    scores[document as usize] += self.weigh(idf, count.into(), norms[document as usize]);
                }
            }
            FrequencyList::Dense { column, .. } => {
                // Adding zero to the documents without the term takes no branch, so the loop is vectorised.
                for ((score, &count), &norm) in scores.iter_mut().zip(column).zip(norms) {
                    *score += self.weigh(idf, count.into(), norm);
                }
            }
        }
    }
}

/// The average length of `count` documents with `total` terms, at least 1.
pub fn average_length(total: u64, count: u64) -> f32 {
    (total as f64 / count.max(1) as f64).max(1.0) as f32
}

/// Inverse document frequency in the form that never turns negative (Lucene's).
pub fn idf(documents: usize, with_term: usize) -> f32 {
    let (documents, with_term) = (documents as f32, with_term as f32);
    (1.0 + (documents - with_term + 0.5).max(0.0) / (with_term + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &[(u32, u16, u8)]) -> TermPostings {
        let posting = |&(doc, body, names): &(u32, u16, u8)| Posting { doc: DocId(doc), body, names, comments: 0 };
        TermPostings { postings: list.iter().map(posting).collect() }
    }

    #[test]
    fn rare_terms_and_short_documents_score_higher() {
        let norms = Bm25::TEXT.norms([10, 10, 40].into_iter());
        let rare = of(&[(0, 1, 0)]);
        let common = of(&[(0, 1, 0), (1, 1, 0), (2, 1, 2)]);
        let mut scores = [0.0; 3];
        Bm25::TEXT.accumulate(&common, Field::Body, 3, &norms, &mut scores);
        assert!((scores[0] - scores[1]).abs() < f32::EPSILON && scores[1] > scores[2] && scores[2] > 0.0);
        let before = scores[0];
        Bm25::TEXT.accumulate(&rare, Field::Body, 3, &norms, &mut scores);
        assert!(scores[0] - before > before);
        assert_eq!(common.document_frequency(Field::Names), 1);
        let mut names = [0.0; 3];
        Bm25::NAMES.accumulate(&common, Field::Names, 3, &norms, &mut names);
        assert!(names[0] == 0.0 && names[2] > 0.0);
    }

    #[test]
    fn the_formula_is_the_published_one() {
        // idf = ln(1 + (2 - 1 + 0.5) / (1 + 0.5)) = ln 2; length is average, so norm = k1.
        assert!((Bm25::TEXT.weigh(idf(2, 1), 1, 1.2) - 2f32.ln()).abs() < 1e-6);
        assert!(idf(10, 10) > 0.0 && idf(0, 0) >= 0.0);
    }

    #[test]
    fn a_union_adds_frequencies() {
        let union = of(&[(1, 2, 1), (4, 2, 255)]).union(of(&[(0, 3, 1), (4, u16::MAX, 1), (u32::MAX, 3, 0)]));
        assert_eq!(union, of(&[(0, 3, 1), (1, 2, 1), (4, u16::MAX, 255), (u32::MAX, 3, 0)]));
        assert_eq!(of(&[]).union(union.clone()), union);
    }
}
