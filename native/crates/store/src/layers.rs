//! Stores catalogs as copy-on-write layers.
//!
//! A branch points at its top layer. A layer is written in place while only one branch uses it; once another branch or
//! layer does, the next change goes into a new layer on top. A chain that grows long, or whose changes outweigh the
//! layers below, is flattened into a single layer.
//!
//! Invariant: what a branch resolves to changes by its own publications only.

use codecairn_base::error::Result;
use codecairn_base::id::BlobId;

use super::record::{Catalog, CatalogDelta};
use super::row_check;
use codecairn_base::database::Database;

/// Layers below the top one at which a chain is flattened.
const MAX_DEPTH: usize = 8;

/// One layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layer {
    pub(super) id: i64,
    pub(super) parent: Option<i64>,
    pub(super) entries: u64,
    /// The parts of all entries by exclusive or, if known; see [`row_check::of_entry`].
    checksum: Option<i64>,
}

/// The layers from `top` down to the one without a parent.
pub(super) fn chain(database: &Database, top: i64) -> Result<Vec<Layer>> {
    let mut chain: Vec<Layer> = Vec::new();
    let mut next = Some(top);
    while let Some(id) = next {
        let sql = "SELECT parent, entries, checksum FROM layer WHERE id = ?1";
        let layer = database.first(sql, [id], |row| {
            Ok(Layer { id, parent: row.get(0)?, entries: row.get::<_, i64>(1)? as u64, checksum: row.get(2)? })
        })?;
        let layer = layer.ok_or_else(|| database.damaged(format!("layer {id} of a catalog is missing")))?;
        // A parent always has a lower number than its children, so a damaged chain can't be cyclic.
        if layer.parent.is_some_and(|parent| parent >= id) {
            return Err(database.damaged(format!("layer {id} of a catalog stands on a later one")));
        }
        next = layer.parent;
        chain.push(layer);
    }
    Ok(chain)
}

/// The whole catalog of a top layer.
pub(super) fn resolve(database: &Database, top: i64) -> Result<Catalog> {
    let mut catalog = Catalog::new();
    for layer in chain(database, top)?.iter().rev() {
        let entries = database.all("SELECT path, blob FROM layer_entry WHERE layer = ?1", [layer.id], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, Option<u32>>(1)?.map(BlobId)))
        })?;
        if layer.checksum.is_some_and(|checksum| checksum != checksum_of(&entries)) {
            return Err(database.damaged(format!("the checksum of layer {} of a catalog does not match", layer.id)));
        }
        if catalog.is_empty() {
            catalog = entries.into_iter().filter_map(|(path, blob)| Some((path, blob?))).collect();
            continue;
        }
        for (path, blob) in entries {
            match blob {
                Some(blob) => catalog.insert(path, blob),
                None => catalog.remove(&path),
            };
        }
    }
    Ok(catalog)
}

/// The entries of a top layer's catalog at these paths and below them.
pub(super) fn resolve_below(database: &Database, top: i64, paths: &[String]) -> Result<Catalog> {
    let mut catalog = Catalog::new();
    for layer in chain(database, top)?.iter().rev() {
        for path in paths {
            // `0` follows `/`, so these are the paths that begin with the folder.
            let sql = "SELECT path, blob FROM layer_entry \
                       WHERE layer = ?1 AND (path = ?2 OR (path > ?2 || '/' AND path < ?2 || '0'))";
            database.each(sql, (layer.id, path), |row| {
                let path: String = row.get(0)?;
                match row.get::<_, Option<u32>>(1)? {
                    Some(blob) => catalog.insert(path, BlobId(blob)),
                    None => catalog.remove(&path),
                };
                Ok(())
            })?;
        }
    }
    Ok(catalog)
}

/// Applies `delta` to the catalog of `top` and returns the layer with the result. `None` is the empty catalog; `own`:
/// whether `top` belongs to the branch that changes. The caller releases `top` once nothing points at it.
pub(super) fn apply(database: &Database, top: Option<i64>, own: bool, delta: &CatalogDelta) -> Result<i64> {
    let changed = match top {
        Some(top) if own && !has_children(database, top)? => top,
        parent => create(database, parent)?,
    };
    write(database, changed, delta)?;
    let chain = chain(database, changed)?;
    let (base, above) = chain.split_last().expect("invariant: a chain has its top");
    let changes: u64 = above.iter().map(|layer| layer.entries).sum();
    if above.len() <= MAX_DEPTH && (above.is_empty() || changes * 2 <= base.entries) {
        return Ok(changed);
    }
    let catalog = resolve(database, changed)?;
    let flat = create(database, None)?;
    write(database, flat, &catalog.into_iter().map(|(path, blob)| (path, Some(blob))).collect())?;
    if top != Some(changed) {
        delete(database, changed)?;
    }
    Ok(flat)
}

