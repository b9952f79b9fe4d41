//! What of a memory answers a prompt: recall for each sentence that may ask, and a model that judges each memory by itself.
//!
//! | file | content |
//! |---|---|
//! | `sentences` | text → sentences |
//! | `features` | the pair of sentences that have most in common → features |
//! | `model` | features → probability |
//!
//! A long prompt tells more than it asks: its words together find what it tells of. So each of its sentences is recalled
//! by itself too, and a memory is judged by the sentence that it fits best. Nothing here knows a language: how usual a word
//! is, and what it means, is learnt ([`codecairn_lexical::translation`]).

mod features;
mod model;
mod sentences;

use std::collections::{BTreeMap, BTreeSet};

use codecairn_base::error::Result;
use codecairn_lexical::translation::translate;
use codecairn_model::embed::{Embedder, Scratch};

use self::features::{Answering, Asking, FEATURES, Likenesses, Text, Values, Worth, best_pair, one_if};
use self::sentences::is_question;
pub(super) use self::sentences::sentences;
use super::lexicon::Lexicon;
use super::memory::Memory;
use super::project;
use super::recall::{RecallHit, RecallOptions};
use super::text::{Space, rarities};
use super::words::{FactType, Role};

/// Sentences of a prompt that are recalled by themselves: those that say most.
const MAX_RECALLED: usize = 6;
/// Hits of the whole prompt, and of each sentence, that are judged.
const OF_PROMPT: usize = 16;
const OF_SENTENCE: usize = 8;
/// Bytes of a memory that are read.
const MAX_TEXT_BYTES: usize = 6_000;
/// A sentence with less weight than a rare word asks nothing.
const MIN_WEIGHT: f32 = 3.0;

/// A memory that may answer a prompt.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Answer {
    /// The memory.
    pub hit: RecallHit,
    /// The probability that it answers, from 0 to 1; comparable between prompts.
    pub likelihood: f32,
    /// The sentence of it that answers.
    pub sentence: String,
    /// What the probability was computed from, by name.
    pub features: BTreeMap<&'static str, f32>,
}

impl Memory {
    /// What may answer a prompt, the likeliest first; `options.least_evidence` is the least probability. The prompt itself,
    /// if it is recorded, is no answer.
    ///
    /// # Errors
    /// As [`Memory::recall`], except that a prompt without words has no answer.
    pub fn answers(&self, prompt: &str, options: &RecallOptions) -> Result<Vec<Answer>> {
        let mut reader = Reader { model: &*self.model, lexicon: Lexicon::default(), scratch: Scratch::default() };
        let asking = reader.prompt(prompt);
        if asking.is_empty() {
            return Ok(Vec::new());
        }
        let (candidates, own) = self.candidates(prompt, &asking, options)?;
        let texts: Vec<String> = candidates.iter().map(Candidate::text).collect();
        let written: Vec<Vec<&str>> = texts.iter().map(|text| sentences(text)).collect();
        let read: Vec<Text> = written.iter().map(|sentences| reader.memory(sentences)).collect();
        let lexicon = reader.lexicon;
        let asked = distinct(asking.iter().map(|sentence| &sentence.asking.words));
        let answered = distinct(read.iter().map(|text| &text.words));
        let rarity = self.rarity(&lexicon, &asked, options, own)?;
        let likeness = Likenesses::of(&lexicon, &asked, &answered);
        let worth = Worth { lexicon: &lexicon, rarity, likeness };
        let asking: Vec<Asking> = asking.into_iter().map(|sentence| sentence.asking).collect();
        let mut found = Vec::new();
        for ((candidate, text), sentences) in candidates.into_iter().zip(&read).zip(&written) {
            let Some(mut best) = best_pair(&worth, &asking, text) else { continue };
            candidate.describe(&mut best.values);
            let likelihood = model::likelihood(&best.values);
            if likelihood >= options.least_evidence {
                found.push(Answer {
                    hit: candidate.hit,
                    likelihood,
                    sentence: sentences[best.sentence].to_owned(),
                    features: FEATURES.into_iter().zip(best.values).collect(),
                });
            }
        }
        found.sort_by(|left, right| right.likelihood.total_cmp(&left.likelihood));
        let mut found = without_sources(found);
        found.truncate(options.limit);
        Ok(found)
    }

