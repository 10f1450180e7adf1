-- The links of a node are kept in one row (see `storage/sqlite/bundles.py`); statements read them
-- from a view. What a node says is kept as a place in its message, where it stands there, and
-- written out before that message changes (see `storage/compact.py`). What was written before is
-- read as it is. Who looks at what fades looks at all that lives, so that needs no index.

CREATE TABLE bundles (
    source INTEGER PRIMARY KEY,
    ties BLOB NOT NULL
);
INSERT INTO bundles (source, ties)
SELECT source, bundled(target, strength, at_scan, relation) FROM links GROUP BY source;
DROP TABLE links;
CREATE VIEW links AS
SELECT bundles.source AS source, tie.value ->> 0 AS target, tie.value ->> 1 AS strength,
    tie.value ->> 2 AS at_scan, tie.value ->> 3 AS relation
FROM bundles, json_each(ties_told(bundles.ties)) AS tie;

CREATE TRIGGER message_changes BEFORE UPDATE OF id, content ON messages BEGIN
    UPDATE nodes SET
        original = CASE typeof(original) WHEN 'blob' THEN
            substr(OLD.content, CAST(CAST(original AS TEXT) AS INTEGER),
                CAST(substr(CAST(original AS TEXT), instr(original, x'2C') + 1) AS INTEGER))
            ELSE original END,
        sources = CASE typeof(sources) WHEN 'blob' THEN
            '["' || coalesce(OLD.id, 'msg_' || OLD.seq) || '"]'
            ELSE sources END
    WHERE message = OLD.seq AND (typeof(original) = 'blob' OR typeof(sources) = 'blob');
END;
CREATE TRIGGER message_goes BEFORE DELETE ON messages BEGIN
    UPDATE nodes SET
        original = CASE typeof(original) WHEN 'blob' THEN
            substr(OLD.content, CAST(CAST(original AS TEXT) AS INTEGER),
                CAST(substr(CAST(original AS TEXT), instr(original, x'2C') + 1) AS INTEGER))
            ELSE original END,
        sources = CASE typeof(sources) WHEN 'blob' THEN
            '["' || coalesce(OLD.id, 'msg_' || OLD.seq) || '"]'
            ELSE sources END
    WHERE message = OLD.seq AND (typeof(original) = 'blob' OR typeof(sources) = 'blob');
END;

DROP INDEX nodes_fade;
