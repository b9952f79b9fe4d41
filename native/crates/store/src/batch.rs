//! Adds content in a batch, one transaction of bounded size.
//!
//! Invariant: a batch is committed whole or not at all, and the numbers of a batch that is rolled back are reused.

use codecairn_base::error::{Error, ErrorKind, Result};
use codecairn_base::failpoint;
use codecairn_base::hash::ContentHash;
use codecairn_base::id::{BlobId, ChunkId, DocId, EmbedderId, TextId};

use super::content;
use super::delta_list::pack_docs;
use super::key_index::text_of;
use super::packed_tables::PackedTables;
use super::record::{ATTEMPT, BlobRecord, NewBlob, PROVISIONAL};
use super::row_check;
use super::sorted_runs::{self, Entry, Space};
use super::vector_blocks::BlockWriter;
use super::write_guard::WriteGuard;
use super::writer_state::WriterState;
use codecairn_base::database::Database;

/// Bytes after which a batch should be committed.
const FULL: usize = 32 << 20;

/// With a blob's number, the extractor version of a blob that was replaced: no extractor asks for it.
const RETIRED_VERSION: u32 = 1 << 31;

/// The numbers of an interned chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkNumbers {
    /// Its document.
    pub doc: DocId,
    /// Whether the document is new and must be added to the segments.
    pub is_new: bool,
    /// The text, if it needs a vector for the first time: the caller puts one or marks it as pending, for each
    /// embedder.
    pub new_text: Option<TextId>,
}

/// An open batch. Dropping it without [`commit`](Self::commit) rolls it back.
#[derive(Debug)]
pub struct Batch<'guard> {
    transaction: Transaction<'guard>,
    /// Moved out of the guard: after a rollback it is read again.
    state: WriterState,
    names: Vec<Entry>,
    vectors: BlockWriter,
    bytes: usize,
    /// Whether a write failed halfway, so that the batch must be rolled back.
    broken: bool,
}

/// Rolls back on drop, unless the batch was committed.
#[derive(Debug)]
struct Transaction<'guard> {
    guard: &'guard mut WriteGuard,
    committed: bool,
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if !self.committed {
            self.guard.database().roll_back();
        }
    }
}

impl WriteGuard {
    /// Begins a batch, which is rolled back unless it is committed.
    pub fn begin(&mut self) -> Result<Batch<'_>> {
        let kept = self.state.take();
        self.database().script("BEGIN IMMEDIATE")?;
        let transaction = Transaction { guard: self, committed: false };
        let state = match kept {
            Some(state) => state,
            None => WriterState::open(transaction.guard.database())?,
        };
        let (names, vectors) = (Vec::new(), BlockWriter::default());
        Ok(Batch { transaction, state, names, vectors, bytes: 0, broken: false })
    }
}

