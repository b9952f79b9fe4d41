//! How probably a memory answers a prompt: a logistic model.
//!
//! Weights are data (`weights/answers.json`), fitted by `benches/memory/answers`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::features::{FEATURES, Values};

/// The weights that are compiled in.
const BUILT_IN: &str = include_str!("../../weights/answers.json");

static MODEL: LazyLock<Model> = LazyLock::new(|| Model::read(BUILT_IN).expect("invariant: a test reads the file"));

#[derive(Deserialize)]
struct File {
    weights: BTreeMap<String, f32>,
    bias: f32,
}

/// The weights in the order of the features.
struct Model {
    weights: Values,
    bias: f32,
}

impl Model {
    fn read(json: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let mut weights: Values = [0.0; FEATURES.len()];
        for (weight, feature) in weights.iter_mut().zip(FEATURES) {
            *weight = *file.weights.get(feature).ok_or_else(|| format!("`{feature}` has no weight"))?;
        }
        if file.weights.len() != FEATURES.len() {
            return Err("there are weights of unknown features".to_owned());
        }
        Ok(Self { weights, bias: file.bias })
    }

    fn log_odds(&self, values: &Values) -> f32 {
        self.bias + self.weights.iter().zip(values).map(|(weight, value)| weight * value).sum::<f32>()
    }
}

/// The probability that a memory with these features answers.
pub(super) fn likelihood(values: &Values) -> f32 {
    1.0 / (1.0 + (-MODEL.log_odds(values)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_read_and_coverage_makes_likelier() {
        let mut values: Values = [0.0; FEATURES.len()];
        let without = likelihood(&values);
        for name in ["covered_alike", "covered_by_all", "covered_alike_by_all", "named_of_answer"] {
            values[FEATURES.iter().position(|feature| *feature == name).unwrap()] = 1.0;
        }
        assert!(0.0 < without && without < likelihood(&values) && likelihood(&values) < 1.0);
    }

    #[test]
    fn weights_of_other_features_are_refused() {
        let refused = |json: &str| Model::read(json).err().unwrap_or_default();
        assert_eq!(refused(r#"{"weights": {}, "bias": 0}"#), format!("`{}` has no weight", FEATURES[0]));
        let more = BUILT_IN.replacen(": {", r#": {"something_else": 1.0, "#, 1);
        assert_eq!(refused(&more), "there are weights of unknown features");
    }
}
