//! Defines what captures mean: the roles that a pattern's nodes have.

use crate::kind::Kind;
use crate::{Evidence, ReferenceKind};

/// The number of a step inside its pattern.
pub(crate) type StepNumber = u8;

/// How many nodes of one pattern may be scopes.
pub(crate) const MAX_SCOPES: usize = 3;

/// Which step of a pattern, or which node of a match, plays which role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Roles<T> {
    pub(crate) definition: Option<(Kind, T)>,
    pub(crate) name: Option<T>,
    /// Up to three nodes, in order.
    pub(crate) scopes: [Option<T>; MAX_SCOPES],
    pub(crate) reference: Option<(ReferenceKind, T)>,
    pub(crate) receiver: Option<T>,
    /// The arguments of a call, or of a function, whose number counts.
    pub(crate) arguments: Option<T>,
    pub(crate) import: Option<T>,
    /// First and last node of an import's source.
    pub(crate) source: Option<(T, T)>,
    pub(crate) import_name: Option<T>,
    pub(crate) alias: Option<T>,
    /// A base type; true if it is implemented rather than extended.
    pub(crate) base: Option<(bool, T)>,
    /// A name whose type something tells.
    pub(crate) binding: Option<T>,
    /// A parameter or variable of a function.
    pub(crate) local: Option<T>,
    /// A function without a name, whose parameters and variables are its own.
    pub(crate) closure: Option<T>,
    /// A part of a function with variables of its own, which sees those around it.
    pub(crate) block: Option<T>,
    /// Such a part that knows its variables from its beginning on.
    pub(crate) early_block: Option<T>,
    /// The pattern whose bare names are bound, at any depth.
    pub(crate) pattern: Option<T>,
    /// A function or variable that a part of a text knows also before it is defined.
    pub(crate) early: Option<T>,
    /// A part of a text in which names are those of types.
    pub(crate) types: Option<T>,
    /// A text whose named groups bind variables.
    pub(crate) groups: Option<T>,
    /// A macro's arguments, kept as tokens.
    pub(crate) tokens: Option<T>,
    /// What tells it.
    pub(crate) evidence: Option<(Evidence, T)>,
    pub(crate) mark: Option<(MarkKind, T)>,
    pub(crate) wrapper: Option<T>,
    pub(crate) attribute: Option<T>,
    pub(crate) comment: Option<T>,
    /// A definition that encloses nothing, yet is the scope of what follows it.
    pub(crate) open_scope: Option<T>,
    /// Text in the language of another grammar, whose id comes first.
    pub(crate) embedded: Option<(&'static str, T)>,
}

/// How a node takes part in cutting a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum MarkKind {
    /// A chunk of its own.
    Unit,
    /// Its members may be units.
    Container,
    /// A unit of which equally named neighbours are further clauses: the equations of a Haskell function.
    Clause,
    /// A named part of a text that ends where its node ends.
    Section,
    /// One that runs on, up to the next mark or its parent's end: its node is a heading.
    OpenSection,
}

// Derived, it would ask for `T: Default`.
impl<T> Default for Roles<T> {
    fn default() -> Self {
        Self {
            definition: None,
            name: None,
            scopes: [const { None }; MAX_SCOPES],
            reference: None,
            receiver: None,
            arguments: None,
            import: None,
            source: None,
            import_name: None,
            alias: None,
            base: None,
            binding: None,
            local: None,
            closure: None,
            block: None,
            early_block: None,
            pattern: None,
            early: None,
            types: None,
            groups: None,
            tokens: None,
            evidence: None,
            mark: None,
            wrapper: None,
            attribute: None,
            comment: None,
            open_scope: None,
            embedded: None,
        }
    }
}

impl MarkKind {
    /// Whether it is a section, open or not.
    pub(crate) fn is_section(self) -> bool {
        matches!(self, Self::Section | Self::OpenSection)
    }
}

impl<T> Roles<T> {
    /// Whether the pattern tells of uses and types, and of nothing that cuts a text or is defined there.
    pub(crate) fn is_use(&self) -> bool {
        let is_told = self.definition.is_some() || self.mark.is_some() || self.embedded.is_some();
        let cuts = [&self.wrapper, &self.attribute, &self.comment, &self.open_scope].iter().any(|role| role.is_some());
        let types = self.evidence.is_some() || self.local.is_some() || self.tokens.is_some();
        let types = types || self.closure.is_some() || self.block.is_some() || self.early_block.is_some();
        let types = types || self.pattern.is_some() || self.early.is_some();
        let types = types || self.types.is_some() || self.groups.is_some();
        let uses = self.reference.is_some() || self.import.is_some() || self.base.is_some() || types;
        uses && !is_told && !cuts
    }
}

