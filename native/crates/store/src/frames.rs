//! Stores the texts of blobs as one stream of bytes, cut into zstd frames.
//!
//! A text starts anywhere in a frame and continues through the following ones, so small files share a frame and
//! compress together. Every frame but the last of a batch holds exactly [`FRAME_BYTES`], so the frames that cover
//! a part of a text are computed, not looked up.
//!
//! Invariant: a frame's number is never reused, so decompressed frames are cached by number.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;

use codecairn_base::error::{Error, Result};
use codecairn_base::parallel::{map_each, on_all_threads};

use codecairn_base::database::Database;

/// Bytes of text in a whole frame. Reading one chunk decompresses one frame, so this is about 50 µs; frames four times
/// as large would save 2 % of the text's size and cost four times that.
pub(super) const FRAME_BYTES: usize = 32 * 1024;

/// zstd's level: 2 would make texts 1 % smaller, and take an eighth longer.
const LEVEL: i32 = 1;

/// Whole frames that are compressed together, in parallel.
const WAITING: usize = 64;

/// Frames from which on parallel decompression pays: one takes about as long as waking threads.
const SEVERAL: usize = 4;

/// The position of a text in the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextPosition {
    /// The frame of its first byte.
    pub(super) frame: u32,
    /// The byte's offset in the frame.
    pub(super) offset: u32,
}

/// A reusable compressor. It adds a checksum to each frame, so that a flipped bit is an error and not a wrong text.
pub(super) fn compressor() -> Compressor<'static> {
    let mut compressor = Compressor::new(LEVEL).expect("invariant: the level is one that zstd has");
    compressor.set_parameter(CParameter::ChecksumFlag(true)).expect("invariant: zstd has checksums");
    compressor
}

/// Compresses a byte string.
pub(super) fn compress(compressor: &mut Compressor<'static>, part: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    compress_into(compressor, part, &mut packed);
    packed
}

/// The same into a buffer, whose content goes.
fn compress_into(compressor: &mut Compressor<'static>, part: &[u8], buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.reserve(zstd::zstd_safe::compress_bound(part.len()));
    compressor.compress_to_buffer(part, buffer).expect("invariant: zstd compresses into a buffer of its own bound");
}

/// Decompresses bytes of [`compress`] that hold at most `limit` bytes.
pub(super) fn decompress(decompressor: &mut Decompressor<'static>, packed: &[u8], limit: usize) -> Option<Vec<u8>> {
    // The header says how much follows; a damaged one must not reserve the whole memory.
    let size = zstd::zstd_safe::get_frame_content_size(packed).ok()??;
    let size = usize::try_from(size).ok().filter(|size| *size <= limit)?;
    decompressor.decompress(packed, size).ok()
}

/// Decompresses bytes of [`compress`] that hold at most `limit` bytes into a buffer, whose content goes.
pub(super) fn decompress_into(
    decompressor: &mut Decompressor<'static>,
    packed: &[u8],
    limit: usize,
    plain: &mut Vec<u8>,
) -> Option<()> {
    let size = zstd::zstd_safe::get_frame_content_size(packed).ok()??;
    let size = usize::try_from(size).ok().filter(|size| *size <= limit)?;
    plain.clear();
    plain.reserve(size);
    (decompressor.decompress_to_buffer(packed, plain).ok()? == size).then_some(())
}

/// Whether bytes that came from elsewhere have the form of [`compress`]: one whole frame with its checksum.
pub(super) fn is_whole_frame(packed: &[u8]) -> bool {
    /// The bit of a frame's descriptor, its fifth byte, that announces a checksum.
    const CHECKSUM: u8 = 1 << 2;
    packed.get(4).is_some_and(|descriptor| descriptor & CHECKSUM != 0)
        && zstd::zstd_safe::find_frame_compressed_size(packed) == Ok(packed.len())
}

/// A reusable decompressor.
pub(super) fn decompressor() -> Decompressor<'static> {
    Decompressor::new().expect("invariant: zstd's state needs memory only")
}

