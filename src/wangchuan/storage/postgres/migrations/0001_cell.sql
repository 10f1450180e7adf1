-- A cell: the memories of many agents. The columns are those of a folder's database, whose comments
-- stand in `sqlite/migrations/`; before them stands the agent's number, by which rows are kept apart.
-- `$AGENT` is the number of the agent at work, and an error where none is named.

-- Who is here. Nothing that an agent remembers stands in these two.
CREATE TABLE agents (
    name TEXT COLLATE "C" PRIMARY KEY,
    number BIGINT NOT NULL UNIQUE,
    writes BIGINT NOT NULL DEFAULT 0,       -- how often its memory was written
    marks BIGINT[] NOT NULL DEFAULT '{}',   -- of the last writes, the newest in front
    pending BIGINT NOT NULL DEFAULT 0,      -- jobs that wait
    notes TEXT NOT NULL DEFAULT '{}',       -- figures for people to look at (JSON)
    made_at TIMESTAMPTZ NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
CREATE INDEX agents_pending ON agents (number) WHERE pending > 0;

CREATE TABLE leases (
    agent BIGINT PRIMARY KEY,
    holder TEXT NOT NULL,
    until TIMESTAMPTZ NOT NULL,             -- from then on anyone may take it
    taken_at TIMESTAMPTZ NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- The next number of a memory or a change: numbers are never used twice.
CREATE TABLE counters (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    name TEXT COLLATE "C" NOT NULL,
    last BIGINT NOT NULL,
    PRIMARY KEY (agent, name)
) PARTITION BY HASH (agent);

CREATE TABLE meta (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    key TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (agent, key)
) PARTITION BY HASH (agent);

CREATE TABLE jobs (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    seq BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL DEFAULT 'pending',
    place BIGINT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    not_before DOUBLE PRECISION NOT NULL DEFAULT 0,
    reason TEXT COLLATE "C",
    progress TEXT COLLATE "C",
    first_message BIGINT,
    last_message BIGINT,
    accepted_at DOUBLE PRECISION NOT NULL,
    finished_at DOUBLE PRECISION,
    PRIMARY KEY (agent, seq)
) PARTITION BY HASH (agent);
CREATE INDEX jobs_waiting ON jobs (agent, place) WHERE state = 'pending' AND kind = 'remember';
CREATE INDEX jobs_upkeep ON jobs (agent, place) WHERE state = 'pending' AND kind <> 'remember';
CREATE INDEX jobs_failed ON jobs (agent, seq) WHERE state = 'failed';

CREATE TABLE messages (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    seq BIGINT NOT NULL,
    id TEXT COLLATE "C",
    role TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C",
    content TEXT COLLATE "C" NOT NULL,
    timestamp DOUBLE PRECISION,
    talk BIGINT NOT NULL DEFAULT 0,
    place BIGINT NOT NULL DEFAULT 0,
    said_at DOUBLE PRECISION NOT NULL DEFAULT 0,
    PRIMARY KEY (agent, seq)
) PARTITION BY HASH (agent);
CREATE INDEX messages_id ON messages (agent, id) WHERE id IS NOT NULL;
CREATE INDEX messages_said ON messages (agent, said_at);

CREATE TABLE speakers (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    name TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (agent, name)
) PARTITION BY HASH (agent);

CREATE TABLE nodes (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    n BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    job BIGINT,
    original TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C",
    phrase TEXT COLLATE "C" NOT NULL,
    keywords TEXT COLLATE "C" NOT NULL,
    sources TEXT COLLATE "C" NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    scans BIGINT NOT NULL DEFAULT 0,
    since_pass BIGINT,
    fade_at BIGINT,
    due_at BIGINT,
    die_at BIGINT,
    kept BIGINT NOT NULL DEFAULT 0,
    forgotten_at DOUBLE PRECISION,
    reason TEXT COLLATE "C",
    message BIGINT,
    waited BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (agent, n)
) PARTITION BY HASH (agent);
CREATE INDEX nodes_living ON nodes (agent, n) WHERE forgotten_at IS NULL;
CREATE INDEX nodes_fade ON nodes (agent, fade_at)
WHERE forgotten_at IS NULL AND fade_at IS NOT NULL;
CREATE INDEX nodes_due ON nodes (agent, due_at) WHERE forgotten_at IS NULL AND due_at IS NOT NULL;
CREATE INDEX nodes_die ON nodes (agent, die_at) WHERE forgotten_at IS NULL AND die_at IS NOT NULL;
CREATE INDEX nodes_trash ON nodes (agent, forgotten_at) WHERE forgotten_at IS NOT NULL;
CREATE INDEX nodes_message ON nodes (agent, message) WHERE message IS NOT NULL;
CREATE INDEX nodes_kept ON nodes (agent, kind, n)
WHERE kind <> 'segment' AND forgotten_at IS NULL;

CREATE TABLE links (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    source BIGINT NOT NULL,
    target BIGINT NOT NULL,
    strength DOUBLE PRECISION NOT NULL,
    at_scan BIGINT NOT NULL,
    relation TEXT COLLATE "C",
    PRIMARY KEY (agent, source, target)
) PARTITION BY HASH (agent);

CREATE TABLE oneway (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    target BIGINT NOT NULL,
    source BIGINT NOT NULL,
    PRIMARY KEY (agent, target, source)
) PARTITION BY HASH (agent);

CREATE TABLE focus (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    place BIGINT NOT NULL,
    node BIGINT NOT NULL,
    PRIMARY KEY (agent, place),
    UNIQUE (agent, node)
) PARTITION BY HASH (agent);

CREATE TABLE journal (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    seq BIGINT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    passes BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    node BIGINT,
    detail TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (agent, seq)
) PARTITION BY HASH (agent);
CREATE INDEX journal_node ON journal (agent, node) WHERE node IS NOT NULL;

CREATE TABLE signals (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    node BIGINT NOT NULL,
    access_count BIGINT NOT NULL DEFAULT 0,
    traverse_count BIGINT NOT NULL DEFAULT 0,
    last_accessed_at DOUBLE PRECISION,
    last_linked_at DOUBLE PRECISION,
    noted BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (agent, node)
) PARTITION BY HASH (agent);
CREATE INDEX signals_unnoted ON signals (agent, node)
WHERE access_count + traverse_count <> noted;

CREATE TABLE usage (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    day TEXT COLLATE "C" NOT NULL,
    routine TEXT COLLATE "C" NOT NULL,
    calls BIGINT NOT NULL DEFAULT 0,
    failures BIGINT NOT NULL DEFAULT 0,
    prompt_tokens BIGINT NOT NULL DEFAULT 0,
    completion_tokens BIGINT NOT NULL DEFAULT 0,
    seconds DOUBLE PRECISION NOT NULL DEFAULT 0,
    PRIMARY KEY (agent, day, routine)
) PARTITION BY HASH (agent);

CREATE TABLE answers (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    hash TEXT COLLATE "C" NOT NULL,
    answer TEXT COLLATE "C" NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (agent, hash)
) PARTITION BY HASH (agent);
CREATE INDEX answers_at ON answers (agent, at);

CREATE TABLE vectors (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    message BIGINT NOT NULL,
    vector BYTEA NOT NULL,
    PRIMARY KEY (agent, message)
) PARTITION BY HASH (agent);

CREATE TABLE facts (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    node BIGINT NOT NULL,
    weight DOUBLE PRECISION NOT NULL,
    used_at DOUBLE PRECISION NOT NULL,
    aged BIGINT NOT NULL DEFAULT 0,
    source TEXT COLLATE "C" NOT NULL,
    verified BIGINT NOT NULL DEFAULT 0,
    topic TEXT COLLATE "C" NOT NULL,
    successor BIGINT,
    review TEXT COLLATE "C",
    PRIMARY KEY (agent, node)
) PARTITION BY HASH (agent);
CREATE INDEX facts_review ON facts (agent, review) WHERE review IS NOT NULL;

CREATE TABLE evidence (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    node BIGINT NOT NULL,
    message BIGINT NOT NULL,
    PRIMARY KEY (agent, node, message)
) PARTITION BY HASH (agent);
CREATE INDEX evidence_message ON evidence (agent, message);

CREATE TABLE lifecycle (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    node BIGINT NOT NULL,
    cold_since DOUBLE PRECISION NOT NULL,
    merge_with BIGINT,
    delete_eligible BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (agent, node)
) PARTITION BY HASH (agent);
CREATE INDEX lifecycle_merges ON lifecycle (agent, node) WHERE merge_with IS NOT NULL;

CREATE TABLE tombstones (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    kind TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (agent, kind, id)
) PARTITION BY HASH (agent);

CREATE TABLE undo (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    op BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    first BIGINT NOT NULL,
    last BIGINT NOT NULL,
    rows BYTEA NOT NULL DEFAULT '',
    PRIMARY KEY (agent, op)
) PARTITION BY HASH (agent);
CREATE INDEX undo_last ON undo (agent, last);

CREATE TABLE undo_nodes (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    node BIGINT NOT NULL,
    op BIGINT NOT NULL,
    PRIMARY KEY (agent, node, op)
) PARTITION BY HASH (agent);

-- The full text: what each message and each fact is found by, and the same the other way round.
CREATE TABLE spoken (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    spot BIGINT NOT NULL,
    terms TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (agent, spot)
) PARTITION BY HASH (agent);

CREATE TABLE spoken_postings (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    term TEXT COLLATE "C" NOT NULL,
    spot BIGINT NOT NULL,
    PRIMARY KEY (agent, term, spot)
) PARTITION BY HASH (agent);

CREATE TABLE kept (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    n BIGINT NOT NULL,
    terms TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (agent, n)
) PARTITION BY HASH (agent);

CREATE TABLE kept_postings (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    term TEXT COLLATE "C" NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (agent, term, n)
) PARTITION BY HASH (agent);

-- The words by which a text is found: its terms, and for the search by a single character of a
-- script without spaces, `x*` for every term that begins with it.
CREATE FUNCTION words_of(terms TEXT) RETURNS SETOF TEXT LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT string_to_table(terms, ' ')
    UNION
    SELECT left(word, 1) || '*' FROM string_to_table(terms, ' ') AS word WHERE ascii(word) > 127
$$;

-- A number that was never used: one more than the last, which may have been brought from elsewhere.
CREATE FUNCTION next_number(counter TEXT, there BIGINT) RETURNS BIGINT LANGUAGE sql AS $$
    INSERT INTO counters (name, last) VALUES (counter, coalesce(there, 0) + 1)
    ON CONFLICT (agent, name) DO UPDATE SET last = greatest(counters.last + 1, excluded.last)
    RETURNING last
$$;

-- Numbers for rows that come without one. Writers of an agent take turns, so none is given twice.
CREATE FUNCTION next_job() RETURNS BIGINT LANGUAGE plpgsql AS $$
BEGIN RETURN (SELECT coalesce(max(seq), 0) + 1 FROM jobs); END $$;
CREATE FUNCTION next_message() RETURNS BIGINT LANGUAGE plpgsql AS $$
BEGIN RETURN (SELECT coalesce(max(seq), 0) + 1 FROM messages); END $$;
CREATE FUNCTION next_entry() RETURNS BIGINT LANGUAGE plpgsql AS $$
BEGIN RETURN (SELECT coalesce(max(seq), 0) + 1 FROM journal); END $$;
CREATE FUNCTION next_node() RETURNS BIGINT LANGUAGE plpgsql AS $$
BEGIN RETURN next_number('nodes', (SELECT max(n) FROM nodes)); END $$;
CREATE FUNCTION next_change() RETURNS BIGINT LANGUAGE plpgsql AS $$
BEGIN RETURN next_number('undo', (SELECT max(op) FROM undo)); END $$;
ALTER TABLE jobs ALTER COLUMN seq SET DEFAULT next_job();
ALTER TABLE messages ALTER COLUMN seq SET DEFAULT next_message();
ALTER TABLE journal ALTER COLUMN seq SET DEFAULT next_entry();
ALTER TABLE nodes ALTER COLUMN n SET DEFAULT next_node();
ALTER TABLE undo ALTER COLUMN op SET DEFAULT next_change();

-- Wait for an agent's turn to be written, and leave a mark of it; its number among the writes.
CREATE FUNCTION take_turn(whose BIGINT, mark BIGINT, most INTEGER) RETURNS BIGINT
LANGUAGE plpgsql AS $$
DECLARE turn BIGINT;
BEGIN
    UPDATE agents SET writes = writes + 1, marks = (mark || marks)[1:most]
    WHERE number = whose RETURNING writes INTO turn;
    IF turn IS NULL THEN
        RAISE EXCEPTION 'the agent was erased meanwhile; open it again';
    END IF;
    RETURN turn;
END $$;

-- Make the place of an agent, with what stands in an empty memory; false if there is one.
CREATE FUNCTION make_agent(agent_name TEXT, chosen BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO agents (name, number) VALUES (agent_name, chosen) ON CONFLICT (name) DO NOTHING;
    IF NOT FOUND THEN RETURN FALSE; END IF;
    PERFORM set_config('wc.agent', chosen::TEXT, true);
    INSERT INTO meta (key, value) VALUES ('passes', '0'), ('replay_from', '0');
    RETURN TRUE;
END $$;

-- How many jobs of an agent wait, for workers that look for one without looking into any memory.
CREATE FUNCTION count_pending() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE more BIGINT := 0;
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.state = 'pending' THEN more := more - 1; END IF;
    IF TG_OP <> 'DELETE' AND NEW.state = 'pending' THEN more := more + 1; END IF;
    IF more <> 0 THEN
        UPDATE agents SET pending = pending + more WHERE number = coalesce(NEW.agent, OLD.agent);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER jobs_pending AFTER INSERT OR DELETE OR UPDATE OF state ON jobs
FOR EACH ROW EXECUTE FUNCTION count_pending();
