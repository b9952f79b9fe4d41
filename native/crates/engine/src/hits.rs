//! Renders ranked chunks as hits with text, names and breadcrumbs.

use std::iter;

use codecairn_base::error::Result;
use codecairn_base::id::BlobId;
use codecairn_base::span::{ByteSpan, LineSpan};
use codecairn_index::view::{ChunkIndex, ChunkRow};
use codecairn_search::{RankedChunk, RankedSpan, Searcher, Texts};
use codecairn_syntax::Symbol;
use codecairn_syntax::kind::Kind;

use super::report::{Hit, HitSpan};

/// The source of texts and names for rendering.
pub(super) trait Source: Texts {
    /// Announces the texts that will be read, so that they are read together.
    fn read_ahead(&self, places: &[(BlobId, ByteSpan)]) -> Result<()>;
    /// A part of a blob's text.
    fn text(&self, blob: BlobId, span: ByteSpan) -> Result<String>;
    /// The qualified names of some of a blob's chunks and the numbers of the symbols that begin in each.
    fn chunks(&self, blob: BlobId, ordinals: &[u32]) -> Result<Vec<(String, Vec<u32>)>>;
    /// The symbols of a blob.
    fn symbols(&self, blob: BlobId) -> Result<Vec<Symbol>>;
}

/// How hits are shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rendering<'a> {
    /// Lines shown before and after the span.
    pub(super) context_lines: u32,
    /// Whether text is wanted at all.
    pub(super) text: bool,
    /// The query's names in lower case: of a chunk with several small symbols, the named one is shown.
    pub(super) focus: &'a [String],
    /// The requested kinds, for the same.
    pub(super) kinds: &'a [Kind],
}

/// Renders chunks of one source.
pub(super) fn render(
    searcher: &Searcher,
    ranked: Vec<RankedChunk>,
    rendering: Rendering<'_>,
    source: &dyn Source,
) -> Result<Vec<Hit>> {
    if rendering.text && rendering.context_lines == 0 {
        let place = |(first, last): (ChunkIndex, ChunkIndex)| {
            let row = searcher.view.chunk(first);
            let span = ByteSpan { start: row.span.start, end: searcher.view.chunk(last).span.end };
            (searcher.view.file(row.file).blob, span)
        };
        let chunks = ranked
            .iter()
            .flat_map(|hit| iter::once((hit.chunk, hit.chunk)).chain(hit.spans.iter().map(|span| span.chunks)));
        source.read_ahead(&chunks.map(place).collect::<Vec<_>>())?;
    }
    ranked.into_iter().map(|ranked| render_one(searcher, ranked, rendering, source)).collect()
}

/// The same for symbols of chunks, by their numbers: each is shown by itself.
pub(super) fn render_symbols(
    searcher: &Searcher,
    ranked: Vec<(RankedChunk, u32)>,
    source: &dyn Source,
) -> Result<Vec<Hit>> {
    let rendering = Rendering { context_lines: 0, text: true, focus: &[], kinds: &[] };
    let mut hits: Vec<Hit> = Vec::with_capacity(ranked.len());
    for (ranked, number) in ranked {
        let row = searcher.view.chunk(ranked.chunk);
        let file = searcher.view.file(row.file);
        let (name, symbols) = source.chunks(file.blob, &[ranked.chunk.0 - file.first_chunk])?.remove(0);
        let whole = Excerpt { span: row.span, lines: row.lines, kind: row.kind, name };
        let all = source.symbols(file.blob)?;
        let symbol = all.get(number as usize).filter(|_| symbols.len() > 1);
        let place = symbol.map(|symbol| cut(&row, symbol, file.blob, source)).transpose()?.flatten().unwrap_or(whole);
        let hit = excerpt(searcher, ranked, place, Vec::new(), rendering, source)?;
        // An uncut chunk is shown once for all of its symbols.
        if !hits
            .iter()
            .any(|known| known.path == hit.path && known.start_line == hit.start_line && known.name == hit.name)
        {
            hits.push(hit);
        }
    }
    Ok(hits)
}

