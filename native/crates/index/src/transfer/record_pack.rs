//! Packs records of texts, and finds the record of a text in packs.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | magic `CAIRNREC` |
//! | 8..12 | format version, 2 |
//! | 12..16 | version of the extractor |
//! | 16..20 | length of the index |
//! | 20..24 | length of the compressed index |
//! | index | per block its compressed length, its length and its records; per record BLAKE3 of the text, language, length |
//! | blocks | records one after the other, compressed together |
//!
//! A record is its flags, the hash of its chunks' identities, the chunk table and the facts. Texts are not in it. Table and
//! facts are compressed one by one, as a store keeps them, so that taking them in does not compress them again. Blocks
//! are decompressed when a record of them is needed, so the memory in use is bounded whatever there is to index.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use codecairn_base::error::{Error, Result};
use codecairn_base::hash::ContentHash;
use codecairn_base::id::ChunkId;
use codecairn_base::leb128::{Malformed, PackedReader, put_number, put_text};
use codecairn_syntax::chunk::EXTRACTOR_VERSION;
use codecairn_syntax::language;

use super::compressed::{compress, decompress};
use super::contents::TextDigest;

/// The version of the format.
pub(super) const VERSION: u32 = 2;
const MAGIC: &[u8; 8] = b"CAIRNREC";
const HEADER: usize = 24;

/// Bytes of records after which a block ends.
const BLOCK: usize = 1 << 20;
/// The maximum size of a record as it is stored, and so of a block, in bytes: a text has at most 64 MB.
const MAX_RECORD: usize = 256 << 20;
/// The maximum size of the index of a pack in bytes: a million records.
const MAX_INDEX: usize = 64 << 20;
/// Decompressed blocks that are kept, in bytes. Files are indexed in the order in which they were packed.
const KEPT: usize = 32 << 20;
/// zstd's level. Most of a block is compressed already.
const LEVEL: i32 = 1;

/// The hash of all identities of a text's chunks: it tells a record of this text from one of a text that merely has the
/// same form.
pub(crate) fn seal_of(ids: impl Iterator<Item = ChunkId>) -> ContentHash {
    let all: Vec<u8> = ids.flat_map(|id| *id.0.as_bytes()).collect();
    ContentHash::of(&all)
}

/// What was read from one text, its table and facts in stored form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NewRecord<'a> {
    pub(super) digest: TextDigest,
    pub(super) language: &'a str,
    pub(super) flags: u32,
    pub(super) seal: ContentHash,
    pub(super) table: &'a [u8],
    pub(super) syntax: &'a [u8],
}

/// A pack in the making.
#[derive(Debug, Default)]
pub(super) struct PackWriter {
    index: Vec<u8>,
    blocks: Vec<u8>,
    block_count: u32,
    open: Vec<u8>,
    /// The entries of the records of the open block.
    entries: Vec<u8>,
    entry_count: u32,
}

impl PackWriter {
    /// Appends a record; one that is too large is left out, as its text can be parsed.
    pub(super) fn push(&mut self, record: &NewRecord<'_>) {
        let length = record.table.len() + record.syntax.len() + 32;
        if length > MAX_RECORD {
            return;
        }
        if !self.open.is_empty() && self.open.len() + length > BLOCK {
            self.close();
        }
        let before = self.open.len();
        put_number(&mut self.open, record.flags);
        self.open.extend_from_slice(record.seal.as_bytes());
        for part in [record.table, record.syntax] {
            put_number(&mut self.open, part.len() as u32);
            self.open.extend_from_slice(part);
        }
        self.entries.extend_from_slice(&record.digest);
        put_text(&mut self.entries, record.language);
        put_number(&mut self.entries, (self.open.len() - before) as u32);
        self.entry_count += 1;
    }

    /// The pack.
    pub(super) fn finish(mut self) -> Result<Vec<u8>> {
        if !self.open.is_empty() {
            self.close();
        }
        let mut index = Vec::with_capacity(self.index.len() + 8);
        put_number(&mut index, self.block_count);
        index.append(&mut self.index);
        if index.len() > MAX_INDEX {
            let detail = "there are too many records for one pack; ask for fewer contents at a time";
            return Err(Error::InvalidArgument(detail.to_owned()));
        }
        let packed = compress(&index, LEVEL);
        let mut pack = Vec::with_capacity(HEADER + packed.len() + self.blocks.len());
        pack.extend_from_slice(MAGIC);
        for number in [VERSION, EXTRACTOR_VERSION, index.len() as u32, packed.len() as u32] {
            pack.extend_from_slice(&number.to_le_bytes());
        }
        pack.extend_from_slice(&packed);
        pack.append(&mut self.blocks);
        Ok(pack)
    }

