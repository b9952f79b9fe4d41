//! Tabulates the BM25 weights of a term by frequency and length code, for terms with many postings.

use codecairn_lexical::Bm25;

use super::chunk_postings::ChunkPostings;

/// Frequencies that the table covers.
const FEW: usize = 8;

/// The BM25 of a stem in the text of a chunk, by frequency and length code.
#[derive(Debug)]
pub(super) struct TermWeights {
    /// One row per frequency; empty for a stem with fewer postings than the table has entries.
    few: Vec<[f32; 256]>,
    rarity: f32,
}

impl TermWeights {
    /// The weights of a term with these postings, for chunks with these norms by length code.
    pub(super) fn new(postings: &ChunkPostings, norms: &[f32; 256]) -> Self {
        let rarity = postings.body;
        let weigh = |frequency| norms.map(|norm| Bm25::TEXT.weigh(rarity, frequency, norm));
        let few = if postings.len() < FEW * norms.len() { Vec::new() } else { (0..FEW as u32).map(weigh).collect() };
        Self { few, rarity }
    }

    /// The weight of a frequency in a text of this length code.
    #[inline]
    pub(super) fn of(&self, frequency: u16, length: u8, norms: &[f32; 256]) -> f32 {
        match self.few.get(usize::from(frequency)) {
            Some(weights) => weights[usize::from(length)],
            None => Bm25::TEXT.weigh(self.rarity, frequency.into(), norms[usize::from(length)]),
        }
    }
}
