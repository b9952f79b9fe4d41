-- Vectors that are made outside: which texts an embedder could not take, and what its vectors have cost.

-- By the text's hash, which stays what it is when texts are numbered anew.
CREATE TABLE failed_text (
    embedder INTEGER NOT NULL,
    hash     BLOB NOT NULL,
    reason   TEXT NOT NULL,
    PRIMARY KEY (embedder, hash)
) STRICT, WITHOUT ROWID;

-- By name, so that what was paid stays known when the vectors are gone.
CREATE TABLE spending (
    embedder  TEXT PRIMARY KEY,
    requests  INTEGER NOT NULL,
    texts     INTEGER NOT NULL,
    tokens    INTEGER NOT NULL,
    micro_usd INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
