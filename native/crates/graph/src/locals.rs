//! Finds the parameter or the local variable that a bare name means. It is no symbol, and hides the symbols of its name.

use codecairn_base::error::Result;
use codecairn_base::span::ByteSpan;
use codecairn_index::view::FileIndex;
use codecairn_syntax::Evidence;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::edge::Resolution;
use super::family::Family;
use super::file_facts::{BindingRow, FileFacts, ImportRow};
use super::receiver::{Steps, steps};
use super::resolver::Resolver;
use super::scoped_name::last;
use super::symbol::{SymbolCategory, SymbolId};

/// What stands for the value of a variable that is declared without any, or with one that is too long.
const UNKNOWN_VALUE: &str = "…";

/// The functions that Go predeclares ("The Go Programming Language Specification", Predeclared identifiers). The fields of a type without a name may share their names.
const BUILT_IN_FUNCTIONS: [&str; 18] = [
    "append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len", "make", "max", "min", "new",
    "panic", "print", "println", "real", "recover",
];

impl<L: Load> Resolver<'_, L> {
    /// What a name means in a function that has a parameter or a variable of that name: the function that the variable
    /// is known to hold, else the variable; none if it has no such variable. Those of functions inside are their own.
    /// The variable may belong to a block that ends before the call, so if a callable has the name as well, either may be
    /// meant.
    pub(super) fn local_of_function(
        &self,
        file: FileIndex,
        function: ByteSpan,
        at: u32,
        name: &str,
    ) -> Result<Option<Resolution>> {
        let (facts, family) = (self.facts(file)?, self.branch.family(file));
        // What a variable is declared with is the symbol of its name.
        let is_symbol = |binding: &BindingRow| {
            family == Family::Script && facts.named(name).any(|it| facts.symbols[it as usize].name_span == binding.span)
        };
        let is_local = |binding: &&BindingRow| {
            binding.evidence.is_of_variable()
                && !is_symbol(binding)
                && function.contains(binding.span)
                && (binding.span.start < at || !family.declares_first())
                && self.is_bound_at(file, binding, at)
                && !Self::is_initializer(facts, binding, at)
        };
        let locals: Vec<&BindingRow> = facts.bindings_of(name).filter(is_local).collect();
        if let [only] = locals.as_slice()
            && let Some(held) = self.held_function(file, name, only)?
        {
            return Ok(Some(held));
        }
        let Some(declared) = self.declaration(file, &locals, at) else { return Ok(None) };
        let is_known = !self.has_callable(file, name)?;
        Ok(Some(if is_known { Resolution::local(declared.span) } else { Resolution::unknown() }))
    }

    /// Whether a name that is no use is a variable of the function around it, as far as the variables of its name are known:
    /// where it is declared, and in languages whose functions have no blocks, or where a call of it would be a use, also
    /// elsewhere in the function. `before` is the line before it.
    pub(super) fn is_variable(&self, file: FileIndex, at: u32, name: &str, before: &str) -> bool {
        let Ok(facts) = self.facts(file) else { return false };
        let family = self.branch.family(file);
        // A name in a list of a script may take the member of its name.
        let is_member =
            before.ends_with(['.', ':', '>']) || family == Family::Script && before.trim_end().ends_with(['{', ',']);
        let is_here = |binding: &BindingRow| match family {
            Family::Python => true,
            Family::Ruby | Family::Elixir => binding.span.start <= at,
            _ => binding.span.start == at && !binding.is_assigned,
        };
        let is_function = |symbol: &u32| matches!(facts.symbols[*symbol as usize].kind, Kind::Function | Kind::Method);
        let mut functions = facts.chain(facts.enclosing(at)).filter(is_function);
        !is_member
            && functions.any(|function| {
                let span = facts.symbols[function as usize].span;
                facts.bindings_of(name).any(|binding| {
                    binding.evidence.is_of_variable()
                        && binding.evidence != Evidence::Member
                        && span.contains(binding.span)
                        && is_here(binding)
                        && self.is_bound_at(file, binding, at)
                })
            })
    }

    /// Whether the branch or the language defines a callable that a call without a receiver in a file may mean by a name.
    fn has_callable(&self, file: FileIndex, name: &str) -> Result<bool> {
        let (facts, family) = (self.facts(file)?, self.branch.family(file));
        if family == Family::Go && BUILT_IN_FUNCTIONS.contains(&name) {
            return Ok(true);
        }
        let is_bound = |import: &ImportRow| {
            let (taken, alias) = (facts.text(import.name), facts.text(import.alias));
            if alias.is_empty() { last(taken) == name } else { alias == name }
        };
        if facts.imports.iter().any(is_bound) {
            return Ok(true);
        }
        let takes_all = family.is_global() || facts.imports.iter().any(|import| facts.text(import.name) == "*");
        for &id in self.branch.defining(name)?.iter() {
            let kind = self.row(id)?.kind;
            let is_reached = takes_all
                || id.file == file
                || family.folder_is_package() && self.branch.package(id.file) == self.branch.package(file);
            let is_bare = kind != Kind::Method || family.members_are_bare();
            let is_callable = kind != Kind::Constant && SymbolCategory::Callable.fits(kind, family);
            if is_reached && is_bare && is_callable && self.branch.family(id.file) == family {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What a name means in a function without a name of a script that has a parameter or a variable of that name, or in
    /// a function inside.
    pub(super) fn local_of_closure(&self, file: FileIndex, at: u32, name: &str) -> Result<Option<Resolution>> {
        if self.branch.family(file) != Family::Script {
            return Ok(None);
        }
        match self.facts(file)?.closures_around(at).last() {
            Some(outermost) => self.local_of_function(file, outermost, at, name),
            None => Ok(None),
        }
    }

    /// What a name means in a script that has a variable of that name outside of functions, in a block or an assignment:
    /// the function that it is known to hold, else nothing that is known. None if the name means a symbol of the file,
    /// in `top`, or an import.
    pub(super) fn local_of_file(
        &self,
        file: FileIndex,
        at: u32,
        name: &str,
        top: &[SymbolId],
    ) -> Result<Option<Resolution>> {
        if self.branch.family(file) != Family::Script {
            return Ok(None);
        }
        let facts = self.facts(file)?;
        let rows = || top.iter().map(|id| &facts.symbols[id.symbol as usize]);
        let is_local = |binding: &&BindingRow| {
            binding.evidence.is_of_variable()
                && binding.span.start < at
                && rows().all(|row| row.name_span != binding.span)
                && self.is_of_file(file, binding.span.start)
                && facts.closure_of(binding).is_none()
                && !Self::is_initializer(facts, binding, at)
        };
        let locals: Vec<&BindingRow> = facts.bindings_of(name).filter(is_local).collect();
        let are_functions = rows().all(|row| matches!(row.kind, Kind::Function | Kind::Class));
        if locals.is_empty() || !are_functions {
            return Ok(None);
        }
        if !top.is_empty() {
            return Ok(Some(Resolution::unknown()));
        }
        let mut imports = facts.imports.iter();
        if imports.any(|import| facts.text(import.alias) == name || facts.text(import.name) == name) {
            return Ok(None);
        }
        let held = match locals.as_slice() {
            [only] => self.held_function(file, name, only)?,
            _ => None,
        };
        Ok(Some(held.unwrap_or_else(Resolution::unknown)))
    }

    /// What a field holds that only the functions of its type write, `this.render = debounce(draw)`: the function, if it
    /// is known, else the field itself.
    pub(super) fn assigned_field(
        &self,
        file: FileIndex,
        of: SymbolId,
        receiver: &str,
        name: &str,
    ) -> Result<Option<Resolution>> {
        let has_fields = matches!(self.branch.family(file), Family::Python | Family::Script);
        if !has_fields || of.file != file || !matches!(receiver, "self" | "this") {
            return Ok(None);
        }
        let (facts, span) = (self.facts(file)?, self.row(of)?.span);
        let is_field = |binding: &&BindingRow| binding.evidence.is_of_variable() && span.contains(binding.span);
        let mut fields = facts.bindings_of(&format!("{receiver}.{name}")).filter(is_field);
        let Some(field) = fields.next() else { return Ok(None) };
        let held = if fields.next().is_none() { self.held_function(file, name, field)? } else { None };
        let held = held.filter(|held| !held.targets.is_empty());
        Ok(Some(held.unwrap_or_else(|| Resolution::local(field.span))))
    }

    /// Whether a call lies in the value that a variable is declared with, which is evaluated before: `sh := sh()`.
    fn is_initializer(facts: &FileFacts, binding: &BindingRow, at: u32) -> bool {
        let is_called = |steps: Steps<'_>| steps.list[0].is_call && steps.list[0].name == facts.text(binding.name);
        let is_between = |number: u32| {
            let span = facts.references[number as usize].span;
            binding.span.end <= span.start && span.start < at
        };
        binding.span.end <= at
            && binding.evidence == Evidence::Value
            && steps(facts.text(binding.text)).is_some_and(is_called)
            && !facts.uses(facts.text(binding.name)).any(is_between)
    }

    /// Of the bindings of one name, by position, the one that declares the variable that is meant at a byte: the last one before it.
    /// In scripts, assignments to what was declared before bind the name as well.
    fn declaration<'b>(&self, file: FileIndex, locals: &[&'b BindingRow], at: u32) -> Option<&'b BindingRow> {
        let mut before = locals.iter().copied().filter(|binding| binding.span.start <= at);
        let found = match self.branch.family(file) {
            Family::Script => {
                let before: Vec<&BindingRow> = before.collect();
                before.iter().rfind(|binding| !binding.is_assigned).or(before.first()).copied()
            }
            _ => before.next_back(),
        };
        found.or(locals.first().copied())
    }

    /// The function that a local holds: `write = console.write`; none if it is not known.
    fn held_function(&self, file: FileIndex, name: &str, local: &BindingRow) -> Result<Option<Resolution>> {
        let text = self.facts(file)?.text(local.text);
        let has_names = matches!(self.branch.family(file), Family::Python | Family::Script);
        if !has_names || local.evidence != Evidence::Value || text == name {
            return Ok(None);
        }
        let found = self.function_behind(file, local.span.start.saturating_sub(1), text)?;
        let Some(found) = found else { return Ok(None) };
        for &target in &found.targets {
            if self.row(target)?.kind == Kind::Constant {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }
}

/// Whether a binding only declares a name, or its value is too long to be kept.
pub(super) fn is_without_value(facts: &FileFacts, binding: &BindingRow) -> bool {
    binding.evidence == Evidence::Value && facts.text(binding.text) == UNKNOWN_VALUE
}
