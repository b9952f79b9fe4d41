//! Names of symbols, for exact look-up.
//!
//! A name is kept as a hash of its lower-cased form only: the symbols' own records say what it is.

use xxhash_rust::xxh3::xxh3_64;

/// What a name is filed under: `Foo` and `foo` alike.
pub(super) fn name_hash(name: &str) -> u64 {
    if name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        xxh3_64(name.as_bytes())
    } else {
        xxh3_64(name.to_lowercase().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_makes_no_difference() {
        assert_eq!(name_hash("getUserById"), name_hash("getuserbyid"));
        assert_eq!(name_hash("Ärger"), name_hash("ärger"));
        assert_ne!(name_hash("a"), name_hash("b"));
    }
}
