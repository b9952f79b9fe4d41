//! Computes the identity of a chunk from all that an index sees of it, independent of its file and branch; equal chunks
//! of one text are numbered.

use std::collections::HashMap;

use codecairn_base::hash::ContentHash;
use codecairn_base::id::ChunkId;
use codecairn_base::span::ByteSpan;

use super::record::{Chunk, Extraction};

/// Gives the chunks of one text their identities, in order.
#[derive(Debug, Default)]
pub(super) struct Identities {
    ordinals: HashMap<ChunkId, u32>,
    facts: Vec<u8>,
}

impl Identities {
    /// For so many chunks.
    pub(super) fn with_capacity(chunks: usize) -> Self {
        Self { ordinals: HashMap::with_capacity(chunks), facts: Vec::new() }
    }

    /// The identity of the next chunk, from the names of the symbols and the comments in it.
    pub(super) fn identify<'n>(
        &mut self,
        text_hash: ContentHash,
        qualified_name: &str,
        lexical_only: bool,
        names: impl Iterator<Item = &'n str>,
        comments: &[ByteSpan],
    ) -> ChunkId {
        let facts = &mut self.facts;
        facts.clear();
        facts.push(u8::from(lexical_only));
        for name in names {
            facts.extend_from_slice(name.as_bytes());
            facts.push(0);
        }
        for comment in comments {
            facts.extend_from_slice(&comment.start.to_le_bytes());
            facts.extend_from_slice(&comment.end.to_le_bytes());
        }
        let first = ChunkId::new(text_hash, qualified_name, facts, 0);
        let ordinal = self.ordinals.entry(first).and_modify(|ordinal| *ordinal += 1).or_insert(0);
        match *ordinal {
            0 => first,
            ordinal => ChunkId::new(text_hash, qualified_name, facts, ordinal),
        }
    }
}

/// For each chunk, given by its place, the parts of it that are comments, from its start.
pub(super) fn comments_within(comments: &[ByteSpan], chunks: impl Iterator<Item = ByteSpan>) -> Vec<Vec<ByteSpan>> {
    let mut comments = comments.iter().peekable();
    let within = |chunk: ByteSpan| {
        let mut spans = Vec::new();
        // Comments come in order; one that reaches over the chunk's end is cut and looked at again by the next.
        while let Some(comment) = comments.peek() {
            if comment.start >= chunk.end {
                break;
            }
            let (start, end) = (comment.start.max(chunk.start), comment.end.min(chunk.end));
            if start < end {
                spans.push(ByteSpan { start: start - chunk.start, end: end - chunk.start });
            }
            if comment.end > chunk.end {
                break;
            }
            comments.next();
        }
        spans
    };
    chunks.map(within).collect()
}

impl Extraction {
    /// The identities of the chunks, in order. A chunk is distinguished by all that an index sees of it: its text,
    /// its qualified name, the symbols and comments in it, and whether it has a vector; equal ones in the same text by
    /// their ordinal. So an index never depends on which of two files with the same text it met first.
    pub fn chunk_ids(&self) -> Vec<ChunkId> {
        let mut identities = Identities::with_capacity(self.chunks.len());
        let comments = self.comments_by_chunk();
        let identity = |(chunk, comments): (&Chunk, &Vec<ByteSpan>)| {
            let names = chunk.symbols.iter().map(|&symbol| self.syntax.symbols[symbol as usize].name.as_str());
            identities.identify(chunk.text_hash, &chunk.qualified_name, chunk.lexical_only, names, comments)
        };
        self.chunks.iter().zip(&comments).map(identity).collect()
    }

    /// For each chunk the parts of it that are comments, from its start.
    pub fn comments_by_chunk(&self) -> Vec<Vec<ByteSpan>> {
        comments_within(&self.syntax.comments, self.chunks.iter().map(|chunk| chunk.span))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::chunk::Extractor;
    use crate::language::by_id;

    #[test]
    fn one_text_in_two_languages_has_two_identities_where_an_index_sees_a_difference() {
        let ids = |language, text| Extractor::new().extract(text, by_id(language).unwrap()).chunk_ids();
        let docstring = "\"\"\"Ask for the opening hours.\"\"\"\n";
        assert_ne!(ids("python", docstring), ids("text", docstring));
        assert_eq!(ids("javascript", "greet();\n"), ids("python", "greet();\n"));
    }

    #[test]
    fn equal_chunks_of_one_text_are_told_apart() {
        let text = "def same():\n    return 1\n\n".repeat(40);
        let ids = Extractor::new().extract(&text, by_id("python").unwrap()).chunk_ids();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
    }
}
