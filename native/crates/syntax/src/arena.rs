//! Allocates the memory of one parse: size classes over mapped chunks, with a bound, freed all at once.
//!
//! A block is a header of 8 bytes and a payload that is aligned to 16, as with `malloc`. Small blocks are cut from chunks
//! and reused from one free list per class; blocks above [`MAX_CLASSED`] are mapped one by one and unmapped when they are
//! freed. Allocating and freeing a small block takes constant time.
//!
//! Invariant: what is mapped never exceeds the bound that [`Arena::begin`] was given.

#![allow(unsafe_code, reason = "an allocator hands out raw memory; each block names what makes it sound")]
#![allow(clippy::cast_ptr_alignment, reason = "payloads are aligned to 16 bytes, and so the headers before them to 8")]

use std::ptr::{self, NonNull};

use memmap2::MmapMut;

/// Chunks are mapped in this size, in bytes.
const CHUNK: usize = 4 << 20;

/// Chunks that stay mapped from one parse to the next: a text of 200 kB fits in.
const MAX_RETAINED_CHUNKS: usize = 2;

/// The room in front of a payload, which holds the block's class.
const HEADER: usize = 8;

/// Blocks are multiples of this, and payloads are aligned to it.
const ALIGNMENT: usize = 16;

/// Classes up to this size are [`ALIGNMENT`] apart; above, there are [`STEPS`] to each power of two.
const MAX_FINE: usize = 1 << 10;
const FINE_CLASSES: usize = MAX_FINE / ALIGNMENT;
const STEPS: usize = 4;

/// The largest block that is cut from a chunk, header included.
const MAX_CLASSED: usize = 1 << 20;
const CLASSES: usize = FINE_CLASSES + STEPS * (MAX_CLASSED.ilog2() - MAX_FINE.ilog2()) as usize;

/// The class of blocks that are mapped one by one.
const MAPPED: u64 = u64::MAX;

/// The memory of one thread's parses.
#[derive(Debug)]
pub(super) struct Arena {
    chunks: Vec<MmapMut>,
    /// Blocks that were mapped one by one.
    mapped: Vec<MmapMut>,
    /// The unused rest of the last chunk in use.
    next: *mut u8,
    rest: usize,
    /// How many chunks are in use.
    used_chunks: usize,
    /// The first free payload of each class; each holds the address of the next.
    free: [*mut u8; CLASSES],
    mapped_bytes: usize,
    max_bytes: usize,
}

// SAFETY: the pointers lead into memory that the arena owns, and it is used by one thread at a time.
unsafe impl Send for Arena {}

impl Default for Arena {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            mapped: Vec::new(),
            next: ptr::null_mut(),
            rest: 0,
            used_chunks: 0,
            free: [ptr::null_mut(); CLASSES],
            mapped_bytes: 0,
            max_bytes: 0,
        }
    }
}

impl Arena {
    /// Frees every block and starts over with a bound on the bytes in use.
    ///
    /// # Safety
    ///
    /// No block that was allocated before is used again.
    pub(super) unsafe fn begin(&mut self, max_bytes: usize) {
        self.mapped.clear();
        self.chunks.truncate(MAX_RETAINED_CHUNKS);
        self.free = [ptr::null_mut(); CLASSES];
        (self.next, self.rest, self.used_chunks) = (ptr::null_mut(), 0, 0);
        (self.mapped_bytes, self.max_bytes) = (0, max_bytes);
    }

    /// Bytes in use since the beginning: chunks count as a whole.
    pub(super) fn mapped_bytes(&self) -> usize {
        self.mapped_bytes
    }

    /// A block for `size` bytes; `None` if that would exceed the bound, or if the system has no more memory.
    pub(super) fn allocate(&mut self, size: usize) -> Option<NonNull<u8>> {
        let size = size.checked_add(HEADER)?;
        if size > MAX_CLASSED {
            return self.map_block(size);
        }
        let class = class_of(size);
        let free = self.free[class];
        if let Some(payload) = NonNull::new(free) {
            // SAFETY: a free payload has room for an address and holds that of the next one, or null.
            self.free[class] = unsafe { free.cast::<*mut u8>().read() };
            return Some(payload);
        }
        let size = size_of_class(class);
        if size > self.rest {
            self.next_chunk()?;
        }
        // SAFETY: the rest of the chunk has so many bytes.
        let payload = unsafe { self.next.add(HEADER) };
        // SAFETY: as above; blocks are multiples of 16, so the header is aligned.
        unsafe { self.next.cast::<u64>().write(class as u64) };
        // SAFETY: as above.
        self.next = unsafe { self.next.add(size) };
        self.rest -= size;
        NonNull::new(payload)
    }

    /// Takes a block back.
    ///
    /// # Safety
    ///
    /// The payload was allocated here since the last beginning and is not used again.
    pub(super) unsafe fn free(&mut self, payload: NonNull<u8>) {
        let payload = payload.as_ptr();
        // SAFETY: the caller's payload has a header in front.
        let class = unsafe { payload.sub(HEADER).cast::<u64>().read() };
        if class == MAPPED {
            if let Some(number) = self.number_of_mapped(payload) {
                self.mapped_bytes -= self.mapped.swap_remove(number).len();
            }
        } else {
            let head = &mut self.free[class as usize];
            // SAFETY: the smallest payload has room for an address.
            unsafe { payload.cast::<*mut u8>().write(*head) };
            *head = payload;
        }
    }

