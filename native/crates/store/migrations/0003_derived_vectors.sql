-- Vectors of compiled-in models are made from the texts when they are needed and stand in their segments only. From here on
-- long chunk tables are compressed, which readers of older formats don't know.
DELETE FROM vector_block
WHERE id >> 32 IN (SELECT id FROM embedder WHERE name IN ('feature-hash-256-v1', 'static-256-v1'));
