-- What happened in a stretch of time is found without reading the rest.
CREATE INDEX event_by_time ON event (project, ts_ms);

-- What an agent was given word for word, so that it is given the same bytes again until it asks for new ones.
CREATE TABLE snapshot (
    session   INTEGER NOT NULL,
    placement TEXT NOT NULL,              -- static | compaction
    form      TEXT NOT NULL,              -- markdown | xml | json
    body      TEXT NOT NULL,
    items     TEXT NOT NULL,              -- JSON: ids with their versions
    seq       INTEGER NOT NULL,           -- the last event that it knew of
    ts_ms     INTEGER NOT NULL,
    PRIMARY KEY (session, placement, form)
) STRICT, WITHOUT ROWID;
