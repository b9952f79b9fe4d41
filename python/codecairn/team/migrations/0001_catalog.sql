-- The catalog of a team: who may do what, which manifest a branch has, and which objects manifests name.
--
-- `codecairn_members` stands for the group role of this database's team; the runner puts its real name here. Members log in
-- with roles of their own, which belong to that group. Every table has row-level security, so the server itself
-- decides which rows a member sees; the owner of the schema, who made the team, is not subject to it.
-- Time is the server's clock (`clock_timestamp()`), never a client's. No bytes of objects are kept here.

CREATE SCHEMA codecairn;
REVOKE ALL ON SCHEMA codecairn FROM PUBLIC;
GRANT USAGE ON SCHEMA codecairn TO codecairn_members;

CREATE TABLE codecairn.migrations (
    version integer PRIMARY KEY,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE codecairn.migrations ENABLE ROW LEVEL SECURITY;

-- One row. `tag` is the part of role names that tells teams of one server apart.
CREATE TABLE codecairn.team (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    is_only boolean NOT NULL DEFAULT true UNIQUE CHECK (is_only),
    name text NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 100 AND name !~ '[[:cntrl:]]'),
    tag text NOT NULL CHECK (tag ~ '^[a-z0-9_]{1,24}$'),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- A member's keys are public: one verifies what the member signs (Ed25519), to the other keys are sealed (X25519). The three signed
-- documents show other members that the keys are the member's; the server does not check them.
CREATE TABLE codecairn.members (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9][a-z0-9_-]{0,30}$'),
    role_name name NOT NULL UNIQUE,
    signing_key bytea CHECK (octet_length(signing_key) = 32),
    sealing_key bytea CHECK (octet_length(sealing_key) = 32),
    sealing_signature bytea CHECK (octet_length(sealing_signature) <= 512),
    introduction bytea CHECK (octet_length(introduction) <= 512),
    acceptance bytea CHECK (octet_length(acceptance) <= 512),
    invited_by integer REFERENCES codecairn.members,
    invited_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    joined_at timestamptz,
    left_at timestamptz
);

CREATE TABLE codecairn.repositories (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL UNIQUE CHECK (octet_length(name) BETWEEN 1 AND 200 AND name !~ '[[:cntrl:]]'),
    project text NOT NULL UNIQUE CHECK (octet_length(project) BETWEEN 1 AND 1000 AND project !~ '[[:cntrl:]]'),
    store_url text NOT NULL CHECK (octet_length(store_url) <= 1000 AND store_url !~ '[[:cntrl:]]'),
    key_generation integer NOT NULL DEFAULT 1 CHECK (key_generation > 0),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- A grant that is revoked stays as a row: what its member wrote is still verified by the member's key.
CREATE TABLE codecairn.grants (
    repository uuid NOT NULL REFERENCES codecairn.repositories,
    member integer NOT NULL REFERENCES codecairn.members,
    role text NOT NULL CHECK (role IN ('reader', 'publisher', 'admin')),
    granted_by integer REFERENCES codecairn.members,
    granted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    revoked_at timestamptz,
    PRIMARY KEY (repository, member)
);
CREATE INDEX grants_of_member ON codecairn.grants (member);

-- A repository's key, sealed to one member and signed by the one who handed it out. The server can neither open nor make it.
CREATE TABLE codecairn.repository_keys (
    repository uuid NOT NULL REFERENCES codecairn.repositories,
    generation integer NOT NULL CHECK (generation > 0),
    member integer NOT NULL REFERENCES codecairn.members,
    sealed bytea NOT NULL CHECK (octet_length(sealed) BETWEEN 1 AND 1024),
    sealed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (repository, generation, member)
);

-- The head of a branch: a signed pointer to a manifest. Without git the branch is empty. `epoch` counts the publications that the row
-- has had; the epoch that readers check is in the pointer, which the server does not read.
CREATE TABLE codecairn.refs (
    repository uuid NOT NULL REFERENCES codecairn.repositories,
    branch text NOT NULL CHECK (octet_length(branch) <= 1000 AND branch !~ '[[:cntrl:]]'),
    epoch bigint NOT NULL CHECK (epoch > 0),
    pointer bytea NOT NULL CHECK (octet_length(pointer) BETWEEN 1 AND 65536),
    manifest bytea NOT NULL CHECK (octet_length(manifest) = 32),
    publisher integer NOT NULL REFERENCES codecairn.members,
    published_at timestamptz NOT NULL,
    PRIMARY KEY (repository, branch)
);

-- The objects that a manifest names, the manifest among them: names of 32 bytes, one after the other.
CREATE TABLE codecairn.manifests (
    repository uuid NOT NULL REFERENCES codecairn.repositories,
    id bytea NOT NULL CHECK (octet_length(id) = 32),
    objects bytea NOT NULL
        CHECK (octet_length(objects) % 32 = 0 AND octet_length(objects) BETWEEN 32 AND 33554432),
    published_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    retired_at timestamptz,
    PRIMARY KEY (repository, id)
);

CREATE TABLE codecairn.leases (
    repository uuid NOT NULL REFERENCES codecairn.repositories,
    name text NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 1010 AND name !~ '[[:cntrl:]]'),
    token uuid NOT NULL,
    holder integer NOT NULL REFERENCES codecairn.members,
    acquired_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (repository, name)
);

-- Objects that no live manifest names. From `deleted_at` on they are being deleted or are gone; until then a publication that
-- names one takes it out of here.
CREATE TABLE codecairn.garbage (
    repository uuid NOT NULL REFERENCES codecairn.repositories,
    object bytea NOT NULL CHECK (octet_length(object) = 32),
    condemned_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    deleted_at timestamptz,
    is_gone boolean NOT NULL DEFAULT false CHECK (NOT is_gone OR deleted_at IS NOT NULL),
    PRIMARY KEY (repository, object)
);

CREATE TABLE codecairn.usage (
    repository uuid NOT NULL REFERENCES codecairn.repositories,
    member integer NOT NULL REFERENCES codecairn.members,
    day date NOT NULL,
    kind text NOT NULL CHECK (kind IN ('pull', 'publish', 'sync', 'promote')),
    count bigint NOT NULL CHECK (count > 0),
    PRIMARY KEY (repository, member, day, kind)
);

-- The memory of a team: rows are only added. Two times are kept: when a statement holds (`valid_from`, `valid_to`), and
-- when the server learnt of it (`recorded_at`). `body` is what its author signed; the columns beside it repeat parts of it.
CREATE TABLE codecairn.facts (
    seq bigint PRIMARY KEY,
    repository uuid NOT NULL REFERENCES codecairn.repositories,
    author integer NOT NULL REFERENCES codecairn.members,
    fact text NOT NULL CHECK (fact ~ '^[0-9a-f]{20}$'),
    kind text NOT NULL CHECK (kind IN ('asserted', 'ended', 'erased')),
    body bytea NOT NULL CHECK (octet_length(body) BETWEEN 1 AND 131072),
    valid_from timestamptz NOT NULL,
    valid_to timestamptz,
    recorded_at timestamptz NOT NULL
);
CREATE SEQUENCE codecairn.fact_numbers;
CREATE INDEX facts_of_repository ON codecairn.facts (repository, seq);
CREATE INDEX facts_by_id ON codecairn.facts (repository, fact);
