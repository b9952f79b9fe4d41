//! Stores the vectors that a provider made of facts and talk, and finds the records that are nearest to a query's vector.
//!
//! They lie in the table of the built-in model's vectors, under the name of the provider's space, so that whatever
//! removes a text's vector removes these too. Which texts wait for a vector is derived from the tables: a run that is
//! killed loses nothing, and a new model has everything to do. What is private is never given out to be embedded.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use rusqlite::params;

use codecairn_base::database::Database;
use codecairn_base::error::{Error, Result};
use codecairn_base::hash::ContentHash;
use codecairn_lexical::analyzer::for_each_term;
use codecairn_model::vector::{QuantisedVector, quantise};

use super::log;
use super::memory::Memory;
use super::signals::Signals;
use super::text::{EventFilter, SearchHit, Space};

/// The records that are added to the candidates of a recall.
const NEAREST: usize = 100;
/// The texts whose records are looked up for that; conditions may exclude nearly all of them.
const MAX_LOOKUPS: usize = 10_000;
/// A cosine so many standard deviations above the mean counts as much as a cosine of 1 of the built-in model, for which
/// the weights of recall are fitted. Cosines of texts on different topics are near 0 in some models and near 0.8 in
/// others, so they are compared with those of all texts. Of 4 to 8 deviations, 5 to 6.5 ranked the answers of
/// `benches/memory/answers` best.
const DEVIATIONS: f32 = 6.5;
/// Deviations from the mean beyond which a cosine has no part in them.
const OUTLIER: f32 = 2.5;
/// The smallest standard deviation, as a share of the distance from the mean to 1.
const MIN_DEVIATION: f32 = 0.06;
/// The points of the score by which a likeness above [`MIN_PARAPHRASE`] counts more: hardly any text is that much alike
/// by chance, and words that happen to be common must not outweigh it. On `benches/memory/answers` it changes little.
const PARAPHRASE: f32 = 10.0;
/// See [`PARAPHRASE`].
const MIN_PARAPHRASE: f32 = 0.8;
/// The highest likeness.
const MAX_LIKENESS: f32 = 1.5;
/// Texts of no memory that are embedded too: in a small memory the mean and the deviation rest on them.
const REFERENCES: [&str; 24] = [
    "The integration tests fail on the second attempt because a temporary file is still open.",
    "Please rename this function and update the places that call it.",
    "The container image is built from a slim base and runs as an unprivileged user.",
    "We decided to keep the old endpoint for one more release.",
    "A null value in the configuration made the parser crash at startup.",
    "The button on the settings page should be disabled until the form is valid.",
    "Run the formatter before you commit.",
    "The table has an index on the customer and the date of the order.",
    "Requests that take longer than ten seconds are cancelled by the gateway.",
    "I updated the documentation and added an example.",
    "Memory use grows with the number of open connections.",
    "The certificate expires in March and is renewed by hand.",
    "The bakery on the corner sells out of bread before noon.",
    "Her grandmother taught her to play the violin.",
    "The train to the coast was delayed by heavy snow.",
    "Fold the egg whites gently into the batter.",
    "The museum shows paintings of the seventeenth century.",
    "He repaired the bicycle and painted it red.",
    "Interest rates were left unchanged this quarter.",
    "The match ended in a draw after extra time.",
    "Whales sing to each other over long distances.",
    "Water the plants twice a week in summer.",
    "The patient was advised to rest for several days.",
    "They moved to a village in the mountains.",
];
/// The length signal saturates at this number of terms, as that of the full-text search does.
const MAX_LENGTH: u32 = 64;

/// The texts of a project that may be sent: facts that hold, and what users and agents said. Tool output is left out:
/// it is most of the bytes, and found by its words. `?1` is the project; `?2` the space.
const TEXTS: &str = "SELECT fact.text_hash AS hash, 0 AS is_talk, fact.number AS place FROM fact \
     WHERE fact.project IN (?1, 0) AND fact.state = 'live' AND fact.is_private = 0 AND fact.text <> '' \
     UNION ALL SELECT event.text_hash, 1, event.seq FROM event WHERE event.project = ?1 \
     AND event.role IN ('user', 'assistant') AND event.is_private = 0 AND event.body <> '' \
     AND event.text_hash <> x'99aa06d3014798d86001c324468d497f'";

