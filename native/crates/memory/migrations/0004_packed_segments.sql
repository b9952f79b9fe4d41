-- Full text as segments of the inverted index, each in a row with its documents. A document is a segment of its own at
-- first; segments of one level are merged into one of the next.
DROP TABLE IF EXISTS text_tail;
DROP TABLE IF EXISTS text_posting;
DROP TABLE IF EXISTS text_segment;
CREATE TABLE text_segment (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    space    INTEGER NOT NULL,
    first    INTEGER NOT NULL,            -- its first document
    level    INTEGER NOT NULL,
    members  BLOB NOT NULL,               -- the documents, ascending
    sketches BLOB NOT NULL,               -- one bit a dimension of each document's vector
    postings BLOB NOT NULL
) STRICT;
CREATE INDEX text_segment_by_space ON text_segment (space, level, first);
