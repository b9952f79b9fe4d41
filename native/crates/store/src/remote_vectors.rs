//! Records the texts that an embedder rejected, and the cost of its vectors.
//!
//! Invariant: failures and costs are written in the batch of the vectors that they belong to.

use std::collections::{BTreeMap, BTreeSet};

use codecairn_base::bitmap::Bitmap;
use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_base::id::{EmbedderId, TextId};

use super::batch::Batch;
use super::column::Column;
use super::key_index::{first_bytes, hash_of};
use super::snapshot::Snapshot;
use super::sorted_runs::{self, Space};
use super::vector_blocks;
use super::write_guard::WriteGuard;
use codecairn_base::database::Database;

/// What vectors have cost so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spending {
    /// Requests that were answered.
    pub requests: u64,
    /// Texts that were embedded, parts of long ones counted each.
    pub texts: u64,
    /// Tokens that were charged.
    pub tokens: u64,
    /// Millionths of a US dollar.
    pub micro_usd: u64,
}

impl Snapshot {
    /// The texts that have their vector of an embedder, by number.
    pub fn embedded_texts(&self, embedder: EmbedderId) -> Result<Bitmap> {
        let end = self.database().number(Column::Text.length_key())? as usize;
        let mut texts = Bitmap::new(end);
        let (first, last) = vector_blocks::rows_of(embedder);
        let sql = "SELECT id, present FROM vector_block WHERE id BETWEEN ?1 AND ?2";
        self.database().each(sql, [first, last], |row| {
            let (base, mut bits) = (vector_blocks::first_text(row.get(0)?), row.get::<_, i64>(1)? as u64);
            while bits != 0 {
                let text = base.wrapping_add(bits.trailing_zeros()) as usize;
                if text < end {
                    texts.set(text);
                }
                bits &= bits - 1;
            }
            Ok(())
        })?;
        Ok(texts)
    }

    /// How many texts the store has, collected ones left out.
    pub fn text_count(&self) -> Result<u64> {
        let end = self.database().number(Column::Text.length_key())? as u32;
        let mut count = 0;
        Column::Text.each(self.database(), 0, end, |_, entry| {
            count += u64::from(entry.iter().any(|byte| *byte != 0));
        })?;
        Ok(count)
    }

    /// The texts with these hashes, as far as the store has them, with their hashes.
    pub fn texts_for(&self, hashes: &[ContentHash]) -> Result<BTreeMap<TextId, ContentHash>> {
        let runs = sorted_runs::runs(self.database(), Space::Text)?;
        let (mut texts, mut candidates) = (BTreeMap::new(), Vec::new());
        for hash in hashes {
            candidates.clear();
            sorted_runs::look_up(self.database(), &runs, first_bytes(*hash), &mut candidates)?;
            for text in candidates.iter().copied().map(TextId) {
                if self.text_hash(text)? == Some(*hash) {
                    texts.insert(text, *hash);
                }
            }
        }
        Ok(texts)
    }

    /// The hashes of these texts, which are in ascending order; collected ones are passed over.
    pub fn hashes_of(&self, texts: &[TextId]) -> Result<Vec<ContentHash>> {
        let (Some(first), Some(last)) = (texts.first(), texts.last()) else { return Ok(Vec::new()) };
        let mut hashes = Vec::with_capacity(texts.len());
        Column::Text.each(self.database(), first.0, last.0 + 1, |text, entry| {
            if entry.iter().any(|byte| *byte != 0) && texts.binary_search(&TextId(text)).is_ok() {
                hashes.push(hash_of(entry));
            }
        })?;
        Ok(hashes)
    }

    /// The texts that need no vector.
    pub fn plain_texts(&self) -> Result<BTreeSet<TextId>> {
        plain_texts(self.database())
    }

    /// The texts that an embedder could not take, with the reasons, by hash.
    pub fn failures(&self, embedder: EmbedderId) -> Result<Vec<(ContentHash, String)>> {
        let sql = "SELECT hash, reason FROM failed_text WHERE embedder = ?1 ORDER BY hash";
        self.database().all(sql, [embedder.0], |row| Ok((ContentHash::from_bytes(row.get(0)?), row.get(1)?)))
    }

