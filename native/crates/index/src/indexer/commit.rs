//! Commits a prepared file to the store and appends it to the growing segments.

use std::collections::HashMap;

use codecairn_base::error::{Error, Result};
use codecairn_base::hash::ContentHash;
use codecairn_base::id::BlobId;
use codecairn_store::{Batch, NewBlob};
use codecairn_syntax::chunk::EXTRACTOR_VERSION;
use codecairn_walk::{Skip, WalkedFile};

use super::derived_files::DerivedFiles;
use super::pipeline::{Content, ReadFile};
use super::prepare::{DerivedData, Origin, PreparedText};
use super::report::IndexReport;
use super::vector_spaces::VectorSpaces;

/// What the files of a run turned out to be.
#[derive(Debug, Default)]
pub(super) struct RunFiles {
    /// Files with their content and when they were looked at.
    pub(super) files: Vec<(WalkedFile, i64, BlobId)>,
    /// Files left out after reading and when they were looked at.
    pub(super) skips: Vec<(WalkedFile, i64, Skip)>,
    /// Files that had to wait.
    pub(super) waiting: Vec<String>,
    /// Texts of this run, for files with the same text.
    known: HashMap<(ContentHash, &'static str), BlobId>,
}

/// How texts are committed.
#[derive(Debug)]
pub(super) struct Committer {
    /// Where texts are listed as pending.
    pub(super) spaces: VectorSpaces,
}

impl Committer {
    /// Takes in one file.
    pub(super) fn take(
        &self,
        batch: &mut Batch<'_>,
        read: ReadFile,
        derived: &mut DerivedFiles<'_>,
        found: &mut RunFiles,
        report: &mut IndexReport,
    ) -> Result<()> {
        let blob = match read.content {
            Content::Skipped(skip) => {
                found.skips.push((read.file, read.recorded_ns, skip));
                return Ok(());
            }
            Content::Waiting => {
                found.waiting.push(read.file.path);
                return Ok(());
            }
            Content::Stored(blob) => blob,
            Content::Twin(hash, language) => *found
                .known
                .get(&(hash, language))
                .ok_or_else(|| Error::Internal("a file came before the one whose text it shares".into()))?,
            Content::New(prepared) => {
                match prepared.derived.origin {
                    Origin::Parsed => report.parsed += 1,
                    Origin::Record => report.reused += 1,
                    Origin::ParsedInstead => {
                        report.parsed += 1;
                        report.rejected += 1;
                    }
                }
                report.bytes += prepared.source.text.len() as u64;
                report.diagnostics += prepared.derived.diagnostics.len() as u64;
                let key = (prepared.source.hash, prepared.source.language.id);
                let blob = self.store(batch, &prepared, derived, report)?;
                found.known.insert(key, blob);
                blob
            }
        };
        found.files.push((read.file, read.recorded_ns, blob));
        Ok(())
    }

    fn store(
        &self,
        batch: &mut Batch<'_>,
        prepared: &PreparedText,
        derived: &mut DerivedFiles<'_>,
        report: &mut IndexReport,
    ) -> Result<BlobId> {
        let PreparedText { source, derived: prepared } = prepared;
        let DerivedData { line_count, chunks, names, tables, terms, flags, diagnostics: _, origin: _ } = prepared;
        let mut docs = Vec::with_capacity(chunks.len());
        let mut keep = Vec::with_capacity(chunks.len());
        let mut pending = Vec::new();
        for chunk in chunks {
            let interned = batch.intern_chunk(chunk.id, chunk.text_hash, chunk.lexical_only)?;
            docs.push(interned.doc);
            keep.push(interned.is_new);
            if interned.is_new {
                derived.push_vector(chunk.vector.as_ref())?;
            }
            if let Some(text) = interned.new_text {
                pending.push(text);
                report.embedded += u64::from(chunk.vector.is_some());
            }
        }
        derived.push_terms(terms, &keep)?;
        report.new_chunks += keep.iter().filter(|&&is_new| is_new).count() as u64;
        for other in &self.spaces.remote {
            batch.add_pending(*other, pending.iter().copied())?;
        }
        batch.add_blob(&NewBlob {
            hash: source.hash,
            language: source.language.id,
            class: source.class.name(),
            encoding: source.encoding,
            extractor_version: EXTRACTOR_VERSION,
            text: &source.text,
            line_count: *line_count,
            flags: *flags,
            docs: &docs,
            tables,
            names,
        })
    }
}
