-- A cell on a Citus cluster: run once, as wangchuan_owner, after `wangchuan cell init --partitions 1`.
-- Not tried yet: Citus was not to be had where this was written (see docs/operations.md).
-- All rows of an agent lie on one shard, and no statement concerns two agents, so every one of them goes
-- to one worker of the cluster. `agents`, `leases` and `cell` are small and known everywhere.
SET search_path = wangchuan;
SELECT create_reference_table('cell');
SELECT create_reference_table('agents');
SELECT create_reference_table('leases');
SELECT create_distributed_table('meta', 'agent');
SELECT create_distributed_table(name, 'agent', colocate_with => 'meta')
FROM unnest(ARRAY[
    'counters', 'jobs', 'messages', 'speakers', 'nodes', 'links', 'oneway', 'focus', 'journal', 'signals',
    'usage', 'answers', 'vectors', 'facts', 'evidence', 'lifecycle', 'tombstones', 'undo', 'undo_nodes',
    'spoken', 'spoken_postings', 'kept', 'kept_postings'
]) AS name;
