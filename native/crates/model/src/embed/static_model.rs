//! Embeds text with a learned model: one row per word, added up.
//!
//! A text's vector is Σ ln(1 + count) · row over the vocabulary words that occur in it, scaled to
//! length one; a row has the word's learned weight multiplied in. A word that the vocabulary lacks
//! is cut greedily into the longest pieces of at least three bytes that it has, and letters
//! that begin no piece are passed over. Only the first `max_tokens` rows met in a text count.
//!
//! It never copies the rows: they are read from the bytes it was opened on.

use std::sync::Arc;

use codecairn_base::error::{Error, Result};
use codecairn_base::mapped_file::MappedFile;

use super::format::Layout;
use super::scratch::WordTable;
use super::tokenizer::for_each_word;
use super::weight::{ln_1p, normalise};
use super::{Embedder, Scratch};

/// Shortest piece of an unknown word, in bytes: shorter ones match by chance.
const MIN_PIECE: usize = 3;

/// Words cached before the cache is cleared, some 3 MB: each miss costs a search of the vocabulary.
const MAX_CACHED_WORDS: usize = 65_536;

/// Where the bytes of a model live.
#[derive(Debug, Clone)]
enum Source {
    CompiledIn(&'static [u8]),
    Mapped(Arc<MappedFile>),
}

/// A static embedding model, read from its file format (see `write_model`).
#[derive(Debug, Clone)]
pub struct StaticModel {
    source: Source,
    layout: Layout,
    id: String,
    owner: u64,
}

impl StaticModel {
    /// A model whose file is compiled into the program.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the bytes are not a model file of a known format.
    #[cfg(test)]
    pub(crate) fn compiled_in(bytes: &'static [u8]) -> Result<Self> {
        Layout::read(bytes)
            .and_then(|layout| Self::new(Source::CompiledIn(bytes), layout))
            .map_err(Error::InvalidArgument)
    }

    /// The same for the file that comes with this crate, of which a test has read every byte: it is ready at once, and
    /// a page of it is loaded only when a word needs it.
    pub(super) fn shipped(bytes: &'static [u8]) -> Self {
        Layout::read_head(bytes)
            .and_then(|layout| Self::new(Source::CompiledIn(bytes), layout))
            .expect("invariant: a test reads the file")
    }

    /// A model in a mapped file.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if the file is not a whole model file of a known format.
    pub fn mapped(file: Arc<MappedFile>) -> Result<Self> {
        let path = file.path().to_path_buf();
        Layout::read(file.bytes())
            .and_then(|layout| Self::new(Source::Mapped(file), layout))
            .map_err(|detail| Error::StoreDamaged { path, detail })
    }

    fn new(source: Source, layout: Layout) -> Result<Self, String> {
        let bytes = source.bytes();
        let id = String::from_utf8(bytes[layout.id.clone()].to_vec()).map_err(|_| "the model id is not UTF-8")?;
        let owner = xxhash_rust::xxh3::xxh3_64(&bytes[..layout.id.end]);
        Ok(Self { source, layout, id, owner })
    }

    fn embed(&self, text: &str, scratch: &mut Scratch) -> Vec<f32> {
        let bytes = self.source.bytes();
        self.count_rows(&Vocabulary::new(bytes, &self.layout), text, scratch);
        let mut sum = vec![0.0f32; self.layout.dimensions];
        for row in scratch.met.drain(..) {
            let row = row as usize;
            self.add_row(row, ln_1p(std::mem::take(&mut scratch.row_counts[row])), &mut sum);
        }
        normalise(&mut sum);
        sum
    }

    /// Adds a row `factor` times.
    #[inline]
    fn add_row(&self, row: usize, factor: f32, sum: &mut [f32]) {
        let bytes = self.source.bytes();
        let (rows, scales) = (&bytes[self.layout.rows.clone()], &bytes[self.layout.scales.clone()]);
        let scale = f32::from_le_bytes(scales[row * 4..row * 4 + 4].try_into().expect("invariant: four bytes"));
        let values = &rows[row * self.layout.dimensions..(row + 1) * self.layout.dimensions];
        let factor = factor * scale;
        for (value, &part) in sum.iter_mut().zip(values) {
            *value += factor * f32::from(part.cast_signed());
        }
    }

    /// Counts the vocabulary rows of the text into `scratch.row_counts`, those met into `scratch.entries`.
    fn count_rows(&self, vocabulary: &Vocabulary<'_>, text: &str, scratch: &mut Scratch) {
        scratch.begin(self.owner, MAX_CACHED_WORDS);
        let Scratch { words, piece_starts, pieces, row_counts, met, .. } = scratch;
        row_counts.resize(self.layout.words, 0);
        let mut left = self.layout.max_tokens;
        for_each_word(text, |word| {
            let rows = vocabulary.cached_pieces(word, words, piece_starts, pieces);
            let taken = left.min(rows.len());
            for &row in &rows[..taken] {
                let count = &mut row_counts[row as usize];
                if *count == 0 {
                    met.push(row);
                }
                *count += 1;
            }
            left -= taken;
            left > 0
        });
    }
}

impl Source {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::CompiledIn(bytes) => bytes,
            Self::Mapped(file) => file.bytes(),
        }
    }
}

