//! The features of a sentence as a statement to remember: its words and those around it, by hash, and its form.

use codecairn_lexical::analyzer::stem;
use codecairn_lexical::translation::{KnownWord, known_words};
use codecairn_model::embed::{Embedder, Scratch};
use xxhash_rust::xxh3::xxh3_64;

use crate::words::Role;

/// The slots that words are hashed to.
pub(super) const SLOTS: usize = 1 << 14;

/// The names of the features of form, in order; each stands twice, for all sentences and for those of users.
pub(super) const FORM: [&str; 24] = [
    "constant",
    "is_question",
    "is_exclamation",
    "has_digit",
    "has_code",
    "has_name",
    "has_colon",
    "has_quotation",
    "commas",
    "log_words",
    "share_of_stop_words",
    "mean_rarity",
    "max_rarity",
    "is_first",
    "is_last",
    "is_only",
    "log_sentences",
    "share_of_turn",
    "follows_question",
    "precedes_question",
    "answers_question",
    "log_words_before",
    "repeats_before",
    "is_translated",
];

/// The features of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Features {
    /// Slots below [`SLOTS`], each with its value.
    pub(super) words: Vec<(usize, f32)>,
    /// In the order of [`FORM`].
    pub(super) form: [f32; FORM.len()],
    /// The direction of its meaning by the built-in model, in English.
    pub(super) meaning: Vec<f32>,
}

/// What words of a sentence are counted as. Equal words of different namespaces are different features.
#[derive(Clone, Copy)]
enum Namespace {
    Word = 1,
    OfUser,
    Pair,
    First,
    Last,
    Before,
    After,
    Asked,
    /// Of a turn that is one sentence.
    Alone,
    PairAlone,
}

/// Words further apart than this are no neighbours of a sentence's ends.
const ENDS: usize = 2;
/// Words of a sentence, and of those around it, that count.
const MAX_WORDS: usize = 64;
/// A word at least so rare, in nats, that no language has it: a name.
const NAME_RARITY: f32 = 21.25;

/// A sentence with its words.
pub(super) struct Sentence<'t> {
    pub(super) text: &'t str,
    words: Vec<KnownWord>,
}

impl<'t> Sentence<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut words = known_words(text);
        words.truncate(MAX_WORDS);
        Self { text, words }
    }

    fn is_question(&self) -> bool {
        self.text.trim_end_matches(['"', '”', '»', ')', '*', '_', ' ']).ends_with(['?', '？', '؟'])
    }
}

/// What a word counts as: itself, and what it means in English.
fn keys(word: &KnownWord) -> Vec<(String, f32)> {
    if word.text.bytes().any(|byte| byte.is_ascii_digit()) {
        return vec![("#".to_owned(), 1.0)];
    }
    if is_name(word) {
        return vec![("@".to_owned(), 1.0)];
    }
    let mut found = vec![(stem(&word.text).into_owned(), 1.0)];
    let share = 1.0 / word.english.len().max(1) as f32;
    found.extend(word.english.iter().map(|meaning| (stem(meaning).into_owned(), share)));
    found
}

fn is_name(word: &KnownWord) -> bool {
    word.rarity >= NAME_RARITY && word.english.is_empty()
}

/// The word in English, for pairs of words.
fn in_english(word: &KnownWord) -> String {
    if word.text.bytes().any(|byte| byte.is_ascii_digit()) {
        return "#".to_owned();
    }
    if is_name(word) {
        return "@".to_owned();
    }
    stem(word.english.first().copied().unwrap_or(&word.text)).into_owned()
}

