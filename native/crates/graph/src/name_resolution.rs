//! Resolves an unqualified name at a position: scopes, the file, imports, the package, global names.

use std::borrow::Cow;

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::edge::{Resolution, ResolutionMethod};
use super::family::Family;
use super::file_facts::ImportRow;
use super::modules::Module;
use super::resolver::Resolver;
use super::scoped_name::normal;
use super::scoped_name::{ends_in, last};
use super::symbol::SymbolId;
use super::symbol::{SymbolCategory, is_type};
use super::value::Value;

impl<L: Load> Resolver<'_, L> {
    /// Resolves an unqualified name at a byte of a file.
    pub(super) fn bare(&self, file: FileIndex, at: u32, name: &str, wanted: SymbolCategory) -> Result<Resolution> {
        let family = self.branch.family(file);
        if let Some(found) = self.in_scopes(file, at, name, wanted)? {
            return Ok(found);
        }
        if wanted == SymbolCategory::Callable
            && let Some(found) = self.local_of_closure(file, at, name)?
        {
            return Ok(found);
        }
        let facts = self.facts(file)?;
        let top = facts.named(name).filter(|&symbol| {
            let row = &facts.symbols[symbol as usize];
            let is_reached = family != Family::Script || row.kind != Kind::Method;
            row.parent.is_none() && row.qualified_name == row.name && wanted.fits(row.kind, family) && is_reached
        });
        let mut top: Vec<SymbolId> = top.map(|symbol| SymbolId { file, symbol }).collect();
        top.retain(|id| !self.is_generated(*id));
        // Functions of other closures have names of their own.
        if family == Family::Script && top.len() > 1 {
            let is_around = |id: &SymbolId| {
                let declared = facts.symbols[id.symbol as usize].name_span.start;
                facts.closures_around(declared).next().is_none_or(|closure| closure.start <= at && at < closure.end)
            };
            if top.iter().any(is_around) {
                top.retain(is_around);
            }
        }
        // `const fs = require("fs")` defines a constant, but the name refers to the module.
        let is_imported =
            facts.imports.iter().any(|import| facts.text(import.alias) == name || facts.text(import.name) == name);
        if is_imported {
            top.retain(|id| facts.symbols[id.symbol as usize].kind != Kind::Constant);
        }
        if wanted == SymbolCategory::Callable
            && let Some(found) = self.local_of_file(file, at, name, &top)?
        {
            return Ok(found);
        }
        if family == Family::Rust
            && let Some(found) = self.of_build(file, at, name, wanted, &top)?
        {
            return Ok(found);
        }
        // What a function imports hides what its file defines.
        let is_hidden = || -> Result<bool> {
            let imports = if is_imported { self.imports_of(file, at, name)? } else { Vec::new() };
            Ok(imports.first().is_some_and(|import| !self.is_of_file(file, import.span.start)))
        };
        if !top.is_empty() && family != Family::C && !is_hidden()? {
            return Ok(Resolution::new(ResolutionMethod::SameFile, top));
        }
        // `require` of Ruby binds no name that could be called.
        let binds_functions = family != Family::Ruby || wanted != SymbolCategory::Callable;
        let imports = if binds_functions { self.imports_of(file, at, name)? } else { Vec::new() };
        for import in imports {
            match self.imported(file, import)? {
                Value::Symbols(symbols) => return Ok(Resolution::new(ResolutionMethod::Import, symbols)),
                Value::External => return Ok(Resolution::external()),
                Value::Unknown if !family.is_global() => return Ok(Resolution::unknown()),
                _ => {}
            }
        }
        if let Some(found) = self.in_package(file, name, wanted)? {
            return Ok(found);
        }
        for import in facts.imports.iter().filter(|import| facts.text(import.name) == "*") {
            let found = self.taken_whole(file, import, name, wanted)?;
            if !found.is_empty() {
                return Ok(Resolution::new(ResolutionMethod::Import, found));
            }
        }
        match family {
            Family::C => self.linked(file, at, name, wanted),
            _ if family.is_global() => self.global(file, at, name, wanted),
            _ => Ok(Resolution::unknown()),
        }
    }

    /// The imports that bind a name at a byte of a file, those of a function around it first.
    pub(super) fn imports_of(&self, file: FileIndex, at: u32, name: &str) -> Result<Vec<&ImportRow>> {
        let (facts, family) = (self.facts(file)?, self.branch.family(file));
        let binds = |import: &&ImportRow| {
            let (source, taken, alias) = (facts.text(import.source), facts.text(import.name), facts.text(import.alias));
            let is_bound = match () {
                () if !alias.is_empty() => alias == name,
                () if taken == "self" && family == Family::Rust => ends_in(source, name),
                () if !taken.is_empty() => ends_in(taken, name),
                () => self.branch.local_name(file, source) == name,
            };
            is_bound && taken != "*" && self.is_visible(file, import.span.start, at)
        };
        let mut found: Vec<&ImportRow> = facts.imports.iter().filter(binds).collect();
        found.sort_by_key(|import| self.is_of_file(file, import.span.start));
        Ok(found)
    }

    fn in_scopes(&self, file: FileIndex, at: u32, name: &str, wanted: SymbolCategory) -> Result<Option<Resolution>> {
        let family = self.branch.family(file);
        let facts = self.facts(file)?;
        let inner = facts.enclosing(at);
        // A type inside may have the member from a base that is not in the branch.
        let mut is_open = false;
        // The methods of Ruby belong to the innermost type around them.
        let has_receiver = family == Family::Ruby && wanted == SymbolCategory::Callable;
        let mut is_in_function = false;
        let how = |how, is_open| if is_open { ResolutionMethod::Ambiguous } else { how };
        for scope in facts.chain(inner) {
            let row = facts.symbols[scope as usize];
            let holds_types = is_type(row.kind);
            let sees_types = wanted == SymbolCategory::Type && family != Family::Rust;
            if !holds_types || family.sees_class_scope() || sees_types || Some(scope) == inner {
                let own = facts.named(name).filter(|&symbol| {
                    let own = &facts.symbols[symbol as usize];
                    // A method of an object needs the object, and one that is written away from its class needs the class.
                    let is_reached =
                        own.kind != Kind::Method || !(family == Family::Script || family == Family::C && !holds_types);
                    // A function that is assigned to a member of an object inside needs the object, too.
                    let is_member = family == Family::Script && {
                        let (outer, full) = (facts.qualified_name(scope), facts.qualified_name(symbol));
                        full.len() != outer.len() + 1 + name.len()
                    };
                    own.parent == Some(scope) && wanted.fits(own.kind, family) && is_reached && !is_member
                });
                let mut own: Vec<SymbolId> = own.map(|symbol| SymbolId { file, symbol }).collect();
                own.retain(|id| !self.is_generated(*id));
                if !own.is_empty() {
                    // In a class of C++, its name means the class, although constructors have it as well.
                    let is_constructor =
                        holds_types && family == Family::C && row.name == facts.symbols[own[0].symbol as usize].name;
                    let own =
                        if is_constructor { vec![SymbolId { file, symbol: scope }] } else { self.definitions(own)? };
                    return Ok(Some(Resolution::new(how(ResolutionMethod::SameFile, is_open), own)));
                }
            }
            if holds_types && family.members_are_bare() {
                let mut found = self.members_of(SymbolId { file, symbol: scope }, name)?;
                // The name of a constructor means its type.
                if family == Family::Jvm
                    && let Some(&first) = found.symbols.first()
                    && let Some(of) = self.constructed(first)?
                {
                    found.symbols = vec![of];
                }
                if found
                    .symbols
                    .first()
                    .map(|&id| self.row(id))
                    .transpose()?
                    .is_some_and(|row| wanted.fits(row.kind, family))
                {
                    return Ok(Some(Resolution::new(how(ResolutionMethod::Receiver, is_open), found.symbols)));
                }
                let extends = || {
                    let mut bases = facts.bases.iter().filter(|base| base.derived == row.qualified_name);
                    bases.any(|base| !base.implements)
                };
                is_open |=
                    family == Family::Jvm && wanted == SymbolCategory::Callable && !found.is_complete && extends();
            }
            let is_function = matches!(row.kind, Kind::Function | Kind::Method);
            if wanted == SymbolCategory::Callable
                && is_function
                // A call in Ruby never means a variable.
                && !has_receiver
                && let Some(found) = self.local_of_function(file, row.span, at, name)?
            {
                return Ok(Some(found));
            }
            is_in_function |= is_function;
            let is_type_around =
                holds_types || row.kind == Kind::Module || row.kind == Kind::Constant && is_in_function;
            if has_receiver && is_type_around {
                break;
            }
        }
        // A member written away from its type: `void Foo::bar()`.
        // Rust names an associated type with the type before it: `Self::Item`.
        if family.members_are_bare() || wanted == SymbolCategory::Type && family != Family::Rust {
            let function = facts.chain(inner).find(|&scope| {
                let row = &facts.symbols[scope as usize];
                matches!(row.kind, Kind::Method | Kind::Function) && row.qualified_name != row.name
            });
            if let Some(owner) =
                function.map(|method| self.owner(SymbolId { file, symbol: method })).transpose()?.flatten()
            {
                if family == Family::C && self.facts(owner.file)?.name(owner.symbol) == name {
                    return Ok(Some(Resolution::new(ResolutionMethod::Receiver, vec![owner])));
                }
                let found = self.members_of(owner, name)?;
                if found
                    .symbols
                    .first()
                    .map(|&id| self.row(id))
                    .transpose()?
                    .is_some_and(|row| wanted.fits(row.kind, family))
                {
                    return Ok(Some(Resolution::new(ResolutionMethod::Receiver, found.symbols)));
                }
            }
        }
        Ok(None)
    }

    /// The target of an import: symbols, a module, or nothing of this branch.
    pub(super) fn imported(&self, file: FileIndex, import: &ImportRow) -> Result<Value> {
        let facts = self.facts(file)?;
        let (source, name) = (self.source_in_module(file, import)?, facts.text(import.name));
        let source = &*source;
        let family = self.branch.family(file);
        let names_symbols =
            matches!(family, Family::Php | Family::CSharp | Family::Elixir | Family::Ruby | Family::Other);
        // `using ns::Name;` in addition to `#include`s.
        if names_symbols || (family == Family::C && source.contains("::")) {
            let full = if name.is_empty() { source.to_owned() } else { format!("{source}.{name}") };
            let full = normal(&full);
            let (scope, name) = full.rsplit_once('.').unwrap_or(("", &full));
            let mut found = self.by_scopes(file, scope, name, SymbolCategory::Any)?;
            if family == Family::Php {
                // What is imported belongs to no type, and is named with all of its scopes.
                let is_meant = |id: &SymbolId| {
                    let is_free = self.row(*id).is_ok_and(|row| row.kind != Kind::Method);
                    is_free && (!scope.is_empty() || self.full_name(*id).is_ok_and(|full| full == name))
                };
                found.retain(is_meant);
            }
            return Ok(match found.is_empty() {
                false => Value::Symbols(found),
                true if family == Family::Php => Value::External,
                true => Value::Namespace(full.clone()),
            });
        }
        let (source, name) = match name.rsplit_once("::") {
            Some((path, name)) => (format!("{source}::{path}"), name),
            None => (source.to_owned(), name),
        };
        let mut module = self.branch.module(file, &source);
        let mut source = source;
        // A crate or a module may be passed on under another name: `pub use other_crate as name`.
        if family == Family::Rust && !matches!(module, Module::Files(_)) {
            let found = self.deeper(Value::Unknown, || self.value(file, import.span.start, &source))?;
            if let Value::Module(passed_on @ Module::Files(_), dotted) = found {
                (module, source) = (passed_on, dotted);
            }
        }
        if name.is_empty() || name == "self" && family == Family::Rust {
            return match (&module, family) {
                (Module::Files(files), Family::Script) => {
                    let local = facts.text(import.alias);
                    self.default_export(files, local, &module, &source)
                }
                (Module::External, _) => Ok(Value::External),
                _ => Ok(Value::Module(module, source)),
            };
        }
        self.in_module(file, &module, &source, name)
    }

    /// The default export of a file: what it says, else the symbol of the local name, else the module itself.
    fn default_export(&self, files: &[FileIndex], local: &str, module: &Module, source: &str) -> Result<Value> {
        for &file in files {
            for name in ["default", "module.exports"] {
                let found = self.deeper(Vec::new(), || self.renamed(file, name, SymbolCategory::Any))?;
                if !found.is_empty() {
                    return Ok(Value::Symbols(found));
                }
            }
        }
        for &file in files {
            // `module.exports = function () { … }`, `export default function () { … }`
            let facts = self.facts(file)?;
            // `var exports = module.exports = {}` is another name of the module.
            let is_whole = |symbol: &u32| {
                let row = &facts.symbols[*symbol as usize];
                row.parent.is_none() && (row.kind != Kind::Constant || facts.name(*symbol) == "default")
            };
            if let Some(symbol) = facts.named("exports").chain(facts.named("default")).find(is_whole) {
                return Ok(Value::Symbols(vec![SymbolId { file, symbol }]));
            }
        }
        // `export { default } from './parts'`
        for name in ["default", local] {
            let found = if name.is_empty() { Vec::new() } else { self.exported(files, name, SymbolCategory::Any)? };
            if !found.is_empty() {
                return Ok(Value::Symbols(found));
            }
        }
        Ok(Value::Module(module.clone(), source.to_owned()))
    }

    /// The source of an import as the file would write it outside of its inline modules: `super` in `mod tests` is the
    /// file itself.
    fn source_in_module(&self, file: FileIndex, import: &ImportRow) -> Result<Cow<'_, str>> {
        let facts = self.facts(file)?;
        let source = facts.text(import.source);
        if self.branch.family(file) != Family::Rust || !source.starts_with("super") {
            return Ok(Cow::Borrowed(source));
        }
        let mut rest = source;
        for scope in facts.chain(facts.enclosing(import.span.start)) {
            if facts.symbols[scope as usize].kind == Kind::Module {
                rest = match rest.strip_prefix("super") {
                    Some("") => "",
                    Some(inner) => inner.trim_start_matches("::"),
                    None => break,
                };
            }
        }
        Ok(match rest {
            "" => Cow::Borrowed("self"),
            _ if rest.starts_with("super") => Cow::Borrowed(rest),
            _ => Cow::Owned(format!("self::{rest}")),
        })
    }

    /// The symbols of a name in the source of an import that takes all of it: a module, or an enumeration of Rust.
    pub(super) fn taken_whole(
        &self,
        file: FileIndex,
        import: &ImportRow,
        name: &str,
        wanted: SymbolCategory,
    ) -> Result<Vec<SymbolId>> {
        let source = self.source_in_module(file, import)?;
        let source = &*source;
        match self.branch.module(file, source) {
            Module::Files(files) => {
                let files: Vec<FileIndex> = files.into_iter().filter(|&other| other != file).collect();
                self.exported(&files, name, wanted)
            }
            _ if self.branch.family(file) == Family::Rust => {
                let path = source.strip_prefix("self::").unwrap_or(source);
                match self.deeper(Value::Unknown, || self.value(file, import.span.start, path))? {
                    Value::Module(Module::Files(files), _) => self.exported(&files, name, wanted),
                    Value::Type(of) => Ok(self.own_members(of, name)?),
                    _ => Ok(Vec::new()),
                }
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The module that the root of a Rust module passes on under a name: `pub use other::name`.
    fn passed_on_module(&self, files: &[FileIndex], name: &str) -> Result<Option<Value>> {
        for &file in files {
            for import in &self.facts(file)?.imports {
                let facts = self.facts(file)?;
                let (taken, alias) = (facts.text(import.name), facts.text(import.alias));
                let is_bound = if alias.is_empty() { ends_in(taken, name) } else { alias == name };
                if is_bound
                    && let value @ Value::Module(..) = self.deeper(Value::Unknown, || self.imported(file, import))?
                {
                    return Ok(Some(value));
                }
            }
        }
        Ok(None)
    }

    /// The symbols of a name in a module.
    pub(super) fn in_module(&self, file: FileIndex, module: &Module, dotted: &str, name: &str) -> Result<Value> {
        let family = self.branch.family(file);
        let below = match family {
            Family::Python if dotted.ends_with('.') => format!("{dotted}{name}"),
            Family::Rust => format!("{dotted}::{name}"),
            _ => format!("{dotted}.{name}"),
        };
        if *module == Module::External {
            return Ok(Value::External);
        }
        // `mod name;` is a symbol too, but the name refers to the file.
        if family == Family::Rust
            && let inner @ Module::Files(_) = self.branch.module(file, &below)
        {
            return Ok(Value::Module(inner, below));
        }
        if let (Family::Lua, Module::Files(files)) = (family, module) {
            let found = self.module_function(files[0], "", name)?;
            if !found.is_empty() {
                return Ok(Value::Symbols(found));
            }
        }
        if let Module::Files(files) = module {
            let found = self.exported(files, name, SymbolCategory::Any)?;
            if !found.is_empty() {
                return Ok(Value::Symbols(found));
            }
            if family == Family::Rust
                && let Some(value) = self.passed_on_module(files, name)?
            {
                return Ok(value);
            }
        }
        if family == Family::Python {
            let inner = self.branch.module(file, &below);
            if matches!(inner, Module::Files(_) | Module::Folder(_)) {
                return Ok(Value::Module(inner, below));
            }
        }
        if family == Family::Rust && *module == Module::Unknown {
            // A type's path, or a module inside of a file: `super::Kind`, `crate::a::Kind::Function`.
            return self.rust_path(file, dotted, name);
        }
        Ok(Value::Unknown)
    }

    /// Resolves the rest of a path inside a file.
    fn rust_path(&self, file: FileIndex, dotted: &str, name: &str) -> Result<Value> {
        let mut path = dotted;
        let mut inside = vec![name];
        while let Some((front, part)) = path.rsplit_once("::") {
            inside.push(part);
            if let Module::Files(files) = self.branch.module(file, front) {
                let wished = inside.iter().rev().copied().collect::<Vec<_>>().join(".");
                let mut found = Vec::new();
                for &file in &files {
                    let facts = self.facts(file)?;
                    let named = facts.named(name).filter(|&symbol| facts.qualified_name(symbol) == wished);
                    found.extend(named.map(|symbol| SymbolId { file, symbol }));
                }
                if !found.is_empty() {
                    return Ok(Value::Symbols(found));
                }
                let scope = wished.strip_suffix(name).map_or("", |scope| scope.trim_end_matches('.'));
                return self.passed_on_inside(&files, scope, name);
            }
            path = front;
        }
        Ok(Value::Unknown)
    }

    /// What an inline module of Rust passes on under a name: `pub mod parts { pub use crate::parser::Token; }`.
    fn passed_on_inside(&self, files: &[FileIndex], scope: &str, name: &str) -> Result<Value> {
        for &file in files {
            let facts = self.facts(file)?;
            let is_scope = |symbol: &u32| {
                facts.symbols[*symbol as usize].kind == Kind::Module && facts.qualified_name(*symbol) == scope
            };
            let Some(module) = facts.named(last(scope)).find(is_scope) else { continue };
            for import in &facts.imports {
                let (taken, alias) = (facts.text(import.name), facts.text(import.alias));
                let local = if alias.is_empty() { last(taken) } else { alias };
                if local == name && facts.enclosing(import.span.start) == Some(module) {
                    return self.deeper(Value::Unknown, || self.imported(file, import));
                }
            }
        }
        Ok(Value::Unknown)
    }

    /// The symbols of a name in the folder, package or namespace of a file.
    fn in_package(&self, file: FileIndex, name: &str, wanted: SymbolCategory) -> Result<Option<Resolution>> {
        let family = self.branch.family(file);
        if !family.folder_is_package() {
            return Ok(None);
        }
        let package = self.branch.package(file);
        let is_test = self.branch.path(file).ends_with("_test.go");
        let mut found = Vec::new();
        for &id in self.branch.defining(name)?.iter() {
            let row = self.row(id)?;
            let is_hidden = family == Family::Go && !is_test && self.branch.path(id.file).ends_with("_test.go");
            let is_top = row.parent.is_none() && row.qualified_name == row.name;
            if id.file != file
                && is_top
                && wanted.fits(row.kind, family)
                && !is_hidden
                && self.branch.family(id.file) == family
                && self.branch.package(id.file) == package
            {
                found.push(id);
            }
        }
        Ok((!found.is_empty()).then(|| Resolution::new(ResolutionMethod::Package, found)))
    }
}