    /// What each embedder's vectors have cost, by its name.
    pub fn spending(&self) -> Result<Vec<(String, Spending)>> {
        let sql = "SELECT embedder, requests, texts, tokens, micro_usd FROM spending ORDER BY embedder";
        self.database().all(sql, [], |row| {
            let number = |at| row.get::<_, i64>(at).map(|number| number as u64);
            let spending =
                Spending { requests: number(1)?, texts: number(2)?, tokens: number(3)?, micro_usd: number(4)? };
            Ok((row.get(0)?, spending))
        })
    }
}

impl Batch<'_> {
    /// The number of the text with this hash, if the store has it.
    pub fn text_for(&mut self, hash: ContentHash) -> Result<Option<TextId>> {
        self.run_step(|batch| batch.find_text(hash))
    }

    /// Records why an embedder rejected a text.
    pub fn record_failure(&mut self, embedder: EmbedderId, hash: ContentHash, reason: &str) -> Result<()> {
        self.run_step(|batch| {
            let sql = "INSERT OR REPLACE INTO failed_text (embedder, hash, reason) VALUES (?1, ?2, ?3)";
            batch.database().run(sql, (embedder.0, hash.as_bytes(), reason)).map(drop)
        })
    }

    /// Forgets a failure, as the text has its vector now.
    pub fn forget_failure(&mut self, embedder: EmbedderId, hash: ContentHash) -> Result<()> {
        self.run_step(|batch| {
            let sql = "DELETE FROM failed_text WHERE embedder = ?1 AND hash = ?2";
            batch.database().run(sql, (embedder.0, hash.as_bytes())).map(drop)
        })
    }

    /// Adds to the cost of an embedder's vectors.
    pub fn add_spending(&mut self, embedder: &str, spending: Spending) -> Result<()> {
        self.run_step(|batch| {
            let Spending { requests, texts, tokens, micro_usd } = spending;
            let sql = "INSERT INTO spending (embedder, requests, texts, tokens, micro_usd) VALUES (?1, ?2, ?3, ?4, ?5) \
                       ON CONFLICT (embedder) DO UPDATE SET requests = requests + excluded.requests, \
                       texts = texts + excluded.texts, tokens = tokens + excluded.tokens, \
                       micro_usd = micro_usd + excluded.micro_usd";
            let row = (embedder, requests as i64, texts as i64, tokens as i64, micro_usd as i64);
            batch.database().run(sql, row).map(drop)
        })
    }
}

impl WriteGuard {
    /// Lists every text that needs a vector as pending, for an embedder that has neither vectors nor pending texts yet.
    pub fn list_all_texts(&mut self, embedder: EmbedderId) -> Result<()> {
        let (first, last) = vector_blocks::rows_of(embedder);
        let sql = "SELECT 1 FROM vector_block WHERE id BETWEEN ?1 AND ?2 LIMIT 1";
        if self.database().first(sql, [first, last], |_| Ok(()))?.is_some() {
            return Ok(());
        }
        let plain = plain_texts(self.database())?;
        let end = self.database().number(Column::Text.length_key())? as u32;
        let mut texts = Vec::with_capacity(end as usize);
        Column::Text.each(self.database(), 0, end, |text, entry| {
            if entry.iter().any(|byte| *byte != 0) && !plain.contains(&TextId(text)) {
                texts.push(TextId(text));
            }
        })?;
        if texts.is_empty() {
            return Ok(());
        }
        let mut batch = self.begin()?;
        batch.add_pending(embedder, texts)?;
        batch.commit()
    }
}

fn plain_texts(database: &Database) -> Result<BTreeSet<TextId>> {
    let texts = database.all("SELECT text FROM plain_text", [], |row| Ok(TextId(row.get(0)?)))?;
    Ok(texts.into_iter().collect())
}
