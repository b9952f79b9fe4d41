//! Holds the facts of one file in a compact, indexed form: symbols, references, imports, bases and bindings.

use xxhash_rust::xxh3::xxh3_64;

use codecairn_base::leb128::Malformed;
use codecairn_base::span::ByteSpan;
use codecairn_syntax::kind::Kind;
use codecairn_syntax::{Evidence, FactsReader, Reference, ReferenceKind};

/// At most so many bindings of a name are looked at for the one that declares it.
const MAX_DECLARATIONS: usize = 64;

/// A text of a file, by its number.
pub(super) type TextNumber = u32;

/// A definition.
#[derive(Debug, Clone, Copy)]
pub(super) struct SymbolRow {
    pub(super) name: TextNumber,
    pub(super) qualified_name: TextNumber,
    pub(super) kind: Kind,
    pub(super) span: ByteSpan,
    pub(super) name_span: ByteSpan,
    /// The innermost symbol around it.
    pub(super) parent: Option<u32>,
}

/// A use of a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReferenceRow {
    pub(super) name: TextNumber,
    pub(super) receiver: TextNumber,
    pub(super) kind: ReferenceKind,
    /// How many arguments the call has, if that is known.
    pub(super) arguments: Option<u8>,
    pub(super) span: ByteSpan,
}

/// An import.
#[derive(Debug, Clone, Copy)]
pub(super) struct ImportRow {
    pub(super) source: TextNumber,
    pub(super) name: TextNumber,
    pub(super) alias: TextNumber,
    pub(super) span: ByteSpan,
    pub(super) name_span: ByteSpan,
}

/// A base of a type.
#[derive(Debug, Clone, Copy)]
pub(super) struct BaseRow {
    pub(super) derived: TextNumber,
    pub(super) base: TextNumber,
    pub(super) implements: bool,
    pub(super) span: ByteSpan,
}

/// A binding that gives a name its type.
#[derive(Debug, Clone, Copy)]
pub(super) struct BindingRow {
    pub(super) name: TextNumber,
    pub(super) evidence: Evidence,
    /// Whether a value is assigned to what is declared elsewhere.
    pub(super) is_assigned: bool,
    pub(super) text: TextNumber,
    pub(super) span: ByteSpan,
}

/// The facts of one file. Rows are in order of position; equal texts have equal numbers.
#[derive(Debug, Default)]
pub(super) struct FileFacts {
    texts: String,
    ends: Vec<u32>,
    /// (hash of a text, its number), sorted.
    by_hash: Vec<(u64, TextNumber)>,
    pub(super) symbols: Vec<SymbolRow>,
    /// (name, symbol), sorted.
    by_name: Vec<(TextNumber, u32)>,
    pub(super) references: Vec<ReferenceRow>,
    /// (name, reference), sorted.
    uses: Vec<(TextNumber, u32)>,
    pub(super) imports: Vec<ImportRow>,
    pub(super) bases: Vec<BaseRow>,
    pub(super) bindings: Vec<BindingRow>,
    /// (name, binding), sorted.
    bound: Vec<(TextNumber, u32)>,
    /// Comments.
    remarks: Vec<ByteSpan>,
    /// Functions without names that have bindings of their own, with the number of the closure around each.
    closures: Vec<(ByteSpan, Option<u32>)>,
}

