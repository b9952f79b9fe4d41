//! Finds the exports of files by name: top-level definitions first, else re-exports, which are followed from file to
//! file.

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::Evidence;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::conditions::{Choices, is_conditional};
use super::edge::Resolution;
use super::family::Family;
use super::file_facts::{BindingRow, FileFacts, ImportRow};
use super::resolver::Resolver;
use super::scoped_name::last;
use super::symbol::SymbolId;
use super::symbol::{SymbolCategory, is_type};
use super::value::Value;

impl<L: Load> Resolver<'_, L> {
    /// The symbols that these files have under a name, defined there or passed on.
    pub(super) fn exported(&self, files: &[FileIndex], name: &str, wanted: SymbolCategory) -> Result<Vec<SymbolId>> {
        let mut found = Vec::new();
        for &file in files {
            found.extend(self.top_level(file, name, wanted)?);
        }
        let mut is_required = !found.is_empty();
        for &id in &found {
            is_required &= self.is_required(id)?;
        }
        if !found.is_empty() && !is_required {
            return if self.is_alternative(&found, name)? { Ok(Vec::new()) } else { self.definitions(found) };
        }
        for &file in files {
            let passed_on = self.deeper(Vec::new(), || self.passed_on(file, name, wanted))?;
            if !passed_on.is_empty() {
                return Ok(passed_on);
            }
        }
        Ok(found)
    }

    /// Whether a constant of a script holds what `require` gives, or a member of it, so that it is another name of that.
    pub(super) fn is_required(&self, id: SymbolId) -> Result<bool> {
        let (facts, row) = (self.facts(id.file)?, self.row(id)?);
        if self.branch.family(id.file) != Family::Script || row.kind != Kind::Constant {
            return Ok(false);
        }
        let holds = |import: &ImportRow| {
            import.span.contains(row.name_span) && facts.text(import.alias) == facts.text(row.name)
        };
        let is_member = |binding: &BindingRow| {
            binding.span == row.name_span
                && binding.evidence == Evidence::Value
                && facts.text(binding.text).strip_prefix("require().").is_some_and(|member| !member.contains('('))
        };
        Ok(facts.imports.iter().any(holds) || facts.bindings_of(facts.text(row.name)).any(is_member))
    }

    fn top_level(&self, file: FileIndex, name: &str, wanted: SymbolCategory) -> Result<Vec<SymbolId>> {
        let family = self.branch.family(file);
        let facts = self.facts(file)?;
        let is_top = |symbol: &u32| {
            let row = &facts.symbols[*symbol as usize];
            let outer = row.parent.map(|parent| facts.symbols[parent as usize]);
            let is_free = match outer {
                None => row.qualified_name == row.name || family == Family::Script && is_exported(facts, *symbol),
                Some(outer) if family == Family::Jvm => is_type(outer.kind) && outer.parent.is_none(),
                // An object of functions, as modules were written before there were modules.
                Some(outer) => outer.kind == Kind::Constant && family == Family::Script,
            };
            is_free && wanted.fits(row.kind, family)
        };
        let all: Vec<SymbolId> = facts.named(name).filter(is_top).map(|symbol| SymbolId { file, symbol }).collect();
        // Top-level definitions take precedence over members of types.
        let free: Vec<SymbolId> =
            all.iter().copied().filter(|id| facts.symbols[id.symbol as usize].parent.is_none()).collect();
        Ok(if free.is_empty() { all } else { free })
    }

    /// The symbols that a script exports under another name: `export { a as b }`, `exports.b = a`.
    pub(super) fn renamed(&self, file: FileIndex, name: &str, wanted: SymbolCategory) -> Result<Vec<SymbolId>> {
        if self.branch.family(file) != Family::Script {
            return Ok(Vec::new());
        }
        let facts = self.facts(file)?;
        let names = [name.to_owned(), format!("exports.{name}"), format!("module.exports.{name}")];
        let bindings = names.iter().flat_map(|name| facts.bindings_of(name));
        // `export default { load: read }`
        let is_entry =
            |binding: &BindingRow| binding.evidence == Evidence::Entry && facts.enclosing(binding.span.start).is_none();
        for binding in bindings.filter(|binding| binding.evidence == Evidence::Value || is_entry(binding)) {
            let (at, text) = (binding.span.start, facts.text(binding.text));
            if text == name || !self.is_of_file(file, at) {
                continue;
            }
            // `exports.load = loader.load`
            let found = self.deeper(Resolution::unknown(), || {
                if text.contains('.') {
                    return Ok(self.function_behind(file, at, text)?.unwrap_or_else(Resolution::unknown));
                }
                self.bare(file, at, text, wanted)
            })?;
            if found.how.is_resolved() {
                return Ok(found.targets);
            }
        }
        Ok(Vec::new())
    }

    fn passed_on(&self, file: FileIndex, name: &str, wanted: SymbolCategory) -> Result<Vec<SymbolId>> {
        let facts = self.facts(file)?;
        if !matches!(self.branch.family(file), Family::Python | Family::Script | Family::Rust) {
            return Ok(Vec::new());
        }
        let is_script = self.branch.family(file) == Family::Script;
        let renamed = self.renamed(file, name, wanted)?;
        if !renamed.is_empty() {
            return Ok(renamed);
        }
        let is_optional =
            |import: &ImportRow| self.branch.family(file) == Family::Rust && is_conditional(facts, import.span.start);
        let mut choices = Choices::default();
        for import in &facts.imports {
            let (taken, alias) = (facts.text(import.name), facts.text(import.alias));
            let local = if alias.is_empty() { last(taken) } else { alias };
            let is_named = !taken.is_empty() || is_script && !alias.is_empty();
            if local != name || !is_named {
                continue;
            }
            match self.imported(file, import)? {
                value if is_optional(import) => choices.add_value(value),
                Value::Symbols(found) => {
                    choices.add(found);
                    return Ok(choices.certain().unwrap_or_default());
                }
                _ => {}
            }
        }
        for import in &facts.imports {
            let (taken, alias) = (facts.text(import.name), facts.text(import.alias));
            // `export * from` names neither, and nor does a `require` whose result is used at once, which passes nothing on.
            let is_required =
                || facts.uses("require").any(|call| facts.references[call as usize].span.start == import.span.start);
            let is_whole = taken == "*" || (is_script && taken.is_empty() && alias.is_empty() && !is_required());
            if is_whole {
                let found = self.taken_whole(file, import, name, wanted)?;
                let is_last = !found.is_empty() && !is_optional(import);
                choices.add(found);
                if is_last {
                    break;
                }
            }
        }
        Ok(choices.certain().unwrap_or_default())
    }
}

/// Whether a function is written to the object that a script exports under a name of its own:
/// `const helpers = module.exports; helpers.parse = function () {}`.
fn is_exported(facts: &FileFacts, symbol: u32) -> bool {
    let name = facts.qualified_name(symbol);
    let Some((object, _)) = name.rsplit_once('.') else { return false };
    let is_object = |binding: &BindingRow| {
        binding.evidence == Evidence::Value && matches!(facts.text(binding.text), "exports" | "module.exports")
    };
    facts.bindings_of(object).any(is_object)
}
