-- How far the files of waiting records were taken in: written in the transaction that took them in.
CREATE TABLE spool_mark (
    file  TEXT PRIMARY KEY,               -- its name, which is never given twice
    taken INTEGER NOT NULL                -- bytes
) STRICT, WITHOUT ROWID;

-- What code a fact or an event speaks of, as it was then; a fact's anchors hold for all its versions.
CREATE TABLE anchor (
    item  TEXT NOT NULL,                  -- a fact's id, or E<seq>
    place INTEGER NOT NULL,               -- counted from 0
    path  TEXT NOT NULL,
    name  TEXT NOT NULL,                  -- qualified
    kind  TEXT NOT NULL,
    body_hash      TEXT NOT NULL,         -- of its text less blanks and its own name
    signature_hash TEXT NOT NULL,
    body  TEXT NOT NULL,                  -- its text, for showing what changed; after privacy
    PRIMARY KEY (item, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX anchor_by_symbol ON anchor (name, path);
