//! The merge policy of segments, as Lucene's `LogMergePolicy` but of adjacent segments only.
//!
//! At the end of a run a segment is merged with its left neighbour as long as that one has less than twice its
//! documents. So sizes stay geometric: there is a logarithmic number of segments, and each document is rewritten a
//! logarithmic number of times, at most once per run.

use std::path::Path;

use codecairn_base::error::Result;
use codecairn_base::failpoint;
use codecairn_base::id::{DocId, Generation};
use codecairn_base::private_files;
use codecairn_lexical::SegmentFile;
use codecairn_model::vector::{self, VectorSegmentFile};
use codecairn_store::Segment;

/// A kind of derived file that can be merged with its neighbour.
pub(super) trait Mergeable: Sized {
    /// Writes adjacent files as one.
    fn merge(folder: &Path, files: &[Self], generation: Generation) -> Result<Self>;
    /// How many documents it covers.
    fn count(&self) -> u32;
    /// As the store lists it.
    fn listed(&self) -> Segment;
}

impl Mergeable for SegmentFile {
    fn merge(folder: &Path, files: &[Self], generation: Generation) -> Result<Self> {
        codecairn_lexical::merge(folder, files, generation)
    }

    fn count(&self) -> u32 {
        self.count
    }

    fn listed(&self) -> Segment {
        listed(self.first, self.count, &self.file_name, self.generation)
    }
}

impl Mergeable for VectorSegmentFile {
    fn merge(folder: &Path, files: &[Self], generation: Generation) -> Result<Self> {
        vector::merge(folder, files, generation)
    }

    fn count(&self) -> u32 {
        self.count
    }

    fn listed(&self) -> Segment {
        listed(self.first, self.count, &self.file_name, self.generation)
    }
}

fn listed(first: DocId, count: u32, file: &str, generation: Generation) -> Segment {
    Segment { first, count, file: file.to_owned(), generation }
}

/// Merges neighbours of similar size, each file once. A file of this run that no publication lists yet is removed once
/// it is merged.
pub(super) fn settle<F: Mergeable>(folder: &Path, files: &mut Vec<F>, generation: Generation) -> Result<()> {
    let mut groups: Vec<(Vec<F>, u32)> = Vec::new();
    for file in files.drain(..) {
        let mut count = file.count();
        let mut group = vec![file];
        while let Some((mut left, left_count)) = groups.pop_if(|(_, left_count)| *left_count < 2 * count) {
            count += left_count;
            left.append(&mut group);
            group = left;
        }
        groups.push((group, count));
    }
    for (mut group, _) in groups {
        if group.len() > 1 {
            failpoint::reach("segments.before-merge")?;
            let merged = F::merge(folder, &group, generation)?;
            failpoint::reach("segments.merged")?;
            let name = merged.listed().file;
            let is_unlisted = |file: &Segment| file.generation == generation && file.file != name;
            for file in group.iter().map(Mergeable::listed).filter(is_unlisted) {
                // In use on Windows: it is collected later.
                let _ = private_files::remove(&folder.join(&file.file));
            }
            group = vec![merged];
        }
        files.append(&mut group);
    }
    Ok(())
}

/// The first document after a file's last.
pub(super) fn end<F: Mergeable>(file: &F) -> DocId {
    let listed = file.listed();
    DocId(listed.first.0 + listed.count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Counted(u32);

    impl Mergeable for Counted {
        fn merge(_: &Path, files: &[Self], _: Generation) -> Result<Self> {
            Ok(Self(files.iter().map(|file| file.0).sum()))
        }

        fn count(&self) -> u32 {
            self.0
        }

        fn listed(&self) -> Segment {
            listed(DocId(0), self.0, "", Generation(0))
        }
    }

    #[test]
    fn neighbours_of_like_size_become_one_and_sizes_stay_geometric() {
        let settled = |counts: &[u32]| {
            let mut files = counts.iter().map(|count| Counted(*count)).collect();
            settle(Path::new("."), &mut files, Generation(1)).unwrap();
            files.into_iter().map(|file| file.0).collect::<Vec<_>>()
        };
        assert_eq!(settled(&[100, 20, 1]), [100, 20, 1]);
        assert_eq!(settled(&[100, 20, 1, 1]), [100, 20, 2]);
        assert_eq!(settled(&[10, 10, 10, 1]), [20, 10, 1]);
        assert_eq!(settled(&[100, 60, 1]), [160, 1]);
        assert!(settled(&[]).is_empty());
    }
}
