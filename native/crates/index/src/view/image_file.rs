//! Reads and writes the file of a view: a header, then its columns one after the other.
//!
//! Invariant: an image opens only if its checksum matches and the same version of the program wrote it, so the numbers
//! in its columns are in range and have the same meaning.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use codecairn_base::error::{Error, Result};
use codecairn_base::{atomic_file::AtomicFile, mapped_file::MappedFile};

use super::image::{ALIGNMENT, Bytes, COLUMNS, Image, Origin};

/// The magic number of images of all versions.
const MARK: [u8; 6] = *b"ccview";

/// The version of the image's format. Content that is derived in another way, such as the role of a path, changes with
/// the version of the program.
const FORM: u16 = 2;

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

impl Image {
    /// The origin of the image in a file, by its header; `None` if the image can't be used.
    pub(super) fn origin_of(path: &Path) -> Option<Origin> {
        let file = MappedFile::open(path).ok()?;
        header(&file).ok().flatten().map(|header| header.origin)
    }

    /// Maps the image in a file; `None` if there is none, or one of another version of the program.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if it is not whole; input errors.
    pub(super) fn open(path: &Path) -> Result<Option<Self>> {
        let file = match MappedFile::open(path) {
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let Some(header) = header(&file)? else { return Ok(None) };
        if header.checksum != checksum(xxh3_64(&file.bytes()[size_of::<Header>()..]), &header) {
            return Err(damaged(&file, "its checksum does not fit"));
        }
        let file = Arc::new(file);
        let columns = columns(&header.ends).map(|range| Bytes::Mapped(Arc::clone(&file), range));
        Ok(Some(Self { columns, origin: header.origin }))
    }

    /// Writes the image to a file, which appears only when it is whole.
    pub(super) fn save(&self, folder: &Path, name: &str) -> Result<()> {
        let (mut ends, mut end, mut hash) = ([0; COLUMNS], 0, Xxh3::new());
        self.each_part(|bytes, number| {
            end += bytes.len() as u64;
            hash.update(bytes);
            if let Some(column) = number {
                ends[column] = end;
            }
            Ok(())
        })?;
        let mut header = Header { mark: MARK, form: FORM, program: program(), origin: self.origin, checksum: 0, ends };
        header.checksum = checksum(hash.digest(), &header);
        let mut file = AtomicFile::create(folder, name)?;
        file.write(bytemuck::bytes_of(&header))?;
        self.each_part(|bytes, _| file.write(bytes))?;
        file.publish(bytemuck::bytes_of(&header))
    }
}

/// The header of an image, whose length it must match; `None` for another version of the program.
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

fn checksum(body: u64, header: &Header) -> u64 {
    xxh3_64(bytemuck::bytes_of(&header.ends)) ^ xxh3_64(bytemuck::bytes_of(&header.origin)) ^ body
}

/// Where the columns lie in a file: they end on any byte and begin on aligned ones.
fn columns(ends: &[u64; COLUMNS]) -> [Range<usize>; COLUMNS] {
    let mut start = size_of::<Header>();
    std::array::from_fn(|column| {
        let end = size_of::<Header>() + ends[column] as usize;
        let range = start.min(end)..end;
        start = end.next_multiple_of(ALIGNMENT);
        range
    })
}
