-- name: mentions
-- Whether something that is still there holds these bytes.
SELECT EXISTS (SELECT 1 FROM messages
    WHERE position(:piece IN convert_to(concat_ws(chr(10), id, name, content, session, metadata), 'UTF8')) > 0)
    OR EXISTS (SELECT 1 FROM nodes
    WHERE position(:piece IN convert_to(
        concat_ws(chr(10), original, content, phrase, keywords, sources), 'UTF8')) > 0)
    OR EXISTS (SELECT 1 FROM journal WHERE position(:piece IN convert_to(detail, 'UTF8')) > 0)
    OR EXISTS (SELECT 1 FROM links WHERE position(:piece IN convert_to(relation, 'UTF8')) > 0)
    OR EXISTS (SELECT 1 FROM tombstones WHERE position(:piece IN convert_to(id, 'UTF8')) > 0);
