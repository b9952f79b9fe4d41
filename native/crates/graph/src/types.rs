//! Resolves written types: declared types of names, return types of functions, element types of containers.

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::Evidence;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::common_names::{BUILT_IN, CONTAINERS, STANDARD_TYPES, TRANSPARENT, WRAPPERS};
use super::edge::{Resolution, ResolutionMethod};
use super::family::Family;
use super::file_facts::BindingRow;
use super::receiver::{parts, type_name, without_result_name};
use super::resolver::Resolver;
use super::scoped_name::last;
use super::scoped_name::normal;
use super::symbol::SymbolId;
use super::symbol::{SymbolCategory, is_type};
use super::value::Value;

/// The maximum number of overloads whose results are compared.
const MAX_OVERLOADS: usize = 16;

impl<L: Load> Resolver<'_, L> {
    /// The value that a function returns.
    pub(super) fn returned(&self, function: SymbolId) -> Result<Value> {
        let facts = self.facts(function.file)?;
        let row = &facts.symbols[function.symbol as usize];
        let mut bindings = facts.bindings_of(facts.name(function.symbol));
        let Some(binding) = bindings.find(|binding| binding.span == row.name_span && binding.evidence.is_of_result())
        else {
            return Ok(Value::Unknown);
        };
        let text = facts.text(binding.text);
        if is_itself(text)
            && let Some(owner) = self.owner(function)?
        {
            return Ok(Value::Instance(owner));
        }
        if binding.evidence == Evidence::Result {
            // Which of its calls of `require` it returns is not known.
            if self.branch.family(function.file) == Family::Script && text.starts_with("require()") {
                return Ok(Value::Unknown);
            }
            let end = row.span.end.saturating_sub(1);
            return self.deeper(Value::Unknown, || self.value(function.file, end, text));
        }
        self.deeper(Value::Unknown, || self.typed(function.file, row.name_span.start, text))
    }

    /// The value that each of some overloads returns; unknown if they return different ones.
    pub(super) fn returned_by_each(&self, overloads: &[SymbolId]) -> Result<Value> {
        let Some((&first, others)) = overloads.split_first() else { return Ok(Value::Unknown) };
        let value = self.returned(first)?;
        for &other in others {
            if others.len() > MAX_OVERLOADS || self.returned(other)? != value {
                return Ok(Value::Unknown);
            }
        }
        Ok(value)
    }

    /// Whether a member returns an object of the type that it is called on, which may derive from the type that has it.
    pub(super) fn returns_itself(&self, function: SymbolId) -> Result<bool> {
        let facts = self.facts(function.file)?;
        let span = facts.symbols[function.symbol as usize].name_span;
        let mut bindings = facts.bindings_of(facts.name(function.symbol));
        let result = bindings.find(|binding| binding.span == span && binding.evidence.is_of_result());
        Ok(result.is_some_and(|binding| is_itself(facts.text(binding.text))))
    }

    /// The value of a name by its binding.
    pub(super) fn bound(&self, file: FileIndex, binding: &BindingRow) -> Result<Value> {
        let text = self.facts(file)?.text(binding.text);
        let at = binding.span.start;
        self.deeper(Value::Unknown, || match binding.evidence {
            Evidence::Type | Evidence::Returns => self.typed(file, at, text),
            Evidence::Bound => self.bounded(file, at, text),
            Evidence::Result | Evidence::Parameters | Evidence::Condition | Evidence::Owner | Evidence::Entry => {
                Ok(Value::Unknown)
            }
            // The right side is evaluated before the name is bound: `x = x.parent`.
            Evidence::Value | Evidence::Assigned if text.ends_with('?') => {
                Ok(self.value(file, at.saturating_sub(1), text)?.content())
            }
            Evidence::Value | Evidence::Assigned => self.value(file, at.saturating_sub(1), text),
            Evidence::Second => self.second(file, at.saturating_sub(1), text),
            Evidence::Content => self.content_of(file, at.saturating_sub(1), text),
            Evidence::Member => self.member_value(file, at.saturating_sub(1), text, binding.name),
            Evidence::Element => self.element(file, at.saturating_sub(1), text),
        })
    }

    /// The second of what a call returns, of which its declaration names several.
    fn second(&self, file: FileIndex, at: u32, text: &str) -> Result<Value> {
        let Some(name) = text.strip_suffix("()") else { return Ok(Value::Unknown) };
        let Some(called) = self.function_behind(file, at, name)? else { return Ok(Value::Unknown) };
        if called.how == ResolutionMethod::External && self.branch.family(file).declares_types() {
            return Ok(Value::External);
        }
        let &[function] = called.targets.as_slice() else { return Ok(Value::Unknown) };
        let (facts, row) = (self.facts(function.file)?, self.row(function)?);
        let returned = facts.binding_from(facts.name(function.symbol), row.name_span.start);
        let Some(returned) = returned.filter(|it| it.span == row.name_span && it.evidence == Evidence::Returns) else {
            return Ok(Value::Unknown);
        };
        let list = facts.text(returned.text).strip_prefix('(').and_then(|list| list.strip_suffix(')'));
        let Some(&second) = list.map(|list| parts(list, ',')).unwrap_or_default().get(1) else {
            return Ok(Value::Unknown);
        };
        let second = without_result_name(second);
        self.deeper(Value::Unknown, || self.typed(function.file, row.name_span.start, second))
    }

    /// What the variant or the type of a pattern holds, if that is one thing: `s` of `Event::Start(s)`.
    fn content_of(&self, file: FileIndex, at: u32, path: &str) -> Result<Value> {
        let found = match path.rsplit_once("::") {
            Some((receiver, name)) => self.qualified(file, at, receiver, name, SymbolCategory::Any)?,
            None => self.bare(file, at, path, SymbolCategory::Any)?,
        };
        match found.targets.as_slice() {
            &[only] if found.how.is_resolved() => {
                let fields = self.tuple_fields(only)?;
                match fields.as_slice() {
                    [field] => {
                        self.deeper(Value::Unknown, || self.typed(only.file, self.row(only)?.name_span.start, field))
                    }
                    _ => Ok(Value::Unknown),
                }
            }
            _ => Ok(Value::Unknown),
        }
    }

    /// The types of the fields without names that a variant or a type of Rust has.
    pub(super) fn tuple_fields(&self, of: SymbolId) -> Result<Vec<&str>> {
        let (facts, row) = (self.facts(of.file)?, self.row(of)?);
        let written = facts
            .binding_from("(", row.name_span.end)
            .filter(|binding| binding.evidence == Evidence::Parameters && row.span.contains(binding.span));
        let text = written.map(|binding| facts.text(binding.text)).unwrap_or_default();
        let Some(list) = text.strip_prefix('(').and_then(|list| list.strip_suffix(')')) else { return Ok(Vec::new()) };
        let fields = parts(list, ',').into_iter().filter(|field| !field.is_empty());
        Ok(fields.map(without_visibility).collect())
    }

    /// An object of the type that `text` names.
    pub(super) fn typed(&self, file: FileIndex, at: u32, text: &str) -> Result<Value> {
        if self.branch.family(file) == Family::C
            && let Some(value) = self.standard_type(file, at, text)?
        {
            return Ok(value);
        }
        let Some(named) = type_name(text) else { return self.one_of_choices(file, at, text) };
        let simple = last(named.head);
        if simple == named.head
            && named.arguments.is_empty()
            && let Some(value) = self.type_parameter(file, at, simple)?
        {
            return Ok(if named.is_list { Value::Many(Box::new(value)) } else { value });
        }
        if !named.arguments.is_empty()
            && !TRANSPARENT.contains(simple)
            && !CONTAINERS.contains(simple)
            && let Some(value) = self.generic_alias(file, at, named.head, named.arguments[0])?
        {
            return Ok(if named.is_list { Value::Many(Box::new(value)) } else { value });
        }
        let own = if CONTAINERS.contains(simple) { self.own_container(file, at, named.head)? } else { None };
        let value = match () {
            () if let Some(of) = own => Value::Instance(of),
            () if TRANSPARENT.contains(simple) && !named.arguments.is_empty() => {
                let content = self.deeper(Value::Unknown, || self.typed(file, at, named.arguments[0]))?;
                let has_methods = self.branch.family(file) == Family::Rust && WRAPPERS.contains(simple);
                if has_methods { Value::Wrapped(Box::new(content)) } else { content }
            }
            () if CONTAINERS.contains(simple) => match named.arguments.last() {
                Some(inner) => Value::Many(Box::new(self.deeper(Value::Unknown, || self.typed(file, at, inner))?)),
                None => Value::External,
            },
            () if simple == "Self" => self.enclosing_type(file, at)?.map_or(Value::Unknown, Value::Instance),
            () => match self.instance_of(file, at, named.head)? {
                Value::Unknown if self.branch.family(file) == Family::Rust && STANDARD_TYPES.contains(named.head) => {
                    Value::External
                }
                Value::Unknown if simple == named.head => match self.common_bound(file, simple)? {
                    Value::Unknown if self.is_of_library(file, simple)? => Value::External,
                    value => value,
                },
                value => value,
            },
        };
        Ok(if named.is_list { Value::Many(Box::new(value)) } else { value })
    }

    /// Whether a type of this name is none of the project's, in a language where types are declared.
    fn is_of_library(&self, file: FileIndex, name: &str) -> Result<bool> {
        let family = self.branch.family(file);
        if !family.declares_types() {
            return Ok(false);
        }
        for &id in self.branch.defining(name)?.iter() {
            if self.branch.family(id.file) == family && is_type(self.row(id)?.kind) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// An object of a choice of types, of which all but one are known to be no types of the project: `Reader | null`.
    fn one_of_choices(&self, file: FileIndex, at: u32, text: &str) -> Result<Value> {
        let choices = parts(text, '|');
        if choices.len() < 2 {
            return Ok(Value::Unknown);
        }
        let mut found = None;
        for choice in choices {
            match self.deeper(Value::Unknown, || self.typed(file, at, choice))? {
                Value::External => {}
                Value::Unknown if BUILT_IN.contains(choice) => {}
                value if matches!(value.clone().content(), Value::Instance(_) | Value::Many(_)) && found.is_none() => {
                    found = Some(value);
                }
                _ => return Ok(Value::Unknown),
            }
        }
        Ok(found.unwrap_or(Value::Unknown))
    }

    /// The type of the project that has the name of a container of a standard library.
    pub(super) fn own_container(&self, file: FileIndex, at: u32, name: &str) -> Result<Option<SymbolId>> {
        if self.branch.defining(last(name))?.is_empty() {
            return Ok(None);
        }
        Ok(match self.type_named(file, at, name)? {
            Value::Type(of) if !matches!(self.row(of)?.kind, Kind::Type | Kind::Module) => Some(of),
            _ => None,
        })
    }

    /// An object of a named type; one of its target if it is an alias.
    pub(super) fn instance_of(&self, file: FileIndex, at: u32, name: &str) -> Result<Value> {
        let found = self.type_named(file, at, name)?;
        Ok(match found {
            Value::Type(of) if self.row(of)?.kind == Kind::Type => match self.alias_target(of)? {
                Value::Unknown => Value::Instance(of),
                target => target,
            },
            Value::Type(of) => Value::Instance(of),
            Value::External => Value::External,
            _ => Value::Unknown,
        })
    }

    /// The content of a wrapper or a container that an alias with a type parameter stands for:
    /// `type Fallible<T> = Result<T, Error>`.
    fn generic_alias(&self, file: FileIndex, at: u32, name: &str, argument: &str) -> Result<Option<Value>> {
        let alias = match self.type_named(file, at, name)? {
            Value::Type(of) if self.row(of)?.kind == Kind::Type => of,
            _ => return Ok(None),
        };
        let Some(target) = self.alias_text(alias)?.and_then(type_name) else { return Ok(None) };
        let simple = last(target.head);
        let is_parameter = |name: &&str| name.len() == 1 && name.starts_with(char::is_uppercase);
        if target.arguments.first().is_none_or(|first| !is_parameter(first)) {
            return Ok(None);
        }
        if !TRANSPARENT.contains(simple) && !CONTAINERS.contains(simple) {
            if self.branch.family(alias.file) != Family::C {
                return Ok(None);
            }
            let pointer = self.own_pointer(alias.file, self.row(alias)?.name_span.start, target.head, argument)?;
            let Some(Value::Pointer(of, _)) = pointer else { return Ok(None) };
            let content = self.deeper(Value::Unknown, || self.typed(file, at, argument))?;
            return Ok(Some(Value::Pointer(of, Box::new(content))));
        }
        let content = self.deeper(Value::Unknown, || self.typed(file, at, argument))?;
        Ok(Some(match () {
            () if CONTAINERS.contains(simple) => Value::Many(Box::new(content)),
            () if self.branch.family(file) == Family::Rust && WRAPPERS.contains(simple) => {
                Value::Wrapped(Box::new(content))
            }
            () => content,
        }))
    }

    /// The type that an alias stands for, as written.
    fn alias_text(&self, alias: SymbolId) -> Result<Option<&str>> {
        let (facts, row) = (self.facts(alias.file)?, self.row(alias)?);
        let mut bindings = facts.bindings_of(facts.name(alias.symbol));
        let target = bindings.find(|binding| binding.span == row.name_span && binding.evidence == Evidence::Type);
        Ok(target.map(|binding| facts.text(binding.text)))
    }

    /// An object of the type that an alias stands for.
    pub(super) fn alias_target(&self, alias: SymbolId) -> Result<Value> {
        let at = self.row(alias)?.name_span.start;
        let Some(text) = self.alias_text(alias)? else { return Ok(Value::Unknown) };
        self.deeper(Value::Unknown, || self.typed(alias.file, at, text))
    }

    /// The type that a name with or without scopes means at a place.
    pub(super) fn type_named(&self, file: FileIndex, at: u32, name: &str) -> Result<Value> {
        let plain = normal(name);
        let (scope, simple) = plain.rsplit_once('.').unwrap_or(("", &plain));
        let found = if scope.is_empty() {
            self.bare(file, at, simple, SymbolCategory::Type)?
        } else {
            let scope = &name[..name.len() - simple.len()];
            // What is before `::` is no variable, whatever variable has its name.
            let is_item = matches!(self.branch.family(file), Family::Rust | Family::C);
            let scope = if is_item { scope } else { scope.trim_end_matches(['.', ':', '\\', '/']) };
            match self.value(file, at, scope)? {
                Value::Module(module, dotted) => match self.in_module(file, &module, &dotted, simple)? {
                    Value::Symbols(found) => Resolution::new(ResolutionMethod::Import, found),
                    Value::External => Resolution::external(),
                    _ => Resolution::unknown(),
                },
                Value::Type(of) | Value::Instance(of) => {
                    Resolution::new(ResolutionMethod::Receiver, self.members_of(of, simple)?.symbols)
                }
                Value::Namespace(scope) => {
                    let found = self.by_scopes(file, &scope, simple, SymbolCategory::Type)?;
                    Resolution::new(ResolutionMethod::Qualified, found)
                }
                Value::External => Resolution::external(),
                _ => Resolution::unknown(),
            }
        };
        if found.how == ResolutionMethod::External {
            return Ok(Value::External);
        }
        let Some(&first) = found.targets.first() else { return Ok(Value::Unknown) };
        let row = self.row(first)?;
        // The branches of a condition of C may give a name to different types.
        if row.kind == Kind::Type && self.branch.family(first.file) == Family::C {
            for &other in &found.targets[1..] {
                if self.row(other)?.kind != Kind::Type || self.alias_text(other)? != self.alias_text(first)? {
                    return Ok(Value::Unknown);
                }
            }
        }
        Ok(match row.kind {
            kind if is_type(kind) && (found.how.is_resolved() || found.targets.len() == 1) => Value::Type(first),
            Kind::Module => Value::Type(first),
            _ => Value::Unknown,
        })
    }
}

/// A field as written without `pub` and `pub(crate)`.
fn without_visibility(field: &str) -> &str {
    let Some(rest) = field.strip_prefix("pub") else { return field };
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')').map_or(rest, |(_, rest)| rest),
        None if rest.starts_with(' ') => rest,
        None => field,
    };
    rest.trim_start()
}

/// Whether a result as written is the receiver or its type.
fn is_itself(text: &str) -> bool {
    matches!(
        text.trim_matches(['"', '\'', '&', ' ', '?']),
        "Self" | "self" | "this" | "static" | "&mut Self" | "mut Self"
    )
}