/// Whether a text, given by the SQL of its hash, is marked as private anywhere.
fn is_private(hash: &str) -> String {
    format!(
        "(EXISTS (SELECT 1 FROM event WHERE event.text_hash = {hash} AND event.is_private = 1) \
         OR EXISTS (SELECT 1 FROM fact WHERE fact.text_hash = {hash} AND fact.is_private = 1))"
    )
}

/// Whether a text, given by the SQL of its hash, may have a provider's vector.
fn may_be_sent(hash: &str) -> String {
    format!(
        "(EXISTS (SELECT 1 FROM fact WHERE fact.text_hash = {hash} AND fact.state = 'live') \
         OR EXISTS (SELECT 1 FROM event WHERE event.text_hash = {hash} AND event.role IN ('user', 'assistant'))) \
         AND NOT {}",
        is_private(hash)
    )
}

/// The vector that a provider made of a query. Its clones share what it was compared with: a prompt is recalled by each of
/// its sentences.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueryEmbedding {
    /// The name of the vector space: provider, model and dimensions.
    pub space: String,
    /// The vector.
    pub values: Vec<f32>,
    #[serde(skip)]
    likeness: Arc<OnceLock<Option<RemoteLikeness>>>,
}

impl PartialEq for QueryEmbedding {
    fn eq(&self, other: &Self) -> bool {
        (&self.space, &self.values) == (&other.space, &other.values)
    }
}

impl QueryEmbedding {
    /// The vector of a query in a provider's space.
    pub fn new(space: String, values: Vec<f32>) -> Self {
        Self { space, values, likeness: Arc::default() }
    }

    /// How alike all stored texts are; `None` if there are no vectors in its space.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if a vector of the space has other dimensions than the query's.
    pub(super) fn likeness(&self, database: &Database) -> Result<Option<&RemoteLikeness>> {
        if self.likeness.get().is_none() {
            let _ = self.likeness.set(RemoteLikeness::read(database, self)?);
        }
        Ok(self.likeness.get().and_then(Option::as_ref))
    }
}

/// How far the vectors of a space have come.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct RemoteVectorCounts {
    /// Distinct texts that may be sent.
    pub texts: u64,
    /// Texts with a vector.
    pub embedded: u64,
    /// Texts that the provider refused.
    pub refused: u64,
}

impl Memory {
    /// The hashes of the project's texts that have no vector in `space` and may be sent: facts first, the newest first;
    /// texts that the provider refused last.
    pub fn texts_without_vector(&self, space: &str) -> Result<Vec<ContentHash>> {
        let sql = format!(
            "SELECT hash FROM ({TEXTS}) AS text \
             LEFT JOIN vector ON vector.text_hash = text.hash AND vector.model = ?2 \
             WHERE (vector.data IS NULL OR length(vector.data) = 0) AND NOT {} \
             GROUP BY hash ORDER BY max(vector.data IS NOT NULL), min(is_talk), max(place) DESC",
            is_private("text.hash")
        );
        let found = self.read(|database, project| {
            let is_missing = "SELECT NOT EXISTS (SELECT 1 FROM vector WHERE text_hash = ?1 AND model = ?2)";
            let texts: Vec<ContentHash> = database.all(&sql, params![project, space], |row| hash_in(row, 0))?;
            let mut hashes = Vec::with_capacity(texts.len() + REFERENCES.len());
            for hash in REFERENCES.iter().filter(|_| !texts.is_empty()).map(|text| ContentHash::of(text.as_bytes())) {
                if database.only(is_missing, params![hash.as_bytes(), space], |row| Ok(row.get::<_, bool>(0)?))? {
                    hashes.push(hash);
                }
            }
            hashes.extend(texts);
            Ok(hashes)
        })?;
        Ok(found.unwrap_or_default())
    }

