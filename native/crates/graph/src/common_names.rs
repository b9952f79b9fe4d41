//! Lists names of standard libraries with a common meaning: wrappers, containers, and methods that return their
//! receiver.

use std::collections::HashSet;
use std::sync::LazyLock;

type Words = LazyLock<HashSet<&'static str>>;

/// Wrapper types that act as their content: pointers, futures, optional values.
pub(super) static TRANSPARENT: Words = LazyLock::new(|| {
    words(
        "Annotated Arc AsyncGenerator Awaitable Box Cell ClassVar Coroutine Cow Deferred Final Future Lazy \
     LazyLock Maybe Mutex MutexGuard NonNull Nullable OnceCell OnceLock Option Optional Partial Pin Promise \
     PromiseLike Provider Rc Readonly Ref RefCell Required Result RwLock Self shared_ptr Task Type type \
     unique_ptr ValueTask Weak WeakReference",
    )
});

/// Container types; the last argument is the type of their elements.
pub(super) static CONTAINERS: Words = LazyLock::new(|| {
    words(
        "AbstractSet Array ArrayDeque ArrayList AsyncIterable AsyncIterator BTreeMap BTreeSet Collection Deque \
     deque Dict dict Dictionary Flow FrozenSet Generator HashMap HashSet IEnumerable IList IReadOnlyList \
     Iterable Iterator LinkedList List list Map map MutableList MutableMap MutableSequence Queue ReadonlyArray \
     Record Seq Sequence Set set Slice Stream Tuple Vec VecDeque Vector vector",
    )
});

/// Wrapper types of Rust that do not dereference to their content: their methods are not its.
pub(super) static WRAPPERS: Words =
    LazyLock::new(|| words("Cell Mutex OnceCell OnceLock Option RefCell Result RwLock Weak"));

/// The methods of [`WRAPPERS`].
pub(super) static WRAPPER_METHODS: Words = LazyLock::new(|| {
    words(
        "and and_then as_deref as_deref_mut as_mut as_ref borrow borrow_mut clone cloned copied err expect expect_err \
     filter flatten get get_mut get_or_init get_or_insert get_or_insert_with insert inspect into_inner into_iter \
     is_err is_none is_none_or is_ok is_ok_and is_poisoned is_some is_some_and iter iter_mut lock map map_err map_or \
     map_or_else ok ok_or ok_or_else or or_else read replace set swap take transpose try_borrow try_borrow_mut try_lock \
     unwrap unwrap_err unwrap_or unwrap_or_default unwrap_or_else update upgrade write xor zip",
    )
});

/// Types of Rust's standard library that are neither wrappers nor containers.
pub(super) static STANDARD_TYPES: Words = LazyLock::new(|| {
    words(
        "bool char f32 f64 i128 i16 i32 i64 i8 isize str u128 u16 u32 u64 u8 usize Command Duration File Formatter \
     Instant OsStr OsString Path PathBuf Stdin Stdout String SystemTime",
    )
});

/// Types that need no declaration in Python, PHP and TypeScript. Those that admit anything (`any`, `unknown`, `mixed`,
/// `object`) are not among them.
pub(super) static BUILT_IN: Words = LazyLock::new(|| {
    words(
        "array bigint bool boolean bytearray bytes callable complex false float int iterable memoryview never None null \
         number range resource str string symbol true undefined void",
    )
});

/// Methods that return their receiver or its content.
pub(super) static PASSING: Words = LazyLock::new(|| {
    words(
        "and_then as_deref as_deref_mut as_mut as_ref await awaitTermination block_on borrow borrow_mut by_ref \
     catch clone cloned context copied expect get_or_init into_inner lock map_err ok ok_or ok_or_else or_else \
     orElseThrow read take to_owned unwrap unwrap_or unwrap_or_default unwrap_or_else with_context write",
    )
});

/// Calls on many that give them one by one, or one of them.
pub(super) static PICKING: Words = LazyLock::new(|| {
    words(
        "at back drain entries filter find first front get get_mut getOrDefault into_iter iter iter_mut last next \
     peek pop pop_back pop_front popleft remove shift values",
    )
});

/// Names that standard libraries use for many things: a single definition in the branch is no evidence.
pub(super) static COMMON: Words = LazyLock::new(|| {
    words(
        "add all any append apply as_ref as_str assert at back begin bind build call catch clear clone close \
     collect compare concat connect contains copy count create debug decode default delete drop each emit \
     empty encode end entries equals error every exec execute exists exit expect extend fill filter find \
     finish first flat_map flush fmt fold forEach format from front get group has hash hashCode head id index \
     indexOf info init insert into invoke is_empty isEmpty items iter join key keys last len length limit \
     lines list listen load lock log lower main map match matches max merge min name new next notify of on \
     once open or order parse path peek poll pop post print process push put query raise read ready receive \
     reduce register release remove render replace request reset resolve reverse run save search select send \
     set setup shift show size skip slice some sort split start stop string strip sub submit sum swap take \
     test text then throw to_owned to_string toString trim type union unlock unwrap update upper use value \
     values visit wait where with wrap write zip",
    )
});

fn words(list: &'static str) -> HashSet<&'static str> {
    list.split_whitespace().collect()
}

/// Whether a name is that of a type in the standard library of Rust.
pub(super) fn is_standard(name: &str) -> bool {
    STANDARD_TYPES.contains(name) || CONTAINERS.contains(name) || WRAPPERS.contains(name)
}

/// Whether a name is too common to be resolved by name alone.
pub(super) fn is_common(name: &str) -> bool {
    name.len() < 3 || COMMON.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_names_are_known() {
        for name in ["get", "add", "zip", "forEach", "id"] {
            assert!(is_common(name), "{name}");
        }
        assert!(!is_common("verify_token"));
        assert!(CONTAINERS.contains("Vec") && PICKING.contains("get_mut") && PASSING.contains("unwrap"));
    }
}
