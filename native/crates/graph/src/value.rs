//! Evaluates expressions to values (an object of a type, a type, a module) by resolving names, without running code.

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::Evidence;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::common_names::{PASSING, PICKING, is_standard};
use super::cpp_types::part_of;
use super::edge::{Resolution, ResolutionMethod};
use super::family::{Family, is_base, is_own_object, is_own_type};
use super::file_facts::{ImportRow, SymbolRow, TextNumber};
use super::locals::is_without_value;
use super::modules::Module;
use super::receiver::{Step, Steps, steps};
use super::resolver::Resolver;
use super::scoped_name::last;
use super::scoped_name::normal;
use super::symbol::SymbolId;
use super::symbol::{SymbolCategory, is_type};

/// The value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// An object of a type.
    Instance(SymbolId),
    /// A type itself.
    Type(SymbolId),
    /// The members of a type's bases: `super`.
    Bases(SymbolId),
    /// Several objects of one sort.
    Many(Box<Self>),
    /// A value in something that has methods of its own: an `Option`, a `Mutex`, a pointer of C++.
    Wrapped(Box<Self>),
    /// An object of a type of C++ that is used as a pointer, with what it points to.
    Pointer(SymbolId, Box<Self>),
    /// A pair of C++, and an entry of its maps.
    Pair(Box<(Self, Self)>),
    /// A module, with its name as imports write it.
    Module(Module, String),
    /// Scopes that are no module: a C++ namespace.
    Namespace(String),
    /// Symbols that are neither: functions, constants.
    Symbols(Vec<SymbolId>),
    /// Something that the branch does not define.
    External,
    /// Unknown.
    Unknown,
}

impl Value {
    /// What is in a wrapper; the value itself if it is in none.
    pub(super) fn content(self) -> Self {
        match self {
            Self::Wrapped(inner) => inner.content(),
            Self::Pointer(of, _) => Self::Instance(of),
            value => value,
        }
    }
}

/// The namespace of the standard library of C++.
const STANDARD_NAMESPACE: &str = "std";

/// The methods of Python that are class methods without a decorator.
const CLASS_METHODS: [&str; 3] = ["__class_getitem__", "__init_subclass__", "__new__"];

