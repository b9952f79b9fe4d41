//! Counts the stems of an index: the summary by which one of many repositories is chosen for a question.

use std::collections::HashMap;

use codecairn_base::error::Result;
use codecairn_lexical::analyzer::stem;

use super::Engine;

impl Engine {
    /// Every stem with the number of documents (distinct chunk texts) that have each of its terms, summed.
    ///
    /// Documents that no branch refers to any more are counted until garbage is collected.
    pub fn stem_counts(&self) -> Result<Vec<(String, u32)>> {
        let (loaded, _) = self.loaded()?;
        let mut counts: HashMap<String, u32> = HashMap::new();
        loaded.searcher.lexical.for_each_term(|term, documents| {
            let count = counts.entry(stem(term).into_owned()).or_default();
            *count = count.saturating_add(documents);
        })?;
        Ok(counts.into_iter().collect())
    }
}
