//! Defines the file of a static model: one block of bytes, read where it lies.
//!
//! All numbers are little-endian; every section begins at a multiple of 64 bytes, gaps are zero.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | magic `CAIRNEMB` |
//! | 8..12 | format version, 1 |
//! | 12..16 | dimensions |
//! | 16..20 | words in the vocabulary (= rows) |
//! | 20..24 | bits of a row's value, 8 |
//! | 24..28 | most tokens of a text that count |
//! | 28..32 | length of the model id |
//! | 32..36 | length of all words together |
//! | 36..40 | zero |
//! | 40..48 | xxh3-64 of everything from byte 64 on |
//! | 48..64 | zero |
//! | section 1 | model id, UTF-8 |
//! | section 2 | where each word ends in section 3, u32 a word |
//! | section 3 | the words, UTF-8, lower case, each greater than the one before (as bytes) |
//! | section 4 | f32 a word: what a row's values are multiplied by; the learned weight of the word is in it |
//! | section 5 | i8 values, a row of `dimensions` after the other, in the order of the words |
//!
//! Invariant: [`Layout::read`] accepts a file only if every slice that [`StaticModel`](super::StaticModel)
//! takes lies inside it.

use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"CAIRNEMB";
const VERSION: u32 = 1;
const HEADER: usize = 64;
const ALIGNMENT: usize = 64;

/// Where the parts of a model file lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) dimensions: usize,
    pub(super) words: usize,
    pub(super) max_tokens: usize,
    pub(super) id: std::ops::Range<usize>,
    pub(super) word_ends: std::ops::Range<usize>,
    pub(super) text: std::ops::Range<usize>,
    pub(super) scales: std::ops::Range<usize>,
    pub(super) rows: std::ops::Range<usize>,
}

impl Layout {
    fn new(dimensions: usize, words: usize, max_tokens: usize, id_len: usize, text_len: usize) -> Option<Self> {
        let mut end = HEADER;
        let mut section = |len: usize| {
            let start = end.checked_next_multiple_of(ALIGNMENT)?;
            end = start.checked_add(len)?;
            Some(start..end)
        };
        Some(Self {
            dimensions,
            words,
            max_tokens,
            id: section(id_len)?,
            word_ends: section(words.checked_mul(4)?)?,
            text: section(text_len)?,
            scales: section(words.checked_mul(4)?)?,
            rows: section(words.checked_mul(dimensions)?)?,
        })
    }

    /// The layout of a model file, or what is wrong with it.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let layout = Self::read_head(bytes)?;
        let checksum = u64::from_le_bytes(bytes[40..48].try_into().expect("invariant: eight bytes"));
        if xxh3_64(&bytes[HEADER..]) != checksum {
            return Err("the checksum does not match".to_owned());
        }
        layout.check_words(bytes)?;
        Ok(layout)
    }

    /// The same for a file that [`read`](Self::read) has accepted before: it looks at the first 64 bytes alone.
    pub(super) fn read_head(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() < HEADER || &bytes[..8] != MAGIC {
            return Err("not a model file".to_owned());
        }
        let number =
            |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("invariant: four bytes")) as usize;
        if number(8) != VERSION as usize {
            return Err(format!("model format {}, this version reads {VERSION}", number(8)));
        }
        if number(20) != 8 {
            return Err(format!("rows of {} bits, this version reads 8", number(20)));
        }
        Self::new(number(12), number(16), number(24), number(28), number(32))
            .filter(|layout| layout.rows.end == bytes.len() && layout.dimensions > 0 && layout.max_tokens > 0)
            .ok_or_else(|| format!("{} bytes are not the length that its header declares", bytes.len()))
    }

    /// The checksum finds accidents, this finds a writer's mistakes.
    fn check_words(&self, bytes: &[u8]) -> Result<(), String> {
        std::str::from_utf8(&bytes[self.id.clone()]).map_err(|_| "the model id is not UTF-8".to_owned())?;
        let text = &bytes[self.text.clone()];
        let (mut start, mut previous) = (0, &[][..]);
        for end in bytes[self.word_ends.clone()].chunks_exact(4) {
            let end = u32::from_le_bytes(end.try_into().expect("invariant: four bytes")) as usize;
            let word = text.get(start..end).ok_or("a word lies outside the vocabulary")?;
            if word <= previous || std::str::from_utf8(word).is_err() {
                return Err("the vocabulary is not sorted text".to_owned());
            }
            (start, previous) = (end, word);
        }
        let scales = bytes[self.scales.clone()].chunks_exact(4);
        let finite = |scale: &[u8]| f32::from_le_bytes(scale.try_into().expect("invariant: four bytes")).is_finite();
        if start != text.len() || !{ scales }.all(finite) {
            return Err("the vocabulary or the scales are malformed".to_owned());
        }
        Ok(())
    }
}