    /// The texts of these hashes; those that were purged, forgotten or made private meanwhile are left out.
    pub fn texts_to_embed(&self, hashes: &[ContentHash]) -> Result<Vec<(ContentHash, String)>> {
        let sendable = format!("SELECT {}", may_be_sent("?1"));
        let found = self.read(|database, _| {
            let mut texts = Vec::with_capacity(hashes.len());
            for hash in hashes {
                if let Some(text) = reference(hash) {
                    texts.push((*hash, text.to_owned()));
                } else if database.only(&sendable, [hash.as_bytes()], |row| Ok(row.get::<_, bool>(0)?))? {
                    texts.extend(text_of(database, hash)?.map(|text| (*hash, text)));
                }
            }
            Ok(texts)
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Stores vectors of `dimensions` in `space`, and removes those that other models of providers made of the same
    /// texts. `None` marks a text that the provider refused. A text that was purged, forgotten or made private meanwhile
    /// gets none. Returns how many were stored.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if a vector has other dimensions, or `space` is that of the built-in model.
    pub fn put_remote_vectors(
        &self,
        space: &str,
        dimensions: usize,
        vectors: &[(ContentHash, Option<Vec<f32>>)],
    ) -> Result<u64> {
        if space.is_empty() || space == self.model.id() {
            return Err(Error::InvalidArgument(format!("`{space}` is no space of a provider")));
        }
        let rows = vectors.iter().map(|(hash, vector)| {
            let bytes = vector.as_ref().map(|vector| stored(vector, dimensions)).transpose()?;
            Ok((hash, bytes.unwrap_or_default()))
        });
        let rows: Vec<(&ContentHash, Vec<u8>)> = rows.collect::<Result<_>>()?;
        let insert_any = "INSERT OR REPLACE INTO vector (text_hash, model, data) SELECT ?1, ?2, ?3".to_owned();
        let insert = format!("{insert_any} WHERE {}", may_be_sent("?1"));
        self.write(|database| {
            let mut stored = 0;
            for (hash, bytes) in &rows {
                let insert = if reference(hash).is_some() { &insert_any } else { &insert };
                if database.run(insert, params![hash.as_bytes(), space, bytes])? > 0 {
                    stored += 1;
                    let sql = "DELETE FROM vector WHERE text_hash = ?1 AND model NOT IN (?2, ?3)";
                    database.run(sql, params![hash.as_bytes(), space, self.model.id()])?;
                }
            }
            Ok(stored)
        })
    }

    /// Whether any text of any project has a vector in `space`.
    pub fn has_remote_vectors(&self, space: &str) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM vector WHERE model = ?1 AND length(data) > 0)";
        let found = self.read(|database, _| database.only(sql, [space], |row| Ok(row.get::<_, bool>(0)?)))?;
        Ok(found.unwrap_or(false))
    }

    /// How many of the project's texts have a vector in `space`.
    pub fn remote_vector_counts(&self, space: &str) -> Result<RemoteVectorCounts> {
        let sql = format!(
            "SELECT count(*), coalesce(sum(length(vector.data) > 0), 0), coalesce(sum(length(vector.data) = 0), 0) \
             FROM (SELECT hash FROM ({TEXTS}) GROUP BY hash) AS text \
             LEFT JOIN vector ON vector.text_hash = text.hash AND vector.model = ?2 WHERE NOT {}",
            is_private("text.hash")
        );
        let found = self.read(|database, project| {
            database.only(&sql, params![project, space], |row| {
                let count = |at| Ok::<_, Error>(row.get::<_, i64>(at)? as u64);
                Ok(RemoteVectorCounts { texts: count(0)?, embedded: count(1)?, refused: count(2)? })
            })
        })?;
        Ok(found.unwrap_or_default())
    }
}

/// Removes the providers' vectors of a fact's texts that may no longer be sent. Runs inside a transaction.
pub(super) fn remove_of_fact(database: &Database, id: &str, builtin: &str) -> Result<()> {
    let sql = format!(
        "DELETE FROM vector WHERE model <> ?2 AND text_hash IN (SELECT text_hash FROM fact WHERE id = ?1) AND NOT ({})",
        may_be_sent("vector.text_hash")
    );
    database.run(&sql, params![id, builtin]).map(drop)
}

/// How alike the stored texts are to a query, by a provider's vectors.
#[derive(Debug)]
pub(super) struct RemoteLikeness {
    /// By hash, ascending.
    cosines: Vec<(ContentHash, f32)>,
    mean: f32,
    deviation: f32,
}

impl RemoteLikeness {
    /// Compares a query's vector with all vectors of its space, in O(vectors); `None` if there are none.
    fn read(database: &Database, query: &QueryEmbedding) -> Result<Option<Self>> {
        let vector = quantise(&query.values)?;
        let mut cosines: Vec<(ContentHash, f32)> = Vec::new();
        let sql = "SELECT text_hash, data FROM vector WHERE model = ?1 AND length(data) > 0";
        database.each(sql, [&query.space], |row| {
            let bytes = row.get_ref(1)?.as_blob().unwrap_or_default();
            if bytes.len() != vector.dimensions() {
                return Err(Error::InvalidArgument(format!(
                    "the query's vector has {} dimensions, but those of `{}` have {}",
                    vector.dimensions(),
                    query.space,
                    bytes.len()
                )));
            }
            let stored = QuantisedVector::from_bytes(bytes, vector.dimensions())?;
            cosines.push((hash_in(row, 0)?, vector.cosine(&stored)));
            Ok(())
        })?;
        // Without the few that are alike, which would raise the deviation of a small memory most.
        let (mean, deviation) = mean_and_deviation(cosines.iter().map(|each| each.1));
        let usual = cosines.iter().map(|each| each.1).filter(|cosine| (cosine - mean).abs() <= OUTLIER * deviation);
        let (mean, deviation) = mean_and_deviation(usual);
        cosines.sort_unstable_by_key(|each| each.0);
        let deviation = deviation.max(MIN_DEVIATION * (1.0 - mean)).max(f32::EPSILON);
        Ok(Some(Self { cosines, mean, deviation }).filter(|found| !found.cosines.is_empty()))
    }

