//! Holds the documents of an index part that have a query term, with term frequencies: a list for most terms, and a
//! count for every document for frequent ones, which is scanned without branches.

use super::posting::{self, Posting};

/// The documents of a term with its frequencies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DocumentFrequencies {
    /// By index of the document, ascending.
    Listed(Vec<(u32, u16)>),
    /// A count for each document, zero for most of those it does not occur in.
    Counted {
        /// By place.
        counts: Vec<u8>,
        /// How many of them are not zero.
        docs: usize,
    },
}

impl Default for DocumentFrequencies {
    fn default() -> Self {
        Self::Listed(Vec::new())
    }
}

impl DocumentFrequencies {
    /// The places of a posting as it was stored.
    pub(super) fn stored(data: &[u8]) -> Self {
        if let Some(counts) = posting::counts(data) {
            let docs = counts.iter().filter(|count| **count > 0).count();
            return Self::Counted { counts: counts.to_vec(), docs };
        }
        let mut places = Vec::new();
        Posting::each_stored(data, |place, count| places.push((place, count)));
        Self::Listed(places)
    }

    /// Adds a document behind the others.
    pub(super) fn push(&mut self, place: u32, count: u16) {
        if let Self::Listed(places) = self {
            places.push((place, count));
        }
    }

    /// In how many documents.
    pub(super) fn docs(&self) -> usize {
        match self {
            Self::Listed(places) => places.len(),
            Self::Counted { docs, .. } => *docs,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.docs() == 0
    }

    /// An upper bound for its memory.
    pub(super) fn bytes(&self) -> usize {
        const ENTRY: usize = 128;
        ENTRY
            + match self {
                Self::Listed(places) => places.len() * size_of::<(u32, u16)>(),
                Self::Counted { counts, .. } => counts.len(),
            }
    }

    pub(super) fn contains(&self, place: u32) -> bool {
        match self {
            Self::Listed(places) => places.binary_search_by_key(&place, |found| found.0).is_ok(),
            Self::Counted { counts, .. } => counts.get(place as usize).is_some_and(|count| *count > 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_hold_the_same_documents() {
        let places: Vec<(u32, u16)> = (0..40).step_by(3).map(|place| (place, place as u16 % 5 + 1)).collect();
        let forms = [40, 4000].map(|members| DocumentFrequencies::stored(Posting::of(&places, members).data()));
        assert!(matches!(forms, [DocumentFrequencies::Counted { .. }, DocumentFrequencies::Listed(_)]));
        for form in &forms {
            assert_eq!(form.docs(), places.len());
            assert!((0..40).all(|place| form.contains(place) == (place % 3 == 0)));
        }
        assert!(DocumentFrequencies::default().is_empty() && !DocumentFrequencies::default().contains(0));
    }
}