impl<L: Load> Resolver<'_, L> {
    /// Evaluates the reduced expression `text` at a byte of a file.
    pub(super) fn value(&self, file: FileIndex, at: u32, text: &str) -> Result<Value> {
        let is_literal =
            text.starts_with(['"', '\'', '[', '{']) || text.starts_with(|first: char| first.is_ascii_digit());
        if is_literal {
            return if text == "{}" { self.object_in(file, at) } else { Ok(Value::External) };
        }
        if self.branch.family(file) == Family::Script && matches!(text, "exports" | "module.exports") {
            return Ok(Value::Module(Module::Files(vec![file]), text.to_owned()));
        }
        // What `self` points to at the second step is that of its own choice.
        if text.starts_with("**self") && self.branch.family(file) == Family::Rust {
            return Ok(Value::Unknown);
        }
        let Some(steps) = steps(text) else { return Ok(Value::Unknown) };
        self.deeper(Value::Unknown, || {
            let mut value = self.first_step(file, at, &steps)?;
            for (number, step) in steps.list.iter().enumerate().skip(1) {
                value = self.next_step(file, at, value, *step, steps.makes(number))?;
                if matches!(value, Value::Unknown | Value::External) {
                    break;
                }
            }
            Ok(value)
        })
    }

    /// The value of a member of an expression.
    pub(super) fn member_value(&self, file: FileIndex, at: u32, text: &str, name: TextNumber) -> Result<Value> {
        let name = self.facts(file)?.text(name);
        let step = Step { name, is_call: false, is_literal: false, is_indexed: false, is_pointed_to: false };
        match self.value(file, at, text)? {
            Value::External => Ok(Value::External),
            value => self.next_step(file, at, value, step, false),
        }
    }

    /// The object literal at a byte of a script: the function around it, which has the members of the literal.
    fn object_in(&self, file: FileIndex, at: u32) -> Result<Value> {
        let facts = self.facts(file)?;
        if self.branch.family(file) != Family::Script {
            return Ok(Value::External);
        }
        let is_function = |&symbol: &u32| matches!(facts.symbols[symbol as usize].kind, Kind::Function | Kind::Method);
        let function = facts.chain(facts.enclosing(at)).find(is_function);
        Ok(function.map_or(Value::External, |symbol| Value::Instance(SymbolId { file, symbol })))
    }

    fn first_step(&self, file: FileIndex, at: u32, steps: &Steps<'_>) -> Result<Value> {
        let (step, is_new) = (steps.list[0], steps.makes(0));
        let (family, language) = (self.branch.family(file), self.branch.language(file));
        if !step.is_call || family == Family::Python || family == Family::Script {
            if is_own_object(language, step.name) {
                if let Some(owner) = self.enclosing_type(file, at)? {
                    let is_type = is_own_type(language, step.name);
                    return Ok(if is_type { Value::Type(owner) } else { Value::Instance(owner) });
                }
                if family == Family::Rust && step.name == "self" {
                    return Ok(Value::Module(self.branch.module(file, "self"), "self".to_owned()));
                }
            }
            if is_base(language, step.name)
                && let Some(owner) = self.enclosing_type(file, at)?
            {
                return Ok(Value::Bases(owner));
            }
            if family == Family::Rust && step.name == "super" && self.is_in_inline_module(file, at)? {
                return Ok(Value::Module(Module::Files(vec![file]), "self".to_owned()));
            }
            if family == Family::Rust && matches!(step.name, "crate" | "super") {
                return Ok(Value::Module(self.branch.module(file, step.name), step.name.to_owned()));
            }
        }
        if step.is_literal || is_new {
            return self.made(file, at, step.name, is_new);
        }
        if family == Family::Rust
            && !step.is_call
            && let Some(value) = self.type_parameter(file, at, step.name)?
        {
            return Ok(value);
        }
        if family == Family::Python
            && step.name == "cls"
            && self.is_in_class_method(file, at, step.name)?
            && let Some(owner) = self.enclosing_type(file, at)?
        {
            return Ok(Value::Type(owner));
        }
        // The scopes of a path in Rust are items, and those in C++ types and namespaces, whatever variables have their names.
        let is_item = matches!(family, Family::Rust | Family::C) && steps.is_scoped;
        if !step.is_call && !is_item {
            let binding = self.local(file, at, step.name)?;
            // A local name of Lua or of a script is bound to the module that it is required as.
            let is_required = match family {
                Family::Lua => binding.is_none_or(|binding| self.is_of_file(file, binding.span.start)),
                Family::Script => binding.is_some_and(|binding| self.is_of_import(file, binding.span.start)),
                _ => false,
            };
            if is_required && let Some(module) = self.imported_module(file, step.name)? {
                return match module {
                    Value::Symbols(found) => {
                        self.of_resolution(&Resolution::new(ResolutionMethod::Import, found), step)
                    }
                    module => Ok(module),
                };
            }
            if let Some(binding) = binding {
                let value = self.bound(file, binding)?;
                return Ok(if step.is_indexed { self.indexed(value)? } else { value });
            }
            if let Some(value) = self.own_field(file, at, step.name)? {
                return Ok(if step.is_indexed { self.indexed(value)? } else { value });
            }
        }
        if family == Family::Script
            && step.is_call
            && step.name == "require"
            && let Some(import) = self.required(file, at)?
        {
            return self.imported(file, import);
        }
        let found = self.bare(file, at, step.name, category(step.is_call, family == Family::C && is_item))?;
        if !found.how.is_resolved() && found.targets.is_empty() {
            if !step.is_call
                && let Some(value) = self.imported_module(file, step.name)?
            {
                return Ok(value);
            }
            if family == Family::Rust && found.how == ResolutionMethod::Unknown && is_standard(step.name) {
                return Ok(Value::External);
            }
            let is_scope = matches!(family, Family::C | Family::CSharp | Family::Php | Family::Ruby | Family::Elixir);
            if is_scope && !step.is_call {
                return self.namespace(file, step.name);
            }
        }
        // `mod util;` is a symbol, but the name refers to the file.
        if family == Family::Rust && found.how == ResolutionMethod::SameFile && !step.is_call {
            let module = self.branch.module(file, step.name);
            if matches!(module, Module::Files(_)) && self.row(found.targets[0])?.kind == Kind::Module {
                return Ok(Value::Module(module, step.name.to_owned()));
            }
        }
        // A member of the type around it, or of a base.
        if step.is_call
            && found.how == ResolutionMethod::Receiver
            && let Some(of) = self.enclosing_type(file, at)?
            && let Some(value) = self.inherited_parameter(of, found.targets[0])?
        {
            return Ok(value);
        }
        self.of_resolution(&found, step)
    }

    /// What a literal of a type or `new` makes.
    fn made(&self, file: FileIndex, at: u32, name: &str, is_new: bool) -> Result<Value> {
        match self.instance_of(file, at, name)? {
            // A function of a script makes instances as well.
            Value::Unknown if is_new && self.branch.family(file) == Family::Script => {
                Ok(self.constructor_named(file, at, name)?.map_or(Value::Unknown, Value::Instance))
            }
            value => Ok(value),
        }
    }

    /// Whether a byte of a file lies in a statement that imports.
    fn is_of_import(&self, file: FileIndex, at: u32) -> bool {
        self.facts(file)
            .is_ok_and(|facts| facts.imports.iter().any(|import| import.span.start <= at && at < import.span.end))
    }

    /// The import that the first call of `require` from a byte of a script on is; none if that call requires no literal.
    fn required(&self, file: FileIndex, at: u32) -> Result<Option<&ImportRow>> {
        let facts = self.facts(file)?;
        let mut calls = facts.uses("require").map(|number| facts.references[number as usize].span);
        let Some(call) = calls.find(|span| span.start >= at) else { return Ok(None) };
        let is_call = |import: &&ImportRow| import.span == import.name_span && import.span.contains(call);
        Ok(facts.imports.iter().find(is_call))
    }

    /// Whether the innermost function around a byte of a Python file is a class method, whose first parameter is the class:
    /// by its decorator or by its name. The parameter must have its value still.
    fn is_in_class_method(&self, file: FileIndex, at: u32, parameter: &str) -> Result<bool> {
        let facts = self.facts(file)?;
        let is_function = |&symbol: &u32| matches!(facts.symbols[symbol as usize].kind, Kind::Function | Kind::Method);
        let Some(function) = facts.chain(facts.enclosing(at)).find(is_function) else { return Ok(false) };
        let row = facts.symbols[function as usize];
        if facts
            .bindings_of(parameter)
            .any(|binding| row.span.contains(binding.span) && !is_without_value(facts, binding))
        {
            return Ok(false);
        }
        let starts = facts.uses("classmethod").map(|number| facts.references[number as usize].span.start);
        let is_decorated = starts.take_while(|start| *start < row.name_span.start).last().is_some_and(|start| {
            let between =
                |other: &SymbolRow| start < other.name_span.start && other.name_span.start < row.name_span.start;
            !facts.symbols.iter().any(between)
        });
        Ok(is_decorated || CLASS_METHODS.contains(&facts.name(function)))
    }

    fn is_in_inline_module(&self, file: FileIndex, at: u32) -> Result<bool> {
        let facts = self.facts(file)?;
        let modules =
            facts.chain(facts.enclosing(at)).filter(|&symbol| facts.symbols[symbol as usize].kind == Kind::Module);
        Ok(modules.count() == 1)
    }

    /// Whether no function is around a byte of a file.
    pub(super) fn is_of_file(&self, file: FileIndex, at: u32) -> bool {
        let Ok(facts) = self.facts(file) else { return false };
        let mut around = facts.chain(facts.enclosing(at));
        !around.any(|symbol| matches!(facts.symbols[symbol as usize].kind, Kind::Function | Kind::Method))
    }

    /// A name that is no symbol but the scope of some.
    fn namespace(&self, file: FileIndex, name: &str) -> Result<Value> {
        // The standard library's, whatever a project declares in it (https://eel.is/c++draft/namespace.std).
        if name == STANDARD_NAMESPACE && self.branch.family(file) == Family::C {
            return Ok(Value::External);
        }
        for import in &self.facts(file)?.imports {
            let facts = self.facts(file)?;
            if facts.text(import.alias) == name
                || (facts.text(import.alias).is_empty() && last(facts.text(import.source)) == name)
            {
                return Ok(Value::Namespace(normal(facts.text(import.source))));
            }
        }
        for &id in self.branch.defining(name)?.iter() {
            if self.row(id)?.kind == Kind::Module && self.branch.family(id.file) == self.branch.family(file) {
                return Ok(Value::Namespace(name.to_owned()));
            }
        }
        Ok(Value::Unknown)
    }

    /// The module that a file knows by this name.
    fn imported_module(&self, file: FileIndex, name: &str) -> Result<Option<Value>> {
        let facts = self.facts(file)?;
        for import in &facts.imports {
            let (source, taken, alias) = (facts.text(import.source), facts.text(import.name), facts.text(import.alias));
            let local = match () {
                () if !alias.is_empty() => alias,
                () if taken == "self" && self.branch.family(file) == Family::Rust => last(source),
                () if !taken.is_empty() => taken,
                () => self.branch.local_name(file, source),
            };
            if local != name {
                continue;
            }
            if self.branch.family(file) == Family::Python && taken.is_empty() && alias.is_empty() {
                // `import a.b` binds `a`; the next step selects its member.
                return Ok(Some(match self.branch.module(file, name) {
                    Module::External => Value::External,
                    module => Value::Module(module, name.to_owned()),
                }));
            }
            return Ok(Some(self.imported(file, import)?));
        }
        // Sibling and child modules, and crates of the workspace, need no import in Rust.
        if self.branch.family(file) == Family::Rust {
            let module = self.branch.module(file, name);
            return Ok(match module {
                Module::Files(_) => Some(Value::Module(module, name.to_owned())),
                _ => None,
            });
        }
        Ok(None)
    }

    pub(super) fn next_step(
        &self,
        file: FileIndex,
        at: u32,
        value: Value,
        step: Step<'_>,
        is_new: bool,
    ) -> Result<Value> {
        if self.branch.family(file) == Family::C
            && let Some(value) = self.standard_step(file, at, &value, step)?
        {
            return Ok(value);
        }
        let value = value.content();
        if step.is_call && PASSING.contains(step.name) {
            let is_own = match &value {
                Value::Instance(of) => !self.members_of(*of, step.name)?.symbols.is_empty(),
                _ => false,
            };
            if !is_own {
                return Ok(value);
            }
        }
        match value {
            Value::Many(inner) => Ok(match () {
                () if step.is_call && PICKING.contains(step.name) => match step.name {
                    "filter" | "iter" | "iter_mut" | "into_iter" | "drain" | "values" => Value::Many(inner),
                    _ => *inner,
                },
                () => Value::Unknown,
            }),
            Value::Type(of) if step.name == "new" && self.branch.family(of.file) == Family::Ruby => {
                Ok(Value::Instance(of))
            }
            Value::Instance(of) | Value::Type(of) => {
                let mut found = self.members_of(of, step.name)?;
                if found.symbols.len() > 1
                    && self.branch.family(of.file) == Family::Rust
                    && let Some(own) = self.inherent(&found.symbols)?
                {
                    found.symbols = vec![own];
                }
                // Of many bases, each takes steps of the limit.
                let field = if step.is_call { None } else { self.field(of, step.name)? };
                if let Some(value) = field {
                    let is_parameter = value == Value::Unknown && self.branch.family(of.file) == Family::Rust;
                    let value = if is_parameter { self.parameter_field(file, at, of, step.name)? } else { value };
                    return Ok(if step.is_indexed { self.indexed(value)? } else { value });
                }
                if found.symbols.is_empty() {
                    return Ok(Value::Unknown);
                }
                if step.is_call && self.returns_itself(found.symbols[0])? {
                    return Ok(Value::Instance(of));
                }
                if step.is_call
                    && let Some(value) = self.inherited_parameter(of, found.symbols[0])?
                {
                    return Ok(value);
                }
                let found = Resolution::new(ResolutionMethod::Receiver, found.symbols);
                let value = self.of_resolution(&found, step)?;
                // A method whose return type is its own type.
                let is_library = self.branch.family(of.file).declares_types();
                Ok(if value == Value::External && !is_library { Value::Unknown } else { value })
            }
            Value::Bases(of) => {
                let found = self.members_of_bases(of, step.name)?;
                self.of_resolution(&Resolution::new(ResolutionMethod::Receiver, found.symbols), step)
            }
            Value::Module(module, dotted) => {
                let found = self.in_module(file, &module, &dotted, step.name)?;
                match found {
                    Value::Symbols(symbols) if is_new || step.is_literal => {
                        Ok(symbols.first().map_or(Value::Unknown, |&id| Value::Instance(id)))
                    }
                    Value::Symbols(symbols) => {
                        self.of_resolution(&Resolution::new(ResolutionMethod::Import, symbols), step)
                    }
                    other => Ok(other),
                }
            }
            Value::Namespace(scope) => {
                let found = self.by_scopes(file, &scope, step.name, SymbolCategory::Any)?;
                if found.is_empty() {
                    return Ok(Value::Namespace(format!("{scope}.{}", step.name)));
                }
                if is_new {
                    return Ok(Value::Instance(found[0]));
                }
                self.of_resolution(&Resolution::new(ResolutionMethod::Qualified, found), step)
            }
            Value::External if self.branch.family(file).declares_types() => Ok(Value::External),
            Value::Symbols(_) | Value::Wrapped(_) | Value::Pointer(..) | Value::External | Value::Unknown => {
                Ok(Value::Unknown)
            }
            Value::Pair(parts) => Ok(part_of(*parts, step)),
        }
    }

    /// The value of a variable by its own binding.
    pub(super) fn assigned_value(&self, variable: SymbolId) -> Result<Value> {
        let (facts, row) = (self.facts(variable.file)?, self.row(variable)?);
        let mut bindings = facts.bindings_of(facts.name(variable.symbol));
        let binding = bindings.find(|binding| binding.span == row.name_span);
        binding.map_or(Ok(Value::Unknown), |binding| self.bound(variable.file, binding))
    }

    /// What a constant returns that holds a function, or an object that is called as one.
    fn called(&self, constant: SymbolId) -> Result<Value> {
        if let Some(function) = self.function_in(constant)? {
            let is_function =
                |id: &SymbolId| self.row(*id).is_ok_and(|row| matches!(row.kind, Kind::Function | Kind::Method));
            return match function.targets.first().filter(|id| is_function(id)) {
                Some(&function) => self.deeper(Value::Unknown, || self.returned(function)),
                None => Ok(Value::Unknown),
            };
        }
        let facts = self.facts(constant.file)?;
        let row = &facts.symbols[constant.symbol as usize];
        let mut bindings = facts.bindings_of(facts.name(constant.symbol));
        let Some(binding) = bindings.find(|binding| binding.span == row.name_span) else { return Ok(Value::Unknown) };
        match self.bound(constant.file, binding)? {
            Value::Instance(of) => {
                let (facts, span) = (self.facts(of.file)?, self.row(of)?.span);
                // The name of a call signature is its bracket.
                let mut signatures = facts.bindings_of("(").filter(|binding| span.contains(binding.span));
                signatures.next().map_or(Ok(Value::Unknown), |signature| self.bound(of.file, signature))
            }
            _ => Ok(Value::Unknown),
        }
    }

    /// The function that a constant is another name of: `debug = log.debug`; none if it holds anything else.
    pub(super) fn function_in(&self, constant: SymbolId) -> Result<Option<Resolution>> {
        let (facts, row) = (self.facts(constant.file)?, self.row(constant)?);
        let is_other_name = matches!(self.branch.family(constant.file), Family::Python | Family::Script);
        let mut bindings = facts.bindings_of(facts.name(constant.symbol));
        let Some(binding) = bindings
            .find(|binding| binding.span == row.name_span && binding.evidence == Evidence::Value && is_other_name)
        else {
            return Ok(None);
        };
        let found = self.function_behind(constant.file, row.span.start.saturating_sub(1), facts.text(binding.text))?;
        Ok(found.filter(|found| !found.targets.contains(&constant)))
    }

    /// The function or the type that an expression without a call means at a byte of a file.
    pub(super) fn function_behind(&self, file: FileIndex, at: u32, text: &str) -> Result<Option<Resolution>> {
        let Some(steps) = steps(text).filter(|steps| !steps.is_new) else { return Ok(None) };
        let Some(last) = steps.list.last().filter(|last| !last.is_call && !last.is_indexed) else { return Ok(None) };
        let found = self.deeper(Resolution::unknown(), || match text.strip_suffix(last.name).unwrap_or_default() {
            "" => self.bare(file, at, last.name, SymbolCategory::Callable),
            receiver => {
                self.qualified(file, at, receiver.trim_end_matches(['.', '?']), last.name, SymbolCategory::Callable)
            }
        })?;
        Ok((found.how.is_resolved() || found.how == ResolutionMethod::External).then_some(found))
    }

    /// Whether a constant is an object of a script with methods.
    fn is_object(&self, constant: SymbolId) -> Result<bool> {
        let facts = self.facts(constant.file)?;
        let mut inner = facts.symbols[constant.symbol as usize + 1..].iter();
        let is_method = |row: &SymbolRow| row.kind == Kind::Method && row.parent == Some(constant.symbol);
        let end = facts.symbols[constant.symbol as usize].span.end;
        Ok(self.branch.family(constant.file) == Family::Script
            && inner.by_ref().take_while(|row| row.span.start < end).any(is_method))
    }

    /// The value of a step with these targets: a called type makes an object, a function returns one.
    fn of_resolution(&self, found: &Resolution, step: Step<'_>) -> Result<Value> {
        if found.how == ResolutionMethod::External {
            return Ok(Value::External);
        }
        let Some(&first) = found.targets.first().filter(|_| found.how.is_resolved()) else { return Ok(Value::Unknown) };
        // Types and values have names of their own in TypeScript: an expression means the value.
        let is_value =
            |id: &&SymbolId| self.row(**id).is_ok_and(|row| !matches!(row.kind, Kind::Interface | Kind::Type));
        let first = match self.branch.family(first.file) {
            Family::Script => found.targets.iter().find(is_value).copied().unwrap_or(first),
            _ => first,
        };
        // Build constraints choose one of the variables that a package of Go declares under one name.
        let are_variants = self.branch.family(first.file) == Family::Go && found.targets.len() > 1;
        if are_variants && !step.is_call && self.row(first)?.kind == Kind::Constant {
            let value = self.assigned_value(first)?;
            for &other in &found.targets[1..] {
                if self.assigned_value(other)? != value {
                    return Ok(Value::Unknown);
                }
            }
        }
        let row = self.row(first)?;
        let value = match row.kind {
            Kind::Module => {
                let name = normal(self.branch.qualified_name(first)?);
                let is_standard = name == STANDARD_NAMESPACE && self.branch.family(first.file) == Family::C;
                if is_standard { Value::External } else { Value::Namespace(name) }
            }
            kind if is_type(kind) && (step.is_call || step.is_literal) => Value::Instance(first),
            Kind::Type => match self.alias_target(first)? {
                Value::Instance(of) => Value::Type(of),
                _ => Value::Type(first),
            },
            kind if is_type(kind) => Value::Type(first),
            Kind::Function | Kind::Method if step.is_call => self.returned_by_each(&found.targets)?,
            Kind::Function | Kind::Method if self.branch.family(first.file) == Family::Ruby => self.returned(first)?,
            // A property reads as a field does.
            Kind::Method if self.branch.family(first.file) == Family::Python => self.returned(first)?,
            Kind::Constant => {
                let facts = self.facts(first.file)?;
                let binding = facts.bindings_of(facts.name(first.symbol)).find(|binding| binding.span == row.name_span);
                match binding {
                    _ if step.is_call => self.called(first)?,
                    Some(binding) => match self.bound(first.file, binding)? {
                        Value::Unknown | Value::External if self.is_object(first)? => Value::Instance(first),
                        value => value,
                    },
                    None if self.branch.family(first.file) == Family::Script => Value::Instance(first),
                    None => match self.owner(first)? {
                        // A variant of an enumeration.
                        Some(owner) if self.row(owner)?.kind == Kind::Enum => Value::Instance(owner),
                        _ => Value::Unknown,
                    },
                }
            }
            _ => Value::Unknown,
        };
        Ok(if step.is_indexed { self.indexed(value)? } else { value })
    }
}

/// What the first step of an expression names.
fn category(is_call: bool, is_scope: bool) -> SymbolCategory {
    match () {
        () if is_call => SymbolCategory::Callable,
        () if is_scope => SymbolCategory::Type,
        () => SymbolCategory::Any,
    }
}

/// One of many.
pub(super) fn one_of(value: Value) -> Value {
    match value.content() {
        Value::Many(inner) => *inner,
        Value::External => Value::External,
        _ => Value::Unknown,
    }
}