impl FileFacts {
    /// Reads a packed record of syntax.
    pub(super) fn unpack(bytes: &[u8]) -> Result<Self, Malformed> {
        let (mut reader, texts) = FactsReader::new(bytes)?;
        let mut facts = Self::default();
        for text in texts {
            facts.texts.push_str(text);
            facts.ends.push(facts.texts.len() as u32);
        }
        let texts = facts.ends.len() as u32;
        let text = |reader: &mut FactsReader<'_>| reader.number().and_then(|number| within(number, texts));
        reader.number()?;
        for _ in 0..reader.begin()? {
            let (span, name_span) = (reader.span()?, reader.span()?);
            let kind = Kind::from_number(reader.byte()?).ok_or(Malformed)?;
            let (name, qualified_name) = (text(&mut reader)?, text(&mut reader)?);
            facts.symbols.push(SymbolRow { name, qualified_name, kind, span, name_span, parent: None });
        }
        for _ in 0..reader.begin()? {
            let span = reader.span()?;
            let (kind, arguments) = Reference::unpacked_kind(reader.byte()?).ok_or(Malformed)?;
            let (name, receiver) = (text(&mut reader)?, text(&mut reader)?);
            facts.references.push(ReferenceRow { name, receiver, kind, arguments, span });
        }
        for _ in 0..reader.begin()? {
            let span = reader.span()?;
            let name_span = reader.import_name(span)?;
            let (source, name, alias) = (text(&mut reader)?, text(&mut reader)?, text(&mut reader)?);
            facts.imports.push(ImportRow { source, name, alias, span, name_span });
        }
        for _ in 0..reader.begin()? {
            let span = reader.span()?;
            let implements = reader.byte()? > 0;
            let (derived, base) = (text(&mut reader)?, text(&mut reader)?);
            facts.bases.push(BaseRow { derived, base, implements, span });
        }
        for _ in 0..reader.begin_bindings()? {
            let span = reader.span()?;
            let evidence = Evidence::from_number(reader.byte()?).ok_or(Malformed)?;
            let (name, text) = (text(&mut reader)?, text(&mut reader)?);
            let is_assigned = evidence == Evidence::Assigned;
            let evidence = if is_assigned { Evidence::Value } else { evidence };
            facts.bindings.push(BindingRow { name, evidence, is_assigned, text, span });
        }
        for _ in 0..reader.begin()? {
            facts.remarks.push(reader.span()?);
        }
        for _ in 0..reader.begin()? {
            reader.span()?;
            text(&mut reader)?;
        }
        for _ in 0..reader.begin_closures()? {
            facts.closures.push((reader.span()?, None));
        }
        facts.index();
        Ok(facts)
    }

    fn index(&mut self) {
        self.symbols.sort_by_key(|symbol| (symbol.span.start, std::cmp::Reverse(symbol.span.end)));
        let mut open: Vec<u32> = Vec::new();
        for number in 0..self.symbols.len() {
            let span = self.symbols[number].span;
            while open.last().is_some_and(|&outer| {
                let outer = self.symbols[outer as usize].span;
                outer.end < span.end || outer.end <= span.start || outer == span
            }) {
                open.pop();
            }
            self.symbols[number].parent = open.last().copied();
            open.push(number as u32);
        }
        let mut open: Vec<u32> = Vec::new();
        for number in 0..self.closures.len() {
            let start = self.closures[number].0.start;
            while open.pop_if(|outer| self.closures[*outer as usize].0.end <= start).is_some() {}
            self.closures[number].1 = open.last().copied();
            open.push(number as u32);
        }
        self.by_hash = (0..self.ends.len() as u32).map(|number| (hash(self.text(number)), number)).collect();
        self.by_hash.sort_unstable();
        self.by_name = numbered(self.symbols.iter().map(|row| row.name));
        self.uses = numbered(self.references.iter().map(|row| row.name));
        self.bound = numbered(self.bindings.iter().map(|row| row.name));
    }

    /// About how much memory they take.
    pub(super) fn bytes(&self) -> usize {
        fn of<T>(list: &[T]) -> usize {
            size_of_val(list)
        }
        let texts = self.texts.len() + of(&self.ends) + of(&self.by_hash);
        let names = of(&self.by_name) + of(&self.uses) + of(&self.bound);
        let rows = of(&self.symbols) + of(&self.references) + of(&self.imports) + of(&self.bases) + of(&self.bindings);
        size_of::<Self>() + texts + names + rows + of(&self.remarks) + of(&self.closures)
    }

