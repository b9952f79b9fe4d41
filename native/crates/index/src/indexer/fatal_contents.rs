//! Tells which stored contents ended a process that parsed them, and whether that still counts.

use codecairn_base::crash_log::WatchedContent;
use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_base::id::BlobId;
use codecairn_store::Snapshot;
use codecairn_syntax::chunk::{EXTRACTOR_VERSION, crash_log};
use codecairn_syntax::language;

/// The contents that are cut by lines because their parse ended a process, each with the signal; `None` if that is
/// forgotten, as it was another version's, so the next run parses the content again. Reads the texts of these contents.
pub fn fatal_contents(snapshot: &Snapshot) -> Result<Vec<(BlobId, Option<&'static str>)>> {
    let blobs = snapshot.fatal_blobs(EXTRACTOR_VERSION)?;
    if blobs.is_empty() {
        return Ok(Vec::new());
    }
    let crashes = crash_log();
    let ids: Vec<BlobId> = blobs.iter().map(|(blob, _)| *blob).collect();
    let signals = blobs.iter().zip(snapshot.blob_texts(&ids)?).map(|((blob, id), text)| {
        let content = language::by_id(id)
            .map(|language| WatchedContent { hash: ContentHash::of(text.as_bytes()), language: language.id });
        (*blob, crashes.as_ref().zip(content).and_then(|(crashes, content)| crashes.signal_of(content)))
    });
    Ok(signals.collect())
}
