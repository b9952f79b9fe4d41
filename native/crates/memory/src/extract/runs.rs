//! Extracts facts from commands: the edits that made a failing command pass.

use rusqlite::params;

use codecairn_base::error::Result;

use super::candidate::{Candidate, EventContext};
use crate::words::{FactType, Origin};

/// How far back a failure is looked for, in events of the session's project.
const REACH: i64 = 400;

/// Files named in a fix.
const MAX_FILES: usize = 6;

/// The fix that a command which passes shows.
pub(super) fn find(moment: &EventContext<'_>) -> Result<Option<Candidate>> {
    let has_passed = moment.event.exit_code == Some(0) && !moment.event.command.trim().is_empty();
    if has_passed { fix(moment) } else { Ok(None) }
}

/// A line that counts tests.
fn is_summary(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    lower.len() < 300
        && lower.bytes().any(|byte| byte.is_ascii_digit())
        && ["passed", "failed", "passing", "failing", "failures"].iter().any(|word| lower.contains(word))
}

/// How lines begin in which a program that runs others, or a compiler at its end, repeats that something has failed.
const CONSEQUENCES: [&str; 11] = [
    "make: ***",
    "make[",
    "gmake: ***",
    "ninja: build stopped",
    "npm err",
    "error: command failed",
    "error command failed",
    "error: recipe",
    "error: could not compile",
    "error: aborting due to",
    "error: test failed",
];

/// A line that repeats that something has failed, without its cause.
fn is_consequence(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    CONSEQUENCES.iter().any(|start| lower.starts_with(start))
}

/// A failure of the same command in the same session, edits after it, and now it passes. A failure that follows the
/// session's own edits and is fixed by the next ones is a normal part of the work, and is not stored.
fn fix(moment: &EventContext<'_>) -> Result<Option<Candidate>> {
    let database = moment.database;
    let failure = database.first(
        "SELECT seq, body FROM event WHERE session = ?1 AND seq < ?2 AND seq > ?2 - ?4 AND command = ?3 \
         AND exit_code IS NOT NULL ORDER BY seq DESC LIMIT 1",
        params![moment.session, moment.seq, moment.event.command, REACH],
        |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)),
    )?;
    let Some((failed, output)) = failure else { return Ok(None) };
    let is_failure = database.first(
        "SELECT 1 FROM event WHERE seq = ?1 AND exit_code <> 0 AND resolved_seq IS NULL",
        [failed],
        |_| Ok(()),
    )?;
    if is_failure.is_none() {
        return Ok(None);
    }
    let edits = database.all(
        "SELECT path, max(seq) FROM event WHERE session = ?1 AND seq > ?2 AND seq < ?3 \
         AND category IN ('file-edit', 'file-write') AND path <> '' GROUP BY path ORDER BY max(seq)",
        [moment.session, failed, moment.seq],
        |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)),
    )?;
    if edits.is_empty() {
        return Ok(None);
    }
    database.run("UPDATE event SET resolved_seq = ?2 WHERE seq = ?1", [failed, moment.seq])?;
    if is_own_mistake(moment, failed)? {
        return Ok(None);
    }
    let files: Vec<String> = edits.iter().take(MAX_FILES).map(|edit| format!("`{}`", edit.0)).collect();
    let more = if edits.len() > MAX_FILES { format!(" and {} more", edits.len() - MAX_FILES) } else { String::new() };
    let command = one_line(&moment.event.command);
    // Without the error nobody would know it again.
    let Some(error) = error_line(&output) else { return Ok(None) };
    let text = format!("`{command}` failed with `{error}`; it passes after changing {}{more}", files.join(", "));
    let mut candidate = Candidate::new(FactType::ErrorSolution, text, Origin::Tool, 0.8, "fix");
    candidate.sources = std::iter::once(failed).chain(edits.iter().map(|edit| edit.1)).collect();
    Ok(Some(candidate))
}

/// Whether the first failure of the command since it last passed follows edits of the session, and is the only one.
fn is_own_mistake(moment: &EventContext<'_>, failed: i64) -> Result<bool> {
    let passed = moment.database.first(
        "SELECT coalesce(max(seq), 0) FROM event WHERE session = ?1 AND seq < ?2 AND command = ?3 AND exit_code = 0",
        params![moment.session, failed, moment.event.command],
        |row| Ok(row.get::<_, i64>(0)?),
    )?;
    let passed = passed.unwrap_or_default();
    let found = moment.database.first(
        "SELECT count(*) = 1 AND EXISTS (SELECT 1 FROM event WHERE session = ?1 AND seq > ?2 AND seq < ?3 \
         AND category IN ('file-edit', 'file-write')) \
         FROM event WHERE session = ?1 AND seq > ?2 AND seq <= ?3 AND command = ?4 AND exit_code <> 0",
        params![moment.session, passed, failed, moment.event.command],
        |row| Ok(row.get::<_, bool>(0)?),
    )?;
    Ok(found.unwrap_or_default())
}

/// The line of an output with the error.
fn error_line(output: &str) -> Option<String> {
    let names_error = |line: &&str| {
        let lower = line.to_ascii_lowercase();
        ["error", "exception", "panicked", "assert", "failed", "not found", "denied"]
            .iter()
            .any(|word| lower.contains(word))
    };
    let is_cause = |line: &&str| names_error(line) && !is_summary(line) && !is_consequence(line);
    let line = output.lines().map(str::trim).rfind(is_cause);
    let line = line.or_else(|| output.lines().map(str::trim).find(names_error))?;
    Some(line[..line.floor_char_boundary(160)].replace('`', "'"))
}

fn one_line(command: &str) -> String {
    let line = command.split_whitespace().collect::<Vec<_>>().join(" ");
    line[..line.floor_char_boundary(160)].to_owned()
}
