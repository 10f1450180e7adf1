-- Rows that changes replaced are kept by the names of their columns: a column that comes later
-- must not make older changes impossible to undo. `->` hands every value on as it was written.

UPDATE undo_rows SET former = '{"n":' || (former -> 0) || ',"kind":' || (former -> 1)
    || ',"job":' || (former -> 2) || ',"original":' || (former -> 3)
    || ',"content":' || (former -> 4) || ',"phrase":' || (former -> 5)
    || ',"keywords":' || (former -> 6) || ',"sources":' || (former -> 7)
    || ',"created_at":' || (former -> 8) || ',"scans":' || (former -> 9)
    || ',"since_pass":' || (former -> 10) || ',"fade_at":' || (former -> 11)
    || ',"due_at":' || (former -> 12) || ',"die_at":' || (former -> 13)
    || ',"kept":' || (former -> 14) || ',"forgotten_at":' || (former -> 15)
    || ',"reason":' || (former -> 16) || ',"message":' || (former -> 17) || '}'
WHERE kind = 'node' AND former IS NOT NULL;

UPDATE undo_rows SET later = '{"n":' || (later -> 0) || ',"kind":' || (later -> 1)
    || ',"job":' || (later -> 2) || ',"original":' || (later -> 3)
    || ',"content":' || (later -> 4) || ',"phrase":' || (later -> 5)
    || ',"keywords":' || (later -> 6) || ',"sources":' || (later -> 7)
    || ',"created_at":' || (later -> 8) || ',"scans":' || (later -> 9)
    || ',"since_pass":' || (later -> 10) || ',"fade_at":' || (later -> 11)
    || ',"due_at":' || (later -> 12) || ',"die_at":' || (later -> 13)
    || ',"kept":' || (later -> 14) || ',"forgotten_at":' || (later -> 15)
    || ',"reason":' || (later -> 16) || ',"message":' || (later -> 17) || '}'
WHERE kind = 'node' AND later IS NOT NULL;

UPDATE undo_rows SET former = '{"source":' || (former -> 0) || ',"target":' || (former -> 1)
    || ',"strength":' || (former -> 2) || ',"at_scan":' || (former -> 3)
    || ',"relation":' || (former -> 4) || '}'
WHERE kind = 'link' AND former IS NOT NULL;

UPDATE undo_rows SET later = '{"source":' || (later -> 0) || ',"target":' || (later -> 1)
    || ',"strength":' || (later -> 2) || ',"at_scan":' || (later -> 3)
    || ',"relation":' || (later -> 4) || '}'
WHERE kind = 'link' AND later IS NOT NULL;

UPDATE undo_rows SET former = '{"node":' || (former -> 0) || ',"weight":' || (former -> 1)
    || ',"used_at":' || (former -> 2) || ',"aged":' || (former -> 3)
    || ',"source":' || (former -> 4) || ',"verified":' || (former -> 5)
    || ',"topic":' || (former -> 6) || ',"successor":' || (former -> 7)
    || ',"review":' || (former -> 8) || '}'
WHERE kind = 'fact' AND former IS NOT NULL;

UPDATE undo_rows SET later = '{"node":' || (later -> 0) || ',"weight":' || (later -> 1)
    || ',"used_at":' || (later -> 2) || ',"aged":' || (later -> 3) || ',"source":' || (later -> 4)
    || ',"verified":' || (later -> 5) || ',"topic":' || (later -> 6)
    || ',"successor":' || (later -> 7) || ',"review":' || (later -> 8) || '}'
WHERE kind = 'fact' AND later IS NOT NULL;

UPDATE undo_rows SET former = '{"node":' || (former -> 0) || ',"cold_since":' || (former -> 1)
    || ',"merge_with":' || (former -> 2) || ',"delete_eligible":' || (former -> 3) || '}'
WHERE kind = 'lifecycle' AND former IS NOT NULL;

UPDATE undo_rows SET later = '{"node":' || (later -> 0) || ',"cold_since":' || (later -> 1)
    || ',"merge_with":' || (later -> 2) || ',"delete_eligible":' || (later -> 3) || '}'
WHERE kind = 'lifecycle' AND later IS NOT NULL;