    /// A text by its number.
    pub(super) fn text(&self, number: TextNumber) -> &str {
        let end = self.ends[number as usize] as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before as usize] as usize);
        &self.texts[start..end]
    }

    /// The number of a text, if the file has it.
    pub(super) fn number_of(&self, text: &str) -> Option<TextNumber> {
        let hash = hash(text);
        let first = self.by_hash.partition_point(|entry| entry.0 < hash);
        let same = self.by_hash[first..].iter().take_while(|entry| entry.0 == hash);
        same.map(|entry| entry.1).find(|&number| self.text(number) == text)
    }

    /// The symbols of this name, by position.
    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = u32> + '_ {
        with_name(&self.by_name, self.number_of(name))
    }

    /// The uses of this name, by position.
    pub(super) fn uses(&self, name: &str) -> impl Iterator<Item = u32> + '_ {
        with_name(&self.uses, self.number_of(name))
    }

    /// The bindings of this name, by position.
    pub(super) fn bindings_of(&self, name: &str) -> impl Iterator<Item = &BindingRow> + '_ {
        with_name(&self.bound, self.number_of(name)).map(|number| &self.bindings[number as usize])
    }

    /// The innermost symbol around a position.
    pub(super) fn enclosing(&self, at: u32) -> Option<u32> {
        let next = self.symbols.partition_point(|symbol| symbol.span.start <= at);
        let mut candidate = next.checked_sub(1).map(|number| number as u32);
        while let Some(number) = candidate {
            let symbol = &self.symbols[number as usize];
            if at < symbol.span.end {
                return candidate;
            }
            candidate = symbol.parent;
        }
        None
    }

    /// The functions without a name around a position, of those that have bindings, from inside out.
    pub(super) fn closures_around(&self, at: u32) -> impl Iterator<Item = ByteSpan> + '_ {
        let next = self.closures.partition_point(|closure| closure.0.start <= at);
        let last = next.checked_sub(1).map(|number| number as u32);
        let chain = std::iter::successors(last, |&number| self.closures[number as usize].1);
        chain.map(|number| self.closures[number as usize].0).filter(move |span| at < span.end)
    }

    /// The function without a name that a binding belongs to, if it belongs to one: the innermost one around it; of an
    /// assignment, the one that declares the name.
    pub(super) fn closure_of(&self, binding: &BindingRow) -> Option<ByteSpan> {
        let mut closures = self.closures_around(binding.span.start);
        if !binding.is_assigned {
            return closures.next();
        }
        let others = || with_name(&self.bound, Some(binding.name)).map(|number| &self.bindings[number as usize]);
        let declared = others().take(MAX_DECLARATIONS).filter(|other| !other.is_assigned);
        let declaring: Vec<ByteSpan> =
            declared.filter_map(|other| self.closures_around(other.span.start).next()).collect();
        closures.find(|closure| declaring.contains(closure))
    }

    /// The first binding of a name from a position on.
    pub(super) fn binding_from(&self, name: &str, at: u32) -> Option<&BindingRow> {
        let number = self.number_of(name)?;
        let first = self.bound.partition_point(|entry| {
            entry.0 < number || entry.0 == number && self.bindings[entry.1 as usize].span.start < at
        });
        let next = self.bound.get(first).filter(|entry| entry.0 == number)?;
        Some(&self.bindings[next.1 as usize])
    }

    /// The last binding of a name before a position.
    pub(super) fn binding_before(&self, name: &str, at: u32) -> Option<&BindingRow> {
        let number = self.number_of(name)?;
        let behind = self.bound.partition_point(|entry| {
            entry.0 < number || entry.0 == number && self.bindings[entry.1 as usize].span.start < at
        });
        let before = self.bound[..behind].last().filter(|entry| entry.0 == number)?;
        Some(&self.bindings[before.1 as usize])
    }

    /// A symbol and those around it, from inside out.
    pub(super) fn chain(&self, symbol: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(symbol, |&number| self.symbols[number as usize].parent)
    }

    /// Whether a byte lies in a comment.
    pub(super) fn is_remark(&self, at: u32) -> bool {
        let next = self.remarks.partition_point(|remark| remark.start <= at);
        next.checked_sub(1).is_some_and(|last| at < self.remarks[last].end)
    }

    /// A symbol's name.
    pub(super) fn name(&self, symbol: u32) -> &str {
        self.text(self.symbols[symbol as usize].name)
    }

    /// A symbol's name with its scopes.
    pub(super) fn qualified_name(&self, symbol: u32) -> &str {
        self.text(self.symbols[symbol as usize].qualified_name)
    }
}

fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

fn within(number: u32, count: u32) -> Result<u32, Malformed> {
    if number < count { Ok(number) } else { Err(Malformed) }
}

fn numbered(names: impl Iterator<Item = TextNumber>) -> Vec<(TextNumber, u32)> {
    let mut list: Vec<(TextNumber, u32)> = names.enumerate().map(|(row, name)| (name, row as u32)).collect();
    list.sort_unstable();
    list
}

fn with_name(list: &[(TextNumber, u32)], name: Option<TextNumber>) -> impl Iterator<Item = u32> + '_ {
    let first = name.map_or(list.len(), |name| list.partition_point(|entry| entry.0 < name));
    list[first..].iter().take_while(move |entry| Some(entry.0) == name).map(|entry| entry.1)
}
