//! The features of two statements of which one has words in the place of words of the other.

use std::collections::{HashMap, VecDeque};

use super::super::lexicon::Lexicon;
use super::statement::{Statement, Token, is_hangul};

/// The names of the features, in order.
pub(super) const FEATURES: [&str; 11] = [
    // Of the vectors of the statements, and of those of the swapped words.
    "cosine",
    "likeness",
    // In how many places words are swapped, at most.
    "places",
    // Whether one word is swapped for one.
    "is_one_word",
    // Whether a number is, and whether a name that no language has is.
    "is_number",
    "is_unknown_name",
    // How much rarer the swapped words are than those that both have.
    "rarer",
    // Whether both begin, and whether both end with it.
    "begins_with_plain_word",
    "ends",
    // Whether both have one other word at most.
    "is_short",
    // Whether both have a name, and no name is swapped for another: another use of the same thing.
    "shares_name",
];

/// The values of all features.
pub(super) type Values = [f32; FEATURES.len()];

/// The letters and the share of the longer word that two forms of a Korean word begin with.
const MIN_SHARED_HANGUL: (usize, f32) = (2, 0.5);
/// The least weight of a word that differs.
const MIN_WEIGHT: f32 = 1.0;
/// The unit in which rarities are compared, in nats.
const PER_RARITY: f32 = 10.0;

/// A word that says something: its place among all, and among those that do.
#[derive(Debug, Clone, Copy)]
struct Place {
    token: Token,
    at: usize,
    rank: usize,
}

/// What two statements have in common, and what each has alone.
pub(super) struct Comparison<'a> {
    lexicon: &'a Lexicon,
    newer: Vec<Place>,
    older: Vec<Place>,
    shared: Vec<Place>,
    added: Vec<Place>,
    missing: Vec<Place>,
}

impl<'a> Comparison<'a> {
    pub(super) fn of(lexicon: &'a Lexicon, newer: &Statement, older: &Statement) -> Self {
        let (newer, older) = (content(lexicon, newer), content(lexicon, older));
        let (is_shared, is_found) = matched(lexicon, &newer, &older);
        let part = |all: &[Place], are: &[bool], wanted: bool| {
            all.iter().zip(are).filter(|(_, is)| **is == wanted).map(|(place, _)| *place).collect::<Vec<Place>>()
        };
        Self {
            lexicon,
            shared: part(&newer, &is_shared, true),
            added: part(&newer, &is_shared, false),
            missing: part(&older, &is_found, false),
            newer,
            older,
        }
    }

    /// Whether each has words that the other lacks.
    pub(super) fn is_swap(&self) -> bool {
        !self.added.is_empty() && !self.missing.is_empty()
    }

    /// Whether a number that follows the first word is swapped: it tells which of several things is spoken of ("Worker 1 …").
    pub(super) fn is_of_another_number(&self) -> bool {
        let names = |places: &[Place]| places.iter().any(|place| place.token.is_number && place.at == 1);
        names(&self.added) && names(&self.missing)
    }

    /// The share of the words that both have, of the statement that has more.
    pub(super) fn shared_share(&self) -> f32 {
        let most = self.newer.len().max(self.older.len());
        if most > 0 { self.shared.len() as f32 / most as f32 } else { 0.0 }
    }

    /// The features of a swap; `cosine` is that of the statements' vectors.
    pub(super) fn features(&self, cosine: f32) -> Values {
        let (added, missing) = (&self.added, &self.missing);
        let words = |places: &[Place]| places.iter().map(|place| place.token.word).collect::<Vec<usize>>();
        let numbers = |places: &[Place]| places.iter().filter(|place| place.token.is_number).count();
        let is_written = |place: &Place| place.token.is_written_as_name;
        let is_unknown = |place: &Place| self.lexicon.words[place.token.word].is_name && !place.token.is_number;
        let both = |is: &dyn Fn(&Place) -> bool| added.iter().any(is) && missing.iter().any(is);
        let rarest = |places: &[Place]| places.iter().map(|place| self.weight(place)).fold(0.0, f32::max);
        let is_first = |places: &[Place]| places.first().is_some_and(|place| place.at <= 1);
        let is_last = |places: &[Place], of: &[Place]| places.last().map(|place| place.rank + 1) == Some(of.len());
        let has_name = |places: &[Place]| places.iter().any(|place| is_written(place) || place.token.is_number);
        let swaps_names = has_name(added) && has_name(missing);
        [
            cosine,
            self.lexicon.cosine(&words(added), &words(missing)),
            runs(added).max(runs(missing)) as f32,
            one_if(added.len() == 1 && missing.len() == 1),
            one_if(numbers(added) == 1 && numbers(missing) == 1),
            one_if(both(&is_unknown)),
            (rarest(added).min(rarest(missing)) - rarest(&self.shared)) / PER_RARITY,
            one_if(is_first(added) && is_first(missing) && !both(&is_written)),
            one_if(is_last(added, &self.newer) && is_last(missing, &self.older)),
            one_if(self.shared.len() <= 1),
            one_if(has_name(&self.shared) && !swaps_names),
        ]
    }

