//! Compiles in the query files, and joins each with those that it inherits from.

/// The queries of one grammar, as written.
#[derive(Debug, Clone, Copy)]
pub struct QueryFile {
    /// The grammar's id, which is the folder's name.
    pub grammar: &'static str,
    /// What cuts a text: `chunks.scm`.
    pub chunks: &'static str,
    /// What names and relates: `tags.scm`.
    pub tags: &'static str,
    /// What tells the types of names: `types.scm`; empty for grammars without it.
    pub types: &'static str,
}

/// Every grammar's queries, sorted by the grammar's id.
pub fn query_files() -> &'static [QueryFile] {
    include!(concat!(env!("OUT_DIR"), "/queries.rs"))
}

/// The whole query of a grammar: its files, each followed by the one of the grammar that it inherits from.
/// `None` if the grammar has no queries.
pub fn query_text(grammar: &str) -> Option<String> {
    let own = find(grammar)?;
    let mut text = String::new();
    append(&mut text, own, |file| file.chunks);
    append(&mut text, own, |file| file.tags);
    append(&mut text, own, |file| file.types);
    Some(text)
}

/// Longest chain of inheritance; it ends a circle.
const MAX_INHERITANCE: usize = 4;

fn append(text: &mut String, own: &QueryFile, part: fn(&QueryFile) -> &'static str) {
    let mut next = Some(own);
    for _ in 0..MAX_INHERITANCE {
        let Some(file) = next else { return };
        text.push_str(part(file));
        text.push('\n');
        let parent = part(file).lines().next().and_then(|line| line.strip_prefix("; inherits:"));
        next = parent.and_then(|parent| find(parent.trim()));
    }
}

fn find(grammar: &str) -> Option<&'static QueryFile> {
    let files = query_files();
    files.binary_search_by(|file| file.grammar.cmp(grammar)).ok().and_then(|at| files.get(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_sorted_by_grammar() {
        assert!(query_files().is_sorted_by_key(|file| file.grammar));
    }

    #[test]
    fn an_inheriting_query_holds_its_parents() {
        let text = query_text("tsx").unwrap();
        assert!(text.contains(find("typescript").unwrap().tags));
        assert_eq!(query_text("klingon"), None);
    }
}
