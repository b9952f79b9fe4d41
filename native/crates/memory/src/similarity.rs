//! Compares two statements: a repetition, or a new value of the same attribute.
//!
//! The cosine alone does not decide: "port 8080" and "port 9090" are nearly equal to any model. Numbers, negations and
//! the remaining words must agree as well. The thresholds belong to a model; `benches/memory/thresholds.py` finds them.

use std::collections::BTreeSet;

use super::text::term_hashes;
use super::words::FactType;

/// The minimum cosines of a model for equal and for related statements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Thresholds {
    same: f32,
    /// For descriptions of a project, which are rephrased more often than decisions.
    same_structural: f32,
    pub(super) related: f32,
}

/// The measured thresholds of the built-in model: no statements on different topics reach 0.5, nearly all repetitions
/// reach 0.7, and so do all that give another value.
const BUILT_IN: Thresholds = Thresholds { same: 0.70, same_structural: 0.60, related: 0.55 };
/// The thresholds of models without a measurement, which chance hardly ever reaches.
const UNKNOWN: Thresholds = Thresholds { same: 0.95, same_structural: 0.90, related: 0.85 };

/// Words before or after a value of which a thing has one at a time.
const ATTRIBUTES: [&str; 30] = [
    "port",
    "version",
    "timeout",
    "limit",
    "ttl",
    "retries",
    "size",
    "interval",
    "threshold",
    "budget",
    "deadline",
    "width",
    "height",
    "depth",
    "rate",
    "length",
    "count",
    "level",
    "memory",
    "quota",
    "workers",
    "threads",
    "replicas",
    "days",
    "hours",
    "minutes",
    "seconds",
    "端口",
    "版本",
    "超时",
];

/// Between an old value and a new one, in the order in which they are tried.
const CHANGES: [(&str, &str, &str); 12] = [
    ("switched", " from ", " to "),
    ("migrated", " from ", " to "),
    ("moved", " from ", " to "),
    ("changed", " from ", " to "),
    ("upgraded", " from ", " to "),
    ("switching", " from ", " to "),
    ("migrating", " from ", " to "),
    ("moving", " from ", " to "),
    ("replaced", " ", " with "),
    ("replacing", " ", " with "),
    ("replace", " ", " with "),
    ("从", "", "换成"),
];

const NEGATIONS: [&str; 16] = [
    "not", "no", "never", "don't", "doesn't", "isn't", "won't", "can't", "cannot", "without", "avoid", "stop",
    "neither", "nor", "disable", "disabled",
];
const NEGATIONS_IN_CHINESE: [&str; 5] = ["不", "别", "禁止", "没", "勿"];

/// The maximum number of differing words per side for a new value.
const MAX_DIFFERENT: usize = 3;

/// The compared features of a statement.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    lower: String,
    stems: BTreeSet<u64>,
    values: BTreeSet<String>,
    is_negated: bool,
}

/// The relation of a statement to an older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Similarity {
    /// It repeats or extends the older one.
    Again,
    /// It repeats a part of the older one.
    Part,
    /// It gives another value for the same thing.
    NewValue,
    /// Another topic.
    Other,
}

impl Thresholds {
    pub(super) fn of(model: &str) -> Self {
        if model == codecairn_model::embed::STATIC_ID { BUILT_IN } else { UNKNOWN }
    }

    fn same_for(&self, fact_type: FactType) -> f32 {
        if is_structural(fact_type) { self.same_structural } else { self.same }
    }
}

/// Whether facts of this type describe the project.
pub(super) fn is_structural(fact_type: FactType) -> bool {
    use FactType::{Architecture, ArchitecturePattern, ProductContext, ProjectBrief, ProjectConfig, TechContext};
    matches!(
        fact_type,
        Architecture | ArchitecturePattern | ProductContext | ProjectBrief | ProjectConfig | TechContext
    )
}

