//! Keeps every scanner that is written by hand to the space that there is for its state.
//!
//! tree-sitter gives a scanner 1,024 bytes to save its state in after each token, and restores it from there before the
//! next. A scanner that writes more overwrites the parser, or ends the process by an assertion of tree-sitter's; one that
//! writes a length into too few bits restores something else than it saved, and ends it by an assertion of its own. Those
//! of Perl, Python, Ruby and YAML can be brought to do so by a text, and a text may come from anyone.
//!
//! So no scanner is trusted with that space, also none that is sound today: each saves to a larger buffer. A state that
//! does not fit, or would not be restored as it was, is not kept. From there on the scanner recognises nothing more: the
//! rest of the text gives the parser errors, and the process lives.

#![allow(unsafe_code, reason = "scanners are C functions behind pointers; each block names what makes it sound")]

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use tree_sitter_language::LanguageFn;

/// The space that tree-sitter has, in bytes.
const ROOM: usize = 1024;

/// More than any scanner may write: Perl's at most 255 quotes of 12 bytes, and 40.
const MAX_STATE: usize = 4096;

/// Saved instead of a state that is not kept. A scanner whose state has these bytes by chance is taken for one whose state
/// was not kept.
const NOT_KEPT: [u8; 3] = [0xff; 3];

/// The first version of the tables that are laid out as [`Tables`]. The scanner of the only older grammar, that of Nix,
/// has no state.
const FIRST_ABI: u32 = 14;

thread_local! {
    /// tree-sitter's own function for a column, while a scanner has another.
    static COLUMN: Cell<Option<Column>> = const { Cell::new(None) };

    /// Whether the state that was last restored had not been kept. tree-sitter restores one before each scan.
    static IS_LOST: Cell<bool> = const { Cell::new(false) };
}

/// A grammar whose scanner is not trusted.
pub(crate) trait Untrusted: 'static {
    /// The grammar as it is.
    const ORIGINAL: LanguageFn;

    /// Whether the scanner reads as many bytes of a state as it has written.
    const IS_WHOLE: fn(&[u8]) -> bool;

    /// Whether the scanner is given column 0 at the end of the text. One that skips letters until the column is 0 would
    /// never return there.
    const IS_LINE_START_AT_END: bool;

    /// The place of its copy with another scanner.
    fn copy() -> &'static OnceLock<Language>;
}

/// The grammar of `G`, with a scanner that keeps to its room.
pub(crate) const fn bounded<G: Untrusted>() -> LanguageFn {
    // SAFETY: the function returns a language as the Tree-sitter CLI generates them.
    unsafe { LanguageFn::from_raw(language::<G>) }
}

/// `TSLanguage` of tree-sitter's ABI 14.
#[repr(C)]
#[derive(Clone, Copy)]
struct Tables {
    abi_version: u32,
    counts: [u32; 8],
    max_alias_sequence_length: u16,
    constants: [*const (); 13],
    lexers: [*const (); 2],
    keyword_capture_token: u16,
    scanner: Scanner,
    primary_state_ids: *const (),
}

/// What ABI 15 adds to it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Additions {
    name: *const (),
    reserved_words: *const (),
    max_reserved_word_set_size: u16,
    supertype_count: u32,
    supertypes: [*const (); 3],
    metadata: [u8; 3],
}

/// A whole `TSLanguage`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Language {
    tables: Tables,
    additions: Additions,
}

/// `TSLexer`, which is all of the parser that a scanner sees.
#[repr(C)]
struct Lexer {
    lookahead: i32,
    result_symbol: u16,
    advance: *const (),
    mark_end: *const (),
    column: Column,
    is_at_included_range_start: *const (),
    is_at_end: unsafe extern "C" fn(*const Self) -> bool,
}

type Column = unsafe extern "C" fn(*mut Lexer) -> u32;
type Scan = unsafe extern "C" fn(*mut (), *mut Lexer, *const bool) -> bool;
type Serialize = unsafe extern "C" fn(*mut (), *mut u8) -> u32;
type Deserialize = unsafe extern "C" fn(*mut (), *const u8, u32);

/// The functions of a scanner; a grammar without one has none of them.
#[repr(C)]
#[derive(Clone, Copy)]
struct Scanner {
    states: *const (),
    symbols: *const (),
    create: *const (),
    destroy: *const (),
    scan: Option<Scan>,
    serialize: Option<Serialize>,
    deserialize: Option<Deserialize>,
}

// SAFETY: the pointers are to constants and functions of the program.
unsafe impl Send for Language {}
// SAFETY: as above; nothing writes there.
unsafe impl Sync for Language {}

fn original<G: Untrusted>() -> *const Tables {
    // SAFETY: the function of a grammar takes nothing and returns the address of a constant, which begins as in ABI 14,
    // but for its last pointer.
    unsafe { G::ORIGINAL.into_raw()() }.cast()
}

