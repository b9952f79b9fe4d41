//! Holds the columns of a view: in memory if they are new, mapped if they are in a file, and shared with the previous
//! view if they are equal.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use codecairn_base::error::{Error, Result};
use codecairn_base::mapped_file::MappedFile;

/// Where columns begin: no number is wider.
pub(super) const ALIGNMENT: usize = 8;

/// What a view consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// [`FileRow`](super::rows::FileRow) by file.
    Files,
    /// All paths, one after the other.
    Paths,
    /// Ids of languages, each ended by a zero.
    Languages,
    /// [`ChunkRowData`](super::rows::PlaceRow) by chunk.
    Places,
    /// File by chunk.
    FileOfChunk,
    /// Document by chunk.
    DocOfChunk,
    /// By chunk: the next occurrence of the same document.
    NextOfChunk,
    /// Length codes by chunk: body, names, comments, and a zero.
    Lengths,
    /// By document: its first occurrence.
    FirstOfDoc,
    /// Documents of the branch, a bit each.
    Live,
    /// Those that are meant to have a vector.
    Embedded,
    /// Where the entries of [`Names`](Self::Names) end whose hashes begin with each 16 bits.
    NameEnds,
    /// The next 32 bits of the hashes of lower-cased symbol names, sorted.
    Names,
    /// The chunk of each.
    ChunkOfName,
    /// The same three of names with the scope right around them.
    ScopedNameEnds,
    /// See [`Names`](Self::Names).
    ScopedNames,
    /// The chunk of each.
    ChunkOfScopedName,
    /// Terms of paths, one after the other.
    PathTerms,
    /// Where each ends.
    PathTermEnds,
    /// Where the postings of each end.
    PathPostingEnds,
    /// [`PathPosting`](super::terms::PathPosting) of all terms.
    PathPostings,
    /// Terms by path.
    PathLengths,
    /// Terms by stem.
    StemLengths,
    /// Words of paths, one after the other.
    KinTerms,
    /// Where each ends.
    KinTermEnds,
    /// Where the postings of each end.
    KinPostingEnds,
    /// [`PathPosting`](super::terms::PathPosting) of all words.
    KinPostings,
    /// Words by stem.
    StemWords,
}

pub(super) const COLUMNS: usize = Column::StemWords as usize + 1;

/// What an image is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Origin {
    /// The database.
    pub(super) identity: u64,
    /// Its state.
    pub(super) generation: u64,
}

/// The columns of a view.
#[derive(Debug)]
pub(super) struct Image {
    pub(super) columns: [Bytes; COLUMNS],
    pub(super) origin: Origin,
}

/// The bytes of one column.
#[derive(Debug, Clone)]
pub(super) enum Bytes {
    Own(Arc<dyn Values>),
    Mapped(Arc<MappedFile>, Range<usize>),
}

/// Numbers or rows of them.
pub(super) trait Values: Debug + Send + Sync {
    fn bytes(&self) -> &[u8];
}

impl<T: Pod + Debug + Send + Sync> Values for Vec<T> {
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }
}

impl Bytes {
    #[inline]
    fn all(&self) -> &[u8] {
        match self {
            Self::Own(values) => values.bytes(),
            Self::Mapped(file, range) => &file.bytes()[range.clone()],
        }
    }
}

impl Image {
    /// Visits the content of a file after the header: columns with their numbers, and the padding between them.
    pub(super) fn each_part(&self, mut visit: impl FnMut(&[u8], Option<usize>) -> Result<()>) -> Result<()> {
        let mut length = 0_usize;
        for (number, column) in self.columns.iter().enumerate() {
            let bytes = column.all();
            visit(&[0; ALIGNMENT][..length.next_multiple_of(ALIGNMENT) - length], None)?;
            visit(bytes, Some(number))?;
            length = length.next_multiple_of(ALIGNMENT) + bytes.len();
        }
        Ok(())
    }

    /// Fails if a page of its mapped file was cut off.
    pub(super) fn check_whole(&self) -> Result<()> {
        let mut checked: Option<&Arc<MappedFile>> = None;
        for column in &self.columns {
            // Most columns lie in one file.
            if let Bytes::Mapped(file, _) = column
                && checked.is_none_or(|known| !Arc::ptr_eq(known, file))
            {
                file.check_whole()?;
                checked = Some(file);
            }
        }
        Ok(())
    }

    /// What it is of.
    pub(super) fn origin(&self) -> Origin {
        self.origin
    }

    /// One column.
    #[inline]
    pub(super) fn column<T: Pod>(&self, column: Column) -> &[T] {
        bytemuck::cast_slice(self.columns[column as usize].all())
    }

    /// All columns as they lie in a file.
    pub(super) fn body(&self) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        self.each_part(|bytes, _| {
            body.extend_from_slice(bytes);
            Ok(())
        })?;
        Ok(body)
    }
}

/// An image in the making; columns come in their order.
#[derive(Debug, Default)]
pub(super) struct ImageBuilder {
    columns: Vec<Bytes>,
}

impl ImageBuilder {
    /// Appends a column.
    pub(super) fn push<T: Pod + Debug + Send + Sync>(&mut self, column: Column, values: Vec<T>) {
        debug_assert_eq!(self.columns.len(), column as usize, "columns come in order");
        self.columns.push(Bytes::Own(Arc::new(values)));
    }

    /// Appends a column that is the same in another image.
    pub(super) fn keep(&mut self, column: Column, image: &Image) {
        debug_assert_eq!(self.columns.len(), column as usize, "columns come in order");
        self.columns.push(image.columns[column as usize].clone());
    }

    /// The image.
    ///
    /// # Errors
    /// [`Error::Internal`] if columns are missing.
    pub(super) fn finish(self, origin: Origin) -> Result<Image> {
        let columns = self.columns.try_into().map_err(|_| Error::Internal("a view lacks columns".to_owned()))?;
        Ok(Image { columns, origin })
    }
}
