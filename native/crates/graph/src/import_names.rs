//! Finds the names under which other scripts import the default export of a file: they need not have its name, so
//! the files that may import it are those that have the name of its file, its folder or its package.

use std::collections::BTreeSet;

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::Evidence;

use super::branch::Load;
use super::edge::{Resolution, ResolutionMethod};
use super::family::Family;
use super::paths::{folder_of, is_below};
use super::resolver::Resolver;
use super::scoped_name::last;
use super::symbol::SymbolId;
use super::value::Value;

/// The names by which a script writes its default export.
const DEFAULTS: [&str; 2] = ["default", "module.exports"];

/// Files that pass a default export on as theirs, at most.
const MAX_PASSING: usize = 64;

impl<L: Load> Resolver<'_, L> {
    /// The names under which scripts import the `targets` that are default exports, with the files that may use them.
    pub(super) fn default_names(
        &self,
        targets: &BTreeSet<SymbolId>,
        files_using: impl Fn(&str) -> Result<Vec<FileIndex>>,
    ) -> Result<BTreeSet<(FileIndex, String)>> {
        let mut names = BTreeSet::new();
        let mut own = BTreeSet::new();
        let mut exporting: Vec<FileIndex> = Vec::new();
        for target in targets {
            own.insert(self.facts(target.file)?.name(target.symbol));
            if !exporting.contains(&target.file) && self.has_default(target.file)? {
                exporting.push(target.file);
            }
        }
        let mut done = 0;
        while let Some(&file) = exporting.get(done).filter(|_| done < MAX_PASSING) {
            done += 1;
            let mut importing = BTreeSet::new();
            for word in self.import_words(file) {
                importing.extend(files_using(word)?);
            }
            for other in importing {
                for local in self.locals_of_default(other, targets)? {
                    if local == "default" && !exporting.contains(&other) {
                        exporting.push(other);
                    } else if !own.contains(local) {
                        // The file may pass it on by this name.
                        names.extend(files_using(local)?.into_iter().map(|user| (user, local.to_owned())));
                    }
                }
            }
        }
        Ok(names)
    }

    /// The default export of the script that a receiver is: `default` of `import * as parts from './parts'`.
    pub(super) fn default_of(&self, file: FileIndex, at: u32, receiver: &str) -> Result<Option<Resolution>> {
        if self.branch.family(file) != Family::Script {
            return Ok(None);
        }
        let facts = self.facts(file)?;
        for import in self.imports_of(file, at, receiver)? {
            if facts.text(import.name).is_empty()
                && let Value::Symbols(found) = self.imported(file, import)?
            {
                return Ok(Some(Resolution::new(ResolutionMethod::Import, found)));
            }
        }
        Ok(None)
    }

    fn has_default(&self, file: FileIndex) -> Result<bool> {
        if self.branch.family(file) != Family::Script {
            return Ok(false);
        }
        let facts = self.facts(file)?;
        let is_bound = |name: &str| facts.bindings_of(name).any(|binding| binding.evidence == Evidence::Value);
        let is_defined = |name: &str| facts.named(last(name)).next().is_some();
        Ok(DEFAULTS.iter().any(|name| is_bound(name) || is_defined(name)))
    }

    /// The words of which an import of a file has one: the name of the file without its ending, that of its folder if
    /// the file stands for it, and that of the package around it.
    fn import_words(&self, file: FileIndex) -> Vec<&str> {
        let path = self.branch.path(file);
        let name = last_part(path);
        let stem = name.split('.').next().unwrap_or(name);
        let folder = folder_of(path);
        let mut words = vec![stem];
        if stem == "index" {
            words.push(last_part(folder));
        }
        let packages = self.branch.layout().packages.iter().filter(|package| is_below(path, &package.folder));
        words.extend(packages.max_by_key(|package| package.folder.len()).map(|package| last_part(&package.name)));
        words.retain(|word| !word.is_empty());
        words
    }

    /// The names that a script gives to the default exports that are among `targets`.
    fn locals_of_default(&self, file: FileIndex, targets: &BTreeSet<SymbolId>) -> Result<Vec<&str>> {
        let mut locals = Vec::new();
        if self.branch.family(file) != Family::Script {
            return Ok(locals);
        }
        let facts = self.facts(file)?;
        for import in &facts.imports {
            let (taken, alias) = (facts.text(import.name), facts.text(import.alias));
            let local = if alias.is_empty() { taken } else { alias };
            let is_default = taken.is_empty() || taken == "default";
            if !is_default || local.is_empty() || locals.contains(&local) {
                continue;
            }
            if let Value::Symbols(found) = self.imported(file, import)?
                && found.iter().any(|id| targets.contains(id))
            {
                locals.push(local);
            }
        }
        Ok(locals)
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