impl Statement {
    pub(super) fn of(text: &str) -> Self {
        let lower = text.to_lowercase().replace('’', "'");
        let values = words(&lower).filter(|word| word.bytes().any(|byte| byte.is_ascii_digit())).map(str::to_owned);
        let is_negated = words(&lower).any(|word| NEGATIONS.contains(&word))
            || NEGATIONS_IN_CHINESE.iter().any(|word| lower.contains(word));
        Self { values: values.collect(), is_negated, stems: term_hashes(text), lower }
    }

    /// The relation of this statement to an `older` one of the same type; `cosine` is that of their vectors.
    pub(super) fn to(&self, older: &Self, fact_type: FactType, cosine: f32, thresholds: &Thresholds) -> Similarity {
        let (own, its) = (self.stems.difference(&older.stems).count(), older.stems.difference(&self.stems).count());
        let shared = self.stems.intersection(&older.stems).count();
        if self.is_negated == older.is_negated && self.values == older.values && shared >= 2 {
            let is_same = cosine >= thresholds.same_for(fact_type) || own + its == 0;
            // Words on both sides that the other lacks: one thing was put in the place of another.
            match (own, its) {
                (_, 0) if is_same => return Similarity::Again,
                (0, _) if is_same => return Similarity::Part,
                _ => {}
            }
        }
        let is_framed = own <= MAX_DIFFERENT && its <= MAX_DIFFERENT && shared >= 2 && shared >= own.max(its);
        if is_framed && cosine >= thresholds.related && self.gives_new_value(older) {
            return Similarity::NewValue;
        }
        Similarity::Other
    }

    /// Whether the two differ in case, blanks and punctuation at the ends of words only.
    pub(super) fn is_written_as(&self, other: &Self) -> bool {
        let bare = |text: &str| {
            let ends = ['.', ',', ';', ':', '!', '。', '，', '！'];
            text.split_whitespace().map(|word| word.trim_end_matches(ends).to_owned()).collect::<Vec<String>>()
        };
        let own = bare(&self.lower);
        own.iter().any(|word| !word.is_empty()) && own == bare(&other.lower)
    }

    /// Whether the two differ in one value only, and in one that a thing has once.
    fn gives_new_value(&self, older: &Self) -> bool {
        let (mut own, mut its) = (self.values.difference(&older.values), older.values.difference(&self.values));
        let (Some(new), None, Some(old), None) = (own.next(), own.next(), its.next(), its.next()) else { return false };
        let attribute = |statement: &Self, value: &str| attribute_near(&statement.lower, value);
        attribute(self, new).is_some_and(|name| attribute(older, old) == Some(name))
    }

    /// The replaced and the new value of a change: "switched from X to Y".
    pub(super) fn replaced(&self) -> Option<(String, String)> {
        CHANGES.iter().find_map(|(verb, from, to)| {
            let after = &self.lower[self.lower.find(verb)? + verb.len()..];
            let old = &after[after.find(from)? + from.len()..];
            let (old, new) = old.split_once(to)?;
            let (old, new) = (thing(old, false)?, thing(new, true)?);
            (old != new).then_some((old, new))
        })
    }

    /// Whether it holds a word, or several in a row.
    pub(super) fn names(&self, thing: &str) -> bool {
        let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
        self.lower
            .match_indices(thing)
            .any(|(at, _)| !self.lower[..at].ends_with(is_word) && !self.lower[at + thing.len()..].starts_with(is_word))
    }

    pub(super) fn is_negated(&self) -> bool {
        self.is_negated
    }

    /// How many stems it has, and how many of them another one has too.
    pub(super) fn shared(&self, other: &Self) -> (usize, usize) {
        (self.stems.len(), self.stems.intersection(&other.stems).count())
    }
}

/// Whether a word of English negates.
pub(super) fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word)
}

fn words(lower: &str) -> impl Iterator<Item = &str> {
    lower
        .split(|char: char| char.is_whitespace() || ",;!?()[]{}\"`<>，。；：".contains(char))
        .map(|word| word.trim_matches(['.', ':', '\'', '=']))
        .flat_map(|word| word.split(['=']))
        .filter(|word| !word.is_empty())
}

