//! Estimates how probably an answer shows what a query needs: a logistic regression.
//!
//! Its features are those of the most probable span of the most probable file, and three of the whole answer. Weights are
//! data (`weights/confidence.json`), fitted offline on questions of which some are asked where their answer is missing.

use serde::Deserialize;

use codecairn_base::error::{Error, Result};

use super::features::FeatureVector;
use super::span_features::{SPAN_FEATURES, SpanVector, span_feature_names};

/// The weights that are compiled in.
const BUILT_IN: &str = include_str!("../weights/confidence.json");

/// The features of the whole answer: the logarithm of the sum of all spans' exponential scores, that of the span's
/// probability, and that of the number of words of the query.
const OF_ANSWER: [&str; 3] = ["log_sum", "log_probability", "log_words"];

#[derive(Deserialize)]
struct File {
    features: Vec<String>,
    weights: Vec<f32>,
    bias: f32,
}

/// The logistic regression.
#[derive(Debug, Clone)]
pub(super) struct ResultConfidence {
    weights: [f32; SPAN_FEATURES],
    of_answer: [f32; OF_ANSWER.len()],
    bias: f32,
}

/// The best span of an answer.
pub(super) struct BestSpan<'a> {
    pub(super) of_file: &'a FeatureVector,
    pub(super) of_chunk: &'a SpanVector,
    /// What its probability was made of.
    pub(super) score: f32,
    /// Among all spans of the ranked files.
    pub(super) probability: f32,
}

impl ResultConfidence {
    /// The weights that come with this version.
    pub(super) fn built_in() -> Result<Self> {
        let bad = |problem: &str| Error::Internal(format!("weights of confidence: {problem}"));
        let file: File = serde_json::from_str(BUILT_IN).map_err(|error| bad(&error.to_string()))?;
        let names = span_feature_names().iter().chain(&OF_ANSWER);
        if !file.features.iter().eq(names) {
            return Err(bad("they were made for other features"));
        }
        let (weights, of_answer) =
            file.weights.split_at_checked(SPAN_FEATURES).ok_or_else(|| bad("some are missing"))?;
        let missing = |_| bad("there must be one for each feature");
        Ok(Self {
            weights: weights.try_into().map_err(missing)?,
            of_answer: of_answer.try_into().map_err(missing)?,
            bias: file.bias,
        })
    }

    /// The probability that an answer with this best span shows what a query of so many words needs.
    pub(super) fn of(&self, best: &BestSpan<'_>, words: usize) -> f32 {
        let log_probability = best.probability.max(f32::MIN_POSITIVE).ln();
        let of_answer = [best.score - log_probability, log_probability, (words.max(1) as f32).ln()];
        let values = best.of_chunk.iter().chain(best.of_file).chain(&of_answer);
        let weights = self.weights.iter().chain(&self.of_answer);
        let log_odds = self.bias + values.zip(weights).map(|(value, weight)| value * weight).sum::<f32>();
        1.0 / (1.0 + (-log_odds).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::super::features::FEATURES;
    use super::super::span_features::OF_CHUNK;
    use super::*;

    fn confidence(feature: &str, value: f32) -> f32 {
        let (mut of_chunk, of_file) = ([0.0; OF_CHUNK], [0.0; FEATURES.len()]);
        of_chunk[span_feature_names().iter().position(|name| *name == feature).unwrap()] = value;
        let best = BestSpan { of_file: &of_file, of_chunk: &of_chunk, score: 0.0, probability: 0.5 };
        ResultConfidence::built_in().unwrap().of(&best, 8)
    }

    #[test]
    fn confidence_is_a_probability_that_rises_with_the_longest_run_of_the_query() {
        let without = confidence("run", 0.0);
        let with = confidence("run", 1.0);
        assert!(0.0 < without && without < with && with < 1.0, "{without} {with}");
    }
}
