//! Answers queries: search, similar code, and definitions.

use std::cmp::Reverse;

use codecairn_base::error::{Error, Result};
use codecairn_base::id::BlobId;
use codecairn_base::span::ByteSpan;
use codecairn_index::view::{ChunkIndex, View};
use codecairn_search::{Filters, Fusion, Query, Ranking, Request, Texts};
use codecairn_store::Snapshot;
use codecairn_syntax::chunk::{ChunkTable, EXTRACTOR_VERSION};
use codecairn_syntax::{Extent, Symbol, Syntax};
use codecairn_walk::{StatEntry, is_trustworthy, read_source, stat_file};

use super::Engine;
use super::hits::{Rendering, Source, render, render_symbols};
use super::report::{FileState, Hit};

/// How a search is done and shown.
#[derive(Debug, Clone)]
pub struct SearchOptions {
    /// At most this many hits.
    pub limit: usize,
    /// Conditions on hits.
    pub filters: Filters,
    /// Lines shown around each span.
    pub context_lines: u32,
    /// Whether to return each feature's contribution.
    pub explain: bool,
    /// The score that files are ordered by.
    pub ranking: Ranking,
    /// How retrievers come together.
    pub fusion: Fusion,
    /// Whether text is wanted.
    pub text: bool,
    /// How many tokens the spans of all hits may have together; without one, hits have no spans.
    pub token_budget: Option<usize>,
}

/// Texts and names straight from the store.
struct StoredTexts<'a>(&'a Snapshot);

impl Texts for StoredTexts<'_> {
    fn texts(&self, places: &[(BlobId, ByteSpan)]) -> Result<Vec<String>> {
        self.0.read_ahead(places)?;
        places.iter().map(|&(blob, span)| self.0.blob_text_range(blob, span)).collect()
    }

    fn whole_text(&self, blob: BlobId) -> Result<String> {
        self.0.blob_text(blob)
    }

    fn definitions(&self, blobs: &[BlobId]) -> Result<Vec<Vec<Extent>>> {
        self.0.blob_syntaxes(blobs, |packed| {
            let mut extents = Syntax::unpack_extents(packed)?;
            extents.sort_unstable_by_key(|extent| (extent.span.start, Reverse(extent.span.end)));
            Ok(extents)
        })
    }
}

impl Source for StoredTexts<'_> {
    fn read_ahead(&self, places: &[(BlobId, ByteSpan)]) -> Result<()> {
        self.0.read_ahead(places)
    }

    fn text(&self, blob: BlobId, span: ByteSpan) -> Result<String> {
        self.0.blob_text_range(blob, span)
    }

    fn chunks(&self, blob: BlobId, ordinals: &[u32]) -> Result<Vec<(String, Vec<u32>)>> {
        let (_, table) = self.0.blob_chunks(blob)?;
        let mut found = vec![Default::default(); ordinals.len()];
        let last = ordinals.iter().max().map_or(0, |last| last + 1);
        for (ordinal, facts) in (0..last).zip(ChunkTable::parse(&table)?.iter()) {
            let facts = facts?;
            for (_, chunk) in ordinals.iter().zip(&mut found).filter(|(wanted, _)| **wanted == ordinal) {
                let symbols = facts.symbols().map(|symbol| symbol.number).collect();
                *chunk = (facts.qualified_name.to_owned(), symbols);
            }
        }
        Ok(found)
    }

    fn symbols(&self, blob: BlobId) -> Result<Vec<Symbol>> {
        Syntax::unpack_symbols(&self.0.blob_syntax(blob)?).map_err(Error::from)
    }
}

impl Engine {
    /// The best chunks for a query; `vector` (float32, little-endian) is the query's in the remote space.
    pub fn search(&self, text: &str, vector: Option<&[u8]>, options: &SearchOptions) -> Result<Vec<Hit>> {
        let query = Query::parse(text);
        if query.text.is_empty() {
            return Err(Error::InvalidArgument("the query is empty".into()));
        }
        let vector = self.query_vector(vector)?;
        let request = Request {
            query: &query,
            query_vector: vector.as_deref(),
            filters: &options.filters,
            limit: options.limit,
            ranking: options.ranking,
            fusion: options.fusion,
            explain: options.explain,
            token_budget: options.token_budget,
        };
        let rendering = Rendering {
            context_lines: options.context_lines,
            text: options.text,
            focus: &query.identifiers,
            kinds: &options.filters.kinds,
        };
        self.ask(|loaded, snapshot| {
            let stored = StoredTexts(snapshot);
            render(&loaded.searcher, loaded.searcher.search(&request, &stored)?, rendering, &stored)
        })
    }