    /// How alike a text is, on the scale of the built-in model's cosines; `None` without a vector.
    pub(super) fn of(&self, hash: &[u8]) -> Option<f32> {
        let hash = ContentHash::from_bytes(hash.try_into().ok()?);
        let at = self.cosines.binary_search_by_key(&hash, |each| each.0).ok()?;
        let cosine = self.cosines[at].1;
        Some(((cosine - self.mean) / (DEVIATIONS * self.deviation)).clamp(-1.0, MAX_LIKENESS))
    }

    /// Adds the records with the nearest vectors that are not among the candidates: a paraphrase may share no word.
    pub(super) fn add_nearest(
        &self,
        database: &Database,
        spaces: &[Space],
        only: &EventFilter,
        found: &mut Vec<SearchHit>,
    ) -> Result<()> {
        let known: BTreeSet<(Space, i64)> = found.iter().map(|hit| (hit.space, hit.doc)).collect();
        let mut nearest: Vec<&(ContentHash, f32)> = self.cosines.iter().collect();
        nearest.sort_by(|left, right| right.1.total_cmp(&left.1));
        let mut seen = 0;
        for (hash, _) in nearest.into_iter().take(MAX_LOOKUPS) {
            for (space, doc, session) in records_of(database, hash)? {
                let is_allowed = space.is_facts()
                    || only.session.is_none_or(|wanted| wanted == session)
                        && only.events.as_ref().is_none_or(|events| events.contains(&doc));
                if !is_allowed || !spaces.contains(&space) {
                    continue;
                }
                seen += 1;
                if !known.contains(&(space, doc)) {
                    found.push(hit(database, hash, space, doc, session)?);
                }
            }
            if seen >= NEAREST {
                break;
            }
        }
        Ok(())
    }
}

/// The points of the score that a likeness by a provider's vectors is worth on top of its signal.
pub(super) fn paraphrase(likeness: f32) -> f32 {
    PARAPHRASE * (likeness - MIN_PARAPHRASE).max(0.0)
}

/// The mean of some values and their standard deviation.
fn mean_and_deviation(values: impl Iterator<Item = f32> + Clone) -> (f32, f32) {
    let count = values.clone().count().max(1) as f32;
    let mean = values.clone().sum::<f32>() / count;
    (mean, (values.map(|value| (value - mean).powi(2)).sum::<f32>() / count).sqrt())
}

/// A record that no word and no sketch has found.
fn hit(database: &Database, hash: &ContentHash, space: Space, doc: i64, session: i64) -> Result<SearchHit> {
    let mut terms = 0_u32;
    for_each_term(&text_of(database, hash)?.unwrap_or_default(), |_| terms += 1);
    let length = (terms.min(MAX_LENGTH) as f32).ln_1p();
    let fact = f32::from(u8::from(space.is_facts()));
    let session = u32::try_from(session).unwrap_or(0);
    let signals = Signals { length, fact, ..Signals::default() };
    Ok(SearchHit { space, doc, session, lexical: 0.0, covered: 0.0, signals })
}

/// The facts and the talk with this text: space, number and session.
fn records_of(database: &Database, hash: &ContentHash) -> Result<Vec<(Space, i64, i64)>> {
    let sql = "SELECT project, number FROM fact WHERE text_hash = ?1";
    let read = |row: &rusqlite::Row<'_>| Ok((Space::facts(row.get(0)?), row.get(1)?, 0));
    let mut found = database.all(sql, [hash.as_bytes()], read)?;
    let sql = "SELECT project, seq, session FROM event WHERE text_hash = ?1 AND role IN ('user', 'assistant')";
    let read = |row: &rusqlite::Row<'_>| Ok((Space::events(row.get(0)?), row.get(1)?, row.get(2)?));
    found.extend(database.all(sql, [hash.as_bytes()], read)?);
    Ok(found)
}

/// The text that was hashed.
fn text_of(database: &Database, hash: &ContentHash) -> Result<Option<String>> {
    let sql = "SELECT text FROM fact WHERE text_hash = ?1 LIMIT 1";
    if let Some(text) = database.first(sql, [hash.as_bytes()], |row| Ok(row.get::<_, String>(0)?))? {
        return Ok(Some(text));
    }
    let sql = "SELECT seq FROM event WHERE text_hash = ?1 LIMIT 1";
    let Some(seq) = database.first(sql, [hash.as_bytes()], |row| Ok(row.get::<_, i64>(0)?))? else { return Ok(None) };
    Ok(log::get(database, seq)?.map(|event| log::searchable(&event)))
}

/// The reference text of this hash.
fn reference(hash: &ContentHash) -> Option<&'static str> {
    REFERENCES.into_iter().find(|text| ContentHash::of(text.as_bytes()) == *hash)
}

/// A vector as it is stored: 8 bits a dimension.
fn stored(vector: &[f32], dimensions: usize) -> Result<Vec<u8>> {
    if vector.len() != dimensions {
        let message = format!("a vector has {} dimensions, not {dimensions}", vector.len());
        return Err(Error::InvalidArgument(message));
    }
    Ok(quantise(vector)?.to_bytes())
}

fn hash_in(row: &rusqlite::Row<'_>, column: usize) -> Result<ContentHash> {
    let bytes = row.get_ref(column)?.as_blob().unwrap_or_default();
    bytes.try_into().map(ContentHash::from_bytes).map_err(|_| Error::InvalidArgument("a text has no hash".to_owned()))
}