    /// How many bytes a block has room for.
    ///
    /// # Safety
    ///
    /// The payload was allocated here since the last beginning.
    pub(super) unsafe fn capacity(&self, payload: NonNull<u8>) -> usize {
        let payload = payload.as_ptr();
        // SAFETY: the caller's payload has a header in front.
        let class = unsafe { payload.sub(HEADER).cast::<u64>().read() };
        if class == MAPPED {
            self.number_of_mapped(payload).map_or(0, |number| self.mapped[number].len() - ALIGNMENT)
        } else {
            size_of_class(class as usize) - HEADER
        }
    }

    /// Few blocks are that large, so they are searched one by one; the latest are freed first.
    fn number_of_mapped(&self, payload: *mut u8) -> Option<usize> {
        self.mapped.iter().rposition(|block| block.as_ptr() as usize + ALIGNMENT == payload as usize)
    }

    /// A block of its own, of a size with the header.
    #[cold]
    fn map_block(&mut self, size: usize) -> Option<NonNull<u8>> {
        let mut block = self.map(size.checked_add(ALIGNMENT - HEADER)?)?;
        // SAFETY: the block is larger than what is in front of its payload.
        let payload = unsafe { block.as_mut_ptr().add(ALIGNMENT) };
        // SAFETY: as above, and mappings are aligned to pages.
        unsafe { payload.sub(HEADER).cast::<u64>().write(MAPPED) };
        self.mapped.push(block);
        NonNull::new(payload)
    }

    /// Goes on to the next chunk; what is left of the last one stays unused.
    #[cold]
    fn next_chunk(&mut self) -> Option<()> {
        if self.used_chunks == self.chunks.len() {
            let chunk = self.map(CHUNK)?;
            self.chunks.push(chunk);
        } else {
            self.count(CHUNK)?;
        }
        // Payloads, which follow the headers, are aligned to 16.
        self.next = self.chunks[self.used_chunks].as_mut_ptr().wrapping_add(ALIGNMENT - HEADER);
        self.rest = CHUNK - ALIGNMENT;
        self.used_chunks += 1;
        Some(())
    }

    fn map(&mut self, size: usize) -> Option<MmapMut> {
        self.count(size)?;
        MmapMut::map_anon(size).ok()
    }

    fn count(&mut self, size: usize) -> Option<()> {
        let mapped_bytes = self.mapped_bytes.checked_add(size).filter(|bytes| *bytes <= self.max_bytes)?;
        self.mapped_bytes = mapped_bytes;
        Some(())
    }
}

/// The class of blocks with at least so many bytes, header included.
fn class_of(size: usize) -> usize {
    if size <= MAX_FINE {
        return size.div_ceil(ALIGNMENT).max(2) - 1;
    }
    let power = (size - 1).ilog2();
    let step = (size - 1 - (1 << power)) >> (power - STEPS.ilog2());
    FINE_CLASSES + (power - MAX_FINE.ilog2()) as usize * STEPS + step
}

/// The size of a class's blocks, header included.
fn size_of_class(class: usize) -> usize {
    if class < FINE_CLASSES {
        return (class + 1) * ALIGNMENT;
    }
    let (power, step) = ((class - FINE_CLASSES) / STEPS, (class - FINE_CLASSES) % STEPS);
    let size = MAX_FINE << power;
    size + (size / STEPS) * (step + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_the_smallest_class_that_holds_it() {
        for size in 1..=MAX_CLASSED {
            let class = class_of(size);
            assert!(size_of_class(class) >= size && class < CLASSES, "{size}");
            assert!(class < 2 || size_of_class(class - 1) < size, "{size}");
            assert_eq!(size_of_class(class) % ALIGNMENT, 0, "{size}");
        }
    }

    #[test]
    fn blocks_do_not_overlap_and_are_used_again() {
        let mut arena = Arena::default();
        for _ in 0..3 {
            // SAFETY: no block of the round before is used.
            unsafe { arena.begin(64 << 20) };
            let mut blocks: Vec<(NonNull<u8>, usize, u8)> = Vec::new();
            for number in 0..2000_usize {
                let size = if number % 500 == 0 { (2 << 20) + number } else { number * number % 9000 };
                let block = arena.allocate(size).unwrap();
                assert_eq!(block.as_ptr() as usize % ALIGNMENT, 0);
                // SAFETY: the block is alive and has so many bytes.
                unsafe {
                    assert!(arena.capacity(block) >= size);
                    block.as_ptr().write_bytes(number as u8, size);
                }
                blocks.push((block, size, number as u8));
                if number % 3 == 0 {
                    let (block, size, byte) = blocks.swap_remove(number % blocks.len());
                    // SAFETY: the block is alive, and freed once.
                    unsafe {
                        assert!((0..size).all(|at| block.as_ptr().add(at).read() == byte));
                        arena.free(block);
                    }
                }
            }
            for (block, size, byte) in blocks {
                // SAFETY: the block is alive.
                assert!((0..size).all(|at| unsafe { block.as_ptr().add(at).read() } == byte));
            }
        }
    }

    #[test]
    fn no_more_is_given_out_than_the_bound_allows() {
        let mut arena = Arena::default();
        // SAFETY: there are no blocks.
        unsafe { arena.begin(16 << 20) };
        let mut given = 0;
        while let Some(block) = arena.allocate(1000) {
            given += 1000;
            // SAFETY: the block has so many bytes.
            unsafe { block.as_ptr().write_bytes(1, 1000) };
        }
        assert!(given > 15 << 20 && given <= 16 << 20, "{given}");
        assert!(arena.allocate(2 << 20).is_none() && arena.allocate(usize::MAX).is_none());
        assert!(arena.mapped_bytes() <= 16 << 20);
    }
}