    /// The chunks most like `text`; `own_place` names a place (path and lines) that is not its own look-alike.
    pub fn similar(
        &self,
        text: &str,
        vector: Option<&[u8]>,
        filters: &Filters,
        limit: usize,
        own_place: Option<&(String, u32, u32)>,
    ) -> Result<Vec<Hit>> {
        if text.trim().is_empty() {
            return Err(Error::InvalidArgument("the text to compare with is empty".into()));
        }
        let vector = self.query_vector(vector)?;
        let rendering = Rendering { context_lines: 0, text: true, focus: &[], kinds: &filters.kinds };
        self.ask(|loaded, snapshot| {
            let view = &loaded.searcher.view;
            let is_excluded = |chunk: ChunkIndex| {
                own_place.is_some_and(|(path, start, end)| {
                    let row = view.chunk(chunk);
                    view.file(row.file).path == path && row.lines.start <= *end && row.lines.end >= *start
                })
            };
            let ranked = loaded.searcher.similar(text, vector.as_deref(), filters, limit, is_excluded)?;
            render(&loaded.searcher, ranked, rendering, &StoredTexts(snapshot))
        })
    }

    /// The text and the lines of the chunk at a place.
    pub fn text_at(&self, path: &str, line: u32) -> Result<(String, u32, u32)> {
        let (loaded, snapshot) = self.loaded()?;
        let view = &loaded.searcher.view;
        let file = view.find(path).ok_or_else(|| Error::InvalidArgument(format!("`{path}` is not indexed")))?;
        let chunk = chunk_at(view, file, line)
            .ok_or_else(|| Error::InvalidArgument(format!("`{path}` has no code on line {line}")))?;
        let row = view.chunk(chunk);
        let text = snapshot.blob_text_range(view.file(file).blob, row.span)?;
        Ok((text, row.lines.start, row.lines.end))
    }

    /// Where a name is defined.
    pub fn define(&self, name: &str, filters: &Filters, limit: usize) -> Result<Vec<Hit>> {
        if name.trim().is_empty() {
            return Err(Error::InvalidArgument("the name is empty".into()));
        }
        let (loaded, snapshot) = self.loaded()?;
        let view = &loaded.searcher.view;
        let defined_names = |chunk: ChunkIndex| {
            let file = view.file(view.chunk(chunk).file);
            let (_, table) = snapshot.blob_chunks(file.blob)?;
            let table = ChunkTable::parse(&table)?;
            let facts = table.iter().nth((chunk.0 - file.first_chunk) as usize).transpose()?;
            let Some(facts) = facts else { return Ok(Vec::new()) };
            let all = Syntax::unpack_symbols(&snapshot.blob_syntax(file.blob)?)?;
            // A chunk that several symbols share is let in for any of their kinds.
            let is_shared = facts.symbols().count() > 1 && !filters.kinds.is_empty();
            let named = |number: u32| {
                let symbol = all.get(number as usize)?;
                let fits = !is_shared || filters.kinds.contains(&symbol.kind);
                fits.then(|| (number, symbol.qualified_name.clone()))
            };
            Ok(facts.symbols().filter_map(|symbol| named(symbol.number)).collect())
        };
        let ranked = loaded.searcher.define(name.trim(), filters, limit, defined_names);
        let hits = ranked.and_then(|ranked| render_symbols(&loaded.searcher, ranked, &StoredTexts(&snapshot)));
        hits.map_err(|error| self.located(error))
    }

    /// Whether files have changed since they were indexed, by their size and times.
    pub fn check(&self, paths: &[String]) -> Result<Vec<FileState>> {
        let snapshot = self.store.reader()?;
        let Some(worktree) = snapshot.worktree(&self.root.to_string_lossy())? else {
            return Ok(vec![FileState::Stale; paths.len()]);
        };
        paths
            .iter()
            .map(|path| {
                let Some(current) = stat_file(&self.root, path) else { return Ok(FileState::Missing) };
                let Some(entry) = snapshot.stat(worktree, path)? else { return Ok(FileState::Stale) };
                let known = StatEntry {
                    size: entry.size,
                    mtime_ns: entry.mtime_ns,
                    ctime_ns: entry.ctime_ns,
                    inode: entry.inode,
                    recorded_ns: entry.recorded_ns,
                };
                // If the metadata can't decide, the content does.
                let is_fresh = is_trustworthy(&known, current)
                    || (entry.blob.is_some() && self.blob_on_disk(&snapshot, path)? == entry.blob);
                Ok(if is_fresh { FileState::Fresh } else { FileState::Stale })
            })
            .collect()
    }

    /// The stored content that the file at `path` has now, if it is stored.
    fn blob_on_disk(&self, snapshot: &Snapshot, path: &str) -> Result<Option<BlobId>> {
        match read_source(&self.root, path) {
            Ok(source) => snapshot.find_blob(source.hash, source.language.id, EXTRACTOR_VERSION),
            Err(_) => Ok(None),
        }
    }
}

fn chunk_at(view: &View, file: codecairn_index::view::FileIndex, line: u32) -> Option<ChunkIndex> {
    view.chunks_of(file).find(|&chunk| {
        let lines = view.chunk(chunk).lines;
        lines.start <= line && line <= lines.end
    })
}
