//! Resolves names that need no import: C's by linkage, those of a namespace, and global ones. Of several definitions in
//! C, the only one in the file's own folder wins; without one the name is ambiguous.

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::Evidence;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::common_names::is_common;
use super::edge::{Resolution, ResolutionMethod};
use super::family::Family;
use super::modules::Module;
use super::resolver::Resolver;
use super::scoped_name::normal;
use super::symbol::SymbolId;
use super::symbol::{SymbolCategory, is_type};

/// Which files may use a function of C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Linkage {
    /// All files.
    External,
    /// The file that defines it, and those that include that.
    Internal,
    /// It is declared and has no body, or is a macro or no function.
    Undefined,
}

/// The maximum number of headers that are searched for a name.
const MAX_HEADERS: usize = 200;

impl<L: Load> Resolver<'_, L> {
    /// The symbols of a name in the headers of a C file, else those that the linker would find.
    pub(super) fn linked(&self, file: FileIndex, name: &str, wanted: SymbolCategory) -> Result<Resolution> {
        let all = self.branch.defining(name)?;
        let mut found = Vec::new();
        for &id in all.iter() {
            let row = self.row(id)?;
            // In C a name without scopes means one without scopes; C++ adds namespaces, seldom written out inside.
            let is_free = row.parent.is_none_or(|parent| {
                self.facts(id.file).is_ok_and(|facts| facts.symbols[parent as usize].kind == Kind::Module)
            });
            if is_free
                && row.kind != Kind::Method
                && wanted.fits(row.kind, Family::C)
                && self.branch.family(id.file) == Family::C
            {
                found.push(id);
            }
        }
        if found.is_empty() {
            return Ok(Resolution::external());
        }
        let headers = self.branch.headers(file, || self.included_by(file))?;
        let seen = |id: &SymbolId| id.file == file || headers.binary_search(&id.file).is_ok();
        let is_declared = found.iter().any(seen);
        let visible: Vec<SymbolId> = found.iter().copied().filter(seen).collect();
        // Types and macros resolve to the header; functions to their body.
        let mut functions = false;
        for id in &visible {
            functions |= self.row(*id)?.kind == Kind::Function;
        }
        let mut found = if is_declared && !functions { visible } else { found };
        // The linker does not see what is static in another file.
        let mut linkable = Vec::new();
        for &id in &found {
            if seen(&id) || self.linkage(id)? != Linkage::Internal {
                linkable.push(id);
            }
        }
        let is_linked = !linkable.is_empty();
        if is_linked {
            found = linkable;
        }
        let found = self.definitions(found)?;
        let one = if found.len() == 1 { found } else { self.nearest_definition(file, found)? };
        Ok(match one.as_slice() {
            [_] if is_declared => Resolution::new(ResolutionMethod::Import, one),
            // A program has one external definition of a name, whether or not a header declares it.
            [only] if is_linked && self.linkage(*only)? == Linkage::External && !is_common(name) => {
                Resolution::new(ResolutionMethod::Package, one)
            }
            [_] => Resolution::new(ResolutionMethod::UniqueName, one),
            _ => Resolution::new(ResolutionMethod::Ambiguous, one),
        })
    }

    /// The linkage of a C function.
    fn linkage(&self, id: SymbolId) -> Result<Linkage> {
        let facts = self.facts(id.file)?;
        let name_span = facts.symbols[id.symbol as usize].name_span;
        let mut bindings = facts.bindings_of(facts.name(id.symbol));
        let body = bindings.find(|binding| binding.span == name_span && binding.evidence == Evidence::Returns);
        Ok(match body.map(|binding| facts.text(binding.text)) {
            None => Linkage::Undefined,
            Some("static") => Linkage::Internal,
            Some(_) => Linkage::External,
        })
    }

    /// Of several definitions of one name, the one in the file's own folder, if only one lies there.
    fn nearest_definition(&self, file: FileIndex, found: Vec<SymbolId>) -> Result<Vec<SymbolId>> {
        let folder = self.branch.folder(file);
        let near: Vec<SymbolId> = found.iter().copied().filter(|id| self.branch.folder(id.file) == folder).collect();
        let near = self.definitions(near)?;
        Ok(if near.len() == 1 { near } else { found })
    }

    /// The files that a C file includes, directly or not, in ascending order.
    fn included_by(&self, file: FileIndex) -> Result<Vec<FileIndex>> {
        let mut seen = vec![file];
        let mut next = 0;
        while next < seen.len() && seen.len() < MAX_HEADERS {
            let facts = self.facts(seen[next])?;
            for import in &facts.imports {
                if let Module::Files(files) = self.branch.module(seen[next], facts.text(import.source)) {
                    seen.extend(files.into_iter().filter(|file| !seen.contains(file)).collect::<Vec<_>>());
                }
            }
            next += 1;
        }
        seen.sort_unstable();
        Ok(seen)
    }

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
    fn visible_namespaces(&self, file: FileIndex, at: u32) -> Result<Vec<String>> {
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
