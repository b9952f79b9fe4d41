//! Removes what codecairn or similar tools injected into a conversation, so that a memory does not feed on itself.

/// Elements that hold injected memory; a tag counts where a line or the text begins with it.
const ELEMENTS: [&str; 6] =
    ["codecairn-memory", "session_memory", "persistent_memory", "memory_context", "memory", "session_snapshot"];

/// Lines that begin an injected block in plain text.
const HEADINGS: [&str; 5] = [
    "[MEMORY]",
    "[MEMORY - DISABLED]",
    "[MEMORY - NEW PROJECT]",
    "[MEMORY TRIGGER DETECTED]",
    "[COMPACTION CONTEXT INJECTION]",
];

/// What ends one explicitly.
const END: &str = "[/MEMORY]";

/// Removes injected blocks; `None` if there are none.
pub(crate) fn strip(text: &str) -> Option<String> {
    if !text.contains("[MEMORY")
        && !text.contains("[COMPACTION")
        && !text.contains("emory")
        && !text.contains("snapshot")
    {
        return None;
    }
    let mut kept = String::with_capacity(text.len());
    let mut ends = Ends::default();
    let mut at = 0;
    let mut found = false;
    while at < text.len() {
        let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
        if let Some(end) = block_end(text, at, line_end, &mut ends) {
            found = true;
            at = end;
        } else {
            kept.push_str(&text[at..line_end]);
            at = line_end;
        }
    }
    found.then(|| kept.trim().to_owned())
}

/// Which ends are known to occur no more in what is left of the text, so that each search fails only once.
#[derive(Debug, Default)]
struct Ends {
    no_element: [bool; ELEMENTS.len()],
    no_mark: bool,
}

/// Where the block that begins in the line at `start` ends, if one does.
fn block_end(text: &str, start: usize, line_end: usize, ends: &mut Ends) -> Option<usize> {
    let line = text[start..line_end].trim_start();
    let content = line_end - line.len();
    if line.starts_with('<') {
        return (0..ELEMENTS.len()).find_map(|row| element_end(text, content, row, ends));
    }
    HEADINGS.iter().any(|heading| line.starts_with(heading)).then(|| plain_end(text, content, line_end, ends))
}

/// The end of the element whose tag is at `at`; one that is never closed is no element.
fn element_end(text: &str, at: usize, row: usize, ends: &mut Ends) -> Option<usize> {
    let after = text[at + 1..].strip_prefix(ELEMENTS[row])?;
    if ends.no_element[row] || !after.starts_with(['>', ' ', '\n', '\t']) {
        return None;
    }
    let close = format!("</{}>", ELEMENTS[row]);
    let end = text[at..].find(&close).map(|end| at + end + close.len());
    ends.no_element[row] = end.is_none();
    end
}

/// A block without tags ends at its mark, or else where lines stop looking like sections and lists.
fn plain_end(text: &str, start: usize, first_line_end: usize, ends: &mut Ends) -> usize {
    if !ends.no_mark {
        match text[start..].find(END) {
            Some(end) => return start + end + END.len(),
            None => ends.no_mark = true,
        }
    }
    let mut at = first_line_end;
    while at < text.len() {
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
        let line = &text[at..end];
        let belongs = line.trim().is_empty() || line.starts_with(['#', '-', '>', ' ', '\t', '*']);
        if !belongs {
            break;
        }
        at = end;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_go_and_what_surrounds_them_stays() {
        let text = "before\n<session_memory source=\"x\" version=\"1\"><d>old</d>\n</session_memory>\nafter";
        assert_eq!(strip(text).as_deref(), Some("before\n\nafter"));
        assert_eq!(strip("<memory>\nx\n</memory> after").as_deref(), Some("after"));
    }

    #[test]
    fn plain_blocks_end_with_their_lists() {
        let text = "[MEMORY]\n\n## Project Brief\n- a shop\n> pattern\n\nadd a route, please\n- keep this";
        assert_eq!(strip(text).as_deref(), Some("add a route, please\n- keep this"));
        assert_eq!(strip("[MEMORY]\nanything\n[/MEMORY]\nafter").as_deref(), Some("after"));
    }

    #[test]
    fn each_mark_alone_is_enough() {
        for text in [
            "<session_snapshot>x</session_snapshot> after",
            "[COMPACTION CONTEXT INJECTION]\n- x\n\nafter",
            "[MEMORY]\n- x\n\nafter",
            "<session_memory\n>x</session_memory>after",
        ] {
            assert_eq!(strip(text).as_deref(), Some("after"), "{text}");
        }
        assert_eq!(strip("before\n[MEMORY]\n- x").as_deref(), Some("before"));
        // A second block without its end is found to have none by the first.
        let text = "<memory>a</memory>\n<memory>b\nc\n<memory>d";
        assert_eq!(strip(text).as_deref(), Some("<memory>b\nc\n<memory>d"));
    }

    #[test]
    fn talk_about_memory_stays() {
        assert_eq!(strip("<memory-notes>a</memory> b"), None);
        for text in ["the [MEMORY] block is long", "use <memory> here", "<memory> never closed", "in-memory store"] {
            assert_eq!(strip(text), None, "{text}");
        }
    }
}
