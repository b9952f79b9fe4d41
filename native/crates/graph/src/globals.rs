//! Resolves names that need no import: those of a namespace, and global ones.

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::edge::{Resolution, ResolutionMethod};
use super::family::Family;
use super::resolver::Resolver;
use super::scoped_name::normal;
use super::symbol::SymbolId;
use super::symbol::{SymbolCategory, is_type};

impl<L: Load> Resolver<'_, L> {
    /// The symbols of a name in the whole branch, for languages with global names.
    pub(super) fn global(&self, file: FileIndex, at: u32, name: &str, wanted: SymbolCategory) -> Result<Resolution> {
        let family = self.branch.family(file);
        let mut found = Vec::new();
        for &id in self.branch.defining(name)?.iter() {
            let facts = self.facts(id.file)?;
            let row = &facts.symbols[id.symbol as usize];
            let in_type = row.parent.is_some_and(|parent| is_type(facts.symbols[parent as usize].kind));
            let is_nested = in_type && !is_type(row.kind);
            if self.branch.family(id.file) == family
                && wanted.fits(row.kind, family)
                && row.kind != Kind::Method
                && row.kind != Kind::Constant
                && !is_nested
                && !(family == Family::Ruby && !is_type(row.kind) && self.is_of_one_object(id)?)
            {
                found.push(id);
            }
        }
        if found.is_empty() {
            return Ok(Resolution::external());
        }
        let visible = self.visible_namespaces(file, at)?;
        let mut near = Vec::new();
        for &id in &found {
            let full = self.full_name(id)?;
            let scope = full.rsplit_once('.').map_or("", |(scope, _)| scope);
            // In a shell, a global function is defined only where its file was sourced.
            let is_known = !scope.is_empty() || !matches!(family, Family::Shell | Family::Other);
            if is_known && visible.iter().any(|known| known == scope) {
                near.push(id);
            }
        }
        // The project may decide which types a file sees, so a single type of the name is enough.
        let mut are_types =
            wanted != SymbolCategory::Callable && matches!(family, Family::Ruby | Family::Swift | Family::CSharp);
        for &id in &found {
            are_types &= is_type(self.row(id)?.kind) || self.row(id)?.kind == Kind::Module;
        }
        let nearest = if are_types { self.closest(file, &found) } else { None };
        Ok(match (near.len(), found.len()) {
            (1.., _) if same_names(&near, self)? && (near.len() == 1 || nearest.is_none()) => {
                Resolution::new(ResolutionMethod::Package, near)
            }
            _ if let Some(nearest) = nearest => Resolution::new(ResolutionMethod::Qualified, vec![nearest]),
            (0, 1) => Resolution::new(ResolutionMethod::UniqueName, found),
            _ => Resolution::new(ResolutionMethod::Ambiguous, if near.is_empty() { found } else { near }),
        })
    }

    /// The one symbol whose file shares more folders with a file than those of all others.
    fn closest(&self, file: FileIndex, found: &[SymbolId]) -> Option<SymbolId> {
        let home = self.branch.path(file);
        let shared = |id: &SymbolId| {
            home.split('/').zip(self.branch.path(id.file).split('/')).take_while(|(a, b)| a == b).count()
        };
        let most = found.iter().map(shared).max()?;
        let mut closest = found.iter().filter(|id| shared(id) == most);
        closest.next().copied().filter(|_| closest.next().is_none())
    }

    /// The namespaces whose names need no scope at a place: those around it, the global one, and those imported whole.
    pub(super) fn visible_namespaces(&self, file: FileIndex, at: u32) -> Result<Vec<String>> {
        let facts = self.facts(file)?;
        let mut visible = vec![String::new()];
        for scope in facts.chain(facts.enclosing(at)) {
            let full = normal(facts.qualified_name(scope));
            let ends = full.match_indices('.').map(|(end, _)| end).chain([full.len()]);
            visible.extend(ends.map(|end| full[..end].to_owned()));
        }
        // A namespace for the rest of the file encloses nothing.
        let open = facts.symbols.iter().filter(|row| row.kind == Kind::Module);
        visible.extend(open.map(|row| normal(facts.text(row.qualified_name))));
        let whole = facts.imports.iter().filter(|import| facts.text(import.name).is_empty());
        visible.extend(whole.map(|import| normal(facts.text(import.source))));
        visible.sort_unstable();
        visible.dedup();
        Ok(visible)
    }
}

fn same_names<L: Load>(ids: &[SymbolId], resolver: &Resolver<'_, L>) -> Result<bool> {
    let first = resolver.branch.qualified_name(ids[0])?;
    for &id in &ids[1..] {
        if resolver.branch.qualified_name(id)? != first {
            return Ok(false);
        }
    }
    Ok(true)
}