    fn close(&mut self) {
        let packed = compress(&self.open, LEVEL);
        for number in [packed.len() as u32, self.open.len() as u32, self.entry_count] {
            put_number(&mut self.index, number);
        }
        self.index.append(&mut self.entries);
        self.blocks.extend_from_slice(&packed);
        self.block_count += 1;
        self.entry_count = 0;
        self.open.clear();
    }
}

/// A record as it was found.
#[derive(Debug)]
pub(crate) struct Record {
    block: Arc<Vec<u8>>,
    /// How the store marks its blob.
    pub(crate) flags: u32,
    /// The hash of the identities of its chunks.
    pub(crate) seal: ContentHash,
    table: Range<usize>,
    syntax: Range<usize>,
}

impl Record {
    /// The chunk table in stored form.
    pub(crate) fn table(&self) -> &[u8] {
        &self.block[self.table.clone()]
    }

    /// The facts in stored form.
    pub(crate) fn syntax(&self) -> &[u8] {
        &self.block[self.syntax.clone()]
    }

    /// Reads the record at `range` of a block.
    fn read(block: Arc<Vec<u8>>, range: Range<usize>) -> Result<Self, Malformed> {
        let bytes = &block[range.clone()];
        let mut reader = PackedReader::new(bytes);
        let flags = reader.number()?;
        let (seal, mut reader) = reader.take(16)?;
        let seal = ContentHash::from_bytes(seal.try_into().map_err(|_| Malformed)?);
        let mut part = || {
            let length = reader.skip_text()?.len();
            let end = range.end - reader.left();
            Ok(end - length..end)
        };
        let (table, syntax) = (part()?, part()?);
        reader.finish()?;
        Ok(Self { block, flags, seal, table, syntax })
    }
}

/// A compressed block of a pack.
#[derive(Debug)]
struct Block {
    pack: usize,
    range: Range<usize>,
    length: usize,
}

/// Where a record is.
#[derive(Debug, Clone)]
struct Place {
    block: usize,
    range: Range<usize>,
}

/// Packs of records, by text and language.
#[derive(Debug, Default)]
pub struct RecordPacks {
    packs: Vec<Vec<u8>>,
    blocks: Vec<Block>,
    places: HashMap<(TextDigest, &'static str), Place>,
    recent: Mutex<Vec<(usize, Arc<Vec<u8>>)>>,
}

impl RecordPacks {
    /// Reads the indexes of packs. Where packs have records of the same text, that of the last pack counts.
    ///
    /// # Errors
    /// [`Error::PartDamaged`], which names the pack by its number, for bytes that are no pack of this version.
    pub fn open(packs: Vec<Vec<u8>>) -> Result<Self> {
        let mut opened = Self::default();
        for pack in packs {
            let number = opened.packs.len();
            opened.add(number, &pack).map_err(|detail| damaged(number, detail))?;
            opened.packs.push(pack);
        }
        Ok(opened)
    }

    /// The number of texts that there are records of.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The record of a text, if there is one.
    ///
    /// # Errors
    /// [`Error::PartDamaged`], which names the pack, if its records can't be decompressed or read.
    pub(crate) fn find(&self, digest: TextDigest, language: &'static str) -> Result<Option<Record>> {
        let Some(place) = self.places.get(&(digest, language)) else { return Ok(None) };
        let block = self.block(place.block)?;
        let unreadable = |_| damaged(self.blocks[place.block].pack, "a record can't be read");
        Record::read(block, place.range.clone()).map(Some).map_err(unreadable)
    }

    /// Decompresses all blocks and reads the head of each record; none is compared with a text.
    ///
    /// # Errors
    /// [`Error::PartDamaged`] for the first that can't be read.
    #[cfg(any(test, fuzzing))]
    pub fn check(&self) -> Result<()> {
        self.places.keys().try_for_each(|(digest, language)| self.find(*digest, language).map(drop))
    }

