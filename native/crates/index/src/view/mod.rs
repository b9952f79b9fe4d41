//! The view of one branch: files in path order, their chunks in order of position, and the mappings from documents and
//! names to chunks.
//!
//! A view is built from the catalog and immutable. Chunks are numbered by (path, position), so an order by that number
//! does not depend on the history of commits. All data is in columns of one image, so that the view of a large branch
//! can be cached in a file and mapped.

mod build;
mod columns;
mod image;
mod image_file;
mod names;
mod occurrences;
mod path_index;
mod prefix_similarity;
mod role;
mod rows;
mod terms;

use std::ops::Range;
use std::path::Path;

pub use build::{BlobFacts, FileInput, FileSource, ViewBuilder};
pub use columns::stem_term;
pub use occurrences::TestPostings;
pub use occurrences::{Occurrences, Postings};
pub use path_index::{PathIndex, PathParts, PathScores};
pub use prefix_similarity::{PrefixIndex, PrefixScores};
pub use role::Role;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_base::id::{BlobId, DocId, Generation};
use codecairn_base::span::{ByteSpan, LineSpan};
use codecairn_syntax::kind::Kind;
use codecairn_syntax::language::{self, Class, Language};
use image::{Column, Image};
use names::{NAMES, Names, SCOPED_NAMES};
use path_index::PathAverages;
use rows::{ChunkRowData, FileRow};

/// A chunk's number in its view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkIndex(pub u32);

/// A file's number in its view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileIndex(pub u32);

/// One file of the branch.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Relative to the workspace's root, with `/`.
    pub path: &'a str,
    /// Its content.
    pub blob: BlobId,
    /// Its language.
    pub language: &'static Language,
    /// What it is for.
    pub class: Class,
    /// What part it plays: test, example, barrel and so on.
    pub role: Role,
    /// Number of its first chunk.
    pub first_chunk: u32,
    /// How many chunks it has.
    pub chunk_count: u32,
    /// How many files of the branch have its stem, itself included.
    pub namesakes: u32,
}

/// One chunk where it occurs.
#[derive(Debug, Clone, Copy)]
pub struct ChunkRow {
    /// The chunk's number in the store, as the segments know it.
    pub doc: DocId,
    /// The file it lies in.
    pub file: FileIndex,
    /// The bytes it covers in that file.
    pub span: ByteSpan,
    /// The lines it covers.
    pub lines: LineSpan,
    /// What it is.
    pub kind: Kind,
    /// What it and the symbols that begin in it are: a bit for each kind's number.
    pub kinds: u16,
    /// Whether it has no vector on purpose.
    pub lexical_only: bool,
    /// Whether it is a test inside a file of code: in a test module, or marked as a test by its grammar.
    pub is_test: bool,
}

/// All of one branch.
#[derive(Debug)]
pub struct View {
    image: Image,
    languages: Vec<&'static Language>,
    live: Bitmap,
    embedded: Bitmap,
    live_count: usize,
    averages: PathAverages,
}

impl View {
    fn of(image: Image) -> Self {
        let ids: &[u8] = image.column(Column::Languages);
        let languages = ids
            .split(|&byte| byte == 0)
            .map(|id| std::str::from_utf8(id).ok().and_then(language::by_id).unwrap_or_else(language::fallback))
            .collect();
        let docs = image.column::<u32>(Column::FirstOfDoc).len();
        let live = Bitmap::of_words(image.column(Column::Live).to_vec(), docs);
        let embedded = Bitmap::of_words(image.column(Column::Embedded).to_vec(), docs);
        let (live_count, averages) = (live.count(), PathAverages::of(&image));
        Self { image, languages, live, embedded, live_count, averages }
    }

    /// The view that [`save`](Self::save) put into a file; `None` if there is none, or one of another database or made
    /// by another version of the program.
    ///
    /// # Errors
    /// [`StoreDamaged`](codecairn_base::Error::StoreDamaged) if the file is not as it was written; input errors.
    pub fn open(path: &Path, identity: u64) -> Result<Option<Self>> {
        Ok(Image::open(path)?.filter(|image| image.origin().identity == identity).map(Self::of))
    }

    /// The generation of the view in a file, by its header, if it is a view of this database.
    pub fn kept_generation(path: &Path, identity: u64) -> Option<Generation> {
        let origin = Image::origin_of(path)?;
        (origin.identity == identity).then_some(Generation(origin.generation))
    }

    /// Writes the view to a file, from which it can be opened without a build.
    ///
    /// # Errors
    /// Input and output errors.
    pub fn save(&self, folder: &Path, name: &str) -> Result<()> {
        self.image.save(folder, name)
    }

    /// Fails with [`StoreDamaged`](codecairn_base::Error::StoreDamaged) if its file was cut since it was opened, as far
    /// as reading has met it.
    pub fn check_whole(&self) -> Result<()> {
        self.image.check_whole()
    }

