-- What other systems are to hold of the log: an event a row, from when it is taken from the log until the system was seen to
-- hold it, or to hold it no more. There is no text in it.
DROP TABLE outbox;
CREATE TABLE outbox (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    sink     TEXT NOT NULL,
    project  INTEGER NOT NULL,
    item     TEXT NOT NULL,               -- E<seq>
    key      TEXT NOT NULL,               -- the name by which the sink is asked for it
    place    TEXT NOT NULL,               -- where in the sink it was sent to; empty before
    remote   TEXT NOT NULL,               -- the sink's own id of it; empty until it was seen there
    state    TEXT NOT NULL,               -- waiting | sent | stored | settling | removing | dead
    sends    INTEGER NOT NULL,
    sent_ms  INTEGER NOT NULL,            -- the last time
    failures INTEGER NOT NULL,
    due_ms   INTEGER NOT NULL,            -- not before
    error    TEXT NOT NULL,
    UNIQUE (sink, item)
) STRICT;
CREATE INDEX outbox_by_state ON outbox (sink, project, state, number);

-- How far the log of a project was taken for a sink, and how the sink fares.
CREATE TABLE outbox_cursor (
    sink      TEXT NOT NULL,
    project   INTEGER NOT NULL,
    seq       INTEGER NOT NULL,           -- the last event that was looked at
    failures  INTEGER NOT NULL,           -- runs in a row that got nothing stored
    due_ms    INTEGER NOT NULL,           -- not before
    stored_ms INTEGER NOT NULL,           -- the last time that something was seen to be stored
    error     TEXT NOT NULL,
    PRIMARY KEY (sink, project)
) STRICT, WITHOUT ROWID;
