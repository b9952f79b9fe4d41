//! Verifies the checksums of segments before the first answer.
//!
//! Each segment is verified once per process, in a thread that runs in parallel to the first query, which waits for it
//! before it answers: on two processors most of that costs no time (75,000 chunks have 30 MB of segments, 3 ms). Views
//! are verified when they are opened, rows of the database when they are read.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use codecairn_base::error::{Error, Result};
use codecairn_store::Snapshot;

use super::Engine;
use super::load::LoadedBranch;

/// Segments up to this many bytes in all are compared before the first answer; larger ones while further questions are
/// answered, as comparing them takes longer than an answer does.
const MAX_AWAITED_BYTES: u64 = 64 << 20;

/// The segments whose checksums matched, by database and file.
pub(super) type VerifiedSegments = Arc<Mutex<BTreeSet<(u64, PathBuf)>>>;

/// The comparison of the segments of one state.
#[derive(Debug, Default)]
pub(super) struct ChecksumCheck(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    #[default]
    Sound,
    Running {
        thread: JoinHandle<Result<()>>,
        is_awaited: bool,
    },
    Damaged(PathBuf, String),
}

impl ChecksumCheck {
    /// Fails with [`Error::StoreDamaged`] if a checksum does not match; waits for the comparison if it is a short one.
    fn check(&self) -> Result<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Running { thread, is_awaited } = &*state
            && (*is_awaited || thread.is_finished())
            && let State::Running { thread, .. } = std::mem::take(&mut *state)
        {
            match thread.join().unwrap_or_else(|_| Err(Error::Internal("a checksum could not be compared".to_owned())))
            {
                Err(Error::StoreDamaged { path, detail }) => *state = State::Damaged(path, detail),
                other => other?,
            }
        }
        match &*state {
            State::Damaged(path, detail) => Err(Error::StoreDamaged { path: path.clone(), detail: detail.clone() }),
            _ => Ok(()),
        }
    }
}

impl Engine {
    /// Begins to compare the checksums of the segments that this process has not compared yet.
    pub(super) fn begin_check(&self, loaded: &Arc<LoadedBranch>, database: u64) {
        let verified = Arc::clone(&self.verified);
        let known = verified.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_new = move |path: &Path| !known.contains(&(database, path.to_path_buf()));
        let new: Vec<PathBuf> =
            loaded.searcher.segment_paths().filter(|path| is_new(path)).map(Path::to_path_buf).collect();
        if new.is_empty() {
            return;
        }
        let bytes: u64 = new.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
        let of = Arc::clone(loaded);
        let compare = move || {
            of.searcher.verify_checksums(is_new)?;
            of.searcher.check_whole()?;
            let new = new.into_iter().map(|path| (database, path));
            verified.lock().unwrap_or_else(PoisonError::into_inner).extend(new);
            Ok(())
        };
        // Without a thread the next state is compared.
        if let Ok(thread) = thread::Builder::new().name("codecairn-check".to_owned()).spawn(compare) {
            let is_awaited = bytes <= MAX_AWAITED_BYTES;
            *loaded.soundness.0.lock().unwrap_or_else(PoisonError::into_inner) = State::Running { thread, is_awaited };
        }
    }

    /// The result of `question`, unless the data that it was read from is damaged.
    pub(super) fn put<T>(
        &self,
        loaded: &LoadedBranch,
        snapshot: &Snapshot,
        question: &impl Fn(&LoadedBranch, &Snapshot) -> Result<T>,
    ) -> Result<T> {
        let answer = catch_unwind(AssertUnwindSafe(|| question(loaded, snapshot)));
        // Zeros in the place of numbers may have led anywhere.
        loaded.searcher.check_whole()?;
        let answer = answer.unwrap_or_else(|panic| resume_unwind(panic)).map_err(|error| self.located(error))?;
        loaded.soundness.check()?;
        Ok(answer)
    }
}