fn scanner<G: Untrusted>() -> (Scan, Serialize, Deserialize) {
    // SAFETY: the constant is never written.
    let Scanner { scan, serialize, deserialize, .. } = unsafe { (*original::<G>()).scanner };
    scan.zip(serialize).zip(deserialize).map_or_else(
        || unreachable!("invariant: only a grammar with a scanner is copied"),
        |((scan, serialize), deserialize)| (scan, serialize, deserialize),
    )
}

unsafe extern "C" fn language<G: Untrusted>() -> *const () {
    let original = original::<G>();
    // SAFETY: the constant is never written, and begins so in every version.
    let (abi_version, has_scanner) = unsafe { ((*original).abi_version, (*original).scanner.scan.is_some()) };
    if abi_version < FIRST_ABI || !has_scanner {
        return original.cast();
    }
    let copy = G::copy().get_or_init(|| {
        let none = Additions {
            name: std::ptr::null(),
            reserved_words: std::ptr::null(),
            max_reserved_word_set_size: 0,
            supertype_count: 0,
            supertypes: [std::ptr::null(); 3],
            metadata: [0; 3],
        };
        // SAFETY: the constant is never written, and from ABI 15 on it has the additions.
        let additions = unsafe { if abi_version >= 15 { (*original.cast::<Language>()).additions } else { none } };
        // SAFETY: as above.
        let mut tables = unsafe { *original };
        tables.scanner.scan = Some(scan::<G>);
        tables.scanner.serialize = Some(serialize::<G>);
        tables.scanner.deserialize = Some(deserialize::<G>);
        Language { tables, additions }
    });
    std::ptr::from_ref(copy).cast()
}

unsafe extern "C" fn scan<G: Untrusted>(state: *mut (), lexer: *mut Lexer, valid: *const bool) -> bool {
    if IS_LOST.get() {
        return false;
    }
    if !G::IS_LINE_START_AT_END {
        // SAFETY: tree-sitter passes the arguments of this grammar's scanner.
        return unsafe { (scanner::<G>().0)(state, lexer, valid) };
    }
    // SAFETY: the lexer is tree-sitter's, whose functions are in its memory and read by scanners alone.
    let column = unsafe { std::mem::replace(&mut (*lexer).column, column_or_end) };
    COLUMN.set(Some(column));
    // SAFETY: as above.
    let is_found = unsafe { (scanner::<G>().0)(state, lexer, valid) };
    // SAFETY: as above; another grammar may be parsed with the same lexer.
    unsafe { (*lexer).column = column };
    is_found
}

/// The column of the next letter; 0 at the end of the text.
unsafe extern "C" fn column_or_end(lexer: *mut Lexer) -> u32 {
    // SAFETY: the lexer is tree-sitter's.
    if unsafe { ((*lexer).is_at_end)(lexer) } {
        return 0;
    }
    // SAFETY: as above.
    COLUMN.get().map_or(0, |column| unsafe { column(lexer) })
}

unsafe extern "C" fn serialize<G: Untrusted>(state: *mut (), room: *mut u8) -> u32 {
    /// Aligned for a scanner that writes numbers.
    #[repr(align(8))]
    struct Buffer(MaybeUninit<[u8; MAX_STATE]>);

    let mut buffer = Buffer(MaybeUninit::uninit());
    let start = buffer.0.as_mut_ptr().cast::<u8>();
    // SAFETY: the state is this scanner's, and the buffer is larger than all that it may write.
    let length = unsafe { (scanner::<G>().1)(state, start) } as usize;
    let saved = if length <= ROOM {
        // SAFETY: a scanner has written all bytes of the length that it returns, which is within the buffer.
        let saved = unsafe { std::slice::from_raw_parts(start, length) };
        if saved.is_empty() || (G::IS_WHOLE)(saved) { saved } else { &NOT_KEPT }
    } else {
        &NOT_KEPT
    };
    // SAFETY: tree-sitter has this room, and what is saved is no longer.
    unsafe { std::ptr::copy_nonoverlapping(saved.as_ptr(), room, saved.len()) };
    saved.len() as u32
}

unsafe extern "C" fn deserialize<G: Untrusted>(state: *mut (), saved: *const u8, length: u32) {
    // SAFETY: so many bytes are there to be read.
    let is_lost =
        length as usize == NOT_KEPT.len() && unsafe { saved.cast::<[u8; NOT_KEPT.len()]>().read() } == NOT_KEPT;
    IS_LOST.set(is_lost);
    let length = if is_lost { 0 } else { length };
    // SAFETY: the state is this scanner's, and it has saved these bytes, or it is reset.
    unsafe { (scanner::<G>().2)(state, saved, length) };
}

/// A scanner that counts in as many bits as it needs.
pub(crate) fn always(_saved: &[u8]) -> bool {
    true
}

/// The state of Ruby's scanner: literals of five bytes after their number, then heredocs after theirs, each with three
/// marks and its word after a length. That length has one byte, and a word may have a thousand: where the heredocs take no
/// more than one with 255 letters, no length can be cut. What a cut length makes of the rest can't be told from a state
/// that was meant.
pub(crate) fn ruby(saved: &[u8]) -> bool {
    const LITERAL: usize = 5;
    const HEREDOCS: usize = 4 + u8::MAX as usize;

    saved.split_first().is_some_and(|(literals, rest)| rest.len() <= usize::from(*literals) * LITERAL + 1 + HEREDOCS)
}

