//! The features of a memory as an answer to a prompt: those of the best pair of a sentence that asks and one that answers.

use std::collections::BTreeMap;

use super::super::lexicon::Lexicon;

/// The names of the features, in order.
pub(super) const FEATURES: [&str; 33] = [
    // The words of the asking sentence that the answering one has, by weight.
    "covered",
    "covered_alike",
    "covered_mass",
    // The most important word that it lacks.
    "worst_missing",
    // The same by the whole memory.
    "covered_by_all",
    "covered_alike_by_all",
    "worst_missing_by_all",
    // The words of the answering sentence that the asking one has.
    "named_of_answer",
    "cosine",
    // Names, and words with digits.
    "names_covered",
    "has_names",
    "answer_has_digit",
    "answer_is_question",
    // Of the asking sentence in its prompt.
    "known",
    "asks",
    "is_last",
    "share_of_prompt",
    "log_words",
    "log_words_of_answer",
    "log_sentences",
    // Of the memory.
    "is_fact",
    "is_summary",
    "is_user",
    "recent",
    // Of its recall.
    "rank",
    "behind_first",
    "covered_nearby",
    "known_words",
    "known_names",
    "meaning",
    "words",
    "words_before",
    "words_of_session",
];

/// The values of all features.
pub(super) type Values = [f32; FEATURES.len()];

/// A sentence of the prompt.
pub(super) struct Asking {
    pub(super) words: Vec<usize>,
    pub(super) is_question: bool,
    pub(super) is_last: bool,
}

/// A sentence of a memory.
pub(super) struct Answering {
    pub(super) words: Vec<usize>,
    pub(super) is_question: bool,
}

/// What a prompt's words are worth here: rare in their language, and rare in this memory.
pub(super) struct Worth<'a> {
    pub(super) lexicon: &'a Lexicon,
    /// By word: from 0, in every record, to 1, in none.
    pub(super) rarity: BTreeMap<usize, f32>,
    /// By pair of words.
    pub(super) likeness: Likenesses,
}

/// How much each word of the prompt means the same as each word of the memories.
pub(super) struct Likenesses {
    by_asking: BTreeMap<usize, BTreeMap<usize, f32>>,
}

impl Likenesses {
    /// Compares all words.
    pub(super) fn of(lexicon: &Lexicon, asking: &[usize], answering: &[usize]) -> Self {
        let row = |one: &usize| answering.iter().map(|other| (*other, lexicon.likeness(*one, *other))).collect();
        Self { by_asking: asking.iter().map(|one| (*one, row(one))).collect() }
    }

    fn between(&self, asking: usize, answering: usize) -> f32 {
        self.by_asking.get(&asking).and_then(|row| row.get(&answering)).copied().unwrap_or(0.0)
    }
}

/// How far some words are found in others.
struct Coverage {
    /// The share of their worth that is there by the same word, or a form of it.
    same: f32,
    /// The same by likeness.
    alike: f32,
    /// The largest share of the worth that one word has and that is not there.
    worst: f32,
    /// The worth that is there by the same word.
    mass: f32,
}

/// From so much on two words are one.
const SAME: f32 = 0.9;

impl Worth<'_> {
    fn of(&self, word: usize) -> f32 {
        self.lexicon.words[word].weight * self.rarity.get(&word).copied().unwrap_or(1.0)
    }

    fn coverage(&self, asking: &[usize], answering: &[usize]) -> Coverage {
        let (mut all, mut same, mut alike, mut worst) = (0.0_f32, 0.0_f32, 0.0_f32, 0.0_f32);
        for &word in asking {
            let worth = self.of(word);
            let best = answering.iter().map(|other| self.likeness.between(word, *other)).fold(0.0, f32::max);
            all += worth;
            same += if best >= SAME { worth * best } else { 0.0 };
            alike += worth * best;
            worst = worst.max(worth * (1.0 - best));
        }
        let share = |value: f32| if all > 0.0 { value / all } else { 0.0 };
        Coverage { same: share(same), alike: share(alike), worst: share(worst), mass: same }
    }

    /// The share of the weight of `answering` that `asking` names.
    fn named(&self, asking: &[usize], answering: &[usize]) -> f32 {
        let (mut all, mut named) = (0.0, 0.0);
        for &word in answering {
            let weight = self.lexicon.words[word].weight;
            let best = asking.iter().map(|other| self.likeness.between(*other, word)).fold(0.0, f32::max);
            all += weight;
            named += weight * best;
        }
        if all > 0.0 { named / all } else { 0.0 }
    }
}

/// The sentences of a memory.
pub(super) struct Text {
    pub(super) sentences: Vec<Answering>,
    /// The distinct words of all of them.
    pub(super) words: Vec<usize>,
}

/// The best pair.
pub(super) struct Best {
    pub(super) values: Values,
    /// The number of the answering sentence.
    pub(super) sentence: usize,
}

/// The features of the pair of sentences that have most in common; those of the memory and of its recall are not set.
pub(super) fn best_pair(worth: &Worth<'_>, prompt: &[Asking], text: &Text) -> Option<Best> {
    let mass = |asking: &Asking| asking.words.iter().map(|word| worth.of(*word)).sum::<f32>();
    let all: f32 = prompt.iter().map(mass).sum();
    let mut best: Option<(f32, Best)> = None;
    for asking in prompt.iter().filter(|asking| !asking.words.is_empty()) {
        let by_all = worth.coverage(&asking.words, &text.words);
        for (at, answering) in text.sentences.iter().enumerate().filter(|(_, each)| !each.words.is_empty()) {
            let covered = worth.coverage(&asking.words, &answering.words);
            if covered.alike <= 0.0 {
                continue;
            }
            let cosine = worth.lexicon.cosine(&asking.words, &answering.words);
            let score = (covered.same + covered.alike + cosine) * (1.0 + covered.mass).ln();
            if best.as_ref().is_some_and(|(most, _)| *most >= score) {
                continue;
            }
            let word = |number: &usize| &worth.lexicon.words[*number];
            let is_named = |number: &usize| word(number).is_name || word(number).has_digit;
            let names: Vec<usize> = asking.words.iter().copied().filter(is_named).collect();
            let known: f32 = asking
                .words
                .iter()
                .filter(|word| worth.rarity.get(word).copied().unwrap_or(1.0) < 1.0)
                .map(|word| worth.of(*word))
                .sum();
            let own = mass(asking);
            let share = |value: f32, of: f32| if of > 0.0 { value / of } else { 0.0 };
            let mut values: Values = [0.0; FEATURES.len()];
            let of_pair = [
                covered.same,
                covered.alike,
                (1.0 + covered.mass).ln(),
                covered.worst,
                by_all.same,
                by_all.alike,
                by_all.worst,
                worth.named(&asking.words, &answering.words),
                cosine,
                if names.is_empty() { 1.0 } else { worth.coverage(&names, &text.words).same },
                one_if(!names.is_empty()),
                one_if(answering.words.iter().any(|number| word(number).has_digit)),
                one_if(answering.is_question),
                share(known, own),
                one_if(asking.is_question),
                one_if(asking.is_last),
                share(own, all),
                (asking.words.len() as f32).ln_1p(),
                (answering.words.len() as f32).ln_1p(),
                (prompt.len() as f32).ln(),
            ];
            values[..of_pair.len()].copy_from_slice(&of_pair);
            best = Some((score, Best { values, sentence: at }));
        }
    }
    best.map(|(_, best)| best)
}

pub(super) fn one_if(holds: bool) -> f32 {
    f32::from(u8::from(holds))
}
