//! Finds the words of a query in the lines of a text: which of them a line has, and how long a run of the query's own
//! words, in their order, ends in it. Linear in the text: an automaton (Aho and Corasick 1975) finds the lines that may
//! have a word, and only these are split into words and kept.
//!
//! Words are the parts that the analyzer gives, as written; a stem would make a run of a message from other messages.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, Input};
use codecairn_lexical::analyzer::for_each_part;
use memchr::{memchr, memchr_iter, memrchr};

use super::query::Query;

/// The number of distinct words of a query that are matched: the bits of a mask.
const MAX_WORDS: usize = 64;
/// The words of a query in their order, of which runs are made; the rest of a long paste is left out.
const MAX_SEQUENCE: usize = 256;

/// The words of a query with their weights.
#[derive(Debug)]
pub(super) struct QueryWords {
    words: HashMap<String, Word>,
    /// The weight of each word, as a share of the weight of all.
    weights: Vec<f32>,
    sequence: usize,
    /// By first byte: a bit for each length in bytes that a word may have, all above 63 as one.
    lengths: [u64; 256],
    /// Finds what may be a word with a weight; nothing if some word has letters whose other case it does not know.
    finder: Option<AhoCorasick>,
}

#[derive(Debug)]
struct Word {
    number: usize,
    /// Where it is in the query.
    places: Vec<usize>,
}

/// What a line has of a query.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct LineMatch {
    /// The line, from 0 on.
    pub(super) line: usize,
    /// A bit for each word of the query.
    pub(super) words: u64,
    /// The weight of its words.
    pub(super) weight: f32,
    /// The weight of the weightiest run that ends in it.
    pub(super) run: f32,
    /// The number of words of the longest run that ends in it, stop words included.
    pub(super) run_words: u16,
}

impl QueryWords {
    /// The words of `query`; `of_terms` has the weight of each of its terms. Stop words weigh nothing, and don't end a run.
    pub(super) fn new(query: &Query, of_terms: &[f32]) -> Self {
        let (mut words, mut weights) = (HashMap::<String, Word>::new(), Vec::new());
        let (mut sequence, mut lengths) = (0, [0; 256]);
        for_each_part(&query.text, |part| {
            if sequence == MAX_SEQUENCE || (words.len() == MAX_WORDS && !words.contains_key(part)) {
                return;
            }
            let word = words.entry(part.to_owned()).or_insert_with(|| {
                let term = query.terms.iter().position(|term| term.term == part);
                weights.push(term.map_or(0.0, |term| of_terms[term]));
                Word { number: weights.len() - 1, places: Vec::new() }
            });
            word.places.push(sequence);
            lengths[usize::from(part.as_bytes()[0])] |= length_bit(part);
            sequence += 1;
        });
        let total = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        for weight in &mut weights {
            *weight /= total;
        }
        let weighty = || words.iter().filter(|(_, word)| weights[word.number] > 0.0).map(|(text, _)| text);
        let finder = weighty()
            .all(|word| word.is_ascii())
            .then(|| AhoCorasick::builder().ascii_case_insensitive(true).build(weighty()).ok());
        Self { finder: finder.flatten(), words, weights, sequence, lengths }
    }

    /// The lines of `text` that have some of it, in order. A run goes on from line to line.
    pub(super) fn matches(&self, text: &str) -> Vec<LineMatch> {
        let bytes = text.as_bytes();
        let none = vec![Run::default(); self.sequence];
        let mut runs = Runs { before: none.clone(), after: none, last: &[] };
        let (mut found, mut line, mut at) = (Vec::new(), 0, 0);
        while let Some(next) = self.find_from(text, at) {
            let start = memrchr(b'\n', &bytes[at..next]).map_or(at, |end| at + end + 1);
            line += memchr_iter(b'\n', &bytes[at..start]).count();
            if !text[at..start].trim_ascii().is_empty() {
                runs.end();
            }
            at = memchr(b'\n', &bytes[next..]).map_or(text.len(), |end| next + end + 1);
            let of_line = self.line(line, &text[start..at], &mut runs);
            if of_line.weight > 0.0 || of_line.run > 0.0 {
                found.push(of_line);
            }
            line += 1;
        }
        found
    }

    /// The first place from `at` on that may be a word with a weight.
    fn find_from(&self, text: &str, at: usize) -> Option<usize> {
        match &self.finder {
            Some(finder) => finder.find(Input::new(text).range(at..)).map(|found| found.start()),
            None => (at < text.len()).then_some(at),
        }
    }

