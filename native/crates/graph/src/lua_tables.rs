//! Resolves members of Lua's tables: a module is the table that its file returns, and a class is a table of functions.

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::Evidence;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::edge::{Resolution, ResolutionMethod};
use super::modules::Module;
use super::receiver::{Steps, steps};
use super::resolver::Resolver;
use super::symbol::{SymbolCategory, SymbolId};

impl<L: Load> Resolver<'_, L> {
    /// The function `name` of the table that a receiver is.
    pub(super) fn table_member(
        &self,
        file: FileIndex,
        at: u32,
        receiver: &str,
        name: &str,
    ) -> Result<Option<Resolution>> {
        let found = self.functions_of(file, at, receiver, name)?;
        let is_own = found.first().is_some_and(|id| id.file == file);
        let how = if is_own { ResolutionMethod::SameFile } else { ResolutionMethod::Import };
        Ok((!found.is_empty()).then(|| Resolution::new(how, found)))
    }

    /// The function that a local name stands for: `local find = tablex.find`.
    pub(super) fn table_function(&self, file: FileIndex, at: u32, name: &str) -> Result<Option<Resolution>> {
        let Some(binding) = self.local(file, at, name)? else { return Ok(None) };
        let Some((receiver, member)) = self.facts(file)?.text(binding.text).rsplit_once('.') else { return Ok(None) };
        self.table_member(file, binding.span.start.saturating_sub(1), receiver, member)
    }

    /// The function of a module, which is the table that its file returns.
    pub(super) fn module_function(&self, file: FileIndex, below: &str, name: &str) -> Result<Vec<SymbolId>> {
        let facts = self.facts(file)?;
        match facts.bindings.iter().find(|binding| binding.evidence == Evidence::Returns) {
            Some(binding) => self.members_at(file, &format!("{}{below}", facts.text(binding.name)), name),
            // `return { find = find }`
            None if below.is_empty() => self.assigned(file, name, Evidence::Element),
            None => Ok(Vec::new()),
        }
    }

    /// The functions of a table that is given as an expression: a name with those of tables in it, or an instance,
    /// which has those that are written as methods.
    fn functions_of(&self, file: FileIndex, at: u32, table: &str, name: &str) -> Result<Vec<SymbolId>> {
        let Some(steps) = steps(table) else { return Ok(Vec::new()) };
        let mut found = self.functions_behind(file, at, &steps, name)?;
        if steps.list.iter().any(|step| step.is_call) {
            found.retain(|id| self.row(*id).is_ok_and(|row| row.kind == Kind::Method));
        }
        Ok(found)
    }

    fn functions_behind(&self, file: FileIndex, at: u32, steps: &Steps<'_>, name: &str) -> Result<Vec<SymbolId>> {
        let facts = self.facts(file)?;
        let (first, rest) = (steps.list[0], &steps.list[1..]);
        let mut below = String::new();
        for step in rest {
            match step.is_call {
                true if step.name == "new" => {}
                false if !step.is_indexed => below.extend([".", step.name]),
                _ => return Ok(Vec::new()),
            }
        }
        if first.is_indexed || first.is_call && !rest.is_empty() {
            return Ok(Vec::new());
        }
        if first.name == "self" {
            let mut around = facts.chain(facts.enclosing(at));
            let scope = around.find_map(|symbol| Some(facts.qualified_name(symbol).rsplit_once('.')?.0));
            return scope.map_or(Ok(Vec::new()), |scope| self.members_at(file, &format!("{scope}{below}"), name));
        }
        let binding = self.local(file, at, first.name)?;
        if binding.is_none_or(|binding| self.is_of_file(file, binding.span.start)) {
            let mut imports = facts.imports.iter().filter(|import| facts.text(import.name).is_empty());
            if let Some(import) = imports.find(|import| facts.text(import.alias) == first.name) {
                return match self.branch.module(file, facts.text(import.source)) {
                    Module::Files(files) => self.module_function(files[0], &below, name),
                    _ => Ok(Vec::new()),
                };
            }
            let own = self.members_at(file, &format!("{}{below}", first.name), name)?;
            if !own.is_empty() {
                return Ok(own);
            }
        }
        match binding {
            Some(binding) if binding.evidence == Evidence::Value => self.deeper(Vec::new(), || {
                let value = format!("{}{below}", facts.text(binding.text));
                self.functions_of(file, binding.span.start.saturating_sub(1), &value, name)
            }),
            _ => Ok(Vec::new()),
        }
    }

    /// The functions that a file defines in, or assigns to, a named table.
    fn members_at(&self, file: FileIndex, table: &str, name: &str) -> Result<Vec<SymbolId>> {
        let facts = self.facts(file)?;
        let full = format!("{table}.{name}");
        let own = facts.named(name).filter(|&symbol| {
            facts.qualified_name(symbol) == full
                && matches!(facts.symbols[symbol as usize].kind, Kind::Function | Kind::Method)
        });
        let own: Vec<SymbolId> = own.map(|symbol| SymbolId { file, symbol }).collect();
        if own.is_empty() { self.assigned(file, &full, Evidence::Value) } else { Ok(own) }
    }

    /// The function that is kept under a name: `M.find = find`.
    fn assigned(&self, file: FileIndex, name: &str, evidence: Evidence) -> Result<Vec<SymbolId>> {
        let facts = self.facts(file)?;
        let Some(binding) = facts.bindings_of(name).find(|binding| binding.evidence == evidence) else {
            return Ok(Vec::new());
        };
        let (at, text) = (binding.span.start, facts.text(binding.text));
        let mut found = self
            .deeper(Resolution::unknown(), || self.bare(file, at, text, SymbolCategory::Callable))
            .map(|found| if found.how.is_resolved() { found.targets } else { Vec::new() })?;
        found.retain(|id| self.row(*id).is_ok_and(|row| matches!(row.kind, Kind::Function | Kind::Method)));
        Ok(found)
    }
}