/// The content of a model file.
#[derive(Debug, Clone)]
pub struct ModelRows<'a> {
    /// The model's id, with its dimensions and version.
    pub id: &'a str,
    /// Length of the vectors.
    pub dimensions: usize,
    /// Most tokens of a text that count.
    pub max_tokens: u32,
    /// Lower-cased words, sorted by bytes, each once.
    pub words: &'a [&'a str],
    /// One row of `dimensions` values per word, the weight of the word multiplied in.
    pub rows: &'a [f32],
}

/// The bytes of a model file. Each row is rounded to 8 bits with its own scale.
///
/// # Errors
/// [`Error::InvalidArgument`](codecairn_base::Error::InvalidArgument) if the parts don't fit together.
pub fn write_model(model: &ModelRows<'_>) -> codecairn_base::Result<Vec<u8>> {
    let invalid = |what: String| codecairn_base::Error::InvalidArgument(format!("model `{}`: {what}", model.id));
    if model.rows.len() != model.words.len() * model.dimensions {
        return Err(invalid(format!("{} values for {} words", model.rows.len(), model.words.len())));
    }
    if !model.rows.iter().all(|value| value.is_finite()) {
        return Err(invalid("a value is not a finite number".to_owned()));
    }
    let text = model.words.concat();
    let layout =
        Layout::new(model.dimensions, model.words.len(), model.max_tokens as usize, model.id.len(), text.len())
            .filter(|layout| u32::try_from(layout.rows.end).is_ok())
            .ok_or_else(|| invalid("too large".to_owned()))?;
    let mut bytes = vec![0; layout.rows.end];
    bytes[..8].copy_from_slice(MAGIC);
    let header = [VERSION, model.dimensions as u32, model.words.len() as u32, 8, model.max_tokens];
    for (index, number) in header.into_iter().chain([model.id.len() as u32, text.len() as u32]).enumerate() {
        bytes[8 + index * 4..12 + index * 4].copy_from_slice(&number.to_le_bytes());
    }
    bytes[layout.id.clone()].copy_from_slice(model.id.as_bytes());
    bytes[layout.text.clone()].copy_from_slice(text.as_bytes());
    let mut end = 0;
    for (index, word) in model.words.iter().enumerate() {
        end += word.len();
        let row = &model.rows[index * model.dimensions..(index + 1) * model.dimensions];
        let peak = row.iter().fold(0.0f32, |peak, value| peak.max(value.abs()));
        let scale = if peak > 0.0 { peak / 127.0 } else { 1.0 };
        let at = layout.word_ends.start + index * 4;
        bytes[at..at + 4].copy_from_slice(&(end as u32).to_le_bytes());
        let at = layout.scales.start + index * 4;
        bytes[at..at + 4].copy_from_slice(&scale.to_le_bytes());
        let at = layout.rows.start + index * model.dimensions;
        for (byte, value) in bytes[at..].iter_mut().zip(row) {
            *byte = ((value / scale).round() as i8).cast_unsigned();
        }
    }
    let checksum = xxh3_64(&bytes[HEADER..]);
    bytes[40..48].copy_from_slice(&checksum.to_le_bytes());
    Layout::read(&bytes).map_err(invalid)?;
    Ok(bytes)
}