/// A new layer that changes nothing, for a branch that starts with the catalog of `parent`.
pub(super) fn create(database: &Database, parent: Option<i64>) -> Result<i64> {
    let sql = "INSERT INTO layer (parent, entries, checksum) VALUES (?1, 0, 0) RETURNING id";
    database.only(sql, [parent], |row| Ok(row.get(0)?))
}

/// Deletes `top` and the layers below it that no branch and no other layer uses.
pub(super) fn release(database: &Database, top: i64) -> Result<()> {
    let mut next = Some(top);
    while let Some(id) = next {
        let sql = "SELECT parent FROM layer WHERE id = ?1";
        let parent: Option<i64> = database.first(sql, [id], |row| Ok(row.get(0)?))?.flatten();
        let used = database.first("SELECT 1 FROM branch WHERE layer = ?1", [id], |_| Ok(()))?.is_some();
        if used || has_children(database, id)? {
            return Ok(());
        }
        delete(database, id)?;
        next = parent;
    }
    Ok(())
}

fn delete(database: &Database, layer: i64) -> Result<()> {
    database.run("DELETE FROM layer_entry WHERE layer = ?1", [layer])?;
    database.run("DELETE FROM layer WHERE id = ?1", [layer]).map(drop)
}

fn has_children(database: &Database, layer: i64) -> Result<bool> {
    Ok(database.first("SELECT 1 FROM layer WHERE parent = ?1", [layer], |_| Ok(()))?.is_some())
}

/// Writes changes into one layer and keeps count of its entries, and their checksum.
fn write(database: &Database, layer: i64, delta: &CatalogDelta) -> Result<()> {
    let chain = chain(database, layer)?;
    let below: Vec<i64> = chain[1..].iter().map(|layer| layer.id).collect();
    let is_empty = chain[0].entries == 0;
    let (mut entries, mut checksum) = (chain[0].entries as i64, chain[0].checksum);
    let mut toggle = |path: &str, blob: Option<BlobId>| {
        checksum = checksum.map(|checksum| checksum ^ row_check::of_entry(path, blob));
    };
    for (path, blob) in delta {
        let known = if is_empty { None } else { entry(database, layer, path)? };
        if let Some(before) = known {
            toggle(path, before);
        }
        if blob.is_none() && !exists_below(database, &below, path)? {
            entries -= database.run("DELETE FROM layer_entry WHERE layer = ?1 AND path = ?2", (layer, path))? as i64;
            continue;
        }
        let number = blob.map(|blob| blob.0);
        if known.is_some() {
            let sql = "UPDATE layer_entry SET blob = ?3 WHERE layer = ?1 AND path = ?2";
            database.run(sql, (layer, path, number))?;
        } else {
            database.run("INSERT INTO layer_entry (layer, path, blob) VALUES (?1, ?2, ?3)", (layer, path, number))?;
            entries += 1;
        }
        toggle(path, *blob);
    }
    let sql = "UPDATE layer SET entries = ?2, checksum = ?3 WHERE id = ?1";
    database.run(sql, (layer, entries, checksum)).map(drop)
}

/// Counts the entries of a layer again, and their checksum, where some were deleted.
pub(super) fn recount(database: &Database, layer: i64) -> Result<()> {
    let entries = database.all("SELECT path, blob FROM layer_entry WHERE layer = ?1", [layer], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, Option<u32>>(1)?.map(BlobId)))
    })?;
    let sql = "UPDATE layer SET entries = ?2, checksum = ?3 WHERE id = ?1";
    database.run(sql, (layer, entries.len() as i64, checksum_of(&entries))).map(drop)
}

fn checksum_of(entries: &[(String, Option<BlobId>)]) -> i64 {
    entries.iter().fold(0, |checksum, (path, blob)| checksum ^ row_check::of_entry(path, *blob))
}

/// The entry of a layer itself for a path: none, a removal, or a blob.
#[expect(clippy::option_option, reason = "the three answers of a layer")]
fn entry(database: &Database, layer: i64, path: &str) -> Result<Option<Option<BlobId>>> {
    let sql = "SELECT blob FROM layer_entry WHERE layer = ?1 AND path = ?2";
    database.first(sql, (layer, path), |row| Ok(row.get::<_, Option<u32>>(0)?.map(BlobId)))
}

/// Whether the layers below, nearest first, have a file of this path.
fn exists_below(database: &Database, below: &[i64], path: &str) -> Result<bool> {
    for layer in below {
        if let Some(blob) = entry(database, *layer, path)? {
            return Ok(blob.is_some());
        }
    }
    Ok(false)
}
