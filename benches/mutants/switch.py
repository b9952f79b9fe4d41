"""Many mutants of the core in one build, behind a switch, and marks of the functions that run.

To build the core takes a minute or two, so every function that has mutants gets a body for each of them, and the first
four bytes of a file next to the binary select one: it may change while a process runs. The other bytes are
marks: each function sets its own when it runs.
"""

import re
from collections.abc import Mapping, Sequence

from benches.mutants.mutant import Mutant
from benches.mutants.rust_mutants import Function

MAP = "mutants.map"
FIRST_MARK = 16
CRATE = "native/crates/base"
"""The crate that has the switch; all others depend on it."""

MODULE = "mutant_switch"

SWITCH = r"""//! Which mutant holds, and which functions run.
#![allow(unsafe_code, missing_docs, clippy::all, clippy::pedantic)]

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

static MAP: OnceLock<Option<&'static [AtomicU8]>> = OnceLock::new();

fn open() -> Option<&'static [AtomicU8]> {
    // SAFETY: `information` is filled if the call returns something else than zero, with a name that stays.
    let object = unsafe {
        let mut information: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr((&raw const MAP).cast(), &raw mut information) == 0 {
            return None;
        }
        CStr::from_ptr(information.dli_fname)
    };
    let mut path = Path::new(OsStr::from_bytes(object.to_bytes())).to_path_buf();
    if path.components().count() < 2 {
        path = std::env::current_exe().ok()?;
    }
    let file = std::fs::OpenOptions::new().read(true).write(true).open(path.with_file_name("mutants.map")).ok()?;
    // SAFETY: the file is never cut while a test runs, and is only ever read and written as atomic bytes.
    unsafe {
        let map = Box::leak(Box::new(memmap2::MmapMut::map_mut(&file).ok()?));
        Some(std::slice::from_raw_parts(map.as_ptr().cast::<AtomicU8>(), map.len()))
    }
}

fn map() -> Option<&'static [AtomicU8]> {
    *MAP.get_or_init(open)
}

#[inline]
pub fn reached(number: usize) {
    if let Some(mark) = map().and_then(|map| map.get(number)) {
        mark.store(1, Ordering::Relaxed);
    }
}

#[inline]
pub fn is(number: [u8; 2]) -> bool {
    map().is_some_and(|map| {
        map[0].load(Ordering::Relaxed) == number[0] && map[1].load(Ordering::Relaxed) == number[1]
    })
}
"""


def switched(
    text: str,
    functions: Sequence[Function],
    marks: Mapping[Function, int],
    mutants: Mapping[Function, Sequence[tuple[int, Mutant]]],
) -> str:
    """One file, with a mark in each function and a body for each numbered mutant.

    Each body lies between two comments with the mutant's number, so that what a compiler complains of is found.
    """
    switchable = [function for function in functions if not function.is_const]

    def render(start: int, end: int, inside: Sequence[Function]) -> str:
        """The text, with what is inside its functions switched; outer functions come first."""
        parts, at = [], start
        for function in inside:
            if function.start >= at:
                parts += [text[at : function.start], body(function)]
                at = function.end
        return "".join([*parts, text[at:end]])

    def body(function: Function) -> str:
        first, last = function.start, function.end
        inner = [one for one in switchable if first < one.start and one.end < last]
        sound = render(first, last, inner)
        switch = f"{'crate' if function.path.startswith(CRATE) else 'codecairn_base'}::{MODULE}"
        mark = f" {switch}::reached({marks[function] + FIRST_MARK}); "
        chain = ""
        for number, mutant in mutants.get(function, ()):
            changed = text[first : mutant.start] + mutant.replacement + text[mutant.end : last]
            condition = f"if {switch}::is([{number & 255}, {number >> 8}])"
            chain += f"{condition} {{ /*<{number}*/{changed}\n/*>{number}*/ }} else "
        return f"{mark}{chain}{{{sound}\n}}\n" if chain else mark + sound

    return render(0, len(text), switchable)


def numbers_at(text: str, line: int) -> set[int]:
    """The mutants in whose bodies a line of a switched file is."""
    offset = sum(len(row) + 1 for row in text.split("\n")[: line - 1])
    end = text.find("\n", offset)
    end = len(text) if end < 0 else end
    found = set()
    for opening in re.finditer(r"/\*<(\d+)\*/", text):
        closing = text.index(f"/*>{opening[1]}*/", opening.end())
        if opening.start() <= end and offset <= closing:
            found.add(int(opening[1]))
    return found