/// The attribute within two words of a value.
fn attribute_near(lower: &str, value: &str) -> Option<&'static str> {
    let all: Vec<&str> = words(lower).collect();
    let at = all.iter().position(|word| *word == value)?;
    let near = [at.checked_sub(1), Some(at + 1), at.checked_sub(2), Some(at + 2), at.checked_sub(3)];
    near.into_iter().flatten().filter_map(|place| all.get(place)).find_map(|word| {
        ATTRIBUTES.iter().copied().find(|name| {
            word == name || word.strip_suffix('s') == Some(name) || !name.is_ascii() && word.contains(name)
        })
    })
}

/// A thing's name, of at most three words: its last ones, or its first.
fn thing(text: &str, is_first: bool) -> Option<String> {
    let end = text.find(['.', ',', ';', '(', '\n', '，', '。']).unwrap_or(text.len());
    let found: Vec<&str> = text[..if is_first { end } else { text.len() }].split_whitespace().collect();
    if found.is_empty() || !is_first && found.len() > 3 {
        return None;
    }
    let stops = ["for", "because", "as", "in", "on", "since", "so", "and", "when", "to", "at", "with"];
    let kept: Vec<&str> = found.into_iter().take_while(|word| !stops.contains(word)).take(3).collect();
    let kept: Vec<&str> = kept.into_iter().skip_while(|word| ["the", "our", "a", "an"].contains(word)).collect();
    let name = kept.join(" ").trim_matches(['`', '\'', '"']).to_owned();
    (name.chars().count() >= 2).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(new: &str, old: &str, cosine: f32) -> Similarity {
        Statement::of(new).to(&Statement::of(old), FactType::Decision, cosine, &BUILT_IN)
    }

    #[test]
    fn what_says_the_same_or_more_is_known_and_what_says_another_thing_is_not() {
        assert_eq!(likeness("Auth uses JWT in httpOnly cookies", "Auth uses JWT", 0.85), Similarity::Again);
        assert_eq!(likeness("Auth uses JWT", "Auth uses JWT in httpOnly cookies", 0.85), Similarity::Part);
        assert_eq!(likeness("We use Redis for the queue", "The queue: we use Redis!", 0.7), Similarity::Again);
        for (new, old) in [
            ("Worker 1 handles invoices", "Worker 2 handles invoices"),
            ("Service 3 listens on port 8003", "Service 4 listens on port 8004"),
        ] {
            assert_eq!(likeness(new, old, 0.97), Similarity::Other, "{new}");
        }
    }

    #[test]
    fn another_value_of_the_same_attribute_is_seen() {
        for (new, old) in [
            ("The API listens on port 9090", "The API listens on port 8080"),
            ("The request timeout is 30 s now", "The request timeout is 10 s"),
            ("We need Python version 3.12", "We need Python version 3.11"),
            ("服务的端口 9090", "服务的端口 8080"),
        ] {
            assert_eq!(likeness(new, old, 0.9), Similarity::NewValue, "{new}");
        }
        assert_eq!(
            likeness("The API listens on port 9090", "The admin page listens on port 8080", 0.3),
            Similarity::Other
        );
    }

    #[test]
    fn a_change_names_what_was_and_what_is() {
        let replaced = |text: &str| Statement::of(text).replaced();
        let pair = |old: &str, new: &str| Some((old.to_owned(), new.to_owned()));
        assert_eq!(replaced("We switched from Jest to Vitest for unit tests."), pair("jest", "vitest"));
        assert_eq!(replaced("Replaced the Jenkins pipeline with Buildkite"), pair("jenkins pipeline", "buildkite"));
        assert_eq!(replaced("I moved the button to the left"), None);
        assert_eq!(replaced("We use Jest"), None);
        assert!(Statement::of("We use Jest for tests").names("jest"));
        assert!(!Statement::of("Jesters are fun").names("jest"));
    }
}
