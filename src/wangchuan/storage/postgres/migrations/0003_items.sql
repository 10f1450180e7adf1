-- What frameworks keep beside the memory, by key.

CREATE TABLE items (
    agent BIGINT NOT NULL DEFAULT $AGENT,
    namespace TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    ttl DOUBLE PRECISION,
    expires_at DOUBLE PRECISION,
    terms TEXT COLLATE "C" NOT NULL DEFAULT '',
    vectors BYTEA,
    PRIMARY KEY (agent, namespace, key)
) PARTITION BY HASH (agent);
