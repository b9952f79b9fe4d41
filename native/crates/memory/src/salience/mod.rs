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
/// Sentences at each end of a turn that are judged.
const MAX_SENTENCES_PER_END: usize = 32;
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

fn read<'t>(text: &'t str, role: Role, before: &str, model: &dyn Embedder) -> Vec<(&'t str, Features)> {
    let mut scratch = Scratch::default();
    let turn: Vec<Sentence<'t>> = ends(sentences(text)).into_iter().map(Sentence::new).collect();
    let before: Vec<Sentence<'_>> = ends(sentences(before)).into_iter().map(Sentence::new).collect();
    (0..turn.len()).map(|at| (turn[at].text, features(&turn, at, role, &before, model, &mut scratch))).collect()
}

/// The first and the last sentences: what is longer is mostly pasted, and people speak before and after it.
fn ends(mut sentences: Vec<&str>) -> Vec<&str> {
    if let Some(excess) = sentences.len().checked_sub(2 * MAX_SENTENCES_PER_END) {
        sentences.drain(MAX_SENTENCES_PER_END..MAX_SENTENCES_PER_END + excess);
    }
    sentences
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

    const STATEMENT: &str = "We decided to use Redis for queues, because Postgres locks up.";

    fn stated(role: Role, before: &str, text: &str) -> Vec<String> {
        let model = builtin(STATIC).unwrap();
        statements(text, role, before, &*model).into_iter().map(|each| each.text).collect()
    }

    #[test]
    fn plain_statements_are_kept_in_several_languages() {
        for text in [
            STATEMENT,
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
    fn of_a_pasted_document_only_the_ends_are_judged() {
        let model = builtin(STATIC).unwrap();
        let text = format!("{STATEMENT} {} {STATEMENT}", "Look at it now. ".repeat(5_000));
        let found = read(&text, Role::User, &text, &*model);
        assert_eq!(found.len(), 2 * MAX_SENTENCES_PER_END);
        assert_eq!((found[0].0, found[found.len() - 1].0), (STATEMENT, STATEMENT));
        assert_eq!(ends(vec!["a", "b"]), ["a", "b"]);
        assert_eq!(ends(vec![]), [""; 0]);
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
