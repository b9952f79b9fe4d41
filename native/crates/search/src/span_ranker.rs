//! The probability that a span answers a query: a softmax over a small network of
//! [`span_features`](super::span_features), a linear model and one hidden layer of rectified units.
//!
//! Weights are data (`weights/spans.json`), fitted offline with the listwise softmax loss (`ListNet`, Cao et al. 2007),
//! so that the model's values are probabilities over the spans of one query.

use serde::Deserialize;

use codecairn_base::error::{Error, Result};

use super::excerpts::FORMS;
use super::query::QueryKind;
use super::span_features::{SpanVector, span_feature_names};

/// The weights that are compiled in.
const BUILT_IN: &str = include_str!("../weights/spans.json");
/// The feature that decides where the query is a symbol.
const DEFINES: &str = "defines";
/// The feature of a test inside a file of code, which has all the words of the code that it tests.
const TEST: &str = "is_test";
/// Chunks of so many lines, as powers of two, share the rates of the last.
pub(super) const SIZE_CLASSES: usize = 8;

#[derive(Deserialize)]
struct File {
    features: Vec<String>,
    linear: Vec<f32>,
    hidden: Vec<Vec<f32>>,
    biases: Vec<f32>,
    output: Vec<f32>,
    symbol_defines: f32,
    test: f32,
    shown: Vec<[f32; SIZE_CLASSES]>,
}

/// The network, and how often an excerpt has what a chunk is needed for.
#[derive(Debug, Clone)]
pub struct SpanRanker {
    linear: SpanVector,
    /// The weights, bias and output weight of each hidden unit.
    hidden: Vec<(SpanVector, f32, f32)>,
    /// What is added for a definition where the query is a symbol.
    symbol_defines: f32,
    /// What is added for a test.
    test: f32,
    /// Where the two features are.
    defines: usize,
    is_test: usize,
    shown: Vec<[f32; SIZE_CLASSES]>,
}

impl SpanRanker {
    /// The weights that come with this version.
    pub fn built_in() -> Result<Self> {
        let bad = |problem: String| Error::Internal(format!("weights of spans: {problem}"));
        let file: File = serde_json::from_str(BUILT_IN).map_err(|error| bad(error.to_string()))?;
        if file.features != span_feature_names() {
            return Err(bad("they were made for other features".into()));
        }
        let at = |name| span_feature_names().iter().position(|&feature| feature == name);
        let (Some(defines), Some(is_test)) = (at(DEFINES), at(TEST)) else {
            return Err(bad("features of definitions and tests are missing".into()));
        };
        let vector = |weights: Vec<f32>| {
            SpanVector::try_from(weights).map_err(|_| bad("there must be one weight for each feature".into()))
        };
        if file.hidden.len() != file.biases.len() || file.hidden.len() != file.output.len() {
            return Err(bad("each hidden unit must have a bias and an output weight".into()));
        }
        if file.shown.len() != FORMS - 1 {
            return Err(bad("there must be a row for each form of excerpt".into()));
        }
        let hidden = file.hidden.into_iter().zip(file.biases.into_iter().zip(file.output));
        let hidden = hidden.map(|(weights, (bias, output))| Ok((vector(weights)?, bias, output)));
        Ok(Self {
            linear: vector(file.linear)?,
            hidden: hidden.collect::<Result<_>>()?,
            symbol_defines: file.symbol_defines,
            test: file.test,
            defines,
            is_test,
            shown: file.shown,
        })
    }

    /// The score of a span; higher is better.
    pub(super) fn score(&self, kind: QueryKind, span: &SpanVector) -> f32 {
        let unit = |(weights, bias, output): &(SpanVector, f32, f32)| output * (dot(weights, span) + bias).max(0.0);
        let bonus = match kind {
            QueryKind::Natural => 0.0,
            QueryKind::Symbol | QueryKind::Path => self.symbol_defines * span[self.defines],
        };
        let test = self.test * span[self.is_test];
        dot(&self.linear, span) + self.hidden.iter().map(unit).sum::<f32>() + bonus + test
    }

    /// The probability of each span of a query; they add up to 1.
    pub(super) fn probabilities(&self, kind: QueryKind, spans: &[&SpanVector]) -> Vec<f32> {
        let scores: Vec<f32> = spans.iter().map(|span| self.score(kind, span)).collect();
        let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let shares: Vec<f32> = scores.iter().map(|score| (score - best).exp()).collect();
        let total: f32 = shares.iter().sum();
        shares.into_iter().map(|share| share / total).collect()
    }

    /// How probably an excerpt of a form shows what is needed, if its chunk of some lines does.
    pub(super) fn shown(&self, form: usize, lines: usize) -> f32 {
        let class = (lines.max(1).ilog2() as usize).min(SIZE_CLASSES - 1);
        self.shown.get(form).map_or(1.0, |rates| rates[class])
    }
}

fn dot(weights: &SpanVector, span: &SpanVector) -> f32 {
    weights.iter().zip(span).map(|(weight, value)| weight * value).sum()
}

#[cfg(test)]
mod tests {
    use super::super::span_features::SPAN_FEATURES;
    use super::*;

    fn at(name: &str) -> usize {
        span_feature_names().iter().position(|feature| *feature == name).unwrap()
    }

    #[test]
    fn probabilities_add_up_and_follow_the_weights() {
        let ranker = SpanRanker::built_in().unwrap();
        let mut spans = [[0.0; SPAN_FEATURES]; 3];
        spans[1][at("coverage_of_best")] = 1.0;
        spans[2][at("is_test")] = 1.0;
        let spans: Vec<&SpanVector> = spans.iter().collect();
        for kind in [QueryKind::Natural, QueryKind::Symbol, QueryKind::Path] {
            let found = ranker.probabilities(kind, &spans);
            assert!((found.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            assert!(found[1] > found[0] && found[0] > found[2], "{found:?}");
        }
        assert!(ranker.probabilities(QueryKind::Natural, &[]).is_empty());
    }

    #[test]
    fn a_symbol_asks_for_its_definition() {
        let ranker = SpanRanker::built_in().unwrap();
        let mut span = [0.0; SPAN_FEATURES];
        let without = ranker.score(QueryKind::Symbol, &span);
        span[at("defines")] = 0.5;
        let (natural, symbol) = (ranker.score(QueryKind::Natural, &span), ranker.score(QueryKind::Symbol, &span));
        assert!(symbol > natural + 2.0 && symbol > without + 2.0, "{natural} {symbol} {without}");
    }

    #[test]
    fn all_of_a_chunk_shows_what_it_has_and_less_shows_it_less_often() {
        let ranker = SpanRanker::built_in().unwrap();
        assert!((ranker.shown(FORMS - 1, 40) - 1.0).abs() < f32::EPSILON);
        assert!(ranker.shown(0, 40) < ranker.shown(1, 40) && ranker.shown(1, 40) < ranker.shown(3, 40));
        assert!((ranker.shown(0, 1_000_000) - ranker.shown(0, 128)).abs() < f32::EPSILON);
    }
}