impl Batch<'_> {
    /// Whether enough was added to commit and begin another.
    pub fn is_full(&self) -> bool {
        self.bytes >= FULL
    }

    /// The next document's number, which is the count of documents so far.
    pub fn next_doc(&self) -> DocId {
        DocId(self.state.chunks.len())
    }

    /// Makes room for so many new chunks.
    pub(super) fn reserve(&mut self, chunks: usize) {
        self.state.chunks.reserve(chunks);
        self.state.texts.reserve(chunks);
    }

    /// The document of a chunk that the store has.
    #[cfg(test)]
    pub(crate) fn doc_for(&mut self, chunk: ChunkId) -> Result<Option<DocId>> {
        self.run_step(|batch| Ok(batch.state.chunks.find(batch.transaction.guard.database(), chunk.0)?.map(DocId)))
    }

    /// Interns a chunk: assigns the numbers of its document and its text, or finds them. A text that only ever occurs
    /// as `lexical_only` needs no vector.
    pub fn intern_chunk(&mut self, chunk: ChunkId, text_hash: ContentHash, lexical_only: bool) -> Result<ChunkNumbers> {
        self.run_step(|batch| batch.intern(chunk, text_hash, lexical_only))
    }

    /// Stores a blob whose chunks have been interned, or finds it. Its text is shared with a blob of equal content
    /// under another language or extractor.
    pub fn add_blob(&mut self, blob: &NewBlob<'_>) -> Result<BlobId> {
        self.run_step(|batch| batch.add(blob))
    }

    /// Stores vectors of texts by an embedder, in the form of the embedder's segments.
    pub fn put_vectors<'a>(
        &mut self,
        embedder: EmbedderId,
        vectors: impl IntoIterator<Item = (TextId, &'a [u8])>,
    ) -> Result<()> {
        self.run_step(|batch| {
            let width = batch.vector_bytes(embedder)?;
            for (text, vector) in vectors {
                batch.check_text(text)?;
                batch.vectors.put(batch.transaction.guard.database(), embedder, text, vector, width)?;
                batch.bytes += vector.len();
            }
            Ok(())
        })
    }

    /// Marks texts as pending, except those that have a vector.
    pub fn add_pending(&mut self, embedder: EmbedderId, texts: impl IntoIterator<Item = TextId>) -> Result<()> {
        self.run_step(|batch| {
            let width = batch.vector_bytes(embedder)?;
            for text in texts {
                batch.check_text(text)?;
                batch.vectors.await_vector(batch.transaction.guard.database(), embedder, text, width)?;
            }
            Ok(())
        })
    }

    /// Commits the batch: it survives the end of the process, but not yet a loss of power.
    pub fn commit(self) -> Result<()> {
        self.commit_with(|_| Ok(()))
    }

    /// The same with what `write` adds to the transaction last.
    pub(super) fn commit_with<T>(mut self, write: impl FnOnce(&WriteGuard) -> Result<T>) -> Result<T> {
        failpoint::reach("batch.begun")?;
        self.run_step(Self::write_rest)?;
        let Self { mut transaction, mut state, .. } = self;
        let written = write(transaction.guard)?;
        failpoint::reach("batch.written")?;
        transaction.guard.database().script("COMMIT")?;
        failpoint::reach("batch.committed")?;
        transaction.committed = true;
        state.chunks.committed();
        state.texts.committed();
        transaction.guard.state = Some(state);
        Ok(written)
    }

    /// Runs one step of the batch. After an error that isn't the caller's, all further steps fail: a half-written step
    /// must not be committed, and `SQLite` may have rolled back by itself.
    pub(super) fn run_step<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.broken {
            return Err(Error::Internal("a batch that failed is used again".to_owned()));
        }
        let done = work(self);
        self.broken = done.as_ref().is_err_and(|error| error.kind() != ErrorKind::InvalidArgument);
        done
    }

    pub(super) fn database(&self) -> &Database {
        self.transaction.guard.database()
    }

    pub(super) fn find_text(&mut self, hash: ContentHash) -> Result<Option<TextId>> {
        Ok(self.state.texts.find(self.transaction.guard.database(), hash)?.map(TextId))
    }

    fn intern(&mut self, chunk: ChunkId, text_hash: ContentHash, lexical_only: bool) -> Result<ChunkNumbers> {
        let database = self.transaction.guard.database();
        let state = &mut self.state;
        if let Some(doc) = state.chunks.find(database, chunk.0)? {
            let mut new_text = None;
            if !lexical_only && !state.plain.is_empty() {
                let text = state.chunks.entry(database, doc, text_of)?;
                new_text = text.filter(|text| state.plain.remove(&text.0));
            }
            if let Some(text) = new_text {
                database.run("DELETE FROM plain_text WHERE text = ?1", [text.0])?;
            }
            return Ok(ChunkNumbers { doc: DocId(doc), is_new: false, new_text });
        }
        let (text, is_new_text) = match state.texts.find(database, text_hash)? {
            Some(text) => (text, false),
            None => (state.texts.insert(text_hash, &[]), true),
        };
        let mut new_text = None;
        if lexical_only && is_new_text {
            state.plain.insert(text);
            database.run("INSERT INTO plain_text (text) VALUES (?1)", [text])?;
        } else if !lexical_only && state.plain.remove(&text) {
            database.run("DELETE FROM plain_text WHERE text = ?1", [text])?;
            new_text = Some(TextId(text));
        } else if !lexical_only && is_new_text {
            new_text = Some(TextId(text));
        }
        let doc = state.chunks.insert(chunk.0, &text.to_le_bytes());
        self.bytes += 60;
        Ok(ChunkNumbers { doc: DocId(doc), is_new: true, new_text })
    }

    fn add(&mut self, blob: &NewBlob<'_>) -> Result<BlobId> {
        let database = self.transaction.guard.database();
        let same_content = content::blobs_of_content(database, blob.hash)?;
        let is_same =
            |other: &&BlobRecord| other.language == blob.language && other.extractor_version == blob.extractor_version;
        if let Some(known) = same_content.iter().find(is_same) {
            let id = known.id;
            if known.flags & PROVISIONAL == 0 {
                return Ok(id);
            }
            if blob.flags & PROVISIONAL != 0 {
                content::change_blob(database, id, |record| record.flags += ATTEMPT)?;
                return Ok(id);
            }
            content::change_blob(database, id, |record| record.extractor_version = RETIRED_VERSION | id.0)?;
        }
        if let Some(doc) = blob.docs.iter().find(|doc| doc.0 >= self.state.chunks.len()) {
            return Err(Error::InvalidArgument(format!("there is no document {}", doc.0)));
        }
        let byte_len = u32::try_from(blob.text.len())
            .map_err(|_| Error::InvalidArgument("a text of 4 GiB or more can't be stored".into()))?;
        let has_text = |other: &&BlobRecord| other.encoding == blob.encoding && other.byte_len == byte_len;
        let place = match same_content.iter().find(has_text) {
            Some(other) => other.place,
            None => self.state.frames.push(database, blob.text.as_bytes())?,
        };
        let id = self.state.next_blob;
        self.state.next_blob += 1;
        let record = BlobRecord {
            id: BlobId(id),
            hash: blob.hash,
            language: blob.language.to_owned(),
            class: blob.class.to_owned(),
            encoding: blob.encoding.to_owned(),
            extractor_version: blob.extractor_version,
            byte_len,
            line_count: blob.line_count,
            flags: blob.flags,
            place,
        };
        database.run(
            "INSERT INTO blob (id, hash, language, extractor_version, class, encoding, byte_len, line_count, flags, \
             first_frame, frame_offset, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            rusqlite::params![
                id,
                blob.hash.as_bytes(),
                blob.language,
                blob.extractor_version,
                blob.class,
                blob.encoding,
                byte_len,
                blob.line_count,
                blob.flags,
                place.frame,
                place.offset,
                record.checksum()
            ],
        )?;
        self.names.extend(blob.names.iter().map(|name| (name.0, id)));
        let PackedTables { chunks, syntax } = blob.tables;
        database.run("INSERT INTO blob_syntax (blob, data) VALUES (?1, ?2)", (id, syntax))?;
        let (sql, docs) =
            ("INSERT INTO blob_chunks (blob, docs, chunks, checksum) VALUES (?1, ?2, ?3, ?4)", pack_docs(blob.docs));
        let checksum = row_check::of_chunks(id, &docs, chunks);
        database.run(sql, (id, docs, chunks, checksum))?;
        self.bytes += blob.text.len() + chunks.len() + syntax.len() + blob.names.len() * 16;
        Ok(BlobId(id))
    }

    fn write_rest(&mut self) -> Result<()> {
        let database = self.transaction.guard.database();
        let state = &mut self.state;
        let next_frame = state.frames.flush(database)?;
        failpoint::reach("batch.texts-written")?;
        self.vectors.flush(database)?;
        failpoint::reach("batch.vectors-written")?;
        state.chunks.flush(database)?;
        state.texts.flush(database)?;
        failpoint::reach("batch.numbers-written")?;
        sorted_runs::add(database, Space::Symbol, std::mem::take(&mut self.names))?;
        database.set_number("next_frame", u64::from(next_frame))?;
        database.set_number("next_blob", u64::from(state.next_blob))
    }

    fn vector_bytes(&mut self, embedder: EmbedderId) -> Result<usize> {
        let known = &mut self.state.vector_bytes;
        if let Some((_, bytes)) = known.iter().find(|(id, _)| *id == embedder) {
            return Ok(*bytes);
        }
        let sql = "SELECT vector_bytes FROM embedder WHERE id = ?1";
        let bytes =
            self.transaction.guard.database().first(sql, [embedder.0], |row| Ok(row.get::<_, u32>(0)? as usize))?;
        let bytes = bytes.ok_or_else(|| Error::InvalidArgument(format!("there is no embedder {}", embedder.0)))?;
        known.push((embedder, bytes));
        Ok(bytes)
    }

    fn check_text(&self, text: TextId) -> Result<()> {
        if text.0 < self.state.texts.len() {
            return Ok(());
        }
        Err(Error::InvalidArgument(format!("there is no text {}", text.0)))
    }
}
