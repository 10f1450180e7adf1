-- name: mentions
-- Whether something that is still there holds these bytes.
SELECT EXISTS (SELECT 1 FROM messages
    WHERE instr(CAST(coalesce(id, '') || char(10) || coalesce(name, '') || char(10) || content
        || char(10) || coalesce(session, '') || char(10) || coalesce(metadata, '') AS BLOB), :piece))
    OR EXISTS (SELECT 1 FROM nodes
    WHERE instr(CAST(original || char(10) || coalesce(content, '') || char(10) || phrase
        || char(10) || keywords || char(10) || sources AS BLOB), :piece))
    OR EXISTS (SELECT 1 FROM journal WHERE instr(CAST(unfolded(detail) AS BLOB), :piece))
    OR EXISTS (SELECT 1 FROM links WHERE instr(CAST(relation AS BLOB), :piece))
    OR EXISTS (SELECT 1 FROM tombstones WHERE instr(CAST(id AS BLOB), :piece));
