-- Statements that are not shown and not taken in any more, until a person says them again. There is no word in a row: the
-- hashes are keyed, and the key in `meta` is this database's own.
CREATE TABLE tombstone (
    project   INTEGER NOT NULL,           -- 0 for all projects
    hash      BLOB NOT NULL,              -- of its words
    kind      TEXT NOT NULL,              -- revised | superseded | forgotten | purged
    item      TEXT NOT NULL,              -- the fact, or the event, that it was
    words     INTEGER NOT NULL,           -- how many; 0 for the key of an event, which has none
    print     INTEGER NOT NULL,           -- a fingerprint of its words, by which texts are looked through
    is_long   INTEGER NOT NULL,           -- whether it counts within a sentence too
    beginnings BLOB NOT NULL,             -- the hashes of its first words, by which a shortened copy is known
    made_ms   INTEGER NOT NULL,
    PRIMARY KEY (project, hash, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstone_by_item ON tombstone (item);

-- The stretches of events that are such statements.
CREATE TABLE hidden (
    seq   INTEGER NOT NULL,
    part  TEXT NOT NULL,                  -- title | body | command | meta.<name>
    start INTEGER NOT NULL,               -- bytes
    stop  INTEGER NOT NULL,
    hash  BLOB NOT NULL,                  -- the tombstone's
    PRIMARY KEY (seq, part, start, stop, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX hidden_by_hash ON hidden (hash);
