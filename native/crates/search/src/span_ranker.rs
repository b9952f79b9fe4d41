//! The probability that a span answers a query: a softmax over a linear model of [`span_features`](super::span_features).
//!
//! Weights are data (`weights/spans.json`), fitted offline with the listwise softmax loss (`ListNet`, Cao et al. 2007),
//! so that the model's values are probabilities over the spans of one query.

use serde::Deserialize;

use codecairn_base::error::{Error, Result};

use super::query::QueryKind;
use super::span_features::{SPAN_FEATURES, SpanVector};

/// The weights that are compiled in.
const BUILT_IN: &str = include_str!("../weights/spans.json");

#[derive(Deserialize)]
struct File {
    features: Vec<String>,
    natural: Vec<f32>,
    symbol: Vec<f32>,
}

/// One weight per feature and kind of query.
#[derive(Debug, Clone)]
pub struct SpanRanker {
    natural: SpanVector,
    symbol: SpanVector,
}

impl SpanRanker {
    /// The weights that come with this version.
    pub fn built_in() -> Result<Self> {
        let file: File = serde_json::from_str(BUILT_IN).map_err(|error| Error::Internal(format!("spans: {error}")))?;
        if file.features != SPAN_FEATURES {
            return Err(Error::Internal("spans: the weights were made for other features".into()));
        }
        let vector = |weights: Vec<f32>| {
            SpanVector::try_from(weights).map_err(|_| Error::Internal("spans: one weight for each feature".into()))
        };
        Ok(Self { natural: vector(file.natural)?, symbol: vector(file.symbol)? })
    }

    /// The weights for one kind of query; a path is asked for as a symbol is.
    pub(super) fn weights(&self, kind: QueryKind) -> &SpanVector {
        match kind {
            QueryKind::Natural => &self.natural,
            QueryKind::Symbol | QueryKind::Path => &self.symbol,
        }
    }

    /// The probability of each span of a query; they add up to 1.
    pub(super) fn probabilities(&self, kind: QueryKind, spans: &[&SpanVector]) -> Vec<f32> {
        let weights = self.weights(kind);
        let score =
            |span: &&SpanVector| -> f32 { weights.iter().zip(*span).map(|(weight, value)| weight * value).sum() };
        let scores: Vec<f32> = spans.iter().map(score).collect();
        let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let shares: Vec<f32> = scores.iter().map(|score| (score - best).exp()).collect();
        let total: f32 = shares.iter().sum();
        shares.into_iter().map(|share| share / total).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up_and_follow_the_weights() {
        let ranker = SpanRanker::built_in().unwrap();
        let at = |name| SPAN_FEATURES.iter().position(|feature| *feature == name).unwrap();
        let mut spans = [[0.0; SPAN_FEATURES.len()]; 3];
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
        let defines = SPAN_FEATURES.iter().position(|feature| *feature == "defines").unwrap();
        let rest: f32 =
            ranker.symbol.iter().enumerate().filter(|(at, _)| *at != defines).map(|(_, weight)| *weight).sum();
        assert!(ranker.symbol[defines] / 2.0 > rest / 4.0 && ranker.symbol[defines] > ranker.natural[defines]);
    }
}
