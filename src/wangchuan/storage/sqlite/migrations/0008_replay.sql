-- What replaying needs: how much of recorded behaviour the journal tells, and since when it tells all.

-- `noted` is how many accesses and traversals the journal has been told of.
ALTER TABLE signals ADD COLUMN noted INTEGER NOT NULL DEFAULT 0;
CREATE INDEX signals_unnoted ON signals (node) WHERE access_count + traverse_count <> noted;

-- Entries up to this one are from before; it is 0 where there are none.
INSERT INTO meta (key, value) SELECT 'replay_from', CAST(coalesce(max(seq), 0) AS TEXT) FROM journal;
