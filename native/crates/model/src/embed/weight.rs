//! Computes ln(1 + count) and normalises vectors with arithmetic that is bit for bit the same on every platform.

/// Counts with a ready logarithm; a word is rarely met more often in one chunk.
const READY: usize = 256;

const LN_1P: [f32; READY] = {
    let mut table = [0.0; READY];
    let mut count = 0;
    while count < READY {
        table[count] = ln(count as f64 + 1.0) as f32;
        count += 1;
    }
    table
};

/// ln(1 + `count`), from arithmetic that every platform rounds alike (a system's `log` is not).
pub(super) fn ln_1p(count: u32) -> f32 {
    LN_1P.get(count as usize).copied().unwrap_or_else(|| ln(f64::from(count) + 1.0) as f32)
}

/// The natural logarithm of `x` >= 1: halved into 1..2, then the series of 2·artanh((x-1)/(x+1)),
/// whose terms fall by a factor of nine, to well below what an `f32` can tell.
const fn ln(mut x: f64) -> f64 {
    let mut halvings = 0.0;
    while x >= 2.0 {
        x /= 2.0;
        halvings += 1.0;
    }
    let ratio = (x - 1.0) / (x + 1.0);
    let (mut power, mut sum, mut odd) = (ratio, 0.0, 1.0);
    while odd < 40.0 {
        sum += power / odd;
        power *= ratio * ratio;
        odd += 2.0;
    }
    2.0 * sum + halvings * std::f64::consts::LN_2
}

/// Scales `vector` to length one; one of zeros stays as it is. The squares are added in eight lanes
/// of `f64`, an order that is written down here and not left to the compiler.
pub(super) fn normalise(vector: &mut [f32]) {
    let mut lanes = [0.0f64; 8];
    let (eights, rest) = vector.as_chunks::<8>();
    let square = |value: f32| f64::from(value) * f64::from(value);
    for eight in eights {
        lanes = std::array::from_fn(|at| lanes[at] + square(eight[at]));
    }
    for (lane, &value) in lanes.iter_mut().zip(rest) {
        *lane += square(value);
    }
    let length = lanes.iter().sum::<f64>().sqrt();
    if length > 0.0 {
        for value in vector {
            *value = (f64::from(*value) / length) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_the_system() {
        for count in [0, 1, 2, 3, 10, 255, 256, 1_000, 1_000_000, u32::MAX] {
            let expected = f64::from(count).ln_1p() as f32;
            assert!((ln_1p(count) - expected).abs() <= expected * f32::EPSILON, "{count}");
        }
    }

    #[test]
    fn nothing_stays_nothing() {
        let mut zeros = [0.0; 5];
        normalise(&mut zeros);
        assert!(zeros.iter().all(|&value| value.to_bits() == 0));
    }

    #[test]
    fn length_becomes_one() {
        let mut vector = [3.0, 0.0, -4.0];
        normalise(&mut vector);
        assert_eq!(vector.map(f32::to_bits), [0.6f32, 0.0, -0.8].map(f32::to_bits));
    }
}
