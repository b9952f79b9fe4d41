//! Merges the pending records of all files in order of time; ties go to the first file. A record takes O(files).

use std::collections::BTreeMap;
use std::io::{Read as _, Seek as _};
use std::path::Path;

use codecairn_base::private_files;

use super::proof::time_of;
use super::{Entry, SpoolFile, ends_at};

/// Bytes that are read of a file at once.
const CHUNK: u64 = 256 << 10;

/// The drained offset of each file, by its key.
pub(crate) type DrainMarks = BTreeMap<String, u64>;

/// The files that have pending records.
#[derive(Debug)]
pub(crate) struct Queue {
    files: Vec<FileCursor>,
    now_ns: i64,
}

/// The cursor over one file.
#[derive(Debug)]
struct FileCursor {
    file: SpoolFile,
    /// The drained offset.
    taken: u64,
    /// The bytes read after it, and how many of them were consumed.
    text: Vec<u8>,
    used: usize,
    /// The time of the next record, once it was read.
    next_ns: Option<i64>,
}

impl Queue {
    /// The queue of `files`, whose drained offsets are in `taken`.
    pub(crate) fn new(files: Vec<SpoolFile>, taken: &DrainMarks, now_ns: i64) -> Self {
        let files = files
            .into_iter()
            .map(|file| {
                let taken = taken.get(&file.mark()).copied().unwrap_or(0);
                FileCursor { file, taken, text: Vec::new(), used: 0, next_ns: None }
            })
            .filter(|waiting| waiting.file.len > waiting.taken)
            .collect();
        Self { files, now_ns }
    }

    /// The next record: of the files' first ones the oldest. `None` if nothing is left.
    pub(crate) fn next(&mut self) -> Option<Entry> {
        loop {
            let now_ns = self.now_ns;
            let waiting = self.files.iter_mut().filter_map(|file| Some((file.peek(now_ns)?, file)));
            let (_, file) = waiting.min_by_key(|(time, _)| *time)?;
            // A line that isn't whole was never acknowledged.
            if let Some(entry) = file.pop() {
                return Some(entry);
            }
        }
    }

    /// Whether anything is left.
    pub(crate) fn is_empty(&mut self) -> bool {
        let now_ns = self.now_ns;
        self.files.iter_mut().all(|file| file.peek(now_ns).is_none())
    }

    /// How many records are left.
    pub(crate) fn count(&mut self) -> usize {
        let mut count = 0;
        while self.next().is_some() {
            count += 1;
        }
        count
    }

    /// The drained offset of each file, by its key.
    pub(crate) fn taken(&self) -> impl Iterator<Item = (String, u64)> {
        self.files.iter().map(|waiting| (waiting.file.mark(), waiting.taken))
    }
}

impl FileCursor {
    /// The time of the next record.
    fn peek(&mut self, now_ns: i64) -> Option<i64> {
        if self.next_ns.is_none() {
            self.next_ns = self.line(now_ns).map(|end| {
                let line = &self.text[self.used..self.used + end];
                std::str::from_utf8(line).map_or(0, time_of)
            });
        }
        self.next_ns
    }

    /// The next record, after [`Self::peek`] found one; `None` if it is incomplete.
    fn pop(&mut self) -> Option<Entry> {
        self.next_ns = None;
        let rest = &self.text[self.used..];
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let line = std::str::from_utf8(&rest[..end]).ok();
        let entry = line.and_then(|line| self.file.proof.read_line(&self.file.path, line));
        self.used += end + 1;
        self.taken += end as u64 + 1;
        entry
    }

    /// How long the next line is, reading on if need be. What a dead process left half written is passed over.
    fn line(&mut self, now_ns: i64) -> Option<usize> {
        let mut wanted = CHUNK;
        loop {
            // Blanked records whose mark was lost.
            let blank = self.text[self.used..].iter().take_while(|byte| **byte == 0).count();
            self.used += blank;
            self.taken += blank as u64;
            if let Some(end) = self.text[self.used..].iter().position(|byte| *byte == b'\n') {
                return Some(end);
            }
            let read = (self.text.len() - self.used) as u64;
            if self.taken + read >= self.file.len {
                if read > 0 && ends_at(&self.file.path, self.file.len, now_ns) {
                    self.taken = self.file.len;
                    self.used = self.text.len();
                }
                return None;
            }
            self.text = read_from(&self.file.path, self.taken, wanted.min(self.file.len - self.taken))?;
            self.used = 0;
            wanted *= 4;
        }
    }
}

/// `None` if the file is missing or can't be read.
fn read_from(path: &Path, start: u64, bytes: u64) -> Option<Vec<u8>> {
    let mut file = private_files::open(path).ok()?;
    file.seek(std::io::SeekFrom::Start(start)).ok()?;
    let mut text = Vec::with_capacity(bytes as usize);
    file.take(bytes).read_to_end(&mut text).ok()?;
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::{Proof, Spool};
    use super::*;

    #[test]
    fn a_record_that_was_seen_half_written_before_its_process_ended_is_not_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("1-1-1.log");
        std::fs::write(&path, "half of a line, and the rest\n").unwrap();
        let file = SpoolFile { path, len: 10, proof: Proof::Checksum };
        let mut queue = Queue::new(vec![file], &DrainMarks::new(), 0);
        assert!(queue.next().is_none());
        assert_eq!(queue.taken().map(|(_, taken)| taken).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn one_alone_has_the_task_of_taking_in() {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (Spool::new(dir.path().to_path_buf()), Spool::new(dir.path().to_path_buf()));
        let task = one.claim();
        assert!(task.is_some() && other.claim().is_none());
        drop(task);
        assert!(other.claim().is_some());
    }
}