/// The features of the sentence at `at` of a turn; `before` is what the other side said last.
pub(super) fn features(
    turn: &[Sentence<'_>],
    at: usize,
    role: Role,
    before: &[Sentence<'_>],
    model: &dyn Embedder,
    scratch: &mut Scratch,
) -> Features {
    let own = &turn[at];
    let mut words = Vec::new();
    let mut add = |namespace: Namespace, found: &[&KnownWord], weight: f32| {
        let scale = weight / (found.len().max(1) as f32).sqrt();
        for (key, share) in found.iter().flat_map(|word| keys(word)) {
            words.push((slot(namespace, &key), scale * share));
        }
    };
    let all: Vec<&KnownWord> = own.words.iter().collect();
    add(Namespace::Word, &all, 1.0);
    if role == Role::User {
        add(Namespace::OfUser, &all, 1.0);
    }
    let is_alone = turn.len() == 1;
    if is_alone {
        add(Namespace::Alone, &all, 1.0);
    }
    add(Namespace::First, &all[..all.len().min(ENDS)], 1.0);
    add(Namespace::Last, &all[all.len().saturating_sub(ENDS)..], 1.0);
    let neighbour = |other: Option<usize>| -> Vec<&KnownWord> {
        other.and_then(|other| turn.get(other)).map(|other| other.words.iter().collect()).unwrap_or_default()
    };
    add(Namespace::Before, &neighbour(at.checked_sub(1)), 0.5);
    add(Namespace::After, &neighbour(at.checked_add(1)), 0.5);
    let asked = before.last().filter(|last| last.is_question());
    add(Namespace::Asked, &asked.map(|last| last.words.iter().collect::<Vec<_>>()).unwrap_or_default(), 0.5);
    let english: Vec<String> = own.words.iter().map(in_english).collect();
    let scale = 1.0 / (english.len().max(1) as f32).sqrt();
    for pair in english.windows(2) {
        let pair = pair.join(" ");
        words.push((slot(Namespace::Pair, &pair), scale));
        if is_alone {
            words.push((slot(Namespace::PairAlone, &pair), scale));
        }
    }
    let meaning = meaning(own, model, scratch);
    Features { words, form: form(turn, at, before), meaning }
}

fn slot(namespace: Namespace, key: &str) -> usize {
    let mut bytes = vec![namespace as u8];
    bytes.extend_from_slice(key.as_bytes());
    (xxh3_64(&bytes) % SLOTS as u64) as usize
}

/// The normalised vector of the sentence's English words.
fn meaning(sentence: &Sentence<'_>, model: &dyn Embedder, scratch: &mut Scratch) -> Vec<f32> {
    let english = |word: &KnownWord| word.english.first().map_or_else(|| word.text.clone(), |word| (*word).to_owned());
    let text = sentence.words.iter().map(english).collect::<Vec<_>>().join(" ");
    let mut vector = model.embed_query(&text, scratch);
    let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    for value in &mut vector {
        *value /= norm.max(f32::MIN_POSITIVE);
    }
    vector
}

fn form(turn: &[Sentence<'_>], at: usize, before: &[Sentence<'_>]) -> [f32; FORM.len()] {
    let own = &turn[at];
    let count = own.words.len().max(1) as f32;
    let all: usize = turn.iter().map(|sentence| sentence.words.len()).sum();
    let rarities = || own.words.iter().map(|word| word.rarity.min(NAME_RARITY));
    let is_question = |other: Option<&Sentence<'_>>| one_if(other.is_some_and(Sentence::is_question));
    let has = |letters: &[char]| one_if(own.text.contains(letters));
    let said_before = |word: &&KnownWord| {
        !word.is_stop_word && before.iter().any(|sentence| sentence.words.iter().any(|other| other.text == word.text))
    };
    [
        1.0,
        one_if(own.is_question()),
        one_if(own.text.ends_with(['!', '！'])),
        has(&['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']),
        has(&['`', '_', '/', '\\', '=', '{', '<']),
        one_if(own.words.iter().any(is_name)),
        has(&[':', '：']),
        has(&['"', '“', '”', '«', '「', '『']),
        (own.text.chars().filter(|letter| ",，、;；".contains(*letter)).count() as f32).ln_1p(),
        count.ln(),
        own.words.iter().filter(|word| word.is_stop_word).count() as f32 / count,
        rarities().sum::<f32>() / count / NAME_RARITY,
        rarities().fold(0.0, f32::max) / NAME_RARITY,
        one_if(at == 0),
        one_if(at + 1 == turn.len()),
        one_if(turn.len() == 1),
        (turn.len() as f32).ln(),
        own.words.len() as f32 / all.max(1) as f32,
        is_question(at.checked_sub(1).and_then(|at| turn.get(at))),
        is_question(turn.get(at + 1)),
        is_question(before.last()),
        (before.iter().map(|sentence| sentence.words.len()).sum::<usize>() as f32).ln_1p(),
        own.words.iter().filter(said_before).count() as f32 / count,
        one_if(own.words.iter().any(|word| !word.english.is_empty())),
    ]
}

fn one_if(holds: bool) -> f32 {
    f32::from(u8::from(holds))
}