impl Embedder for StaticModel {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.layout.dimensions
    }

    fn embed_document(&self, text: &str, scratch: &mut Scratch) -> Vec<f32> {
        self.embed(text, scratch)
    }

    fn embed_query(&self, text: &str, scratch: &mut Scratch) -> Vec<f32> {
        self.embed(text, scratch)
    }

    fn embed_weighted(&self, text: &str, weigh: &dyn Fn(&str) -> f32, scratch: &mut Scratch) -> Vec<f32> {
        let bytes = self.source.bytes();
        let vocabulary = Vocabulary::new(bytes, &self.layout);
        // Row, count, weight of the first word that has the row: texts that are weighed are short.
        let mut met: Vec<(u32, u32, f32)> = Vec::new();
        scratch.begin(self.owner, MAX_CACHED_WORDS);
        let Scratch { words, piece_starts, pieces, .. } = scratch;
        let mut left = self.layout.max_tokens;
        for_each_word(text, |word| {
            let rows = vocabulary.cached_pieces(word, words, piece_starts, pieces);
            let taken = left.min(rows.len());
            for &row in &rows[..taken] {
                match met.iter_mut().find(|known| known.0 == row) {
                    Some(known) => known.1 += 1,
                    None => met.push((row, 1, weigh(word))),
                }
            }
            left -= taken;
            left > 0
        });
        let mut sum = vec![0.0f32; self.layout.dimensions];
        for (row, count, weight) in met {
            self.add_row(row as usize, ln_1p(count) * weight, &mut sum);
        }
        normalise(&mut sum);
        sum
    }
}

/// The sorted words of a model; a prefix is a range of them.
struct Vocabulary<'a> {
    ends: &'a [u8],
    text: &'a [u8],
    len: usize,
}

impl<'a> Vocabulary<'a> {
    fn new(bytes: &'a [u8], layout: &Layout) -> Self {
        Self { ends: &bytes[layout.word_ends.clone()], text: &bytes[layout.text.clone()], len: layout.words }
    }

    fn word(&self, index: usize) -> &'a [u8] {
        let end = |index: usize| {
            u32::from_le_bytes(self.ends[index * 4..index * 4 + 4].try_into().expect("invariant: four bytes")) as usize
        };
        &self.text[if index == 0 { 0 } else { end(index - 1) }..end(index)]
    }

    /// The rows of `word`, which are looked up when the cache meets it first.
    fn cached_pieces<'c>(
        &self,
        word: &str,
        words: &mut WordTable,
        starts: &mut Vec<u32>,
        rows: &'c mut Vec<u32>,
    ) -> &'c [u32] {
        let (index, is_new) = words.count(word);
        if is_new {
            starts.push(rows.len() as u32);
            self.pieces(word, rows);
        }
        let end = starts.get(index + 1).map_or(rows.len(), |&end| end as usize);
        &rows[starts[index] as usize..end]
    }

    /// Appends the rows of `word`: its own, or those of its pieces.
    fn pieces(&self, word: &str, rows: &mut Vec<u32>) {
        let bytes = word.as_bytes();
        if let Some((row, len)) = self.longest_prefix(bytes, 1)
            && len == bytes.len()
        {
            rows.push(row);
            return;
        }
        let mut start = 0;
        while start < bytes.len() {
            if let Some((row, len)) = self.longest_prefix(&bytes[start..], MIN_PIECE) {
                rows.push(row);
                start += len;
            } else {
                start += 1;
                while !word.is_char_boundary(start) {
                    start += 1;
                }
            }
        }
    }

    /// The longest word of at least `min` bytes, one or more, that `bytes` begins with. Words are whole characters, so it
    /// ends at one.
    fn longest_prefix(&self, bytes: &[u8], min: usize) -> Option<(u32, usize)> {
        let (mut bytes, mut high) = (bytes, self.len);
        loop {
            // A word that `bytes` begins with is not after it, and of those the longest is the last.
            high = self.first_after(bytes, high);
            let last = high.checked_sub(1)?;
            let word = self.word(last);
            let shared = word.iter().zip(bytes).take_while(|(one, other)| one == other).count();
            if shared < min {
                return None;
            }
            if shared == word.len() {
                return Some((last as u32, shared));
            }
            // The others share no more with `bytes` than this one.
            (bytes, high) = (&bytes[..shared], last);
        }
    }

    /// The first index below `high` whose word is after `bytes`.
    fn first_after(&self, bytes: &[u8], mut high: usize) -> usize {
        let mut low = 0;
        while low < high {
            let middle = low.midpoint(high);
            if self.word(middle) > bytes {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}

#[cfg(test)]
#[path = "static_model_tests.rs"]
mod tests;
