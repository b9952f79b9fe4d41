//! Splits a text into sentences, without code.

/// A longer sentence is no statement but a document.
const MAX_SENTENCE_BYTES: usize = 400;

/// The sentences of a text outside code blocks, quotations and tables.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_code = !is_code;
            continue;
        }
        let is_indented_code = line.starts_with("    ") || line.starts_with('\t');
        if is_code || is_indented_code || trimmed.starts_with(['>', '|', '<', '{', '$']) {
            continue;
        }
        let plain = trimmed.trim_start_matches(['-', '*', '#', '•', ' ']);
        split(plain, &mut found);
    }
    found.retain(|sentence| sentence.len() <= MAX_SENTENCE_BYTES && sentence.chars().count() >= 4);
    found
}

/// Ends are `.`, `!` and `?` before a blank, and those of Chinese and Japanese anywhere.
fn split<'a>(line: &'a str, found: &mut Vec<&'a str>) {
    let mut start = 0;
    let mut chars = line.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let is_end = match char {
            '.' | '!' | '?' => chars.peek().is_none_or(|next| next.1 == ' ') && !is_abbreviation(&line[start..at]),
            '。' | '！' | '？' | '；' => true,
            _ => false,
        };
        if is_end {
            let end = at + char.len_utf8();
            found.push(line[start..end].trim());
            start = end;
        }
    }
    found.push(line[start..].trim());
    found.retain(|sentence| !sentence.is_empty());
}

fn is_abbreviation(before: &str) -> bool {
    ["e.g", "i.e", "etc", "vs", "cf"].iter().any(|known| before.ends_with(known))
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn code_and_quotations_are_passed_over() {
        let text =
            "Use tabs, e.g. here. Never spaces!\n```\nalways fail.\n```\n> quoted\n- item one\n我们决定用它。好的吗？";
        assert_eq!(
            sentences(text),
            ["Use tabs, e.g. here.", "Never spaces!", "item one", "我们决定用它。", "好的吗？"]
        );
    }
}
