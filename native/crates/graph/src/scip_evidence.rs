//! Decides for which files of a branch a SCIP index is valid.
//!
//! Unless an index holds the text of a document, it does not identify the content that it was made from. So a document
//! is valid only if its file has that text, or is older than the index and has every name at the position that the
//! index gives. A name is resolved only if the definition bears it, too.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_base::id::BlobId;
use codecairn_base::span::ByteSpan;
use codecairn_index::view::{FileIndex, View};

use super::paths::joined;
use crate::scip::{Document, DocumentNumber, Index, Name, ScipFile, SymbolNumber, name_hash};

/// One definition in this many may have another name than the index has: some indexers append numbers.
const MAX_MISMATCH: usize = 20;

/// When the content of a file that was read was last written.
pub type WrittenTimes = HashMap<String, (i64, BlobId)>;

/// An index for the files of a branch.
#[derive(Debug)]
pub(crate) struct ScipEvidence {
    pub(super) index: Arc<Index>,
    /// By file of the branch: its document.
    documents: Vec<Option<DocumentNumber>>,
    /// By document: its file.
    files: Vec<Option<FileIndex>>,
    /// By document: whether its file is older than the index.
    is_older: Vec<bool>,
    judged: Vec<OnceLock<Option<ScipNames>>>,
}

/// The names of a file for which its document holds, one for each of the document.
#[derive(Debug)]
pub(super) struct ScipNames {
    /// The spans in ascending order. An empty span is no name, or its position is unknown.
    pub(super) spans: Box<[ByteSpan]>,
    /// The hash of the text at each span.
    pub(super) hashes: Box<[u64]>,
}

/// The number of files that an index is valid for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScipCoverage {
    /// Files for which it does.
    pub files: u32,
    /// Files that have changed since they were indexed.
    pub changed: u32,
    /// Files of it that the branch does not have.
    pub missing: u32,
}

impl ScipEvidence {
    /// The evidence of an index file; `None` without one. `written` has the modification times of files.
    pub(crate) fn new(found: &ScipFile, view: &View, written: &WrittenTimes) -> Option<Self> {
        let (index, stat) = (found.index.clone()?, found.stat?);
        let folder = found.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut documents = vec![None; view.files().len()];
        let (mut files, mut is_older) = (Vec::new(), Vec::new());
        for (document, number) in index.documents().iter().zip((0u32..).map(DocumentNumber)) {
            let path = joined(folder, &document.path);
            let file = path.and_then(|path| Some((view.find(&path)?, path)));
            if let Some((file, _)) = &file {
                documents[file.0 as usize] = Some(number);
            }
            let is_old = |(file, path): &(FileIndex, String)| {
                let at = written.get(path);
                at.is_some_and(|&(mtime_ns, blob)| blob == view.file(*file).blob && mtime_ns < stat.mtime_ns)
            };
            is_older.push(file.as_ref().is_some_and(is_old));
            files.push(file.map(|(file, _)| file));
        }
        let judged = files.iter().map(|_| OnceLock::new()).collect();
        Some(Self { index, documents, files, is_older, judged })
    }

    /// The document of a file.
    pub(super) fn document(&self, file: FileIndex) -> Option<DocumentNumber> {
        self.documents[file.0 as usize]
    }

    /// The file of a document.
    pub(super) fn file(&self, document: DocumentNumber) -> Option<FileIndex> {
        self.files[document.0 as usize]
    }

    /// The names of a document, if it holds for its file.
    pub(super) fn names(
        &self,
        number: DocumentNumber,
        text: impl Fn(FileIndex) -> Result<String>,
    ) -> Result<Option<&ScipNames>> {
        let Some(file) = self.file(number) else { return Ok(None) };
        let slot = &self.judged[number.0 as usize];
        if let Some(names) = slot.get() {
            return Ok(names.as_ref());
        }
        let document = self.index.document(number);
        let names = if document.text.is_some() || self.is_older[number.0 as usize] {
            ScipNames::of(document, &text(file)?, |symbol| self.index.written(symbol))
        } else {
            None
        };
        Ok(slot.get_or_init(|| names).as_ref())
    }

    /// Checks every document, and counts.
    pub(super) fn coverage(&self, text: impl Fn(FileIndex) -> Result<String>) -> Result<ScipCoverage> {
        let mut coverage = ScipCoverage::default();
        for number in (0..self.files.len() as u32).map(DocumentNumber) {
            *match (self.file(number), self.names(number, &text)?) {
                (None, _) => &mut coverage.missing,
                (Some(_), None) => &mut coverage.changed,
                (Some(_), Some(_)) => &mut coverage.files,
            } += 1;
        }
        Ok(coverage)
    }
}

impl ScipNames {
    /// The names of a document in a text; `None` if any is not at its position.
    fn of(document: &Document, text: &str, written: impl Fn(SymbolNumber) -> u64) -> Option<Self> {
        if document.text.is_some_and(|hash| hash != ContentHash::of(text.as_bytes())) {
            return None;
        }
        let is_same = document.text.is_some();
        let lines: Vec<u32> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at as u32 + 1)).collect();
        let (mut spans, mut hashes) = (Vec::new(), Vec::new());
        let (mut definitions, mut others) = (0, 0);
        for name in &document.names {
            let place = place(name, document, text, &lines)?;
            let hash = text.get(place.range()).map_or(0, name_hash);
            if name.is_definition && !place.is_empty() && written(name.symbol) > 0 {
                definitions += 1;
                others += usize::from(written(name.symbol) != hash);
            }
            if !is_same && !is_whole(text, place) {
                return None;
            }
            spans.push(place);
            hashes.push(hash);
        }
        let holds = is_same || others * MAX_MISMATCH <= definitions;
        holds.then(|| Self { spans: spans.into(), hashes: hashes.into() })
    }
}

/// The span of a name: empty if its position is ambiguous, `None` if the text has no such position.
fn place(name: &Name, document: &Document, text: &str, lines: &[u32]) -> Option<ByteSpan> {
    let line = name.line as usize;
    let start = *lines.get(line)?;
    let end = lines.get(line + 1).map_or(text.len(), |next| *next as usize - 1);
    let content = &text[start as usize..end];
    let byte = |units| document.encoding.byte(content, units).map(|byte| start + byte);
    match (byte(name.start), byte(name.end)) {
        (Some(start), Some(end)) => Some(ByteSpan { start, end }),
        _ if document.encoding.is_known() || content.is_ascii() => None,
        // The end of the line, so that spans stay in order.
        _ => Some(ByteSpan { start: end as u32, end: end as u32 }),
    }
}

/// Whether a place neither begins nor ends inside of a word.
fn is_whole(text: &str, place: ByteSpan) -> bool {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let (before, name, after) = (&text[..place.start as usize], &text[place.range()], &text[place.end as usize..]);
    let splits = |left: &str, right: &str| left.ends_with(is_word) && right.starts_with(is_word);
    name.is_empty() || !(splits(before, name) || splits(name, after))
}

#[cfg(test)]
#[path = "scip_evidence_tests.rs"]
mod tests;
