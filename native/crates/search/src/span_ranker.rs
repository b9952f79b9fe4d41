//! The probability that a span answers a query: a softmax over a small network of
//! [`span_features`](super::span_features), a linear model and one hidden layer of rectified units.
//!
//! Weights are data (`weights/spans.json`), fitted offline with the listwise softmax loss (`ListNet`, Cao et al. 2007),
//! so that the model's values are probabilities over the spans of one query.

use serde::Deserialize;

use codecairn_base::error::{Error, Result};

use super::excerpts::FORMS;
use super::features::FeatureVector;
use super::query::QueryKind;
use super::span_features::{OF_CHUNK, SPAN_FEATURES, SpanVector, span_feature_names};

/// The weights that are compiled in.
const BUILT_IN: &str = include_str!("../weights/spans.json");
/// The feature that decides where the query is a symbol.
const DEFINES: &str = "defines";
/// The feature of a test inside a file of code, which has all the words of the code that it tests.
const TEST: &str = "is_test";
/// Places of so many lines, as powers of two, share the rates of the last.
pub(super) const SIZE_CLASSES: usize = 8;
/// So do places whose best lines have a share of the query between two powers of two; below a sixteenth, those of the first.
const MATCH_CLASSES: usize = 5;

/// How often an excerpt of some form has what its place is needed for, by the classes of its best lines and its size.
type Rates = [[f32; SIZE_CLASSES]; MATCH_CLASSES];

#[derive(Deserialize)]
struct File {
    features: Vec<String>,
    linear: Vec<f32>,
    hidden: Vec<Vec<f32>>,
    biases: Vec<f32>,
    output: Vec<f32>,
    symbol_defines: f32,
    test: f32,
    shown: Vec<Rates>,
    complete: Vec<Rates>,
}

/// The units of the hidden layer.
const HIDDEN: usize = 16;

/// The network, and how often an excerpt has what a place is needed for: a needed line, and all of the definition around it.
#[derive(Debug, Clone)]
pub(super) struct SpanRanker {
    /// By feature: its weight in the linear model, and in each hidden unit.
    weights: Vec<(f32, [f32; HIDDEN])>,
    biases: [f32; HIDDEN],
    output: [f32; HIDDEN],
    /// What is added for a definition where the query is a symbol.
    symbol_defines: f32,
    /// What is added for a test.
    test: f32,
    /// Where the two features are.
    defines: usize,
    is_test: usize,
    shown: Vec<Rates>,
    complete: Vec<Rates>,
}

impl SpanRanker {
    /// The weights that come with this version.
    pub(super) fn built_in() -> Result<Self> {
        let bad = |problem: String| Error::Internal(format!("weights of spans: {problem}"));
        let file: File = serde_json::from_str(BUILT_IN).map_err(|error| bad(error.to_string()))?;
        if file.features != span_feature_names() {
            return Err(bad("they were made for other features".into()));
        }
        let at = |name| span_feature_names().iter().position(|&feature| feature == name);
        let (Some(defines), Some(is_test)) = (at(DEFINES), at(TEST)) else {
            return Err(bad("features of definitions and tests are missing".into()));
        };
        let weights = std::iter::once(&file.linear).chain(&file.hidden);
        if file.hidden.len() != HIDDEN || weights.into_iter().any(|weights| weights.len() != SPAN_FEATURES) {
            return Err(bad(format!("there must be {HIDDEN} hidden units, and one weight for each feature")));
        }
        let of_units = |values: Vec<f32>| {
            <[f32; HIDDEN]>::try_from(values).map_err(|_| bad("each unit must have a bias and an output weight".into()))
        };
        if [&file.shown, &file.complete].iter().any(|rates| rates.len() != FORMS - 1) {
            return Err(bad("there must be a row for each form of excerpt".into()));
        }
        let of_feature = |at: usize| (file.linear[at], std::array::from_fn(|unit| file.hidden[unit][at]));
        Ok(Self {
            weights: (0..SPAN_FEATURES).map(of_feature).collect(),
            biases: of_units(file.biases)?,
            output: of_units(file.output)?,
            symbol_defines: file.symbol_defines,
            test: file.test,
            defines,
            is_test,
            shown: file.shown,
            complete: file.complete,
        })
    }

    /// The score of a span, of which `features` are those of its file and `span` the others; higher is better.
    pub(super) fn score(&self, kind: QueryKind, features: &FeatureVector, span: &SpanVector) -> f32 {
        self.score_in_file(kind, span, self.of_file(features))
    }

    /// The sums of the linear model and of each hidden unit over the features of a file.
    fn of_file(&self, features: &FeatureVector) -> (f32, [f32; HIDDEN]) {
        add((0.0, self.biases), features, &self.weights[OF_CHUNK..])
    }

    /// The score of a span, from the sums over the features of its file.
    fn score_in_file(&self, kind: QueryKind, span: &SpanVector, of_file: (f32, [f32; HIDDEN])) -> f32 {
        let (linear, units) = add(of_file, span, &self.weights[..OF_CHUNK]);
        let hidden: f32 = units.iter().zip(&self.output).map(|(unit, output)| output * unit.max(0.0)).sum();
        let bonus = match kind {
            QueryKind::Natural => 0.0,
            QueryKind::Symbol | QueryKind::Path => self.symbol_defines * span[self.defines],
        };
        linear + hidden + bonus + self.test * span[self.is_test]
    }

