//! Names that hosts give to sessions and events.

use super::privacy::{Unclosed, cleaned};

/// Hexadecimal digits of a stand-in.
const DIGITS: usize = 24;

/// A name, or another one in place of one that privacy takes for a secret and would make the same as all others.
///
/// What `toolu_01…` or `ses_…` is followed by looks as random as a key. The same name has the same stand-in, always.
///
/// ```
/// use codecairn_core::memory::stand_in;
///
/// assert_eq!(stand_in("s1".to_owned()), "s1");
/// assert_eq!(stand_in("<private>s1</private>".to_owned()), "id-6fb8d567a4b9dfed8a8f6d1c");
/// ```
pub fn stand_in(name: String) -> String {
    if cleaned(&name, Unclosed::Redact).0 == name {
        return name;
    }
    format!("id-{}", &hexadecimal(&sha1(name.as_bytes()))[..DIGITS])
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()
}

/// SHA-1, which is no protection: it only tells names apart, in memories that were made long ago as well.
fn sha1(text: &[u8]) -> [u8; 20] {
    let mut padded = text.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64), 0);
    if padded.len() - text.len() < 9 {
        padded.resize(padded.len() + 64, 0);
    }
    let length = padded.len() - 8;
    padded[length..].copy_from_slice(&(text.len() as u64 * 8).to_be_bytes());
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in padded.as_chunks::<64>().0 {
        let mut words = [0_u32; 80];
        for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        for at in 16..80 {
            words[at] = (words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16]).rotate_left(1);
        }
        let mut mixed = state;
        for (at, word) in words.iter().enumerate() {
            let [first, second, third, fourth, fifth] = mixed;
            let (chosen, constant) = match at / 20 {
                0 => ((second & third) | (!second & fourth), 0x5a82_7999_u32),
                1 => (second ^ third ^ fourth, 0x6ed9_eba1),
                2 => ((second & third) | (second & fourth) | (third & fourth), 0x8f1b_bcdc),
                _ => (second ^ third ^ fourth, 0xca62_c1d6),
            };
            let sum = [chosen, fifth, constant, *word].into_iter().fold(first.rotate_left(5), u32::wrapping_add);
            mixed = [sum, first, second.rotate_left(30), third, fourth];
        }
        for (sum, word) in state.iter_mut().zip(mixed) {
            *sum = sum.wrapping_add(word);
        }
    }
    let mut digest = [0; 20];
    for (bytes, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *bytes = word.to_be_bytes();
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        let hex = |text: &str| hexadecimal(&sha1(text.as_bytes()));
        assert_eq!(hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        for (length, digest) in [
            (55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
            (56, "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
            (63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5"),
            (64, "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
            (119, "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56"),
            (120, "f34c1488385346a55709ba056ddd08280dd4c6d6"),
            (1000, "291e9a6c66994949b57ba5e650361e98fc36b1ba"),
        ] {
            assert_eq!(hex(&"a".repeat(length)), digest, "{length}");
        }
    }

    #[test]
    fn a_name_like_a_key_has_one_stand_in_which_is_a_name() {
        // Made here, so that no scanner trips over this file.
        let name = format!("{}{}a8Zq3Rk7Xw2Tb5Yma8Zq3Rk7Xw2Tb5Ym", "gh", "p_");
        let other = stand_in(name.clone());
        assert!(other.starts_with("id-") && other == stand_in(name), "{other}");
        assert_eq!(stand_in(other.clone()), other);
        for plain in ["", "s1", "c8356400-05a6-4eb3-b4ed-da9f1fee33b2", "deploy on fridays"] {
            assert_eq!(stand_in(plain.to_owned()), plain);
        }
    }
}
