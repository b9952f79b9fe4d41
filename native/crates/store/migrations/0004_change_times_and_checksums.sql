-- When the system last changed anything about a file (ctime), which no program can set: a file that was overwritten with
-- its size and mtime kept is known by it. 0 for entries of older formats, whose files are hashed once more.
ALTER TABLE stat ADD COLUMN ctime_ns INTEGER NOT NULL DEFAULT 0;

-- xxh3-64 over the other columns of a row; of a layer, over its entries combined by exclusive or, so that one that comes or
-- goes needs no look at the others. NULL: not known, for rows of older formats.
ALTER TABLE blob ADD COLUMN checksum INTEGER;
ALTER TABLE blob_chunks ADD COLUMN checksum INTEGER;
ALTER TABLE layer ADD COLUMN checksum INTEGER;