    /// The probability of each span of a query, by file, from the features of each file and of its spans; all together
    /// add up to 1.
    pub(super) fn probabilities<'a>(
        &self,
        kind: QueryKind,
        files: impl IntoIterator<Item = (&'a FeatureVector, &'a Vec<SpanVector>)>,
    ) -> Vec<Vec<f32>> {
        let of_file = |(features, spans): (&FeatureVector, &Vec<SpanVector>)| -> Vec<f32> {
            let sums = self.of_file(features);
            spans.iter().map(|span| self.score_in_file(kind, span, sums)).collect()
        };
        let mut values: Vec<Vec<f32>> = files.into_iter().map(of_file).collect();
        let best = values.iter().flatten().copied().fold(f32::NEG_INFINITY, f32::max);
        values.iter_mut().flatten().for_each(|score| *score = (*score - best).exp());
        let total: f32 = values.iter().flatten().sum();
        values.iter_mut().flatten().for_each(|share| *share /= total);
        values
    }

    /// How probably an excerpt of a form shows a needed line, if its place of some lines has one; `matched` is the share of the
    /// query that its best lines have. All of a place shows all that it has.
    pub(super) fn shown(&self, form: usize, lines: usize, matched: f32) -> f32 {
        rate(&self.shown, form, lines, matched)
    }

    /// How probably it shows all of the definition around the line.
    pub(super) fn complete(&self, form: usize, lines: usize, matched: f32) -> f32 {
        rate(&self.complete, form, lines, matched)
    }
}

fn rate(rates: &[Rates], form: usize, lines: usize, matched: f32) -> f32 {
    let of_size = (lines.max(1).ilog2() as usize).min(SIZE_CLASSES - 1);
    let sixteenths = (matched * 16.0) as usize;
    let of_match = sixteenths.checked_ilog2().map_or(0, |power| power as usize + 1).min(MATCH_CLASSES - 1);
    rates.get(form).map_or(1.0, |rates| rates[of_match][of_size])
}

/// Adds some features to sums. By unit in the inner loop, where no addition waits for another, so it is vectorised.
fn add(sums: (f32, [f32; HIDDEN]), values: &[f32], weights: &[(f32, [f32; HIDDEN])]) -> (f32, [f32; HIDDEN]) {
    let (mut linear, mut units) = sums;
    for (value, (weight, of_units)) in values.iter().zip(weights) {
        linear += value * weight;
        units.iter_mut().zip(of_units).for_each(|(unit, weight)| *unit += value * weight);
    }
    (linear, units)
}

#[cfg(test)]
mod tests {
    use super::super::features::FEATURES;
    use super::super::span_features::BEST_LINES;
    use super::*;

    const NO_FILE: FeatureVector = [0.0; FEATURES.len()];

    fn at(name: &str) -> usize {
        span_feature_names().iter().position(|feature| *feature == name).unwrap()
    }

    #[test]
    fn probabilities_add_up_and_follow_the_weights() {
        let ranker = SpanRanker::built_in().unwrap();
        let mut spans = [[0.0; OF_CHUNK]; 3];
        spans[1][at("coverage_of_best")] = 1.0;
        spans[2][at("is_test")] = 1.0;
        let files = [spans[..2].to_vec(), Vec::new(), spans[2..].to_vec()];
        for kind in [QueryKind::Natural, QueryKind::Symbol, QueryKind::Path] {
            let found = ranker.probabilities(kind, files.iter().map(|spans| (&NO_FILE, spans)));
            assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [2, 0, 1]);
            let found = found.concat();
            assert!((found.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            assert!(found[1] > found[0] && found[0] > found[2], "{found:?}");
        }
        assert!(ranker.probabilities(QueryKind::Natural, []).is_empty());
    }

    #[test]
    fn a_symbol_asks_for_its_definition() {
        let ranker = SpanRanker::built_in().unwrap();
        let mut span = [0.0; OF_CHUNK];
        let without = ranker.score(QueryKind::Symbol, &NO_FILE, &span);
        span[at("defines")] = 0.5;
        let (natural, symbol) =
            (ranker.score(QueryKind::Natural, &NO_FILE, &span), ranker.score(QueryKind::Symbol, &NO_FILE, &span));
        assert!(symbol > natural + 2.0 && symbol > without + 2.0, "{natural} {symbol} {without}");
    }

    #[test]
    fn all_of_a_chunk_shows_what_it_has_and_less_shows_it_less_often() {
        let ranker = SpanRanker::built_in().unwrap();
        let shown = |form, lines| ranker.shown(form, lines, 0.3);
        assert!((shown(FORMS - 1, 40) - 1.0).abs() < f32::EPSILON);
        assert!(shown(0, 40) < shown(1, 40));
        assert!((shown(0, 1_000_000) - shown(0, 128)).abs() < f32::EPSILON);
    }

    #[test]
    fn a_window_shows_more_often_what_is_needed_where_its_lines_match() {
        let ranker = SpanRanker::built_in().unwrap();
        assert!(ranker.shown(1, 40, 0.9) > ranker.shown(1, 40, 0.01));
        assert!((ranker.shown(1, 40, 0.5) - ranker.shown(1, 40, 1.0)).abs() < f32::EPSILON);
        assert_eq!(span_feature_names()[BEST_LINES], "best_eight_lines");
    }
}
