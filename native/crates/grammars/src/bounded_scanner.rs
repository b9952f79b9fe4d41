//! Wraps grammars whose scanners may save more state than tree-sitter has room for.
//!
//! tree-sitter gives a scanner 1,024 bytes to save its state in after each token, and aborts the process if it wrote
//! more. The scanners of Python and YAML look whether there is room for one byte before they write two or four; that of
//! Perl, whose state grows by twelve bytes with each open quote, does not look at all and overwrites the parser. No one
//! nests so deeply, but a text may come from anyone.
//!
//! Here such a scanner saves to a larger buffer. Once its state does not fit, it recognises nothing more: the rest of
//! the text gives the parser errors, and the process lives.

#![allow(unsafe_code, reason = "scanners are C functions behind pointers; each block names what makes it sound")]

use std::cell::Cell;
use std::sync::OnceLock;

use tree_sitter_language::LanguageFn;

/// What tree-sitter has room for.
const ROOM: usize = 1024;

/// More than any of the scanners here may write: Perl's at most 255 quotes of 12 bytes, and 40.
const MAX_STATE: usize = 4096;

/// Saved instead of a state that does not fit. No scanner here ever saves a single byte.
const OVERFLOWN: u8 = 0xff;

thread_local! {
    /// Whether the state that was last restored had not fitted. tree-sitter restores one before each scan.
    static IS_OVERFLOWN: Cell<bool> = const { Cell::new(false) };
}

/// A grammar with such a scanner.
pub(crate) trait Unbounded: 'static {
    /// The grammar as it is.
    const ORIGINAL: LanguageFn;

    /// Where its copy with another scanner is kept.
    fn copy() -> &'static OnceLock<Language>;
}

/// The grammar of `G`, with a scanner that keeps to its room.
pub(crate) const fn bounded<G: Unbounded>() -> LanguageFn {
    // SAFETY: the function returns a language as the Tree-sitter CLI generates them.
    unsafe { LanguageFn::from_raw(language::<G>) }
}

macro_rules! unbounded {
    ($name:ident, $original:expr) => {
        pub(crate) struct $name;

        impl Unbounded for $name {
            const ORIGINAL: LanguageFn = $original;

            fn copy() -> &'static OnceLock<Language> {
                static COPY: OnceLock<Language> = OnceLock::new();
                &COPY
            }
        }
    };
}

unbounded!(Perl, arborium_perl::language());
unbounded!(Python, tree_sitter_python::LANGUAGE);
unbounded!(Yaml, tree_sitter_yaml::LANGUAGE);

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

#[repr(C)]
#[derive(Clone, Copy)]
struct Scanner {
    states: *const (),
    symbols: *const (),
    create: *const (),
    destroy: *const (),
    scan: unsafe extern "C" fn(*mut (), *mut (), *const bool) -> bool,
    serialize: unsafe extern "C" fn(*mut (), *mut u8) -> u32,
    deserialize: unsafe extern "C" fn(*mut (), *const u8, u32),
}

// SAFETY: the pointers are to constants and functions of the program.
unsafe impl Send for Language {}
// SAFETY: as above; nothing writes there.
unsafe impl Sync for Language {}

fn original<G: Unbounded>() -> *const Tables {
    // SAFETY: the function of a grammar takes nothing and returns the address of a constant, which begins as in ABI 14.
    unsafe { G::ORIGINAL.into_raw()() }.cast()
}

fn scanner<G: Unbounded>() -> Scanner {
    // SAFETY: the constant is never written.
    unsafe { (*original::<G>()).scanner }
}

unsafe extern "C" fn language<G: Unbounded>() -> *const () {
    let copy = G::copy().get_or_init(|| {
        let original = original::<G>();
        let none = Additions {
            name: std::ptr::null(),
            reserved_words: std::ptr::null(),
            max_reserved_word_set_size: 0,
            supertype_count: 0,
            supertypes: [std::ptr::null(); 3],
            metadata: [0; 3],
        };
        // SAFETY: the constant is never written, and from ABI 15 on it has the additions.
        let additions =
            unsafe { if (*original).abi_version >= 15 { (*original.cast::<Language>()).additions } else { none } };
        // SAFETY: as above.
        let mut tables = unsafe { *original };
        tables.scanner.scan = scan::<G>;
        tables.scanner.serialize = serialize::<G>;
        tables.scanner.deserialize = deserialize::<G>;
        Language { tables, additions }
    });
    std::ptr::from_ref(copy).cast()
}

unsafe extern "C" fn scan<G: Unbounded>(state: *mut (), lexer: *mut (), valid: *const bool) -> bool {
    // SAFETY: tree-sitter passes what the scanner of this grammar takes.
    !IS_OVERFLOWN.get() && unsafe { (scanner::<G>().scan)(state, lexer, valid) }
}

unsafe extern "C" fn serialize<G: Unbounded>(state: *mut (), room: *mut u8) -> u32 {
    /// Aligned for a scanner that writes numbers.
    #[repr(align(8))]
    struct Buffer([u8; MAX_STATE]);

    let mut buffer = Buffer([0; MAX_STATE]);
    // SAFETY: the state is this scanner's, and the buffer is larger than all that it may write.
    let length = unsafe { (scanner::<G>().serialize)(state, buffer.0.as_mut_ptr()) };
    let saved = buffer.0.get(..length as usize).filter(|saved| saved.len() <= ROOM).unwrap_or(&[OVERFLOWN]);
    // SAFETY: tree-sitter has this room, and what is saved is no longer.
    unsafe { std::ptr::copy_nonoverlapping(saved.as_ptr(), room, saved.len()) };
    saved.len() as u32
}

unsafe extern "C" fn deserialize<G: Unbounded>(state: *mut (), saved: *const u8, length: u32) {
    // SAFETY: one byte is there to be read.
    let is_overflown = length == 1 && unsafe { *saved } == OVERFLOWN;
    IS_OVERFLOWN.set(is_overflown);
    let length = if is_overflown { 0 } else { length };
    // SAFETY: the state is this scanner's, and it has saved these bytes, or it is reset.
    unsafe { (scanner::<G>().deserialize)(state, saved, length) };
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
}
