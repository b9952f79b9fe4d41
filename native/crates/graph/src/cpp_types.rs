//! Knows what the standard library of C++ makes of types: elements of containers, pairs, pointers, iterators; and which
//! operators of a project's own types do the same.

use std::collections::HashSet;
use std::sync::LazyLock;

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::kind::Kind;
use codecairn_syntax::{Evidence, POINTER_METHODS};

use super::branch::Load;
use super::edge::{Resolution, ResolutionMethod};
use super::family::Family;
use super::receiver::{Step, type_name};
use super::resolver::Resolver;
use super::scoped_name::last;
use super::symbol::{SymbolCategory, SymbolId};
use super::value::{Value, one_of};

type Words = LazyLock<HashSet<&'static str>>;

/// Containers whose first argument is the type of their elements.
static SEQUENCES: Words = LazyLock::new(|| {
    words(
        "array deque forward_list initializer_list list multiset priority_queue queue set span stack unordered_multiset \
         unordered_set valarray vector",
    )
});

/// Containers with entries of a key and a value.
static MAPS: Words = LazyLock::new(|| words("map multimap unordered_map unordered_multimap"));

/// Types that stand for what they hold, or point to it.
static POINTERS: Words = LazyLock::new(|| words("optional reference_wrapper shared_ptr unique_ptr weak_ptr"));

/// The types of iterators and elements inside of containers.
const ELEMENT_TYPES: [&str; 8] = [
    "::iterator",
    "::const_iterator",
    "::reverse_iterator",
    "::const_reverse_iterator",
    "::value_type",
    "::reference",
    "::const_reference",
    "::pointer",
];

/// The methods of containers that give an element, or an iterator at one.
static ELEMENT_METHODS: Words = LazyLock::new(|| {
    words("back begin cbegin cend crbegin crend data end find front lower_bound rbegin rend top upper_bound")
});

/// The names of what a pointer points to, besides those of one letter: what the standard calls it in classes of pointers
/// (<https://eel.is/c++draft/unique.ptr.single.general>).
const PARAMETERS: [&str; 2] = ["element_type", "pointer"];

/// The methods of pointers that give what they hold.
const CONTENT_METHODS: [&str; 4] = ["get", "lock", "release", "value"];

