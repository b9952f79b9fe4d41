-- The memory: an append-only log of events, and the facts that were drawn from it or told.
-- `number`s are dense and never given twice. Times are milliseconds UTC; `seq`, not the clock, orders the log.
-- Text stands here only after privacy: no private stretch, no secret.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value ANY NOT NULL
) STRICT, WITHOUT ROWID;

-- What several worktrees, clones and moved folders have in common. Number 0 is the user: facts of all projects.
CREATE TABLE project (
    number     INTEGER PRIMARY KEY,
    identity   TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL,             -- user | custom | remote | repository | folder
    name       TEXT NOT NULL,
    root       TEXT NOT NULL,
    created_ms INTEGER NOT NULL
) STRICT;

-- Every identity that a project was met under, older tools' names included.
CREATE TABLE project_alias (
    alias   TEXT PRIMARY KEY,
    project INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    number     INTEGER PRIMARY KEY,
    project    INTEGER NOT NULL,
    key        TEXT NOT NULL,             -- the host's id
    parent     INTEGER,                   -- the session that started this one
    root       INTEGER NOT NULL,          -- the first of its line, itself if it has no parent
    host       TEXT NOT NULL,
    model      TEXT NOT NULL,
    title      TEXT NOT NULL,
    status     TEXT NOT NULL,             -- open | ended
    started_ms INTEGER NOT NULL,
    ended_ms   INTEGER,
    turns      INTEGER NOT NULL,
    extracted_seq  INTEGER NOT NULL,      -- watermarks: the last event that a job has seen
    summarised_seq INTEGER NOT NULL,
    UNIQUE (project, key)
) STRICT;
CREATE INDEX session_by_root ON session (root);

CREATE TABLE event (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    key        TEXT NOT NULL UNIQUE,      -- delivering an event twice stores it once
    project    INTEGER NOT NULL,
    session    INTEGER NOT NULL,
    ts_ms      INTEGER NOT NULL,          -- when it happened
    recorded_ms INTEGER NOT NULL,
    hook       TEXT NOT NULL,
    category   TEXT NOT NULL,
    priority   INTEGER NOT NULL,          -- 0 most important, 4 least
    role       TEXT NOT NULL,             -- user | assistant | tool | system
    title      TEXT NOT NULL,
    body       TEXT NOT NULL,
    tool       TEXT NOT NULL,
    command    TEXT NOT NULL,
    path       TEXT NOT NULL,
    exit_code  INTEGER,
    tags       TEXT NOT NULL,             -- separated by line feeds
    branch     TEXT NOT NULL,
    commit_id  TEXT NOT NULL,
    is_private INTEGER NOT NULL,
    origin     TEXT NOT NULL,             -- user | agent | tool | external
    raw_bytes  INTEGER NOT NULL,          -- before compaction
    redactions INTEGER NOT NULL,
    resolved_seq INTEGER,                 -- an error: the event that made it go away
    text_hash  BLOB NOT NULL,
    meta       TEXT NOT NULL              -- JSON
) STRICT;
CREATE INDEX event_by_session ON event (session, seq);
CREATE INDEX event_by_project ON event (project, seq);
CREATE INDEX event_by_text ON event (text_hash);

-- One version of one fact a row. The current version of a live fact has no `retracted_ms`.
-- It holds in the world from `valid_from_ms` until `invalid_at_ms`; we believed this version from `recorded_ms`
-- until `retracted_ms`, and that it ended since `invalidated_ms`.
CREATE TABLE fact (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL,             -- the same in all versions
    version    INTEGER NOT NULL,
    project    INTEGER NOT NULL,          -- 0 for the user's own
    scope      TEXT NOT NULL,             -- user | project | branch | session
    session    INTEGER,
    branch     TEXT NOT NULL,
    commit_id  TEXT NOT NULL,
    type       TEXT NOT NULL,
    subject    TEXT NOT NULL,             -- what it is about, normalised; empty if unknown
    predicate  TEXT NOT NULL,
    title      TEXT NOT NULL,
    text       TEXT NOT NULL,
    tags       TEXT NOT NULL,
    text_hash  BLOB NOT NULL,
    origin     TEXT NOT NULL,             -- user | agent | tool | external
    maker      TEXT NOT NULL,             -- add | rule | model | import | init
    confidence REAL NOT NULL,
    is_pinned  INTEGER NOT NULL,
    is_private INTEGER NOT NULL,
    state      TEXT NOT NULL,             -- live | superseded | forgotten | replaced (by its next version)
    valid_from_ms  INTEGER NOT NULL,
    invalid_at_ms  INTEGER,
    invalidated_ms INTEGER,
    superseded_by  TEXT,
    recorded_ms    INTEGER NOT NULL,
    retracted_ms   INTEGER,
    expires_ms     INTEGER,
    reason     TEXT NOT NULL,             -- why this version was made, or why it ended
    meta       TEXT NOT NULL,
    UNIQUE (id, version)
) STRICT;
CREATE INDEX fact_by_project ON fact (project, state, type, number);
CREATE INDEX fact_by_subject ON fact (project, subject, predicate) WHERE subject <> '';
CREATE INDEX fact_by_text ON fact (text_hash);