impl<T: Copy> Roles<T> {
    /// Gives `step` the role that a capture names. Names that begin with `_` are for predicates only.
    pub(crate) fn set(&mut self, capture: &str, step: T) -> Result<(), String> {
        if capture.starts_with('_') {
            return Ok(());
        }
        if let Some(kind) = capture.strip_prefix("definition.") {
            return put(&mut self.definition, (kind.parse()?, step), capture);
        }
        if let Some(id) = capture.strip_prefix("embedded.") {
            let grammar = codecairn_grammars::all().iter().find(|grammar| grammar.id == id);
            let grammar = grammar.ok_or_else(|| format!("unknown grammar in `@{capture}`"))?;
            return put(&mut self.embedded, (grammar.id, step), capture);
        }
        match capture {
            "name" => put(&mut self.name, step, capture),
            "scope" => match self.scopes.iter_mut().find(|scope| scope.is_none()) {
                Some(scope) => put(scope, step, capture),
                None => Err(format!("more than {MAX_SCOPES} scopes in one pattern")),
            },
            "reference.call" => put(&mut self.reference, (ReferenceKind::Call, step), capture),
            "reference.construct" => put(&mut self.reference, (ReferenceKind::Construct, step), capture),
            "reference.type" => put(&mut self.reference, (ReferenceKind::Type, step), capture),
            "reference.decorator" => put(&mut self.reference, (ReferenceKind::Decorator, step), capture),
            "reference.value" => put(&mut self.reference, (ReferenceKind::Value, step), capture),
            "reference.bare" => put(&mut self.reference, (ReferenceKind::Bare, step), capture),
            "reference.write" => put(&mut self.reference, (ReferenceKind::Write, step), capture),
            "reference.symbol" => put(&mut self.reference, (ReferenceKind::Symbol, step), capture),
            "receiver" => put(&mut self.receiver, step, capture),
            "arguments" => put(&mut self.arguments, step, capture),
            "import" => put(&mut self.import, step, capture),
            "source" => {
                self.source = Some((self.source.map_or(step, |(first, _)| first), step));
                Ok(())
            }
            "import.name" => put(&mut self.import_name, step, capture),
            "import.alias" => put(&mut self.alias, step, capture),
            "inherit" => put(&mut self.base, (false, step), capture),
            "implement" => put(&mut self.base, (true, step), capture),
            "tokens" => put(&mut self.tokens, step, capture),
            "local" => put(&mut self.local, step, capture),
            "closure" => put(&mut self.closure, step, capture),
            "block.early" => put(&mut self.early_block, step, capture),
            "block" => put(&mut self.block, step, capture),
            "pattern" => put(&mut self.pattern, step, capture),
            "local.early" => put(&mut self.early, step, capture),
            "local.groups" => put(&mut self.groups, step, capture),
            "types" => put(&mut self.types, step, capture),
            "binding" => put(&mut self.binding, step, capture),
            "binding.type" => put(&mut self.evidence, (Evidence::Type, step), capture),
            "binding.value" => put(&mut self.evidence, (Evidence::Value, step), capture),
            "binding.assigned" => put(&mut self.evidence, (Evidence::Assigned, step), capture),
            "binding.member" => put(&mut self.evidence, (Evidence::Member, step), capture),
            "binding.second" => put(&mut self.evidence, (Evidence::Second, step), capture),
            "binding.element" => put(&mut self.evidence, (Evidence::Element, step), capture),
            "binding.returns" => put(&mut self.evidence, (Evidence::Returns, step), capture),
            "binding.parameters" => put(&mut self.evidence, (Evidence::Parameters, step), capture),
            "binding.bound" => put(&mut self.evidence, (Evidence::Bound, step), capture),
            "binding.content" => put(&mut self.evidence, (Evidence::Content, step), capture),
            "binding.condition" => put(&mut self.evidence, (Evidence::Condition, step), capture),
            "binding.entry" => put(&mut self.evidence, (Evidence::Entry, step), capture),
            "binding.owner" => put(&mut self.evidence, (Evidence::Owner, step), capture),
            "binding.result" => put(&mut self.evidence, (Evidence::Result, step), capture),
            "unit" => put(&mut self.mark, (MarkKind::Unit, step), capture),
            "container" => put(&mut self.mark, (MarkKind::Container, step), capture),
            "unit.clause" => put(&mut self.mark, (MarkKind::Clause, step), capture),
            "container.open" => put(&mut self.open_scope, step, capture),
            "section" => put(&mut self.mark, (MarkKind::Section, step), capture),
            "section.open" => put(&mut self.mark, (MarkKind::OpenSection, step), capture),
            "wrapper" => put(&mut self.wrapper, step, capture),
            "attribute" => put(&mut self.attribute, step, capture),
            "comment" => put(&mut self.comment, step, capture),
            _ => Err(format!("unknown capture `@{capture}`")),
        }
    }
}

fn put<T>(slot: &mut Option<T>, value: T, capture: &str) -> Result<(), String> {
    if slot.is_some() {
        return Err(format!("two nodes play the role of `@{capture}` in one pattern"));
    }
    *slot = Some(value);
    Ok(())
}
