#![allow(dead_code)]
//! A cache with two ends.

use std::collections::{BTreeMap, HashMap as Map, hash_map::Entry};
use std::fmt::{self, Display};
use std::io as input;
use crate::clock::*;
use log;

pub mod eviction;

/// How many entries there may be.
const CAPACITY: usize = 1024;
static NAMES: &[&str] = &["a", "b"];

/// A key.
pub type Key = u64;

/// What can go wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum CacheError {
    /// Nothing there.
    Missing(Key),
    Full { capacity: usize },
}

/// Anything that holds values under keys, whether in memory, on a disk or at the other end of a wire.
pub trait Store<V>: Send + Display {
    type Error;
    const NAME: &'static str;

    /// Reads.
    fn get(&self, key: Key) -> Option<&V>;

    /// Reads or makes the value: the closure is called at most once, and only when there is no value under the key yet.
    fn get_or(&mut self, key: Key, make: impl FnOnce() -> V) -> &V {
        let _ = make();
        todo!("in {}", stringify!(get_or))
    }
}

/// A cache that keeps what was used last.
#[derive(Default)]
pub struct Cache<V> {
    entries: BTreeMap<Key, V>,
    order: Vec<Key>,
}

impl<V: Clone> Cache<V> {
    /// An empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self { entries: BTreeMap::new(), order: Vec::with_capacity(CAPACITY) }
    }

    pub fn len(&self) -> usize { self.entries.len() }

    // Two lines
    // of comment.
    #[inline]
    #[cfg(feature = "insert")]
    pub fn insert(&mut self, key: Key, value: V) -> Result<(), CacheError> {
        if self.entries.len() == CAPACITY {
            return Err(CacheError::Full { capacity: CAPACITY });
        }
        self.order.push(key);
        self.entries.insert(key, value).map_or(Ok(()), |_| Ok::<(), CacheError>(()))?;
        eviction::run::<V>(self);
        Ok(())
    }
}

impl<V> fmt::Display for Cache<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} entries", self.entries.len())
    }
}

/// Makes a cache of its arguments.
#[macro_export]
macro_rules! cache {
    ($($key:expr => $value:expr),*) => {{
        let mut cache = $crate::Cache::new();
        $(cache.insert($key, $value).unwrap();)*
        cache
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_cache_has_no_entries() {
        assert_eq!(Cache::<u8>::new().len(), 0);
        let handle = std::thread::spawn(|| Cache::<u8>::new().insert(1, 2));
        handle.join().unwrap().unwrap();
    }
}
