-- The code index: the only truth. Everything in segments/ is derived from these tables.
-- All numbers are dense and given in order of commit; what was given once is never given again
-- (the next ones are kept in meta), except by a renumbering that rewrites every user of them.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value ANY NOT NULL
) STRICT, WITHOUT ROWID;

-- Texts of blobs: one stream of bytes, cut into frames, each compressed by zstd with a checksum.
-- A frame is shorter than the others only where a batch ended.
CREATE TABLE frame (
    id   INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- One content, read as one language by one version of the extractor. It knows no path.
CREATE TABLE blob (
    id                INTEGER PRIMARY KEY,
    hash              BLOB NOT NULL,
    language          TEXT NOT NULL,
    extractor_version INTEGER NOT NULL,
    class             TEXT NOT NULL,
    encoding          TEXT NOT NULL,
    byte_len          INTEGER NOT NULL,
    line_count        INTEGER NOT NULL,
    flags             INTEGER NOT NULL,
    first_frame       INTEGER NOT NULL,
    frame_offset      INTEGER NOT NULL,
    UNIQUE (hash, language, extractor_version)
) STRICT;

-- Apart from `blob`, because a view of a branch reads all of these and nothing else.
CREATE TABLE blob_chunks (
    blob   INTEGER PRIMARY KEY,
    docs   BLOB NOT NULL,   -- DocIds in the order of the chunks, as varints of zigzag differences
    chunks BLOB NOT NULL    -- the extractor's packed chunk table
) STRICT;

CREATE TABLE blob_syntax (
    blob INTEGER PRIMARY KEY,
    data BLOB NOT NULL      -- the extractor's packed symbols and references, compressed by zstd
) STRICT;

-- Columns over dense numbers, 512 entries a row: a row each would cost more than all else together.
CREATE TABLE chunk_page (   -- DocId -> chunk id (16 bytes), text number (u32, little-endian)
    id   INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
CREATE TABLE text_page (    -- text number -> hash of the text (16 bytes)
    id   INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- Texts that only the lexical index takes: they need no vector.
CREATE TABLE plain_text (
    text INTEGER PRIMARY KEY
) STRICT;

-- Sorted runs of (64-bit hash, number) pairs, merged as they grow; space 0: chunk ids, 1: texts, 2: symbol names.
CREATE TABLE run (
    id      INTEGER PRIMARY KEY,
    space   INTEGER NOT NULL,
    bits    INTEGER NOT NULL,   -- buckets by the hash's first bits
    entries INTEGER NOT NULL
) STRICT;
CREATE TABLE run_page (
    id   INTEGER PRIMARY KEY,   -- run << 20 | bucket
    data BLOB NOT NULL          -- n hashes (u64), then n numbers (u32), little-endian, sorted
) STRICT;

CREATE TABLE embedder (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    name         TEXT NOT NULL UNIQUE,
    dimensions   INTEGER NOT NULL,
    vector_bytes INTEGER NOT NULL
) STRICT;

-- Vectors of 64 consecutive texts: which are there, which are still to be embedded, and their bytes in order.
CREATE TABLE vector_block (
    id      INTEGER PRIMARY KEY,    -- embedder << 32 | text / 64
    present INTEGER NOT NULL,
    pending INTEGER NOT NULL,
    data    BLOB NOT NULL
) STRICT;

-- Catalogs, as layers over layers. A layer that something else stands on never changes.
CREATE TABLE layer (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    parent  INTEGER,
    entries INTEGER NOT NULL
) STRICT;
CREATE INDEX layer_parent ON layer (parent);
CREATE TABLE layer_entry (
    layer INTEGER NOT NULL,
    path  TEXT NOT NULL,
    blob  INTEGER,                  -- NULL: removed here
    PRIMARY KEY (layer, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE branch (
    name          TEXT PRIMARY KEY,
    head          TEXT,
    layer         INTEGER NOT NULL,
    generation    INTEGER NOT NULL,
    indexed_at_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE worktree (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    root TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE stat (
    worktree    INTEGER NOT NULL,
    path        TEXT NOT NULL,
    size        INTEGER NOT NULL,
    mtime_ns    INTEGER NOT NULL,
    inode       INTEGER NOT NULL,
    recorded_ns INTEGER NOT NULL,
    -- NULL for a file that was left out because of its content; `skip` says why.
    blob        INTEGER,
    PRIMARY KEY (worktree, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE skip (
    worktree INTEGER NOT NULL,
    path     TEXT NOT NULL,
    reason   TEXT NOT NULL,
    detail   TEXT NOT NULL,
    PRIMARY KEY (worktree, path)
) STRICT, WITHOUT ROWID;

-- The live derived files. Those of one kind cover the DocIds from 0 on without a gap.
CREATE TABLE segment (
    kind       TEXT NOT NULL,
    first      INTEGER NOT NULL,
    count      INTEGER NOT NULL,
    file       TEXT NOT NULL,
    generation INTEGER NOT NULL,
    PRIMARY KEY (kind, first)
) STRICT, WITHOUT ROWID;