    /// What one line has; `runs` are those that end before it.
    fn line<'a>(&'a self, line: usize, text: &str, runs: &mut Runs<'a>) -> LineMatch {
        let mut found = LineMatch { line, ..LineMatch::default() };
        for_each_part(text, |part| match self.find(part) {
            Some(Word { number, places }) => {
                found.words |= 1 << number;
                let run = runs.extend(places, self.weights[*number]);
                found.run = found.run.max(run.weight);
                found.run_words = found.run_words.max(run.words);
            }
            None => runs.end(),
        });
        found.weight = self.weight(found.words);
        found
    }

    fn find(&self, part: &str) -> Option<&Word> {
        let lengths = self.lengths[usize::from(*part.as_bytes().first()?)];
        if lengths & length_bit(part) == 0 { None } else { self.words.get(part) }
    }

    /// The weight of some words, from 0 to 1.
    pub(super) fn weight(&self, words: u64) -> f32 {
        let mut rest = words;
        let mut weight = 0.0;
        while rest != 0 {
            weight += self.weights[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        weight
    }
}

fn length_bit(word: &str) -> u64 {
    1 << word.len().min(63)
}

/// The runs of a query's words that end with the last word of a text.
struct Runs<'a> {
    /// By place in the query: the run that ends there.
    before: Vec<Run>,
    /// The same with the next word; all empty between two words.
    after: Vec<Run>,
    /// The places of the last word.
    last: &'a [usize],
}

/// Words of a query in its order.
#[derive(Clone, Copy, Default)]
struct Run {
    weight: f32,
    words: u16,
}

impl<'a> Runs<'a> {
    /// Goes on with a word that the query has at some places; gives the highest weight of a run, and the most words.
    fn extend(&mut self, places: &'a [usize], weight: f32) -> Run {
        let mut most = Run::default();
        for &place in places {
            let so_far = place.checked_sub(1).map_or(Run::default(), |place| self.before[place]);
            self.after[place] = Run { weight: so_far.weight + weight, words: so_far.words + 1 };
            most.weight = most.weight.max(self.after[place].weight);
            most.words = most.words.max(self.after[place].words);
        }
        self.end();
        for &place in places {
            self.before[place] = std::mem::take(&mut self.after[place]);
        }
        self.last = places;
        most
    }

    /// Goes on with a word that the query does not have.
    fn end(&mut self) {
        for &place in self.last {
            self.before[place] = Run::default();
        }
        self.last = &[];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(query: &str) -> QueryWords {
        let query = Query::parse(query);
        QueryWords::new(&query, &vec![1.0; query.terms.len()])
    }

    #[test]
    fn a_line_has_the_share_of_the_words_that_it_names() {
        let found = words("parse header size").matches("fn parseHeader() {\n\n    size\n}\n");
        let weights: Vec<f32> = found.iter().map(|line| line.weight).collect();
        assert_eq!(found.iter().map(|line| line.line).collect::<Vec<_>>(), [0, 2]);
        assert!((weights[0] - 2.0 / 3.0).abs() < 1e-6 && (weights[1] - 1.0 / 3.0).abs() < 1e-6, "{weights:?}");
    }

    #[test]
    fn a_run_needs_the_order_and_stop_words_do_not_end_it() {
        let run = |text: &str| words("could not open file alpha").matches(text)[0].run;
        assert!((run("\"could not open file {}\"") - 2.0 / 3.0).abs() < 1e-6);
        assert!((run("open the file") - 1.0 / 3.0).abs() < 1e-6);
        assert!((run("file open") - 1.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn stop_words_lengthen_a_run_without_weight() {
        let of_line = words("the file is not open").matches("error(\"the file is not there\")")[0];
        assert_eq!(of_line.run_words, 4);
        assert!((of_line.run - 0.5).abs() < 1e-6, "{of_line:?}");
    }

    #[test]
    fn a_run_goes_on_in_the_next_line() {
        let found = words("unknown escape sequence").matches("\"unknown escape\"\n\"sequence\"\n");
        assert!((found[0].run - 2.0 / 3.0).abs() < 1e-6 && (found[1].run - 1.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn a_word_that_comes_twice_continues_either_run() {
        let found = words("alpha beta alpha gamma").matches("alpha gamma\n");
        assert!((found[0].run - 2.0 / 3.0).abs() < 1e-6, "{found:?}");
    }
}