fn render_one(searcher: &Searcher, ranked: RankedChunk, rendering: Rendering<'_>, source: &dyn Source) -> Result<Hit> {
    let row = searcher.view.chunk(ranked.chunk);
    let file = searcher.view.file(row.file);
    let chunks = iter::once(ranked.chunk).chain(ranked.spans.iter().map(|span| span.chunk));
    let ordinals: Vec<u32> = chunks.map(|chunk| chunk.0 - file.first_chunk).collect();
    let mut names = source.chunks(file.blob, &ordinals)?;
    let of_spans = names.split_off(1).into_iter().map(|(name, _)| name).collect();
    let place = focused(&row, names.remove(0), file.blob, rendering, source)?;
    excerpt(searcher, ranked, place, of_spans, rendering, source)
}

fn excerpt(
    searcher: &Searcher,
    ranked: RankedChunk,
    place: Excerpt,
    names_of_spans: Vec<String>,
    rendering: Rendering<'_>,
    source: &dyn Source,
) -> Result<Hit> {
    let file = searcher.view.file(searcher.view.chunk(ranked.chunk).file);
    let first = place.lines.start.saturating_sub(rendering.context_lines).max(1);
    let (text, context_start_line) = match rendering {
        Rendering { text: false, .. } => (String::new(), place.lines.start),
        Rendering { context_lines: 0, .. } => (source.text(file.blob, place.span)?, place.lines.start),
        Rendering { context_lines, .. } => {
            let last = place.lines.end.saturating_add(context_lines);
            (lines(&source.whole_text(file.blob)?, first, last), first)
        }
    };
    Ok(Hit {
        breadcrumb: breadcrumb(file.path, &place.name),
        path: file.path.to_owned(),
        start_line: place.lines.start,
        end_line: place.lines.end,
        kind: place.kind,
        name: place.name,
        language: file.language.id,
        score: ranked.score,
        confidence: ranked.confidence,
        text: text.trim_end_matches(['\n', '\r']).to_owned(),
        context_start_line,
        contributions: ranked.contributions,
        spans: ranked
            .spans
            .into_iter()
            .zip(names_of_spans)
            .map(|(span, name)| render_span(searcher, span, name, rendering, source))
            .collect::<Result<_>>()?,
    })
}

fn render_span(
    searcher: &Searcher,
    span: RankedSpan,
    name: String,
    rendering: Rendering<'_>,
    source: &dyn Source,
) -> Result<HitSpan> {
    let row = searcher.view.chunk(span.chunk);
    let (first, last) = (searcher.view.chunk(span.chunks.0), searcher.view.chunk(span.chunks.1));
    let blob = searcher.view.file(row.file).blob;
    let text = if rendering.text {
        let place = source.text(blob, ByteSpan { start: first.span.start, end: last.span.end })?;
        let head = span.head.filter(|&(line, _)| line < first.lines.start);
        let head = head.map(|(_, head)| source.text(blob, head)).transpose()?;
        shown_text(&span.shown, first.lines.start, &place, head)
    } else {
        String::new()
    };
    Ok(HitSpan {
        start_line: first.lines.start,
        end_line: last.lines.end,
        kind: row.kind,
        name,
        probability: span.probability,
        shown: span.shown,
        ways: span.ways,
        text: text.trim_end_matches(['\n', '\r']).to_owned(),
        contributions: span.contributions,
    })
}

/// The shown lines of a place that begins at line `first`; the first of them is the head, if there is one.
fn shown_text(shown: &[LineSpan], first: u32, place: &str, head: Option<String>) -> String {
    let lines: Vec<&str> = place.split_inclusive('\n').collect();
    let mut text = head.unwrap_or_default();
    for part in shown.iter().filter(|part| part.start >= first) {
        let from = (part.start - first) as usize;
        let to = (part.end - first + 1) as usize;
        text += &lines.get(from..to.min(lines.len())).unwrap_or_default().concat();
    }
    text
}