-- How often a fact was asked for; apart from `fact`, whose rows say what was believed.
CREATE TABLE fact_use (
    id      TEXT PRIMARY KEY,
    reads   INTEGER NOT NULL,
    last_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE fact_source (
    fact INTEGER NOT NULL,                -- a version's number
    seq  INTEGER NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (fact, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_source_by_event ON fact_source (seq);

-- Files that change together.
CREATE TABLE file_pair (
    project INTEGER NOT NULL,
    first   TEXT NOT NULL,
    second  TEXT NOT NULL,
    weight  INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    PRIMARY KEY (project, first, second)
) STRICT, WITHOUT ROWID;

-- Full text. A space is the events, or the facts, of one project; its documents are numbered as their rows are.
-- Documents come into `text_tail` in their own transaction; every few hundred are merged into a segment. Terms are
-- kept as hashes.
CREATE TABLE text_tail (
    space  INTEGER NOT NULL,
    doc    INTEGER NOT NULL,
    length INTEGER NOT NULL,
    terms  BLOB NOT NULL,
    sketch BLOB NOT NULL,
    PRIMARY KEY (space, doc)
) STRICT, WITHOUT ROWID;

CREATE TABLE text_segment (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    space  INTEGER NOT NULL,
    level  INTEGER NOT NULL,
    docs   INTEGER NOT NULL,
    length INTEGER NOT NULL,              -- terms in all its documents
    members  BLOB NOT NULL,               -- the documents, ascending
    sketches BLOB NOT NULL                -- one bit a dimension of each document's vector
) STRICT;
CREATE INDEX text_segment_by_space ON text_segment (space, level);

CREATE TABLE text_posting (
    segment INTEGER NOT NULL,
    term    INTEGER NOT NULL,
    docs    INTEGER NOT NULL,
    data    BLOB NOT NULL,
    PRIMARY KEY (segment, term)
) STRICT, WITHOUT ROWID;

-- One vector for equal texts, by the model that made it.
CREATE TABLE vector (
    text_hash BLOB NOT NULL,
    model     TEXT NOT NULL,
    data      BLOB NOT NULL,
    PRIMARY KEY (text_hash, model)
) STRICT, WITHOUT ROWID;

-- What was shown to an agent, so that nothing is shown twice in a session unless it changed.
CREATE TABLE injection (
    number    INTEGER PRIMARY KEY,
    session   INTEGER NOT NULL,
    turn      INTEGER NOT NULL,
    placement TEXT NOT NULL,              -- static | volatile | compaction
    body_hash BLOB NOT NULL,
    items     TEXT NOT NULL,              -- JSON: ids with their versions
    tokens    INTEGER NOT NULL,
    ts_ms     INTEGER NOT NULL
) STRICT;
CREATE INDEX injection_by_session ON injection (session, number);

CREATE TABLE job (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT NOT NULL,
    key      TEXT NOT NULL,               -- one waiting job of a kind and key at a time
    session  INTEGER,
    payload  TEXT NOT NULL,
    state    TEXT NOT NULL,               -- waiting | running | dead
    run_after_ms INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    owner    TEXT NOT NULL,
    lease_ms INTEGER NOT NULL,            -- until when the owner has it
    error    TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX job_waiting ON job (kind, key) WHERE state = 'waiting';
CREATE INDEX job_due ON job (state, run_after_ms);

-- What is to be delivered elsewhere, at least once.
CREATE TABLE outbox (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    sink     TEXT NOT NULL,
    item     TEXT NOT NULL,               -- E<seq> or a fact's id
    payload  TEXT NOT NULL,
    state    TEXT NOT NULL,               -- waiting | running | dead
    run_after_ms INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    owner    TEXT NOT NULL,
    lease_ms INTEGER NOT NULL,
    error    TEXT NOT NULL
) STRICT;
CREATE INDEX outbox_due ON outbox (sink, state, run_after_ms);

CREATE TABLE cost (
    number   INTEGER PRIMARY KEY,
    ts_ms    INTEGER NOT NULL,
    provider TEXT NOT NULL,
    model    TEXT NOT NULL,
    purpose  TEXT NOT NULL,
    input_tokens  INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    microdollars  INTEGER NOT NULL,
    duration_ms   INTEGER NOT NULL,
    is_ok    INTEGER NOT NULL
) STRICT;

INSERT INTO project (number, identity, kind, name, root, created_ms) VALUES (0, 'user', 'user', 'user', '', 0);
