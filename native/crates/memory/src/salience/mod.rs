//! Which sentences of a talk are worth remembering, and as what: decisions, rules, preferences, facts, causes, tasks.
//!
//! | file | content |
//! |---|---|
//! | `features` | a sentence in its turn → hashed words, form, meaning |
//! | `model` | features → probability, kind |
//!
//! No phrase is listed: which words matter is learnt from talk in several languages, and words of other languages count as
//! their English meanings too ([`codecairn_lexical::translation`]).

mod features;
mod model;

use codecairn_model::embed::{Embedder, Scratch};

use super::extract::sentences::sentences;
use super::memory::Memory;
use super::words::{FactType, Role};
use features::{Features, Sentence, features};
use model::Kind;

/// Below this probability nothing is stored; chosen by `benches/memory/salience`.
const MIN_PROBABILITY: f32 = 0.5;
/// Statements in a row are one if together they are no longer than this.
const MAX_JOINED_BYTES: usize = 320;
/// Statements of one turn.
const MAX_STATEMENTS: usize = 4;

/// A part of a turn that is worth remembering.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Statement {
    /// One sentence, or several in a row.
    pub(super) text: String,
    /// What it states.
    pub(super) fact_type: FactType,
    /// How probably it is worth remembering.
    pub(super) probability: f32,
}

/// The features of a sentence, for fitting.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct DescribedSentence {
    /// The sentence.
    pub text: String,
    /// How probably it is worth remembering.
    pub probability: f32,
    /// Its hashed words, as slots and values.
    pub slots: Vec<(usize, f32)>,
    /// Its form, and the direction of its meaning.
    pub dense: Vec<f32>,
}

impl Memory {
    /// The features of each sentence of a turn; `before` is what the other side said last.
    pub fn describe(&self, text: &str, role: Role, before: &str) -> Vec<DescribedSentence> {
        let described = read(text, role, before, &*self.model).into_iter();
        described
            .map(|(text, features)| DescribedSentence {
                probability: model::probability(&features, role),
                text: text.to_owned(),
                dense: features.form.iter().copied().chain(features.meaning).collect(),
                slots: features.words,
            })
            .collect()
    }
}

/// What of a turn is worth remembering, in order; `before` is what the other side said last.
pub(super) fn statements(text: &str, role: Role, before: &str, model: &dyn Embedder) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    let mut last = None;
    for (at, (text, features)) in read(text, role, before, model).into_iter().enumerate() {
        let probability = model::probability(&features, role);
        if probability < MIN_PROBABILITY {
            continue;
        }
        let is_next = last.replace(at).is_some_and(|last: usize| last + 1 == at);
        let fits = |before: &&mut Statement| is_next && before.text.len() + text.len() < MAX_JOINED_BYTES;
        if let Some(before) = found.last_mut().filter(fits) {
            before.text.push(' ');
            before.text.push_str(text);
            before.probability = before.probability.max(probability);
        } else {
            let fact_type = fact_type(model::kind(&features, role), role);
            found.push(Statement { text: text.to_owned(), fact_type, probability });
        }
    }
    while found.len() > MAX_STATEMENTS {
        let least = found.iter().map(|statement| statement.probability).fold(f32::INFINITY, f32::min);
        found.retain(|statement| statement.probability > least);
    }
    found
}

/// How probably what a text says in `sentence` is worth remembering; 0 if it says nothing there.
pub(super) fn of_sentence(text: &str, sentence: &str, role: Role, model: &dyn Embedder) -> f32 {
    let turn: Vec<Sentence<'_>> = sentences(text).into_iter().map(Sentence::new).collect();
    let mut scratch = Scratch::default();
    (0..turn.len())
        .filter(|at| sentence.contains(turn[*at].text) || turn[*at].text.contains(sentence))
        .map(|at| model::probability(&features(&turn, at, role, &[], model, &mut scratch), role))
        .fold(0.0, f32::max)
}

fn read<'t>(text: &'t str, role: Role, before: &str, model: &dyn Embedder) -> Vec<(&'t str, Features)> {
    let mut scratch = Scratch::default();
    let turn: Vec<Sentence<'t>> = sentences(text).into_iter().map(Sentence::new).collect();
    let before: Vec<Sentence<'_>> = sentences(before).into_iter().map(Sentence::new).collect();
    (0..turn.len()).map(|at| (turn[at].text, features(&turn, at, role, &before, model, &mut scratch))).collect()
}

fn fact_type(kind: Kind, role: Role) -> FactType {
    match kind {
        Kind::Decision => FactType::Decision,
        Kind::Rule => FactType::Rule,
        Kind::Preference => FactType::Preference,
        Kind::Fact if role == Role::User => FactType::Note,
        Kind::Fact | Kind::Fix => FactType::Discovery,
        Kind::Todo => FactType::Task,
    }
}

#[cfg(test)]
mod tests {
    use codecairn_model::embed::{STATIC, builtin};

    use super::*;

    fn stated(role: Role, before: &str, text: &str) -> Vec<String> {
        let model = builtin(STATIC).unwrap();
        statements(text, role, before, &*model).into_iter().map(|each| each.text).collect()
    }

    #[test]
    fn plain_statements_are_kept_in_several_languages() {
        for text in [
            "We decided to use Redis for queues, because Postgres locks up.",
            "Never touch anything in legacy/, the auditors compare it byte by byte.",
            "Remember: die Testdatenbank darf nur gelesen werden, geschrieben wird dort nie.",
            "Nunca subas nada a la rama de producción sin avisar a Marta.",
            "On ne touche jamais au dossier legacy/.",
            "从现在开始主数据库一律用 PostgreSQL，不要再用 MySQL。",
            "本番のデータベースには直接書き込まないこと。",
        ] {
            assert_eq!(stated(Role::User, "", text).concat(), text);
        }
    }

    #[test]
    fn questions_the_moment_and_thanks_are_not() {
        for text in [
            "should we use Redis for queues?",
            "never mind the migration numbering for now, that worked.",
            "run the tests again please",
            "thanks, looks good",
            "Sollen wir Redis nehmen?",
            "好的，继续。",
        ] {
            assert_eq!(stated(Role::User, "", text), [""; 0], "{text}");
        }
    }

    #[test]
    fn of_a_long_turn_only_what_is_worth_it_is_kept() {
        let turn = "ok cool, that works now. can you rerun the linter? We never log customer names, \
                    the data protection officer signs off every release. then push it, thanks";
        let found = stated(Role::User, "", turn);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("never log customer names") && !found[0].contains("linter"), "{found:?}");
    }

    #[test]
    fn a_sentence_of_a_memory_is_as_salient_as_it_was_said() {
        let model = builtin(STATIC).unwrap();
        let text = "We decided to use Redis for queues, because Postgres locks up. Thanks!";
        let of = |sentence: &str| of_sentence(text, sentence, Role::User, &*model);
        assert!(of("We decided to use Redis for queues, because Postgres locks up.") > of("Thanks!"));
        assert!(of("not said").abs() < f32::EPSILON);
    }

    #[test]
    fn anything_can_be_read() {
        let model = builtin(STATIC).unwrap();
        let long = "x ".repeat(9_000);
        for text in ["", "\u{0}", "?", "…", long.as_str(), "👍👍👍", "\u{202e}abc"] {
            for role in [Role::User, Role::Assistant] {
                statements(text, role, text, &*model);
            }
        }
    }
}