#[cfg(test)]
mod tests {
    use tree_sitter::Parser;

    #[track_caller]
    fn check(grammar: &str, text: &str) {
        let mut parser = Parser::new();
        parser.set_language(&crate::grammar(grammar).unwrap().into()).unwrap();
        assert!(parser.parse(text, None).is_some());
        // The scanner is whole again for the next text.
        let sound = match grammar {
            "perl" => "print \"@{[ f(\"a\") ]}\";\n",
            "python" => "if a:\n    b = f'{c}'\n",
            "ruby" => "a = <<B\nc #{d}\nB\n",
            _ => "a:\n  - b: 1\n",
        };
        assert!(!parser.parse(sound, None).unwrap().root_node().has_error());
    }

    #[test]
    fn perl_may_nest_quotes_without_end() {
        for block in ["\"$a{", "\"@a[", "\"$x->[", "m/$x[", "\"@{[ ", "\"$ {", "qq<$a["] {
            check("perl", &(block.repeat(300) + "\n"));
        }
    }

    #[test]
    fn perl_may_end_in_a_comment_behind_a_word() {
        for text in ["qw #", "sub a { y # b", "m#", "print qq # c\n  # d", "a\n#"] {
            let mut parser = Parser::new();
            parser.set_language(&crate::grammar("perl").unwrap().into()).unwrap();
            assert!(parser.parse(text, None).is_some(), "{text}");
        }
    }

    #[test]
    fn python_may_indent_without_end() {
        let line = |depth: usize| "\t".repeat(depth / 8) + &" ".repeat(depth % 8);
        for depth in 505..515 {
            let blocks: String = (0..depth).map(|depth| line(depth) + "if a:\n").collect();
            check("python", &(blocks + &line(depth) + "b = f'{c}'\n"));
        }
    }

    #[test]
    fn yaml_may_nest_blocks_without_end() {
        for text in ["- ".repeat(300), (0..300).map(|depth| " ".repeat(depth) + "a:\r").collect()] {
            check("yaml", &(text + "\n"));
        }
    }

    #[test]
    fn ruby_may_name_a_heredoc_by_any_word() {
        for length in [254, 255, 256, 257, 300, 511, 512, 1016, 1017, 1018, 1019, 1020, 1024, 5000] {
            let word = "A".repeat(length);
            for open in [word.clone(), format!("~{word}"), format!("-'{word}'"), format!("'{word}' + <<{word}")] {
                check("ruby", &format!("a = <<{open}\nb #{{c}}\n{word}\nd = 1\n"));
                check("ruby", &format!("a = \"#{{<<{open}}}\"\n{word}\n"));
            }
        }
    }

    #[test]
    fn ruby_may_open_any_number_of_literals_and_heredocs() {
        for block in ["\"#{", "%w(", "%(#{", "f(<<A, <<B, ", "/#{", "`#{", "<<A + "] {
            for count in [100, 203, 204, 205, 254, 255, 256, 257, 1000] {
                check("ruby", &(block.repeat(count) + "\n"));
            }
        }
    }

    #[test]
    fn a_state_that_ruby_may_not_restore_is_not_whole() {
        let saved = |words: &[usize]| {
            let heredocs = words.iter().flat_map(|length| [vec![1, 0, 1, *length as u8], vec![b'A'; *length]].concat());
            [0, words.len() as u8].into_iter().chain(heredocs).collect::<Vec<u8>>()
        };
        assert!(super::ruby(&[0, 0]) && super::ruby(&[&[204][..], &[9; 204 * 5], &[0]].concat()));
        assert!(super::ruby(&saved(&[255])) && super::ruby(&saved(&[3; 37])));
        for words in [&[256][..], &[256, 10, 20], &[1018]] {
            assert!(!super::ruby(&saved(words)), "{words:?}");
        }
        assert!(!super::ruby(&[]));
    }

    #[test]
    fn ruby_is_not_misled_by_words_that_look_like_a_state() {
        // Cut to a byte, the lengths of these words name the bytes of the first as heredocs, and the first as empty.
        let (first, second) = ("\u{1}\u{1}\u{1}\u{7f}".repeat(64), "A".repeat(120));
        for word in [&first, &"\u{100}".repeat(256), &"\u{1}".repeat(512)] {
            for others in 0..40 {
                let others: Vec<_> = (0..others).map(|number| format!(", <<\"{second}{number}\"")).collect();
                let others = others.concat();
                check("ruby", &format!("f(<<\"{word}\"{others})\na #{{b}}\n{word}\n"));
            }
        }
    }

    #[test]
    fn every_scanner_is_bounded_and_no_grammar_is_changed_otherwise() {
        for grammar in crate::all() {
            let language = tree_sitter::Language::from(grammar.language);
            assert!(language.node_kind_count() > 0 && Parser::new().set_language(&language).is_ok(), "{}", grammar.id);
        }
    }
}
