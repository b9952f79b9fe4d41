//! The decoded frequencies of a term by document: a list for most terms; for frequent ones a column with a count for every
//! document, which is smaller and is scanned without branches.

/// A term in at least one of so many documents has a column.
const DENSE: usize = 6;

/// How often a term occurs in the documents that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrequencyList {
    /// By number of the document, ascending.
    Sparse(Vec<(u32, u16)>),
    /// For every document, zero for most of those that do not have the term.
    Dense {
        /// By number of the document.
        column: Vec<u8>,
        /// How many of them are not zero.
        document_count: usize,
    },
}

impl Default for FrequencyList {
    fn default() -> Self {
        Self::Sparse(Vec::new())
    }
}

impl FrequencyList {
    /// The list of these frequencies, ascending by document, none of them zero, in an index of `documents`.
    pub fn new(list: Vec<(u32, u16)>, documents: usize) -> Self {
        let fits = || list.iter().all(|(_, count)| u8::try_from(*count).is_ok());
        if list.len() * DENSE < documents || list.is_empty() || !fits() {
            return Self::Sparse(list);
        }
        let mut column = vec![0; documents];
        for (document, count) in &list {
            column[*document as usize] = *count as u8;
        }
        Self::Dense { column, document_count: list.len() }
    }

    /// How many documents have the term.
    pub fn len(&self) -> usize {
        match self {
            Self::Sparse(list) => list.len(),
            Self::Dense { document_count, .. } => *document_count,
        }
    }

    /// Whether no document has it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory in use.
    pub fn byte_size(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Sparse(list) => list.capacity() * size_of::<(u32, u16)>(),
                Self::Dense { column, .. } => column.capacity(),
            }
    }

    /// Whether a document has the term.
    pub fn contains(&self, document: u32) -> bool {
        match self {
            Self::Sparse(list) => list.binary_search_by_key(&document, |entry| entry.0).is_ok(),
            Self::Dense { column, .. } => column.get(document as usize).is_some_and(|count| *count > 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_hold_the_same_documents() {
        let list: Vec<(u32, u16)> = (0..40).step_by(3).map(|document| (document, document as u16 % 5 + 1)).collect();
        let forms = [40, 4000].map(|documents| FrequencyList::new(list.clone(), documents));
        assert!(matches!(forms, [FrequencyList::Dense { .. }, FrequencyList::Sparse(_)]));
        for form in &forms {
            assert_eq!(form.len(), list.len());
            assert!((0..40).all(|document| form.contains(document) == (document % 3 == 0)));
        }
        assert!(FrequencyList::default().is_empty() && !FrequencyList::default().contains(0));
        assert_eq!(FrequencyList::new(vec![(0, 300)], 2), FrequencyList::Sparse(vec![(0, 300)]));
    }
}