impl<L: Load> Resolver<'_, L> {
    /// An object of a type of the standard library with arguments, or of one inside of it; none if it is anything else.
    pub(super) fn standard_type(&self, file: FileIndex, at: u32, text: &str) -> Result<Option<Value>> {
        let text = text.trim_matches([' ', '&', '*']);
        let text = text.strip_prefix("const ").unwrap_or(text);
        let text = text.strip_prefix("typename ").unwrap_or(text);
        if let Some(container) = ELEMENT_TYPES.iter().find_map(|end| text.strip_suffix(end)) {
            return Ok(match self.deeper(Value::Unknown, || self.typed(file, at, container))? {
                Value::Many(inner) => Some(*inner),
                _ => None,
            });
        }
        let Some(named) = type_name(text).filter(|named| !named.arguments.is_empty() && !named.is_list) else {
            return Ok(None);
        };
        let simple = last(named.head);
        let is_known =
            SEQUENCES.contains(simple) || MAPS.contains(simple) || POINTERS.contains(simple) || simple == "pair";
        if !is_known || self.own_container(file, at, named.head)?.is_some() {
            return self.own_pointer(file, at, named.head, named.arguments[0]);
        }
        let argument = |number: usize| match named.arguments.get(number) {
            Some(argument) => self.deeper(Value::Unknown, || self.typed(file, at, argument)),
            None => Ok(Value::Unknown),
        };
        let first = argument(0)?;
        Ok(Some(match () {
            () if SEQUENCES.contains(simple) => Value::Many(Box::new(first)),
            () if POINTERS.contains(simple) => Value::Wrapped(Box::new(first)),
            () if MAPS.contains(simple) => Value::Many(Box::new(Value::Pair(Box::new((first, argument(1)?))))),
            () => Value::Pair(Box::new((first, argument(1)?))),
        }))
    }

    /// An object of a type of the project that is used as a pointer to its first argument, `Ptr<Foo>`; none if it is anything
    /// else.
    pub(super) fn own_pointer(&self, file: FileIndex, at: u32, name: &str, argument: &str) -> Result<Option<Value>> {
        let Value::Type(of) = self.type_named(file, at, name)? else { return Ok(None) };
        if self.row(of)?.kind == Kind::Type || !self.points_to_parameter(of)? {
            return Ok(None);
        }
        let content = self.deeper(Value::Unknown, || self.typed(file, at, argument))?;
        Ok(Some(Value::Pointer(of, Box::new(content))))
    }

    /// Whether the operator `->` of a type gives what its parameter stands for.
    fn points_to_parameter(&self, of: SymbolId) -> Result<bool> {
        for function in self.members_of(of, "operator->")?.symbols {
            let (facts, row) = (self.facts(function.file)?, self.row(function)?);
            let returned = facts.binding_from(facts.name(function.symbol), row.name_span.start);
            let Some(returned) = returned.filter(|it| it.span == row.name_span && it.evidence == Evidence::Returns)
            else {
                continue;
            };
            let head = type_name(facts.text(returned.text)).map_or("", |named| named.head);
            if head.len() == 1 && head.starts_with(char::is_uppercase) || PARAMETERS.contains(&head) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What a step in C++ leads to from a value of the standard library; none if the value is anything else.
    pub(super) fn standard_step(
        &self,
        file: FileIndex,
        at: u32,
        value: &Value,
        step: Step<'_>,
    ) -> Result<Option<Value>> {
        let found = match value {
            // A pointer's own methods are called with a dot.
            Value::Wrapped(inner) if !step.is_pointed_to && CONTENT_METHODS.contains(&step.name) && step.is_call => {
                (**inner).clone()
            }
            Value::Pointer(of, inner) if step.is_pointed_to || self.members_of(*of, step.name)?.symbols.is_empty() => {
                let step = Step { is_pointed_to: false, ..step };
                return self.next_step(file, at, (**inner).clone(), step, false).map(Some);
            }
            Value::Pointer(_, inner) if step.is_call && CONTENT_METHODS.contains(&step.name) => (**inner).clone(),
            Value::Many(inner) if step.is_call && ELEMENT_METHODS.contains(step.name) => (**inner).clone(),
            Value::Many(inner) if step.is_call && step.name == "at" => mapped((**inner).clone()),
            Value::Many(_) => Value::Unknown,
            Value::Instance(of) if step.is_pointed_to && self.members_of(*of, step.name)?.symbols.is_empty() => {
                match self.operator(*of, "operator->")? {
                    Value::Instance(pointed) if pointed != *of => {
                        let step = Step { is_pointed_to: false, ..step };
                        return self.next_step(file, at, Value::Instance(pointed), step, false).map(Some);
                    }
                    _ => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(if step.is_indexed { self.indexed(found)? } else { found }))
    }

    /// What an index selects of a value.
    pub(super) fn indexed(&self, value: Value) -> Result<Value> {
        Ok(match value.content() {
            Value::Many(inner) => mapped(*inner),
            Value::Instance(of) if self.branch.family(of.file) == Family::C => {
                // Without an operator, it is an array, or a pointer to one.
                let is_array = self.members_of(of, "operator[]")?.symbols.is_empty();
                if is_array { Value::Instance(of) } else { self.operator(of, "operator[]")? }
            }
            value => one_of(value),
        })
    }

    /// One of the elements of an expression.
    pub(super) fn element(&self, file: FileIndex, at: u32, text: &str) -> Result<Value> {
        let value = self.value(file, at, text)?;
        match value {
            Value::Instance(of) if self.branch.family(file) == Family::C => match self.operator(of, "begin")? {
                Value::Instance(iterator) => {
                    let is_pointer = self.members_of(iterator, "operator*")?.symbols.is_empty();
                    if is_pointer { Ok(Value::Instance(iterator)) } else { self.operator(iterator, "operator*") }
                }
                _ => Ok(Value::Unknown),
            },
            value => Ok(one_of(value)),
        }
    }

    /// What an operator of a type gives, if all of its overloads that are known give the same.
    fn operator(&self, of: SymbolId, name: &str) -> Result<Value> {
        let mut found = None;
        for function in self.members_of(of, name)?.symbols {
            let value = self.deeper(Value::Unknown, || self.returned(function))?.content();
            if value == Value::Unknown {
                continue;
            }
            if found.as_ref().is_some_and(|found| *found != value) {
                return Ok(Value::Unknown);
            }
            found = Some(value);
        }
        Ok(found.unwrap_or(Value::Unknown))
    }

    /// What a name means behind `::` alone, behind a pointer of the standard library, or behind an own type with an operator
    /// `->`; none if the receiver is anything else.
    pub(super) fn global_or_pointed_to(
        &self,
        file: FileIndex,
        at: u32,
        receiver: &str,
        name: &str,
        wanted: SymbolCategory,
    ) -> Result<Option<Resolution>> {
        if receiver == "::" {
            let mut found = self.linked(file, 0, name, wanted)?;
            let mut global = Vec::new();
            for &target in &found.targets {
                if self.branch.qualified_name(target)? == name {
                    global.push(target);
                }
            }
            found.targets = global;
            return Ok(Some(if found.targets.is_empty() { Resolution::external() } else { found }));
        }
        // The receiver's own method, as the text says by a dot behind it.
        if let Some(own) = receiver.strip_suffix('.') {
            return match self.value(file, at, own)? {
                Value::Wrapped(_) => Ok(Some(Resolution::external())),
                Value::Pointer(of, _) => {
                    Ok(Some(Resolution::found(ResolutionMethod::Receiver, self.members_of(of, name)?.symbols)))
                }
                _ => self.qualified(file, at, own, name, wanted).map(Some),
            };
        }
        let value = self.value(file, at, receiver)?;
        if let Value::Pointer(of, inner) = value {
            // A dot behind the receiver would tell an own method of such a name.
            let is_own = !POINTER_METHODS.contains(&name) && !self.members_of(of, name)?.symbols.is_empty();
            return match inner.content() {
                Value::Instance(pointed) if !is_own => {
                    let found = self.members_of(pointed, name)?.symbols;
                    Ok((!found.is_empty()).then(|| Resolution::new(ResolutionMethod::Receiver, found)))
                }
                _ => Ok(None),
            };
        }
        let Value::Instance(of) = value else { return Ok(None) };
        if !self.members_of(of, name)?.symbols.is_empty() {
            return Ok(None);
        }
        let Value::Instance(pointed) = self.operator(of, "operator->")? else { return Ok(None) };
        let found = self.members_of(pointed, name)?.symbols;
        Ok((!found.is_empty()).then(|| Resolution::new(ResolutionMethod::Receiver, found)))
    }
}

/// What an entry of a map is kept for; any other element is itself.
fn mapped(element: Value) -> Value {
    match element {
        Value::Pair(parts) => parts.1,
        element => element,
    }
}

/// One part of a pair.
pub(super) fn part_of((first, second): (Value, Value), step: Step<'_>) -> Value {
    match step.name {
        "first" if !step.is_call => first,
        "second" if !step.is_call => second,
        _ => Value::Unknown,
    }
}

fn words(list: &'static str) -> HashSet<&'static str> {
    list.split_whitespace().collect()
}
