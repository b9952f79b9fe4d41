//! Work that is done later, by whichever process lives: jobs and deliveries under a lease, and what models cost.

use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use codecairn_base::error::Result;

use super::memory::Memory;

/// How long a failed job waits at first; each further failure doubles it.
const FIRST_WAIT_MS: i64 = 1_000;
/// Failures after which a job is left for a person to look at.
const MAX_ATTEMPTS: i64 = 8;

/// A job that somebody has taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// What it is called.
    pub number: i64,
    /// Which sort of work.
    pub kind: String,
    /// What tells it from others of its kind.
    pub key: String,
    /// What is needed to do it, as JSON.
    pub payload: String,
    /// How often it was tried before.
    pub attempts: u32,
}

/// What one call of a model cost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cost {
    /// Who was called.
    pub provider: String,
    /// Which model.
    pub model: String,
    /// For what.
    pub purpose: String,
    /// Tokens that went in.
    pub input_tokens: u64,
    /// Of these, tokens that the provider had cached.
    pub cached_tokens: u64,
    /// Tokens that came out.
    pub output_tokens: u64,
    /// Its price, in millionths of a dollar.
    pub microdollars: u64,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Whether it succeeded.
    pub is_ok: bool,
}

impl Memory {
    /// Puts a job in line; one of its kind and key that waits already takes the newer payload and time. Returns its
    /// number.
    pub fn enqueue(&self, kind: &str, key: &str, payload: &str, delay_ms: i64) -> Result<i64> {
        let run_after = self.now_ms() + delay_ms;
        let (payload, _) = super::privacy::cleaned(payload, self.options.unclosed);
        self.write(|database| {
            database.only(
                "INSERT INTO job (kind, key, session, payload, state, run_after_ms, attempts, owner, lease_ms, error) \
                 VALUES (?1, ?2, NULL, ?3, 'waiting', ?4, 0, '', 0, '') ON CONFLICT (kind, key) WHERE state = 'waiting' \
                 DO UPDATE SET payload = ?3, run_after_ms = ?4 RETURNING number",
                params![kind, key, payload, run_after],
                |row| Ok(row.get(0)?),
            )
        })
    }

    /// Takes the job of this kind that is due the longest, for `lease_ms`; a job whose owner's lease ran out is due
    /// again. Two processes never hold the same job.
    pub fn claim(&self, kind: &str, owner: &str, lease_ms: i64) -> Result<Option<Job>> {
        let now = self.now_ms();
        self.write(|database| {
            database.first(
                "UPDATE job SET state = 'running', owner = ?2, lease_ms = ?3 + ?4, attempts = attempts + 1 \
                 WHERE number = (SELECT number FROM job WHERE kind = ?1 AND (state = 'waiting' AND run_after_ms <= ?3 \
                 OR state = 'running' AND lease_ms < ?3) ORDER BY run_after_ms, number LIMIT 1) \
                 RETURNING number, kind, key, payload, attempts - 1",
                params![kind, owner, now, lease_ms],
                read,
            )
        })
    }

    /// Ends a job that its owner has done. False if the lease was lost meanwhile.
    pub fn finish(&self, number: i64, owner: &str) -> Result<bool> {
        self.write(|database| {
            let sql = "DELETE FROM job WHERE number = ?1 AND owner = ?2 AND state = 'running'";
            Ok(database.run(sql, params![number, owner])? > 0)
        })
    }

    /// Puts a job back that failed, later each time; after many failures it is kept aside, never dropped.
    pub fn fail(&self, number: i64, owner: &str, error: &str) -> Result<bool> {
        let now = self.now_ms();
        let (error, _) = super::privacy::cleaned(error, self.options.unclosed);
        self.write(|database| {
            let sql = "SELECT attempts, kind, key FROM job WHERE number = ?1 AND owner = ?2 AND state = 'running'";
            let found = database.first(sql, params![number, owner], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
            })?;
            let Some((attempts, kind, key)) = found else { return Ok(false) };
            let newer = database.first(
                "SELECT 1 FROM job WHERE kind = ?1 AND key = ?2 AND state = 'waiting'",
                params![kind, key],
                |_| Ok(()),
            )?;
            if newer.is_some() {
                // The same work waits already, with newer data.
                database.run("DELETE FROM job WHERE number = ?1", [number])?;
                return Ok(true);
            }
            let state = if attempts >= MAX_ATTEMPTS { "dead" } else { "waiting" };
            let wait = FIRST_WAIT_MS << (attempts.clamp(1, 20) - 1);
            let sql =
                "UPDATE job SET state = ?2, owner = '', lease_ms = 0, run_after_ms = ?3, error = ?4 WHERE number = ?1";
            database.run(sql, params![number, state, now + wait, error])?;
            Ok(true)
        })
    }

    /// Writes down what a call of a model cost.
    pub fn note_cost(&self, cost: &Cost) -> Result<()> {
        let now = self.now_ms();
        self.write(|database| {
            database
                .run(
                    "INSERT INTO cost (ts_ms, provider, model, purpose, input_tokens, cached_tokens, output_tokens, \
                     microdollars, duration_ms, is_ok) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                    params![
                        now,
                        cost.provider,
                        cost.model,
                        cost.purpose,
                        cost.input_tokens as i64,
                        cost.cached_tokens as i64,
                        cost.output_tokens as i64,
                        cost.microdollars as i64,
                        cost.duration_ms as i64,
                        cost.is_ok
                    ],
                )
                .map(drop)
        })
    }
}

fn read(row: &Row<'_>) -> Result<Job> {
    Ok(Job {
        number: row.get(0)?,
        kind: row.get(1)?,
        key: row.get(2)?,
        payload: row.get(3)?,
        attempts: row.get::<_, i64>(4)?.max(0) as u32,
    })
}
