-- A new store: what all migrations together make of an empty file. A test compares the two.
-- Long texts are BLOBs where they are compressed, TEXT where not; so are keys, 16 bytes or any text.

-- Names that stand in many rows, once: runs, metrics, kinds of task, back ends, models,
-- methods.
CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

-- Every text once, by content hash: contexts stand in many prompts.
CREATE TABLE texts (
    id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, body NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0
);

-- Everything a judge ever said. `run` is the run that paid for it.
CREATE TABLE replies (
    id INTEGER PRIMARY KEY, key NOT NULL UNIQUE, run INTEGER NOT NULL, kind INTEGER NOT NULL,
    backend INTEGER NOT NULL, draw INTEGER NOT NULL, pieces NOT NULL, raw NOT NULL,
    tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, ms REAL NOT NULL,
    at INTEGER NOT NULL DEFAULT (CAST(strftime('%s', 'now') AS INTEGER)),
    checksum INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX replies_run ON replies (run);

-- Prompt tokens that the provider read from its own cache, and that it wrote into it.
CREATE TABLE prompt_cache (
    reply PRIMARY KEY, cached_in INTEGER NOT NULL, cache_written INTEGER NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- The model that answered, where the provider names one: it may change behind a judge's name.
CREATE TABLE answering_models (
    reply PRIMARY KEY, model INTEGER NOT NULL, checksum INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- Requests handed in to a provider as one batch: the keys of the replies that it owes.
CREATE TABLE batches (
    name TEXT PRIMARY KEY, provider TEXT NOT NULL DEFAULT '', keys BLOB NOT NULL,
    at INTEGER NOT NULL DEFAULT (CAST(strftime('%s', 'now') AS INTEGER)),
    checksum INTEGER NOT NULL DEFAULT 0
);

-- `fingerprint` names data, metrics and judges: the same command finds its own run again.
CREATE TABLE runs (
    id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, source TEXT NOT NULL,
    config TEXT NOT NULL, n_samples INTEGER NOT NULL, skipped INTEGER NOT NULL,
    stopped TEXT NOT NULL DEFAULT '', seconds REAL NOT NULL DEFAULT 0, finished TEXT,
    created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), asked TEXT,
    checksum INTEGER NOT NULL DEFAULT 0
);

-- What people say of a run.
CREATE TABLE descriptions (
    run TEXT PRIMARY KEY, name TEXT NOT NULL, tags TEXT NOT NULL, note TEXT NOT NULL,
    params TEXT NOT NULL, checksum INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX descriptions_name ON descriptions (name);

CREATE TABLE samples (
    run INTEGER NOT NULL, row INTEGER NOT NULL, id TEXT NOT NULL, body NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run, row)
) WITHOUT ROWID;
CREATE INDEX samples_id ON samples (run, id);

-- One row a score: value, or why there is none; the evidence; the replies it rests on.
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL, metric INTEGER NOT NULL, row INTEGER NOT NULL,
    value REAL, why TEXT NOT NULL, detail TEXT NOT NULL, method INTEGER NOT NULL,
    evidence NOT NULL, replies NOT NULL, checksum INTEGER NOT NULL DEFAULT 0,
    value_checksum INTEGER NOT NULL DEFAULT 0, UNIQUE (run, metric, row)
);
CREATE INDEX jobs_value ON jobs (run, metric, value, why, row);

-- How noisy a metric of a signature is, as found by asking its judge again; the last counts.
CREATE TABLE noise (
    signature TEXT NOT NULL, run TEXT NOT NULL, body TEXT NOT NULL,
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    checksum INTEGER NOT NULL DEFAULT 0, UNIQUE (signature, run)
);

-- What a judge said to the fixed probes when a run used it: digests of its replies.
CREATE TABLE fingerprints (
    run TEXT NOT NULL, judge TEXT NOT NULL, day INTEGER NOT NULL, body TEXT NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (judge, day, run)
) WITHOUT ROWID;
CREATE INDEX fingerprints_run ON fingerprints (run);

-- What people said of samples, a row a decision; `statement` counts judged parts, -1 is the whole.
CREATE TABLE labels (
    id TEXT PRIMARY KEY, run TEXT NOT NULL, metric TEXT NOT NULL, sample TEXT NOT NULL,
    statement INTEGER NOT NULL, annotator TEXT NOT NULL, kind TEXT NOT NULL, value REAL,
    reason TEXT NOT NULL, tags TEXT NOT NULL, chance REAL, undone INTEGER NOT NULL,
    at TEXT NOT NULL, checksum INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX labels_of ON labels (run, metric);

-- Samples drawn for labelling, each with its chance of being drawn.
CREATE TABLE label_queue (
    run TEXT NOT NULL, metric TEXT NOT NULL, against TEXT NOT NULL, batch INTEGER NOT NULL,
    place INTEGER NOT NULL, sample TEXT NOT NULL, chance REAL NOT NULL, why TEXT NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run, metric, against, batch, place)
) WITHOUT ROWID;

-- The share of a queue's samples that two people label, once somebody asked for one.
CREATE TABLE second_opinions (
    run TEXT NOT NULL, metric TEXT NOT NULL, against TEXT NOT NULL, share REAL NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run, metric, against)
) WITHOUT ROWID;

-- What a watch has told, once each; `pending` names where it has still to be sent.
CREATE TABLE alerts (
    watch TEXT NOT NULL, look INTEGER NOT NULL, stream TEXT NOT NULL, body TEXT NOT NULL,
    pending TEXT NOT NULL, checksum INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (watch, look, stream)
) WITHOUT ROWID;

PRAGMA user_version = 13;
