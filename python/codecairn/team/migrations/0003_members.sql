-- Members come and go. These functions run as the owner of the schema, who may create roles.

-- Whether the role that logged in made the team, or may act for the role that did.
CREATE FUNCTION codecairn.is_owner() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    RETURN (
        SELECT pg_has_role(session_user, nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'codecairn'
    );

-- Creates a member with a role to log in, or replaces an invitation that was not accepted, with the grants that came with it;
-- only the owner and the member who sent it do. Callers are the owner, and administrators of a repository. The password is given
-- as a verifier of SCRAM-SHA-256, so the server never sees it.
CREATE FUNCTION codecairn.invite(member_name text, verifier text, days integer) RETURNS name
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    team_tag text := (SELECT tag FROM codecairn.team);
    login text := format('codecairn.%s.%s', team_tag, member_name);
    until text := (clock_timestamp() + make_interval(days => days))::text;
    known codecairn.members := (SELECT members FROM codecairn.members WHERE members.name = member_name);
BEGIN
    IF NOT codecairn.is_owner() AND NOT EXISTS (
        SELECT FROM codecairn.grants
        WHERE member = codecairn.current_member() AND revoked_at IS NULL AND role = 'admin'
    ) THEN
        RAISE EXCEPTION 'only administrators invite' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF member_name !~ '^[a-z0-9][a-z0-9_-]{0,30}$' THEN
        RAISE EXCEPTION 'not a name of a member' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF verifier !~ '^SCRAM-SHA-256\$[0-9]+:[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+$' THEN
        RAISE EXCEPTION 'not a verifier of a password' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF days NOT BETWEEN 1 AND 90 THEN
        RAISE EXCEPTION 'an invitation lasts 1 to 90 days' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF known.id IS NULL THEN
        EXECUTE format(
            'CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 50 '
            'PASSWORD %L VALID UNTIL %L IN ROLE codecairn_members', login, verifier, until);
        INSERT INTO codecairn.members (name, role_name, invited_by)
        VALUES (member_name, login, codecairn.current_member());
        RETURN login;
    END IF;
    IF known.joined_at IS NOT NULL AND known.left_at IS NULL THEN
        RAISE EXCEPTION 'is a member' USING ERRCODE = 'unique_violation';
    END IF;
    -- The keys of a member who left go on verifying what that member wrote, so they are another member's now.
    IF known.joined_at IS NOT NULL THEN
        RAISE EXCEPTION 'has left' USING ERRCODE = 'unique_violation';
    END IF;
    IF NOT codecairn.is_owner() AND known.invited_by IS DISTINCT FROM codecairn.current_member() THEN
        RAISE EXCEPTION 'was invited by another member' USING ERRCODE = 'unique_violation';
    END IF;
    DELETE FROM codecairn.grants WHERE member = known.id;
    EXECUTE format('ALTER ROLE %I LOGIN PASSWORD %L VALID UNTIL %L', known.role_name, verifier, until);
    UPDATE codecairn.members SET invited_by = codecairn.current_member(), invited_at = clock_timestamp()
    WHERE id = known.id;
    RETURN known.role_name;
END $$;

-- Accepts an invitation, once: the member's keys are set, and its password no longer expires.
CREATE FUNCTION codecairn.accept(
    signing bytea, sealing bytea, signature_of_sealing bytea, introduced bytea, accepted bytea
) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE codecairn.members SET signing_key = signing, sealing_key = sealing, sealing_signature = signature_of_sealing,
        introduction = introduced, acceptance = accepted, joined_at = clock_timestamp()
    WHERE role_name = session_user AND joined_at IS NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'this invitation was accepted before' USING ERRCODE = 'unique_violation';
    END IF;
    EXECUTE format('ALTER ROLE %I VALID UNTIL ''infinity''', session_user);
END $$;

-- Ends a membership: every grant is revoked, and the role can't log in. An invitation that was not accepted is taken back without a
-- trace, by its sender or the owner, so that the name is free again.
CREATE FUNCTION codecairn.remove_member(member_name text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known codecairn.members := (SELECT members FROM codecairn.members WHERE members.name = member_name);
BEGIN
    IF NOT codecairn.is_owner()
        AND NOT coalesce(known.joined_at IS NULL AND known.invited_by = codecairn.current_member(), false)
    THEN
        RAISE EXCEPTION 'only the owner of the team removes members' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF known.id IS NULL OR known.left_at IS NOT NULL THEN
        RETURN false;
    END IF;
    IF known.joined_at IS NULL THEN
        DELETE FROM codecairn.grants WHERE member = known.id;
        DELETE FROM codecairn.members WHERE id = known.id;
        EXECUTE format('DROP ROLE %I', known.role_name);
        RETURN true;
    END IF;
    UPDATE codecairn.grants SET revoked_at = clock_timestamp() WHERE member = known.id AND revoked_at IS NULL;
    UPDATE codecairn.members SET left_at = clock_timestamp() WHERE id = known.id;
    IF known.role_name <> session_user THEN
        EXECUTE format('ALTER ROLE %I NOLOGIN', known.role_name);
    END IF;
    RETURN true;
END $$;

-- The number of a member by name, for administrators, who grant to members that they share no repository with yet.
CREATE FUNCTION codecairn.find_member(member_name text) RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    RETURN (
        SELECT id FROM codecairn.members
        WHERE name = member_name AND left_at IS NULL AND (codecairn.is_owner() OR EXISTS (
            SELECT FROM codecairn.grants
            WHERE member = codecairn.current_member() AND revoked_at IS NULL AND role = 'admin'
        ))
    );

-- The keys of members that the member who logged in shares a repository with, and of those who introduced them.
CREATE FUNCTION codecairn.member_keys() RETURNS TABLE (
    id integer, name text, signing_key bytea, sealing_key bytea, sealing_signature bytea, introduction bytea, acceptance bytea,
    has_left boolean
)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        WITH RECURSIVE found AS (
            SELECT members.id, members.invited_by FROM codecairn.members
            WHERE codecairn.is_owner() OR codecairn.is_colleague(members.id)
            UNION
            SELECT inviting.id, inviting.invited_by
            FROM codecairn.members AS inviting JOIN found ON inviting.id = found.invited_by
        )
        SELECT members.id, members.name, members.signing_key, members.sealing_key, members.sealing_signature,
            members.introduction, members.acceptance, members.left_at IS NOT NULL
        FROM found JOIN codecairn.members ON members.id = found.id ORDER BY members.name;
    END;

-- Deletes the head of a branch, as one that a publisher made useless or whose branch is merged; whether there was one.
CREATE FUNCTION codecairn.delete_ref(of_repository uuid, of_branch text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    named bytea;
BEGIN
    IF NOT codecairn.is_owner() AND NOT codecairn.has_role(of_repository, 'admin') THEN
        RAISE EXCEPTION 'only administrators delete branches' USING ERRCODE = 'insufficient_privilege';
    END IF;
    DELETE FROM codecairn.refs WHERE repository = of_repository AND branch = of_branch RETURNING manifest INTO named;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE codecairn.manifests SET retired_at = clock_timestamp()
    WHERE repository = of_repository AND id = named AND NOT EXISTS (
        SELECT FROM codecairn.refs WHERE repository = of_repository AND manifest = named
    );
    RETURN true;
END $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA codecairn FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA codecairn TO codecairn_members;
