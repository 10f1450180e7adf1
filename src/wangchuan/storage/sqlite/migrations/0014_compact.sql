-- Details of the journal, the progress of jobs that are done, and names that occur often are kept in
-- short forms (see `storage/compact.py`). What was written before is read as it is; an older program
-- would not understand what comes, so the format has a new number.

SELECT 1;