/// Cuts the stream into frames and writes them.
pub(super) struct FrameWriter {
    open: Vec<u8>,
    open_id: u32,
    waiting: Vec<Vec<u8>>,
    /// Buffers of frames that were written.
    spare: Vec<Vec<u8>>,
    /// Compressors that no thread uses at the moment, with the buffers that they fill.
    compressors: Mutex<Vec<(Compressor<'static>, Vec<u8>)>>,
}

impl std::fmt::Debug for FrameWriter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("FrameWriter").field("open_id", &self.open_id).finish_non_exhaustive()
    }
}

impl FrameWriter {
    /// Continues the stream at frame `next`.
    pub(super) fn new(next: u32) -> Self {
        let (open, waiting, spare) = (Vec::new(), Vec::new(), Vec::new());
        Self { open, open_id: next, waiting, spare, compressors: Mutex::default() }
    }

    /// Appends a text and returns its position.
    pub(super) fn push(&mut self, database: &Database, text: &[u8]) -> Result<TextPosition> {
        let place = TextPosition { frame: self.open_id, offset: self.open.len() as u32 };
        let mut rest = text;
        while !rest.is_empty() {
            if self.open.capacity() == 0 {
                self.open = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(FRAME_BYTES));
            }
            let (part, after) = rest.split_at(rest.len().min(FRAME_BYTES - self.open.len()));
            self.open.extend_from_slice(part);
            rest = after;
            if self.open.len() == FRAME_BYTES {
                self.close();
                if self.waiting.len() >= WAITING {
                    self.write(database)?;
                }
            }
        }
        Ok(place)
    }

    /// Ends the open frame and writes all waiting frames. Returns the next frame's number.
    pub(super) fn flush(&mut self, database: &Database) -> Result<u32> {
        if !self.open.is_empty() {
            self.close();
        }
        self.write(database)?;
        Ok(self.open_id)
    }

    fn close(&mut self) {
        self.waiting.push(std::mem::take(&mut self.open));
        self.open_id += 1;
    }

    fn write(&mut self, database: &Database) -> Result<()> {
        let first = self.open_id - self.waiting.len() as u32;
        let compress_one = |frame: &Vec<u8>| self.compress(frame);
        let packed: Vec<Vec<u8>> = on_all_threads(|| self.waiting.par_iter().map(compress_one).collect());
        for (id, data) in (first..).zip(packed) {
            database.run("INSERT INTO frame (id, data) VALUES (?1, ?2)", (id, data))?;
        }
        for mut frame in self.waiting.drain(..) {
            frame.clear();
            self.spare.push(frame);
        }
        Ok(())
    }

    /// [`compress`] with an idle compressor, if there is one.
    fn compress(&self, frame: &[u8]) -> Vec<u8> {
        let idle = self.compressors.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let (mut state, mut buffer) = idle.unwrap_or_else(|| (compressor(), Vec::new()));
        compress_into(&mut state, frame, &mut buffer);
        let packed = buffer.clone();
        self.compressors.lock().unwrap_or_else(PoisonError::into_inner).push((state, buffer));
        packed
    }
}

/// An LRU cache of decompressed frames, shared by all readers of a store.
#[derive(Default)]
pub(super) struct FrameCache {
    recent: Mutex<RecentFrames>,
    idle: Mutex<Vec<Decompressor<'static>>>,
}

#[derive(Debug, Default)]
struct RecentFrames {
    /// (frame, last use, bytes); few enough for a linear search.
    frames: Vec<(u32, u64, Arc<[u8]>)>,
    uses: u64,
}

/// Frames in the cache: 8 MB of text.
const KEPT: usize = 256;

