//! What a word's stem is worth in texts, looked up where it stands often.

use codecairn_lexical::Bm25;

use super::chunk_postings::ChunkPostings;

/// Frequencies whose worth is looked up.
const FEW: usize = 8;

/// What a stem is worth in the text of a chunk, by frequency and length code.
#[derive(Debug)]
pub(super) struct TermWeights {
    /// Nothing for a stem with fewer places than these have entries.
    few: Vec<[f32; 256]>,
    rarity: f32,
}

impl TermWeights {
    /// Of a word with these places, among chunks with these norms by length code.
    pub(super) fn new(postings: &ChunkPostings, norms: &[f32; 256]) -> Self {
        let rarity = postings.body;
        let weigh = |frequency| norms.map(|norm| Bm25::TEXT.weigh(rarity, frequency, norm));
        let few = if postings.len() < FEW * norms.len() { Vec::new() } else { (0..FEW as u32).map(weigh).collect() };
        Self { few, rarity }
    }

    /// What so many words of the stem are worth in a text of this length code.
    #[inline]
    pub(super) fn of(&self, frequency: u16, length: u8, norms: &[f32; 256]) -> f32 {
        match self.few.get(usize::from(frequency)) {
            Some(weights) => weights[usize::from(length)],
            None => Bm25::TEXT.weigh(self.rarity, frequency.into(), norms[usize::from(length)]),
        }
    }
}