    fn add(&mut self, number: usize, pack: &[u8]) -> Result<(), &'static str> {
        let unreadable = |_: Malformed| "its index can't be read";
        let header = pack.get(..HEADER).filter(|header| header.starts_with(MAGIC)).ok_or("it is no pack of records")?;
        let number_at = |at: usize| u32::from_le_bytes(*header[at..].first_chunk().expect("invariant: four bytes"));
        if (number_at(8), number_at(12)) != (VERSION, EXTRACTOR_VERSION) {
            return Err("it was made by another version");
        }
        let (length, packed) = (number_at(16) as usize, number_at(20) as usize);
        if length > MAX_INDEX {
            return Err("its index is too long");
        }
        let mut at = HEADER.checked_add(packed).filter(|end| *end <= pack.len()).ok_or("it is cut short")?;
        let index = decompress(&pack[HEADER..at], length)?;
        let mut reader = PackedReader::new(&index);
        for _ in 0..reader.count().map_err(unreadable)? {
            let packed = reader.number().map_err(unreadable)? as usize;
            let length = reader.number().map_err(unreadable)? as usize;
            if length > MAX_RECORD {
                return Err("a block is too long");
            }
            let end = at.checked_add(packed).filter(|end| *end <= pack.len()).ok_or("it is cut short")?;
            let block = self.blocks.len();
            self.blocks.push(Block { pack: number, range: at..end, length });
            at = end;
            let mut begun = 0usize;
            for _ in 0..reader.count().map_err(unreadable)? {
                let (digest, after) = reader.take(32).map_err(unreadable)?;
                reader = after;
                let digest: TextDigest = digest.try_into().map_err(|_| "its index can't be read")?;
                let id = reader.text().map_err(unreadable)?;
                let language = language::by_id(id).ok_or("it has a language that is not known here")?.id;
                let record = reader.number().map_err(unreadable)? as usize;
                let range = begun..begun.checked_add(record).ok_or("its index can't be read")?;
                begun = range.end;
                self.places.insert((digest, language), Place { block, range });
            }
            if begun != length {
                return Err("the records of a block are not as long as it");
            }
        }
        reader.finish().map_err(unreadable)?;
        if at == pack.len() { Ok(()) } else { Err("there are bytes after its last block") }
    }

    /// A decompressed block, kept if it was used recently.
    fn block(&self, number: usize) -> Result<Arc<Vec<u8>>> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = recent.iter().position(|(kept, _)| *kept == number) {
            let found = recent.remove(at);
            let block = Arc::clone(&found.1);
            recent.push(found);
            return Ok(block);
        }
        let Block { pack, range, length } = &self.blocks[number];
        let raw = decompress(&self.packs[*pack][range.clone()], *length).map_err(|detail| damaged(*pack, detail))?;
        let block = Arc::new(raw);
        recent.push((number, Arc::clone(&block)));
        let mut kept: usize = recent.iter().map(|(_, block)| block.len()).sum();
        while kept > KEPT && recent.len() > 1 {
            kept -= recent.remove(0).1.len();
        }
        Ok(block)
    }
}