    /// What the prompt and its sentences recall, and how many records are the prompt itself.
    fn candidates(
        &self,
        prompt: &str,
        asking: &[Sentence<'_>],
        options: &RecallOptions,
    ) -> Result<(Vec<Candidate>, usize)> {
        let mut by_weight: Vec<&Sentence<'_>> = asking.iter().filter(|_| asking.len() > 1).collect();
        by_weight.sort_by(|left, right| right.weight.total_cmp(&left.weight));
        let sentences = by_weight.iter().take(MAX_RECALLED).map(|sentence| (sentence.text, OF_SENTENCE));
        // What is remembered may be in English, as code is.
        let english = translate(prompt).map(|translation| translation.words.join(" ")).unwrap_or_default();
        let english = Some((english.as_str(), OF_SENTENCE)).filter(|(words, _)| !words.is_empty());
        let mut found: Vec<Candidate> = Vec::new();
        let mut own = BTreeSet::new();
        let queries: Vec<(&str, usize)> = [(prompt, OF_PROMPT)].into_iter().chain(sentences).chain(english).collect();
        let options = RecallOptions { least_evidence: 0.0, ..options.clone() };
        for hits in self.recall_each(&queries, &options)? {
            let first = hits.first().map_or(0.0, |hit| hit.score);
            for (rank, hit) in hits.into_iter().enumerate() {
                let behind = first - hit.score;
                if let Some(known) = found.iter_mut().find(|known| known.hit.id == hit.id) {
                    if rank < known.rank {
                        *known = Candidate { hit, rank, behind };
                    }
                } else if hit.repeats(prompt) {
                    own.insert(hit.id);
                } else if can_answer(&hit) {
                    found.push(Candidate { hit, rank, behind });
                }
            }
        }
        Ok((found, own.len()))
    }

    /// How rare words are in the records that are searched.
    fn rarity(
        &self,
        lexicon: &Lexicon,
        words: &[usize],
        options: &RecallOptions,
        own: usize,
    ) -> Result<BTreeMap<usize, f32>> {
        let texts: Vec<&str> = words.iter().map(|word| lexicon.words[*word].text.as_str()).collect();
        let found = self.read(|database, number| {
            let mut spaces = vec![Space::facts(project::USER), Space::facts(number)];
            if options.events {
                spaces.push(Space::events(number));
            }
            rarities(database, &self.segment_cache, &spaces, &texts, own)
        })?;
        Ok(words.iter().copied().zip(found.unwrap_or_default()).collect())
    }
}

/// The answers without events whose sentence is a fact among them.
fn without_sources(mut answers: Vec<Answer>) -> Vec<Answer> {
    let facts: Vec<_> = answers.iter().filter_map(|answer| answer.hit.fact.clone()).collect();
    let is_fact = |seq: i64, sentence: &str| {
        let mut drawn = facts.iter().filter(|fact| fact.sources.contains(&seq));
        drawn.any(|fact| fact.text.contains(sentence) || sentence.contains(&fact.text))
    };
    answers.retain(|answer| answer.hit.event.as_ref().is_none_or(|event| !is_fact(event.seq, &answer.sentence)));
    answers
}

/// Whether a record says something: a fact does, and talk that does not only ask. What tools print is no answer.
fn can_answer(hit: &RecallHit) -> bool {
    hit.event.as_ref().is_none_or(|event| {
        matches!(event.role, Role::User | Role::Assistant) && !sentences(&event.body).into_iter().all(is_question)
    })
}

/// A sentence of a prompt that says enough to ask something.
struct Sentence<'a> {
    text: &'a str,
    weight: f32,
    asking: Asking,
}

/// Reads texts into one lexicon.
struct Reader<'a> {
    model: &'a dyn Embedder,
    lexicon: Lexicon,
    scratch: Scratch,
}

impl Reader<'_> {
    fn words(&mut self, sentence: &str) -> Vec<usize> {
        self.lexicon.add(sentence, self.model, &mut self.scratch)
    }

    fn prompt<'t>(&mut self, prompt: &'t str) -> Vec<Sentence<'t>> {
        let texts = sentences(prompt);
        let last = texts.len().saturating_sub(1);
        let mut found = Vec::new();
        for (at, text) in texts.into_iter().enumerate() {
            let words = self.words(text);
            let weight: f32 = words.iter().map(|word| self.lexicon.words[*word].weight).sum();
            if weight >= MIN_WEIGHT {
                let asking = Asking { words, is_question: is_question(text), is_last: at == last };
                found.push(Sentence { text, weight, asking });
            }
        }
        found
    }

    fn memory(&mut self, sentences: &[&str]) -> Text {
        let read = |sentence: &&str| Answering { words: self.words(sentence), is_question: is_question(sentence) };
        let sentences: Vec<Answering> = sentences.iter().map(read).collect();
        let words = distinct(sentences.iter().map(|sentence| &sentence.words));
        Text { sentences, words }
    }
}

/// All of some words, each once.
fn distinct<'a>(words: impl Iterator<Item = &'a Vec<usize>>) -> Vec<usize> {
    words.flatten().copied().collect::<BTreeSet<usize>>().into_iter().collect()
}

/// A memory with its place in the recall that it is highest in.
struct Candidate {
    hit: RecallHit,
    rank: usize,
    behind: f32,
}

impl Candidate {
    /// What is read of it.
    fn text(&self) -> String {
        let mut text = match (&self.hit.fact, &self.hit.event) {
            (Some(fact), _) => format!("{}\n{}", fact.title, fact.text),
            (None, Some(event)) => event.body.clone(),
            (None, None) => String::new(),
        };
        text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
        text
    }

    /// Sets the features of the memory and of its recall.
    fn describe(&self, values: &mut Values) {
        let role = self.hit.event.as_ref().map(|event| event.role);
        let is_summary = self.hit.fact.as_ref().is_some_and(|fact| fact.fact_type == FactType::SessionSummary);
        let own = [
            ("is_fact", one_if(self.hit.fact.is_some() && !is_summary)),
            ("is_summary", one_if(is_summary)),
            ("is_user", one_if(role == Some(Role::User))),
            ("recent", self.hit.signals.recent),
            ("rank", 1.0 / (1.0 + self.rank as f32)),
            ("behind_first", self.behind),
            ("covered_nearby", self.hit.covered),
            ("known_words", self.hit.known),
            ("known_names", self.hit.named),
            ("meaning", self.hit.signals.meaning),
            ("words", self.hit.signals.words),
            ("words_before", self.hit.signals.before),
            ("words_of_session", self.hit.signals.session),
        ];
        for (name, value) in own {
            let at = FEATURES.iter().position(|feature| *feature == name).expect("invariant: it is listed");
            values[at] = value;
        }
    }
}