/// The shown part of a chunk.
struct Excerpt {
    span: ByteSpan,
    lines: LineSpan,
    kind: Kind,
    name: String,
}

/// A whole chunk, or the requested symbol in it.
fn focused(
    row: &ChunkRow,
    (name, symbols): (String, Vec<u32>),
    blob: BlobId,
    rendering: Rendering<'_>,
    source: &dyn Source,
) -> Result<Excerpt> {
    let whole = Excerpt { span: row.span, lines: row.lines, kind: row.kind, name };
    if symbols.len() < 2 || (rendering.focus.is_empty() && rendering.kinds.is_empty()) {
        return Ok(whole);
    }
    let fits_name = |symbol: &Symbol, name: &str| {
        let qualified = symbol.qualified_name.to_lowercase();
        qualified.strip_suffix(name).is_some_and(|scopes| scopes.is_empty() || scopes.ends_with('.'))
            || symbol.name.to_lowercase() == name
    };
    let fits_kind = |symbol: &Symbol| rendering.kinds.contains(&symbol.kind) && !rendering.kinds.contains(&row.kind);
    let all = source.symbols(blob)?;
    let mut inside = symbols.iter().filter_map(|&number| all.get(number as usize));
    // A name with its scopes comes before the same name without them.
    let named = rendering.focus.iter().find_map(|name| inside.clone().find(|symbol| fits_name(symbol, name)));
    let Some(symbol) = named.or_else(|| inside.find(|symbol| fits_kind(symbol))) else { return Ok(whole) };
    Ok(cut(row, symbol, blob, source)?.unwrap_or(whole))
}

/// One symbol of a chunk by itself; nothing if it goes beyond the chunk.
fn cut(row: &ChunkRow, symbol: &Symbol, blob: BlobId, source: &dyn Source) -> Result<Option<Excerpt>> {
    if !row.span.contains(symbol.span) {
        return Ok(None);
    }
    let before = source.text(blob, ByteSpan { start: row.span.start, end: symbol.span.start })?;
    let text = source.text(blob, symbol.span)?;
    let start = row.lines.start + newlines(&before);
    Ok(Some(Excerpt {
        span: symbol.span,
        lines: LineSpan { start, end: start + newlines(text.trim_end_matches(['\n', '\r'])) },
        kind: symbol.kind,
        name: symbol.qualified_name.clone(),
    }))
}

fn newlines(text: &str) -> u32 {
    text.bytes().filter(|&byte| byte == b'\n').count() as u32
}

/// Lines `first` to `last` (from 1, inclusive) of `text`.
fn lines(text: &str, first: u32, last: u32) -> String {
    let skip = first.saturating_sub(1) as usize;
    text.split_inclusive('\n').skip(skip).take((last - first + 1) as usize).collect()
}

/// `src/session.py > Session > get`.
fn breadcrumb(path: &str, name: &str) -> String {
    let mut trail = path.to_owned();
    for scope in name.split('.').filter(|scope| !scope.is_empty()) {
        trail.push_str(" > ");
        trail.push_str(scope);
    }
    trail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_from_one_and_stop_at_the_end() {
        assert_eq!(lines("a\nb\r\nc", 2, 9), "b\r\nc");
        assert_eq!(lines("a\nb\nc\n", 1, 2), "a\nb\n");
    }

    #[test]
    fn parts_of_a_place_are_shown_after_the_line_of_its_name() {
        let parts = [(2, 2), (10, 11), (13, 20)].map(|(start, end)| LineSpan { start, end });
        let place = "a\nb\nc\nd\n";
        assert_eq!(shown_text(&parts, 10, place, Some("fn name() {\n".into())), "fn name() {\na\nb\nd\n");
        assert_eq!(shown_text(&parts[1..], 10, place, None), "a\nb\nd\n");
    }

    #[test]
    fn a_breadcrumb_names_path_and_scopes() {
        assert_eq!(breadcrumb("a/b.py", "Session.get"), "a/b.py > Session > get");
        assert_eq!(breadcrumb("a/b.py", ""), "a/b.py");
    }
}
