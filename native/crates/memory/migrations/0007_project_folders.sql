-- The folders of projects: a main working tree, a repository without one, or a folder without git. Remotes and names stay in
-- `project_alias`; that table no longer has paths, as a path alone doesn't tell a folder from a later one.
CREATE TABLE project_folder (
    path       TEXT PRIMARY KEY,          -- where it was last met
    mark       TEXT,                      -- what stays when it is moved; null if not known
    repository TEXT,                      -- the same of its git folder; null without one
    remote     TEXT,                      -- the alias of its remote when it was last met; null without one
    project    INTEGER NOT NULL,
    former     INTEGER                    -- the project that it had, or might have had, before
) STRICT, WITHOUT ROWID;
CREATE INDEX project_folder_by_mark ON project_folder (mark) WHERE mark IS NOT NULL;
CREATE INDEX project_folder_by_project ON project_folder (project);

INSERT OR IGNORE INTO project_folder (path, project)
SELECT CASE WHEN alias LIKE '%/.git' OR alias LIKE '%\.git'
            THEN substr(alias, 12, length(alias) - 16) ELSE substr(alias, 12) END, project
FROM project_alias WHERE alias LIKE 'repository:%';

UPDATE project_folder SET former = (
    SELECT project FROM project_alias
    WHERE alias = 'folder:' || project_folder.path AND project_alias.project <> project_folder.project);

INSERT OR IGNORE INTO project_folder (path, project)
SELECT substr(alias, 8), project FROM project_alias WHERE alias LIKE 'folder:%';

DELETE FROM project_alias WHERE alias LIKE 'repository:%' OR alias LIKE 'folder:%';
