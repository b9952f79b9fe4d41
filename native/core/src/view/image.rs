//! The columns of a view as one run of bytes: in memory while it is new, mapped once it lies in a file.
//!
//! Invariant: an image opens only if its checksum fits and the same version of the program made it, so numbers in its columns
//! lead nowhere outside of them, and mean what they meant.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};
use crate::store::{MappedFile, UnpublishedFile};

/// What every image begins with, whatever made it.
const MARK: [u8; 6] = *b"ccview";

/// Changes with what lies in an image. What is only derived otherwise, as the role of a path, changes with the version of
/// the program.
const FORM: u16 = 1;

/// Where columns begin: no number is wider.
const ALIGNMENT: usize = 8;

/// What a view consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// [`FileRow`](super::rows::FileRow) by file.
    Files,
    /// All paths, one after the other.
    Paths,
    /// Ids of languages, each ended by a zero.
    Languages,
    /// [`PlaceRow`](super::rows::PlaceRow) by chunk.
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

const COLUMNS: usize = Column::StemWords as usize + 1;

/// What an image is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Origin {
    /// The database.
    pub(super) identity: u64,
    /// Its state.
    pub(super) generation: u64,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    mark: [u8; 6],
    form: u16,
    program: u64,
    origin: Origin,
    checksum: u64,
    /// One past the last byte of each column.
    ends: [u64; COLUMNS],
}

/// The bytes of a view.
#[derive(Debug)]
pub(super) struct Image {
    bytes: Bytes,
    columns: [Range<usize>; COLUMNS],
    origin: Origin,
}

#[derive(Debug)]
enum Bytes {
    Own(Vec<u64>),
    Mapped(MappedFile),
}

impl Image {
    /// What the image in a file is of, as far as its beginning tells; `None` if it is not one that can be used.
    pub(super) fn origin_of(path: &Path) -> Option<Origin> {
        let file = MappedFile::open(path).ok()?;
        header(&file).ok().flatten().map(|header| header.origin)
    }

    /// Maps the image in a file; `None` if there is none, or one that another version of the program made.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if it is not whole; input errors.
    pub(super) fn open(path: &Path) -> Result<Option<Self>> {
        let file = match MappedFile::open(path) {
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let Some(header) = header(&file)? else { return Ok(None) };
        if header.checksum != checksum(&file.bytes()[size_of::<Header>()..], &header) {
            return Err(damaged(&file, "its checksum does not fit"));
        }
        let columns = columns(&header.ends, size_of::<Header>());
        Ok(Some(Self { bytes: Bytes::Mapped(file), columns, origin: header.origin }))
    }

    /// Writes the image to a file, which appears only when it is whole.
    pub(super) fn save(&self, folder: &Path, name: &str) -> Result<()> {
        let body = self.body();
        let mut ends = [0; COLUMNS];
        for (end, column) in ends.iter_mut().zip(&self.columns) {
            *end = (column.end - size_of::<Header>()) as u64;
        }
        let mut header = Header { mark: MARK, form: FORM, program: program(), origin: self.origin, checksum: 0, ends };
        header.checksum = checksum(body, &header);
        let mut file = UnpublishedFile::create(folder, name)?;
        file.write(bytemuck::bytes_of(&header))?;
        file.write(body)?;
        file.publish(bytemuck::bytes_of(&header))
    }

    /// What it is of.
    pub(super) fn origin(&self) -> Origin {
        self.origin
    }

    /// One column.
    #[inline]
    pub(super) fn column<T: Pod>(&self, column: Column) -> &[T] {
        bytemuck::cast_slice(&self.all()[self.columns[column as usize].clone()])
    }

    /// All columns.
    pub(super) fn body(&self) -> &[u8] {
        &self.all()[size_of::<Header>()..self.columns[COLUMNS - 1].end]
    }

    #[inline]
    fn all(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Own(words) => bytemuck::cast_slice(words),
            Bytes::Mapped(file) => file.bytes(),
        }
    }
}

/// The header of an image that has the length it says; `None` if another version of the program made it.
fn header(file: &MappedFile) -> Result<Option<Header>> {
    let bytes = file.bytes();
    let header = bytes.get(..size_of::<Header>()).filter(|head| head.starts_with(&MARK));
    let header = header.ok_or_else(|| damaged(file, "it does not begin as a view does"))?;
    let header: Header = bytemuck::pod_read_unaligned(header);
    if (header.form, header.program) != (FORM, program()) {
        return Ok(None);
    }
    let length = (bytes.len() - size_of::<Header>()) as u64;
    let fits = header.ends.is_sorted() && header.ends[COLUMNS - 1] == length;
    if fits { Ok(Some(header)) } else { Err(damaged(file, "it is not as long as it says")) }
}

/// Stands for the version of the program.
fn program() -> u64 {
    xxh3_64(env!("CARGO_PKG_VERSION").as_bytes())
}

fn damaged(file: &MappedFile, detail: &str) -> Error {
    Error::StoreDamaged { path: file.path().to_path_buf(), detail: detail.to_owned() }
}

fn checksum(body: &[u8], header: &Header) -> u64 {
    xxh3_64(bytemuck::bytes_of(&header.ends)) ^ xxh3_64(bytemuck::bytes_of(&header.origin)) ^ xxh3_64(body)
}

/// Columns end on any byte and begin on aligned ones.
fn columns(ends: &[u64; COLUMNS], base: usize) -> [Range<usize>; COLUMNS] {
    let mut start = base;
    std::array::from_fn(|column| {
        let end = base + ends[column] as usize;
        let range = start.min(end)..end;
        start = end.next_multiple_of(ALIGNMENT);
        range
    })
}

/// An image in the making; columns come in their order.
#[derive(Debug)]
pub(super) struct ImageBuilder {
    words: Vec<u64>,
    ends: Vec<u64>,
}

impl ImageBuilder {
    /// With nothing in it but room for what is known to come, in bytes.
    pub(super) fn new(room: usize) -> Self {
        let mut words = Vec::with_capacity((size_of::<Header>() + room) / ALIGNMENT + COLUMNS);
        words.resize(size_of::<Header>() / ALIGNMENT, 0);
        Self { words, ends: Vec::with_capacity(COLUMNS) }
    }

    /// Appends a column.
    pub(super) fn push<T: Pod>(&mut self, column: Column, values: &[T]) {
        debug_assert_eq!(self.ends.len(), column as usize, "columns come in order");
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let start = self.words.len();
        self.words.resize(start + bytes.len().div_ceil(ALIGNMENT), 0);
        bytemuck::cast_slice_mut::<u64, u8>(&mut self.words[start..])[..bytes.len()].copy_from_slice(bytes);
        self.ends.push((start * ALIGNMENT + bytes.len() - size_of::<Header>()) as u64);
    }

    /// The image.
    ///
    /// # Errors
    /// [`Error::Internal`] if columns are missing.
    pub(super) fn finish(mut self, origin: Origin) -> Result<Image> {
        let ends: [u64; COLUMNS] =
            self.ends.try_into().map_err(|_| Error::Internal("a view lacks columns".to_owned()))?;
        // A file ends where its last column does; here the last word may hold zeros beyond it.
        let last = size_of::<Header>() + ends[COLUMNS - 1] as usize;
        self.words.truncate(last.div_ceil(ALIGNMENT));
        Ok(Image { columns: columns(&ends, size_of::<Header>()), bytes: Bytes::Own(self.words), origin })
    }
}
