-- What has been scanned often is scanned more rarely: a node notes, with the scans it has had when its
-- clock was last set, how many passes it had been waiting for the next one.

ALTER TABLE nodes ADD COLUMN waited INTEGER NOT NULL DEFAULT 0;
