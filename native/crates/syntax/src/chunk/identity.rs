//! Computes the identity of a chunk from all that an index sees of it, independent of its file and branch; equal chunks
//! of one text are numbered.

use std::collections::HashMap;

use codecairn_base::id::ChunkId;
use codecairn_base::span::ByteSpan;

use super::record::Extraction;

impl Extraction {
    /// The identities of the chunks, in order. A chunk is distinguished by all that an index sees of it: its text,
    /// its qualified name, the symbols and comments in it, and whether it has a vector; equal ones in the same text by
    /// their ordinal. So an index never depends on which of two files with the same text it met first.
    pub fn chunk_ids(&self) -> Vec<ChunkId> {
        let mut ordinals: HashMap<ChunkId, u32> = HashMap::with_capacity(self.chunks.len());
        let mut facts = Vec::new();
        let comments = self.comments_by_chunk();
        self.chunks
            .iter()
            .zip(&comments)
            .map(|(chunk, comments)| {
                facts.clear();
                facts.push(u8::from(chunk.lexical_only));
                for &symbol in &chunk.symbols {
                    facts.extend_from_slice(self.syntax.symbols[symbol as usize].name.as_bytes());
                    facts.push(0);
                }
                for comment in comments {
                    facts.extend_from_slice(&comment.start.to_le_bytes());
                    facts.extend_from_slice(&comment.end.to_le_bytes());
                }
                let first = ChunkId::new(chunk.text_hash, &chunk.qualified_name, &facts, 0);
                let ordinal = ordinals.entry(first).and_modify(|ordinal| *ordinal += 1).or_insert(0);
                match *ordinal {
                    0 => first,
                    ordinal => ChunkId::new(chunk.text_hash, &chunk.qualified_name, &facts, ordinal),
                }
            })
            .collect()
    }

    /// For each chunk the parts of it that are comments, from its start.
    pub fn comments_by_chunk(&self) -> Vec<Vec<ByteSpan>> {
        let mut comments = self.syntax.comments.iter().peekable();
        let mut by_chunk: Vec<Vec<ByteSpan>> = Vec::with_capacity(self.chunks.len());
        for chunk in &self.chunks {
            let mut spans = Vec::new();
            // Comments come in order; one that reaches over the chunk's end is cut and looked at again by the next.
            while let Some(comment) = comments.peek() {
                if comment.start >= chunk.span.end {
                    break;
                }
                let (start, end) = (comment.start.max(chunk.span.start), comment.end.min(chunk.span.end));
                if start < end {
                    spans.push(ByteSpan { start: start - chunk.span.start, end: end - chunk.span.start });
                }
                if comment.end > chunk.span.end {
                    break;
                }
                comments.next();
            }
            by_chunk.push(spans);
        }
        by_chunk
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
