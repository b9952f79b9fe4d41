//! Encodes numbers as little-endian base-128: seven bits per byte, low bits first.

/// Appends `value`.
pub(super) fn put(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Reads a number at `at` and moves behind it; `None` if the bytes end or the number is too large.
#[inline]
pub(super) fn get(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let first = *bytes.get(*at)?;
    *at += 1;
    if first < 0x80 {
        return Some(first.into());
    }
    let mut value = u32::from(first & 0x7f);
    for shift in [7, 14, 21, 28] {
        let byte = *bytes.get(*at)?;
        *at += 1;
        let bits = u32::from(byte & 0x7f);
        if shift == 28 && bits > 0xf {
            return None;
        }
        value |= bits << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_put_is_got(values in proptest::collection::vec(any::<u32>(), 0..50)) {
            let mut bytes = Vec::new();
            for &value in &values {
                put(&mut bytes, value);
            }
            let mut at = 0;
            for &value in &values {
                prop_assert_eq!(get(&bytes, &mut at), Some(value));
            }
            prop_assert_eq!(get(&bytes, &mut at), None);
        }
    }

    #[test]
    fn numbers_beyond_32_bits_are_refused() {
        assert_eq!(get(&[0xff, 0xff, 0xff, 0xff, 0x1f], &mut 0), None);
        assert_eq!(get(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x01], &mut 0), None);
        assert_eq!(get(&[0x80], &mut 0), None);
    }
}
