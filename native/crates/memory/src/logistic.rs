//! A logistic model: the probability of something by its features.
//!
//! Weights are data (`weights/`), fitted by programs in `benches/memory`.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    weights: BTreeMap<String, f32>,
    bias: f32,
}

/// The weights in the order of the features.
pub(super) struct Logistic<const COUNT: usize> {
    weights: [f32; COUNT],
    bias: f32,
}

impl<const COUNT: usize> Logistic<COUNT> {
    /// Reads a file of weights, which has those of these features.
    pub(super) fn read(json: &str, features: [&str; COUNT]) -> Result<Self, String> {
        let file: File = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let mut weights = [0.0; COUNT];
        for (weight, feature) in weights.iter_mut().zip(features) {
            *weight = *file.weights.get(feature).ok_or_else(|| format!("`{feature}` has no weight"))?;
        }
        if file.weights.len() != COUNT {
            return Err("there are weights of unknown features".to_owned());
        }
        Ok(Self { weights, bias: file.bias })
    }

    /// The probability by the values of the features.
    pub(super) fn likelihood(&self, values: &[f32; COUNT]) -> f32 {
        let log_odds = self.bias + self.weights.iter().zip(values).map(|(weight, value)| weight * value).sum::<f32>();
        1.0 / (1.0 + (-log_odds).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_other_features_are_refused() {
        let refused = |json: &str| Logistic::read(json, ["one"]).err().unwrap_or_default();
        assert_eq!(refused(r#"{"weights": {}, "bias": 0}"#), "`one` has no weight");
        assert_eq!(refused(r#"{"weights": {"one": 1, "two": 1}, "bias": 0}"#), "there are weights of unknown features");
        let model = Logistic::read(r#"{"weights": {"one": 2}, "bias": -1}"#, ["one"]).unwrap();
        assert!(model.likelihood(&[0.0]) < 0.5 && model.likelihood(&[1.0]) > 0.5);
    }
}
