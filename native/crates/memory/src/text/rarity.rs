//! How rare words are in the searched records.

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_lexical::analyzer::{for_each_prose_term, stem};

use super::Space;
use super::document::{Term, hash};
use super::question::{QueryTerm, Question};
use super::space_index::{SegmentCache, SpaceIndex};

/// Records that have none of the words are assumed besides those that there are: in a small memory one record with a word
/// does not make it a common one.
const OTHERS: f32 = 20.0;

/// How rare each word is, from 0 for one that all records have to 1 for one that none has. `besides` records that have
/// all of the words are not counted.
pub(crate) fn rarities(
    database: &Database,
    heads: &SegmentCache,
    spaces: &[Space],
    words: &[&str],
    besides: usize,
) -> Result<Vec<f32>> {
    let mut question = Question::default();
    let terms_of_words: Vec<Vec<usize>> = words.iter().map(|word| add_terms(word, &mut question.terms)).collect();
    let read = |space: &Space| SpaceIndex::read(database, heads, *space, &question);
    let parts = spaces.iter().map(read).collect::<Result<Vec<_>>>()?;
    let all = parts.iter().map(|part| part.head.docs.len()).sum::<usize>().saturating_sub(besides) as f32;
    let having = |term: &usize| parts.iter().map(|part| part.postings[*term].len()).sum::<usize>();
    let rarity = |terms: Vec<usize>| {
        let least = terms.iter().map(having).min().unwrap_or(0).saturating_sub(besides) as f32;
        let all = all + OTHERS;
        (all / (least + 1.0)).ln() / all.ln()
    };
    Ok(terms_of_words.into_iter().map(|terms| rarity(terms).clamp(0.0, 1.0)).collect())
}

/// Adds the terms that a word is found by: itself, or the longest of its parts if it is Chinese, Japanese or Korean.
fn add_terms(word: &str, terms: &mut Vec<QueryTerm>) -> Vec<usize> {
    let mut own: Vec<(usize, Term)> = Vec::new();
    for_each_prose_term(word, |term| own.push((term.chars().count(), hash(&stem(term)))));
    let longest = own.iter().map(|(length, _)| *length).max();
    let mut places = Vec::new();
    for (_, hash) in own.iter().filter(|(length, _)| Some(*length) == longest) {
        let at = terms.iter().position(|known| known.hash == *hash).unwrap_or_else(|| {
            terms.push(QueryTerm { hash: *hash, weight: 1.0, is_name: false, speaker: 0 });
            terms.len() - 1
        });
        places.push(at);
    }
    places
}
