//! Finds the symbols that changed bytes overlap, the innermost of nested ones alone. Each span takes O(symbols of the
//! file).

use codecairn_base::error::Result;
use codecairn_base::span::ByteSpan;
use codecairn_index::view::FileIndex;
use codecairn_syntax::kind::Kind;

use super::file_facts::FileFacts;
use super::full_graph_builder::is_node;
use super::queries::Graph;
use super::symbol::SymbolId;

impl Graph<'_> {
    /// The symbols whose text touches any of these bytes, from inside out; of nested ones the innermost alone. What
    /// decorates or documents a symbol is part of its text.
    pub fn overlapping_symbols(&self, file: FileIndex, spans: &[ByteSpan]) -> Result<Vec<SymbolId>> {
        let facts = self.branch.facts(file)?;
        let is_node = |symbol: &u32| is_node(facts.symbols[*symbol as usize].kind);
        let nodes: Vec<u32> = (0..facts.symbols.len() as u32).filter(is_node).collect();
        let heads = self.heads(file, facts, &nodes)?;
        let mut found: Vec<SymbolId> = Vec::new();
        for span in spans {
            let mut inside: Vec<u32> = Vec::new();
            for (&symbol, &head) in nodes.iter().zip(&heads) {
                let row = facts.symbols[symbol as usize].span;
                if head < span.end && span.start < row.end.max(row.start + 1) {
                    inside.push(symbol);
                }
            }
            let outer: Vec<u32> = inside
                .iter()
                .filter_map(|&symbol| facts.chain(facts.symbols[symbol as usize].parent).find(is_node))
                .collect();
            // A change between members belongs to the type itself, one inside a member does not.
            inside.retain(|symbol| !outer.contains(symbol) || facts.symbols[*symbol as usize].span.start >= span.start);
            found.extend(inside.into_iter().map(|symbol| SymbolId { file, symbol }));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Where each of these symbols begins with its decorators and what documents it: where its chunk does, or behind
    /// the symbols that end before it there and the names of those around it. Linear in the symbols.
    fn heads(&self, file: FileIndex, facts: &FileFacts, nodes: &[u32]) -> Result<Vec<u32>> {
        let view = self.branch.view;
        let mut text: Option<String> = None;
        let mut chunks = view.chunks_of(file).map(|chunk| view.chunk(chunk)).peekable();
        let mut open: Vec<u32> = Vec::new();
        let mut before = 0;
        let mut heads = Vec::with_capacity(nodes.len());
        for &symbol in nodes {
            let row = &facts.symbols[symbol as usize];
            while let Some(ended) = open.pop_if(|outer| facts.symbols[*outer as usize].span.end <= row.span.start) {
                before = before.max(facts.symbols[ended as usize].span.end);
            }
            while chunks.next_if(|chunk| chunk.span.end <= row.span.start).is_some() {}
            let chunk = chunks.peek().filter(|chunk| chunk.kind != Kind::Block && chunk.span.start < row.span.start);
            let outer = row.parent.map_or(0, |outer| facts.symbols[outer as usize].span.start);
            // The text between the head of a type and its first member belongs to the type.
            let head = chunk.map(|chunk| chunk.span.start).filter(|&start| start > outer || row.parent.is_none());
            let mut head = head.map_or(row.span.start, |start| start.min(row.span.start));
            if head < before && before <= row.span.start {
                let text = match &mut text {
                    Some(text) => text,
                    none => none.insert(self.snapshot.blob_text(view.file(file).blob)?),
                };
                let between = text.get(before as usize..row.span.start as usize).unwrap_or_default();
                head = row.span.start - own_part(between).len() as u32;
            }
            heads.push(head);
            before = before.max(row.name_span.end);
            open.push(symbol);
        }
        Ok(heads)
    }
}

/// The part of the text between two symbols that belongs to the second one: the rest of the first one's last line is the
/// first one's, and blank lines are neither's.
fn own_part(between: &str) -> &str {
    match between.split_once('\n') {
        Some((_, lines)) => lines.trim_start(),
        None => between.trim_start_matches(|char: char| char.is_whitespace() || ";,".contains(char)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_line_belongs_to_the_symbol_that_ends_there() {
        assert_eq!(own_part("; // the first\n\n// the second\n"), "// the second\n");
        assert_eq!(own_part("; "), "");
        assert_eq!(own_part(" @decorated "), "@decorated ");
    }
}
