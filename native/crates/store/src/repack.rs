//! Moves texts out of frames that are mostly garbage or mostly empty into full ones.

use std::collections::{BTreeMap, BTreeSet};

use codecairn_base::error::Result;
use codecairn_base::id::BlobId;

use super::content;
use super::frames::{self, FRAME_BYTES, FrameCache, FrameWriter, TextPosition};
use codecairn_base::database::Database;

/// The position and the length of a text that a blob has.
type StoredText = (TextPosition, usize);

/// Moves texts that lie wholly in frames filled less than half. Old frames are left to [`drop_frames`].
pub(super) fn move_texts(database: &Database) -> Result<()> {
    let stored = stored(database)?;
    let mut filled: BTreeMap<u32, usize> = BTreeMap::new();
    for (place, length) in &stored {
        for frame in frames::frames_of(*place, *length) {
            *filled.entry(frame).or_default() += inside(*place, *length, frame);
        }
    }
    let sparse = |frame: u32| filled.get(&frame).is_none_or(|bytes| *bytes < FRAME_BYTES / 2);
    // One sparse frame is the stream's end; moving it gains nothing.
    if filled.keys().filter(|frame| sparse(**frame)).count() < 2 {
        return Ok(());
    }
    let cache = FrameCache::default();
    let mut writer = FrameWriter::new(database.number("next_frame")? as u32);
    for (place, length) in stored {
        if length == 0 || !frames::frames_of(place, length).all(sparse) {
            continue;
        }
        let text = frames::read_range(database, &cache, place, 0, length)?;
        let new = writer.push(database, &text)?;
        let sql = "SELECT id FROM blob WHERE first_frame = ?1 AND frame_offset = ?2 AND byte_len > 0";
        for id in database.all(sql, (place.frame, place.offset), |row| Ok(BlobId(row.get(0)?)))? {
            content::change_blob(database, id, |record| record.place = new)?;
        }
    }
    let next = writer.flush(database)?;
    database.set_number("next_frame", u64::from(next))
}

/// Deletes the frames without a text and returns their number.
pub(super) fn drop_frames(database: &Database) -> Result<u64> {
    let stored = stored(database)?;
    let used: BTreeSet<u32> = stored.iter().flat_map(|(place, length)| frames::frames_of(*place, *length)).collect();
    let mut dropped = 0;
    for frame in database.all("SELECT id FROM frame", [], |row| Ok(row.get::<_, u32>(0)?))? {
        if !used.contains(&frame) {
            dropped += database.run("DELETE FROM frame WHERE id = ?1", [frame])? as u64;
        }
    }
    Ok(dropped)
}

/// All texts, each once, in the order of the stream.
fn stored(database: &Database) -> Result<Vec<StoredText>> {
    let sql = "SELECT DISTINCT first_frame, frame_offset, byte_len FROM blob ORDER BY first_frame, frame_offset";
    database.all(sql, [], |row| {
        Ok((TextPosition { frame: row.get(0)?, offset: row.get(1)? }, row.get::<_, u32>(2)? as usize))
    })
}

/// Bytes of a text that lie in one of its frames.
fn inside(place: TextPosition, length: usize, frame: u32) -> usize {
    let start = place.offset as usize;
    let from = (frame - place.frame) as usize * FRAME_BYTES;
    (start + length).min(from + FRAME_BYTES) - start.max(from)
}
