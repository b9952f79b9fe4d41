//! How probably a memory answers a prompt: a logistic model (`weights/answers.json`, fitted by `benches/memory/answers`).

use std::sync::LazyLock;

use super::super::logistic::Logistic;
use super::features::{FEATURES, Values};

/// The weights that are compiled in.
const BUILT_IN: &str = include_str!("../../weights/answers.json");

static MODEL: LazyLock<Logistic<{ FEATURES.len() }>> =
    LazyLock::new(|| Logistic::read(BUILT_IN, FEATURES).expect("invariant: a test reads the file"));

/// The probability that a memory with these features answers.
pub(super) fn likelihood(values: &Values) -> f32 {
    MODEL.likelihood(values)
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
}