fn damaged(pack: usize, detail: &str) -> Error {
    Error::PartDamaged { part: format!("record pack {}", pack + 1), detail: detail.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(number: u8) -> TextDigest {
        [number; 32]
    }

    fn pack(records: &[(u8, &str, &[u8])]) -> Vec<u8> {
        let mut writer = PackWriter::default();
        for &(number, language, table) in records {
            let seal = ContentHash::of(&[number]);
            let syntax = [table, table].concat();
            let digest = digest(number);
            writer.push(&NewRecord { digest, language, flags: u32::from(number), seal, table, syntax: &syntax });
        }
        writer.finish().unwrap()
    }

    fn found(packs: &RecordPacks, number: u8, language: &'static str) -> Option<(u32, Vec<u8>, Vec<u8>)> {
        let record = packs.find(digest(number), language).unwrap()?;
        assert_eq!(record.seal, ContentHash::of(&[number]));
        Some((record.flags, record.table().to_vec(), record.syntax().to_vec()))
    }

    #[test]
    fn records_come_back_by_text_and_language_from_whichever_block() {
        let long: Vec<u8> = (0..BLOCK as u32 / 3).map(|at| (at.wrapping_mul(at) >> 7) as u8).collect();
        let first = pack(&[(1, "python", b"one"), (2, "rust", &long), (3, "rust", &long), (4, "python", b"")]);
        let packs = RecordPacks::open(vec![first, pack(&[]), pack(&[(1, "text", b"other")])]).unwrap();
        assert_eq!((packs.len(), packs.blocks.len()), (5, 5));
        for _ in 0..2 {
            assert_eq!(found(&packs, 1, "python"), Some((1, b"one".to_vec(), b"oneone".to_vec())));
            assert_eq!(found(&packs, 3, "rust"), Some((3, long.clone(), [long.clone(), long.clone()].concat())));
            assert_eq!(found(&packs, 4, "python"), Some((4, Vec::new(), Vec::new())));
            assert_eq!(found(&packs, 1, "text").unwrap().1, b"other");
            assert_eq!((found(&packs, 1, "rust"), found(&packs, 9, "python")), (None, None));
        }
    }

    #[test]
    fn only_what_was_used_last_is_kept_decompressed() {
        let table = vec![7; KEPT / 6];
        let records: Vec<(u8, &str, &[u8])> = (0..8).map(|number| (number, "rust", &table[..])).collect();
        let packs = RecordPacks::open(vec![pack(&records)]).unwrap();
        for number in 0..8 {
            assert_eq!(found(&packs, number, "rust").unwrap().1, table);
            let kept: usize = packs.recent.lock().unwrap().iter().map(|(_, block)| block.len()).sum();
            assert!(kept <= KEPT, "{kept}");
        }
    }

    /// All errors of opening a pack and reading the records in it.
    fn outcome(bytes: Vec<u8>) -> Result<()> {
        RecordPacks::open(vec![pack(&[(8, "rust", b"whole")]), bytes])?.check()
    }

    #[test]
    fn damage_is_an_error_that_names_the_pack() {
        let whole = pack(&[(1, "python", b"one"), (2, "python", b"two")]);
        outcome(whole.clone()).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            for bytes in [damaged, whole[..at].to_vec()] {
                let error = outcome(bytes).unwrap_err();
                assert!(error.to_string().starts_with("record pack 2 can't be used: "), "{at}: {error}");
            }
        }
        assert!(outcome([&whole[..], b"more"].concat()).is_err());
    }

    /// A pack with an index that is given, and one block of `raw` bytes.
    fn with_index(index: &[u8], raw: &[u8]) -> Vec<u8> {
        let (packed, block) = (compress(index, 1), compress(raw, 1));
        let mut pack = MAGIC.to_vec();
        for number in [VERSION, EXTRACTOR_VERSION, index.len() as u32, packed.len() as u32] {
            pack.extend_from_slice(&number.to_le_bytes());
        }
        [pack, packed, block].concat()
    }

    fn index(block: [usize; 3], records: &[(&str, usize)]) -> Vec<u8> {
        let mut index = vec![1];
        for number in &block {
            put_number(&mut index, *number as u32);
        }
        for (language, length) in records {
            index.extend_from_slice(&digest(1));
            put_text(&mut index, language);
            put_number(&mut index, *length as u32);
        }
        index
    }

    #[test]
    fn indexes_that_do_not_describe_their_blocks_are_refused() {
        let raw = [&[0][..], &[1; 16], &[0, 0]].concat();
        let (packed, length) = (compress(&raw, 1).len(), raw.len());
        let refused = |index: &[u8]| outcome(with_index(index, &raw)).unwrap_err().to_string();
        outcome(with_index(&index([packed, length, 1], &[("python", length)]), &raw)).unwrap();
        let unknown = refused(&index([packed, length, 1], &[("no language", length)]));
        assert!(unknown.ends_with("it has a language that is not known here"), "{unknown}");
        for lengths in [vec![], vec![length - 1], vec![length + 1], vec![length, length]] {
            let records: Vec<(&str, usize)> = lengths.iter().map(|length| ("python", *length)).collect();
            refused(&index([packed, length, records.len()], &records));
        }
        refused(&index([packed - 1, length, 1], &[("python", length)]));
        refused(&index([packed + 1, length, 1], &[("python", length)]));
        refused(&index([packed, length + 1, 1], &[("python", length + 1)]));
        refused(&index([packed, MAX_RECORD + 1, 1], &[("python", MAX_RECORD + 1)]));
        refused(&[index([packed, length, 1], &[("python", length)]), vec![0]].concat());
        refused(&[9, 1]);
    }

    #[test]
    fn a_pack_that_would_fill_the_memory_is_refused_before_it_does() {
        let bomb = compress(&vec![0; MAX_RECORD + 1], 1);
        assert!(bomb.len() < 100_000);
        let record = [("python", MAX_RECORD + 1)];
        let error = outcome([with_index(&index([bomb.len(), MAX_RECORD + 1, 1], &record), b""), bomb].concat());
        assert!(error.unwrap_err().to_string().ends_with("a block is too long"));
        let error = outcome(with_index(&vec![0; MAX_INDEX + 1], b"")).unwrap_err();
        assert!(error.to_string().ends_with("its index is too long"));
    }
}