    fn weight(&self, place: &Place) -> f32 {
        self.lexicon.words[place.token.word].weight.max(MIN_WEIGHT)
    }
}

/// The words that say something; a negation does not count as one.
fn content(lexicon: &Lexicon, statement: &Statement) -> Vec<Place> {
    let says = |token: &Token| !token.is_negation && (lexicon.words[token.word].weight > 0.0 || token.is_number);
    let said = statement.tokens.iter().enumerate().filter(|(_, token)| says(token));
    said.enumerate().map(|(rank, (at, token))| Place { token: *token, at, rank }).collect()
}

/// Which words of each of two statements the other has as well, each once: first the equal ones, then forms.
fn matched(lexicon: &Lexicon, newer: &[Place], older: &[Place]) -> (Vec<bool>, Vec<bool>) {
    let (mut is_shared, mut is_found) = (vec![false; newer.len()], vec![false; older.len()]);
    let mut equal: HashMap<usize, VecDeque<usize>> = HashMap::new();
    for (at, place) in older.iter().enumerate() {
        equal.entry(place.token.word).or_default().push_back(at);
    }
    for (place, is_shared) in newer.iter().zip(&mut is_shared) {
        if let Some(at) = equal.get_mut(&place.token.word).and_then(VecDeque::pop_front) {
            (*is_shared, is_found[at]) = (true, true);
        }
    }
    let mut free: Vec<usize> = (0..older.len()).filter(|at| !is_found[*at]).collect();
    for (place, is_shared) in newer.iter().zip(&mut is_shared).filter(|(_, is_shared)| !**is_shared) {
        let is_form = |at: &usize| is_same(lexicon, place.token.word, older[*at].token.word);
        if let Some(nth) = free.iter().position(is_form) {
            is_found[free.remove(nth)] = true;
            *is_shared = true;
        }
    }
    (is_shared, is_found)
}

fn is_same(lexicon: &Lexicon, one: usize, other: usize) -> bool {
    let (left, right) = (&lexicon.words[one].text, &lexicon.words[other].text);
    if left.starts_with(is_hangul) && right.starts_with(is_hangul) {
        let shared = left.chars().zip(right.chars()).take_while(|(left, right)| left == right).count();
        let longer = left.chars().count().max(right.chars().count());
        return shared >= MIN_SHARED_HANGUL.0 && shared as f32 >= MIN_SHARED_HANGUL.1 * longer as f32;
    }
    lexicon.is_same(one, other)
}

/// How many runs of neighbours words are.
fn runs(places: &[Place]) -> usize {
    let breaks = places.windows(2).filter(|pair| pair[0].rank + 1 != pair[1].rank).count();
    breaks + usize::from(!places.is_empty())
}

fn one_if(holds: bool) -> f32 {
    f32::from(u8::from(holds))
}

#[cfg(test)]
mod tests {
    use codecairn_model::embed::{STATIC, Scratch, builtin};

    use super::*;

    #[test]
    fn a_word_that_is_there_several_times_is_shared_as_often_as_both_have_it() {
        let model = builtin(STATIC).unwrap();
        let (mut lexicon, mut scratch) = (Lexicon::default(), Scratch::default());
        let mut statement = |text: &str| Statement::of(text, &mut lexicon, &*model, &mut scratch);
        let (newer, older) = (statement("Kafka Kafka Redis parsers"), statement("Redis Kafka parser Redis tokens"));
        let found = Comparison::of(&lexicon, &newer, &older);
        let words = |places: &[Place]| {
            places.iter().map(|place| lexicon.words[place.token.word].text.as_str()).collect::<Vec<&str>>()
        };
        assert_eq!(words(&found.shared), ["kafka", "redis", "parsers"]);
        assert_eq!(words(&found.added), ["kafka"]);
        assert_eq!(words(&found.missing), ["redis", "tokens"]);
    }
}
