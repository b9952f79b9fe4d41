//! Files are committed in order, whichever is ready first, and every run ends, whatever fails.

use std::collections::BTreeSet;
use std::sync::Arc;

use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::FixedClock;
use codecairn_base::error::{Error, ErrorKind, Result};
use codecairn_model::embed::{Embedder, Scratch};
use codecairn_store::{ChunkSet, OpenOptions, Store};
use codecairn_walk::{FileStat, Skip, Source, WalkedFile, source_of};

use super::backpressure::MAX_BYTES;
use super::pipeline::{Content, InOrder, MIN_FILES, Pipeline, ReadFile};
use super::prepare::PreparerPool;

/// A model that is slow for long texts and fails for some.
struct Moody;

impl Embedder for Moody {
    fn id(&self) -> &'static str {
        "moody"
    }

    fn dimensions(&self) -> usize {
        64
    }

    fn embed_document(&self, text: &str, _: &mut Scratch) -> Vec<f32> {
        assert!(!text.contains("forbidden"), "a text that no model takes");
        (0..64u8).map(|at| text.bytes().filter(|byte| byte % 64 == at).count() as f32).collect()
    }

    fn embed_query(&self, text: &str, scratch: &mut Scratch) -> Vec<f32> {
        self.embed_document(text, scratch)
    }
}

/// Runs so many files, whose texts `text` gives, through a pipeline over an empty store.
fn run<T>(
    count: usize,
    deadline_ns: Option<i64>,
    text: impl Fn(usize) -> String + Sync,
    take_in: impl FnOnce(&mut InOrder<'_>) -> Result<T>,
) -> Result<T> {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(FixedClock(1_000));
    let store = Store::open(&folder.path().join("store"), OpenOptions::new(clock.clone()))?;
    let stat = |text: &str| FileStat { size: text.len() as u64, mtime_ns: 0, ctime_ns: 0, inode: 0 };
    let files = (0..count).map(|number| WalkedFile::new(format!("{number:05}.txt"), stat(&text(number)))).collect();
    let read = |path: &str| -> Result<Source, Skip> {
        let text = text(path[..5].parse().unwrap());
        let stat = stat(&text);
        source_of(path, text.into_bytes(), stat)
    };
    let cancel = CancelToken::default();
    let workbench = PreparerPool::new(clock.clone(), ChunkSet::default(), None);
    let clock = clock.as_ref();
    let retried = BTreeSet::new();
    Pipeline { store: &store, embedder: &Moody, clock, cancel: &cancel, deadline_ns, workbench, retried, read: &read }
        .run(files, take_in)
}

fn words(number: usize) -> String {
    format!("word{} ", number % 50).repeat(if number.is_multiple_of(7) { 2_000 } else { 20 })
}

#[test]
fn files_come_in_order_and_the_first_of_equal_texts_is_the_one_prepared() {
    run(300, None, words, |files| {
        for (number, file) in files.enumerate() {
            let ReadFile { file, content, .. } = file?;
            assert_eq!(file.path, format!("{number:05}.txt"));
            let is_first = (0..number).all(|earlier| words(earlier) != words(number));
            assert_eq!(matches!(content, Content::New(_)), is_first, "{number}");
            assert_eq!(matches!(content, Content::Twin(..)), !is_first, "{number}");
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn files_beyond_what_may_be_under_way_come_too() {
    let size = MAX_BYTES as usize / 3;
    let text = |number: usize| format!("{number} ").repeat(size / 2);
    let found = run(5, None, text, |files| files.map(|file| Ok(file?.file.size)).collect::<Result<Vec<_>>>()).unwrap();
    assert_eq!(found.len(), 5);
    assert!(found.iter().sum::<u64>() > MAX_BYTES);
}

#[test]
fn late_files_wait_once_enough_is_done() {
    let text = |number: usize| format!("text {number}");
    let count = MIN_FILES + 100;
    let waiting = run(count, Some(0), text, |files| {
        Ok(files.map(|file| file.unwrap().content).filter(|content| matches!(content, Content::Waiting)).count())
    })
    .unwrap();
    assert!((50..=100).contains(&waiting), "{waiting}");
}

#[test]
fn who_stops_early_waits_for_nothing() {
    let text = |number: usize| format!("{number} ").repeat(20_000);
    let first = run(400, None, text, |files| files.next().unwrap().map(|file| file.file.path)).unwrap();
    assert_eq!(first, "00000.txt");
}

#[test]
fn a_text_whose_preparation_panics_is_an_error_and_no_endless_wait() {
    let text = |number: usize| if number == 20 { "forbidden".to_owned() } else { format!("text {number}") };
    let failed = run(2_000, None, text, |files| files.try_for_each(|file| file.map(drop))).unwrap_err();
    assert_eq!(failed.kind(), ErrorKind::Internal);
    assert!(matches!(failed, Error::Internal(detail) if detail.contains("00020.txt")));
}
