//! Makes the view of a branch: opens it from the cache, derives it from an earlier view after small changes, or builds
//! it from the catalog.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use codecairn_base::error::{Error, Result};
use codecairn_base::id::{BlobId, DocId};
use codecairn_base::parallel::on_all_threads;
use codecairn_index::view::{BlobFacts, FileIndex, FileInput, FileSource, View, ViewBuilder};
use codecairn_lexical::LexicalIndex;
use codecairn_store::{BlobRecord, Catalog, Snapshot, StoredTable, TableUnpacker};
use codecairn_syntax::chunk::ChunkTable;
use codecairn_syntax::kind::Kind;
use codecairn_syntax::language::{self, Class, Language};

use super::Engine;
use super::view_cache::generations;

/// Blobs whose chunk tables are read at once.
const BLOBS_READ: usize = 4096;

/// The contents of files that are not taken from an earlier view.
type DecodedFiles = BTreeMap<BlobId, FileSource>;

impl Engine {
    /// The view of a branch in a snapshot. `before` is an earlier one of the same branch, if there is one.
    pub(super) fn view(
        &self,
        snapshot: &Snapshot,
        branch: &str,
        lexical: &LexicalIndex,
        before: Option<&View>,
    ) -> Result<View> {
        self.view_with(snapshot, branch, before, |doc| lexical.length_codes(doc))
    }

    /// The view of a branch for counting only: without segments, so without document lengths.
    pub(super) fn view_to_count(&self, snapshot: &Snapshot, branch: &str) -> Result<View> {
        self.view_with(snapshot, branch, None, |_| [0; 3])
    }

    fn view_with(
        &self,
        snapshot: &Snapshot,
        branch: &str,
        before: Option<&View>,
        lengths: impl Fn(DocId) -> [u8; 3],
    ) -> Result<View> {
        let found = snapshot.branch(branch)?.ok_or_else(|| Error::NotIndexed { path: self.root.clone() })?;
        let usable = generations(snapshot)?;
        if let Some(before) = before.filter(|view| usable.contains(&view.generation())) {
            return self.build_view(snapshot, branch, Some(before), lengths).map_err(|error| self.located(error));
        }
        match self.kept_view(snapshot.identity()?, branch).filter(|view| usable.contains(&view.generation())) {
            Some(kept) if kept.generation() >= found.generation => Ok(kept),
            kept => {
                let near = if kept.is_some() { kept } else { self.other_kept_view(snapshot, branch, &usable)? };
                self.build_view(snapshot, branch, near.as_ref(), lengths).map_err(|error| self.located(error))
            }
        }
    }

    fn build_view(
        &self,
        snapshot: &Snapshot,
        branch: &str,
        before: Option<&View>,
        lengths: impl Fn(DocId) -> [u8; 3],
    ) -> Result<View> {
        let catalog = snapshot.catalog(branch)?.ok_or_else(|| Error::NotIndexed { path: self.root.clone() })?;
        let kept = before.map_or_else(Vec::new, |before| kept_files(&catalog, before));
        let kept_of = |at: usize| kept.get(at).copied().flatten();
        let mut new: Vec<BlobId> =
            catalog.values().enumerate().filter(|(at, _)| kept_of(*at).is_none()).map(|(_, blob)| *blob).collect();
        new.sort_unstable();
        new.dedup();
        let decoded = decode_all(snapshot, &new)?;
        let inputs = catalog.into_iter().enumerate().map(|(at, (path, blob))| {
            let source = kept_of(at).map(FileSource::Kept).or_else(|| decoded.get(&blob).cloned());
            let source = source.ok_or_else(|| Error::Internal("a blob was not loaded".into()))?;
            Ok(FileInput { path, blob, source })
        });
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        drop(decoded);
        let origin = (snapshot.identity()?, snapshot.generation());
        let builder = ViewBuilder { origin, doc_count: snapshot.next_doc()?.index(), before };
        builder.build(&inputs, lengths)
    }
}

/// By file of the catalog: which file of the view before has the same path and content.
fn kept_files(catalog: &Catalog, before: &View) -> Vec<Option<FileIndex>> {
    let mut files = (0u32..).map(FileIndex).zip(before.files()).peekable();
    catalog
        .iter()
        .map(|(path, blob)| {
            while files.next_if(|(_, file)| file.path < path.as_str()).is_some() {}
            let same = files.next_if(|(_, file)| file.path == path)?;
            Some(same.0).filter(|_| same.1.blob == *blob)
        })
        .collect()
}

/// The chunk tables of blobs, which are in ascending order, decoded for a view.
fn decode_all(snapshot: &Snapshot, blobs: &[BlobId]) -> Result<DecodedFiles> {
    let records: Vec<BlobRecord> = snapshot.blobs_of(blobs)?;
    let end = snapshot.next_doc()?;
    let mut facts: Vec<(BlobId, BlobFacts)> = Vec::with_capacity(blobs.len());
    for some in blobs.chunks(BLOBS_READ) {
        let mut packed: Vec<(BlobId, Vec<DocId>, Vec<u8>)> = Vec::with_capacity(some.len());
        snapshot.each_chunks(some, |blob, docs, table| {
            if docs.iter().any(|doc| *doc >= end) {
                let detail = format!("blob {} has documents that aren't there", blob.0);
                return Err(Error::StoreDamaged { path: "index.db".into(), detail });
            }
            packed.push((blob, docs.to_vec(), table.0.to_vec()));
            Ok(())
        })?;
        let decode_one = |unpacker: &mut TableUnpacker, (blob, docs, table): &(BlobId, Vec<DocId>, Vec<u8>)| {
            Ok((*blob, decode(docs, unpacker.table(StoredTable(table))?)?))
        };
        let decode_some = || packed.par_iter().map_init(TableUnpacker::default, decode_one).collect::<Result<Vec<_>>>();
        facts.extend(on_all_threads(decode_some)?);
    }
    let sources = facts.into_iter().zip(records).map(|((blob, facts), record)| {
        let language: &'static Language = language::by_id(&record.language).unwrap_or_else(language::fallback);
        let class = Class::ALL.into_iter().find(|class| class.name() == record.class).unwrap_or(language.class);
        (blob, FileSource::Decoded(Arc::new(facts), language, class))
    });
    Ok(sources.collect())
}

fn bit(kind: Kind) -> u16 {
    1 << kind as u8
}

fn is_test(qualified_name: &str, raw_kind: &str) -> bool {
    let scope = qualified_name.split_once('.').map_or("", |(scope, _)| scope);
    scope == "tests" || scope == "test" || raw_kind.starts_with("test")
}

/// Decodes a packed chunk table for a view.
fn decode(docs: &[DocId], table: &[u8]) -> Result<BlobFacts> {
    let table = ChunkTable::parse(table)?;
    let mut facts = BlobFacts::with_capacity(docs.len());
    for (chunk, &doc) in table.iter().zip(docs) {
        let chunk = chunk?;
        let kinds = chunk.symbols().fold(bit(chunk.kind), |kinds, symbol| kinds | bit(symbol.kind));
        let is_test = is_test(chunk.qualified_name, chunk.raw_kind);
        facts.push(doc, (chunk.span, chunk.lines), (chunk.kind, kinds), chunk.lexical_only, is_test);
        for symbol in chunk.symbols() {
            facts.push_name(symbol.name);
            // A field or constant would only rival the method or type of its name.
            if symbol.kind.is_code() && !symbol.scope.is_empty() {
                facts.push_scoped_name(symbol.scope, symbol.name);
            }
        }
    }
    Ok(facts)
}
