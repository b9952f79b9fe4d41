//! Scores files by a linear model over [`features`](super::features), with one weight vector for each kind of query.
//!
//! Time is linear in the features of a file. Ties are broken by [`ranked_files`](super::ranked_files), by path. Weights
//! are data (`weights/ranker.json`), fitted offline.

use serde::Deserialize;

use codecairn_base::error::{Error, Result};

use super::features::{FEATURES, FeatureVector};
use super::query::QueryKind;

/// The weights that are compiled in.
const BUILT_IN: &str = include_str!("../weights/ranker.json");

/// The score that files are ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ranking {
    /// The linear model.
    #[default]
    Model,
    /// Fusion's score alone.
    Fusion,
}

impl std::str::FromStr for Ranking {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "model" => Ok(Self::Model),
            "fusion" => Ok(Self::Fusion),
            _ => Err(format!("unknown ranking `{name}`, known are `model` and `fusion`")),
        }
    }
}

#[derive(Deserialize)]
struct File {
    features: Vec<String>,
    symbol: Vec<f32>,
    path: Vec<f32>,
    natural: Vec<f32>,
}

/// One weight per feature and kind of query.
#[derive(Debug, Clone)]
pub(super) struct Ranker {
    symbol: FeatureVector,
    path: FeatureVector,
    natural: FeatureVector,
}

impl Ranker {
    /// The weights that come with this version.
    pub(super) fn built_in() -> Result<Self> {
        Self::parse(BUILT_IN)
    }

    /// Weights from JSON: `{"features": [names], "symbol": [weights], "path": …, "natural": …}`.
    pub(super) fn parse(json: &str) -> Result<Self> {
        let file: File = serde_json::from_str(json).map_err(|error| Error::Internal(format!("ranker: {error}")))?;
        if file.features != FEATURES {
            return Err(Error::Internal("ranker: the weights were made for other features".into()));
        }
        let vector = |weights: Vec<f32>| {
            FeatureVector::try_from(weights).map_err(|_| Error::Internal("ranker: one weight a feature".into()))
        };
        Ok(Self { symbol: vector(file.symbol)?, path: vector(file.path)?, natural: vector(file.natural)? })
    }

    /// The weights for one kind of query.
    pub(crate) fn weights(&self, kind: QueryKind) -> &FeatureVector {
        match kind {
            QueryKind::Symbol => &self.symbol,
            QueryKind::Path => &self.path,
            QueryKind::Natural => &self.natural,
        }
    }

    /// The score of a file: the weighted sum, added up in the order of the features.
    pub(super) fn score(&self, kind: QueryKind, features: &FeatureVector) -> f32 {
        self.weights(kind).iter().zip(features).map(|(weight, value)| weight * value).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_weights_fit_the_features() {
        Ranker::built_in().unwrap();
    }

    #[test]
    fn foreign_weights_are_refused() {
        let error = Ranker::parse(r#"{"features": ["x"], "symbol": [1], "path": [1], "natural": [1]}"#).unwrap_err();
        assert!(error.to_string().contains("other features"));
    }
}