impl FrameCache {
    /// Empties the cache.
    pub(super) fn clear(&self) {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner).frames.clear();
    }

    /// [`decompress`] with an idle decompressor, if there is one.
    pub(super) fn decompress(&self, packed: &[u8], limit: usize) -> Option<Vec<u8>> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut state = idle.unwrap_or_else(decompressor);
        let plain = decompress(&mut state, packed, limit);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(state);
        plain
    }

    fn get(&self, id: u32) -> Option<Arc<[u8]>> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.uses += 1;
        let now = recent.uses;
        let found = recent.frames.iter_mut().find(|(frame, ..)| *frame == id)?;
        found.1 = now;
        Some(Arc::clone(&found.2))
    }

    fn put(&self, id: u32, bytes: &Arc<[u8]>) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.uses += 1;
        let entry = (id, recent.uses, Arc::clone(bytes));
        if recent.frames.len() < KEPT {
            recent.frames.push(entry);
        } else if let Some(oldest) = recent.frames.iter_mut().min_by_key(|(_, used, _)| *used) {
            *oldest = entry;
        }
    }
}

/// The bytes `start..end` of the text at `place`.
pub(super) fn read_range(
    database: &Database,
    cache: &FrameCache,
    place: TextPosition,
    start: usize,
    end: usize,
) -> Result<Vec<u8>> {
    // A damaged length must not reserve the whole memory.
    let mut bytes = Vec::with_capacity((end - start).min(8 * FRAME_BYTES));
    let (mut at, stop) = (place.offset as usize + start, place.offset as usize + end);
    while at < stop {
        let id = place.frame.saturating_add((at / FRAME_BYTES) as u32);
        let frame = read_frame(database, cache, id)?;
        let inside = at % FRAME_BYTES;
        let until = (inside + stop - at).min(FRAME_BYTES);
        let part = frame.get(inside..until).ok_or_else(|| too_short(database, id))?;
        bytes.extend_from_slice(part);
        at += part.len();
    }
    Ok(bytes)
}

/// The frames that a text of `length` bytes at `place` touches.
pub(super) fn frames_of(place: TextPosition, length: usize) -> Range<u32> {
    frames_within(place, 0..length)
}

/// The frames that a part of the text at `place` touches.
pub(super) fn frames_within(place: TextPosition, part: Range<usize>) -> Range<u32> {
    if part.is_empty() {
        return place.frame..place.frame;
    }
    let frame = |byte: usize| place.frame.saturating_add(((place.offset as usize + byte) / FRAME_BYTES) as u32);
    frame(part.start)..frame(part.end - 1).saturating_add(1)
}

/// Loads the frames that are not in the cache. A frame that can't be read is left to its reader, which reports it.
pub(super) fn read_ahead(database: &Database, cache: &FrameCache, ids: &BTreeSet<u32>) -> Result<()> {
    let mut packed: Vec<(u32, Vec<u8>)> = Vec::with_capacity(ids.len());
    for &id in ids.iter().filter(|&&id| cache.get(id).is_none()).take(KEPT) {
        let data = database.first("SELECT data FROM frame WHERE id = ?1", [id], |row| Ok(row.get(0)?))?;
        packed.extend(data.map(|data| (id, data)));
    }
    let keep = |(): &mut (), (id, packed): &(u32, Vec<u8>)| {
        if let Some(plain) = cache.decompress(packed, FRAME_BYTES) {
            cache.put(*id, &Arc::from(plain));
        }
    };
    map_each(&packed, packed.len() >= SEVERAL, || (), keep);
    Ok(())
}

fn read_frame(database: &Database, cache: &FrameCache, id: u32) -> Result<Arc<[u8]>> {
    if let Some(frame) = cache.get(id) {
        return Ok(frame);
    }
    let read = database.first("SELECT data FROM frame WHERE id = ?1", [id], |row| {
        let packed = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
        Ok(cache.decompress(packed, FRAME_BYTES))
    })?;
    let frame = match read {
        Some(Some(bytes)) => Arc::from(bytes),
        Some(None) => return Err(database.damaged(format!("text frame {id} can't be decompressed"))),
        None => return Err(database.damaged(format!("text frame {id} is missing"))),
    };
    cache.put(id, &frame);
    Ok(frame)
}

fn too_short(database: &Database, id: u32) -> Error {
    database.damaged(format!("text frame {id} is shorter than the texts in it"))
}