    /// All columns as they lie in a file: equal views have equal bytes.
    ///
    /// # Errors
    /// [`StoreDamaged`](codecairn_base::Error::StoreDamaged) if the file was cut since it was opened.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        self.image.body()
    }

    /// The state of the store that it is of.
    pub fn generation(&self) -> Generation {
        Generation(self.image.origin().generation)
    }

    /// How many files there are.
    pub fn file_count(&self) -> usize {
        self.rows().len()
    }

    /// The files, by path.
    pub fn files(&self) -> impl ExactSizeIterator<Item = File<'_>> {
        (0..self.file_count() as u32).map(|file| self.file(FileIndex(file)))
    }

    /// One file.
    pub fn file(&self, file: FileIndex) -> File<'_> {
        let row = &self.rows()[file.0 as usize];
        File {
            path: self.path(file),
            blob: BlobId(row.blob),
            language: self.languages.get(usize::from(row.language)).copied().unwrap_or_else(language::fallback),
            class: row.class(),
            role: row.role(),
            first_chunk: row.first_chunk,
            chunk_count: row.chunk_count,
            namesakes: row.namesakes,
        }
    }

    #[inline]
    fn rows(&self) -> &[FileRow] {
        self.image.column(Column::Files)
    }

    fn path(&self, file: FileIndex) -> &str {
        let (rows, at) = (self.rows(), file.0 as usize);
        let start = at.checked_sub(1).map_or(0, |before| rows[before].path_end) as usize;
        let bytes = &self.image.column(Column::Paths)[start..rows[at].path_end as usize];
        std::str::from_utf8(bytes).expect("invariant: paths are texts, and the image is whole")
    }

    /// How many chunks there are.
    pub fn chunk_count(&self) -> usize {
        self.image.column::<u32>(Column::DocOfChunk).len()
    }

    /// One chunk.
    pub fn chunk(&self, chunk: ChunkIndex) -> ChunkRow {
        let at = chunk.0 as usize;
        let place = self.image.column::<ChunkRowData>(Column::Places)[at];
        ChunkRow {
            doc: DocId(self.image.column(Column::DocOfChunk)[at]),
            file: self.file_of(chunk),
            span: place.span(),
            lines: place.lines(),
            kind: place.kind(),
            kinds: place.kinds,
            lexical_only: place.is_lexical_only(),
            is_test: place.is_test(),
        }
    }

    /// The file that a chunk lies in.
    #[inline]
    pub fn file_of(&self, chunk: ChunkIndex) -> FileIndex {
        FileIndex(self.image.column(Column::FileOfChunk)[chunk.0 as usize])
    }

    /// The chunks of one file.
    pub fn chunks_of(&self, file: FileIndex) -> impl Iterator<Item = ChunkIndex> + use<> {
        self.chunk_range(file).map(ChunkIndex)
    }

    /// The numbers of the chunks of one file.
    #[inline]
    pub fn chunk_range(&self, file: FileIndex) -> Range<u32> {
        let row = self.rows()[file.0 as usize];
        row.first_chunk..row.first_chunk + row.chunk_count
    }

    /// How many lines of a file its chunks reach to.
    pub fn line_count(&self, file: FileIndex) -> u32 {
        let places: &[ChunkRowData] = self.image.column(Column::Places);
        self.chunk_range(file).last().map_or(0, |chunk| places[chunk as usize].last_line)
    }

    /// The file with this path.
    pub fn find(&self, path: &str) -> Option<FileIndex> {
        let (mut low, mut high) = (0, self.file_count() as u32);
        while low < high {
            let middle = u32::midpoint(low, high);
            if self.path(FileIndex(middle)) < path { low = middle + 1 } else { high = middle }
        }
        Some(FileIndex(low)).filter(|_| (low as usize) < self.file_count() && self.path(FileIndex(low)) == path)
    }

    /// The columns by which a document leads to its chunks and their files.
    pub fn postings(&self) -> Postings<'_> {
        Postings::of_image(&self.image)
    }

    /// Where a document occurs on this branch; nowhere if the branch does not have it.
    pub fn occurrences(&self, doc: DocId) -> Occurrences<'_> {
        self.postings().occurrences(doc)
    }

    /// The documents of this branch.
    pub fn live(&self) -> &Bitmap {
        &self.live
    }

    /// The documents of this branch that are meant to have a vector.
    pub fn embedded(&self) -> &Bitmap {
        &self.embedded
    }

    /// How many documents this branch has.
    pub fn live_count(&self) -> usize {
        self.live_count
    }

    /// The chunks in which a symbol of this name begins, ignoring case: `get`, or `session.get` for a function, method
    /// or type with the one scope right around it. In order of path and position, but names that themselves hold a dot
    /// come before scopes.
    pub fn chunks_defining(&self, name: &str) -> impl Iterator<Item = ChunkIndex> + '_ {
        let name = names::stored_bits(name_hash(name));
        let [named, scoped] = [NAMES, SCOPED_NAMES].map(|table| Names::of(&self.image, table).find(name));
        named.iter().chain(scoped).map(|chunk| ChunkIndex(*chunk))
    }

    /// How many symbols the branch has, counting a name once a chunk.
    pub fn symbol_count(&self) -> usize {
        Names::of(&self.image, NAMES).len()
    }

    /// The index over file names and folders.
    pub fn paths(&self) -> PathIndex<'_> {
        PathIndex::of(&self.image, self.averages)
    }

    /// The index over words of paths that are alike.
    pub fn kin(&self) -> PrefixIndex<'_> {
        PrefixIndex::of(&self.image)
    }
}

/// The first eight bytes of the hash of a name in lower case.
fn name_hash(name: &str) -> u64 {
    let hash = ContentHash::of(name.to_lowercase().as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_be_bytes(first)
}
