//! Stores a parsed text as one flat array of nodes in pre-order.
//!
//! Tree-sitter's own tree is walked exactly once, to make this. From then on everything is arithmetic on an array:
//! no depth of nesting can exhaust the stack, and looking at a node costs nothing. Named nodes are kept, and of the
//! others only those that a query names.

use tree_sitter::{Language, TreeCursor};

use codecairn_base::span::ByteSpan;

use super::lost_regions::{LostRegion, is_long};

/// The number of a node: its place in pre-order. A node's descendants directly follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeNumber(pub(crate) u32);

impl NodeNumber {
    /// The number after this one: the first child, if there is one.
    pub(crate) fn following(self) -> Self {
        Self(self.0 + 1)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which nodes and fields a query wants to see.
#[derive(Debug, Clone)]
pub(crate) struct KeptKinds {
    /// By kind, a set of the flags below.
    flags: Vec<u8>,
}

const NAMED: u8 = 1;
/// Not named, but a query asks for it.
const KEPT: u8 = 2;
/// A query asks for the fields of its named children.
const FIELDS: u8 = 4;
/// A query asks for all of its fields, also those of tokens.
const ALL_FIELDS: u8 = 8;

/// The kind of nodes that stand for text which the grammar can't read.
const ERROR_KIND: u16 = u16::MAX;

impl KeptKinds {
    /// Only the named kinds of a grammar.
    pub(crate) fn named_of(language: &Language) -> Self {
        let kinds = language.node_kind_count() as u16;
        Self { flags: (0..kinds).map(|kind| u8::from(language.node_kind_is_named(kind))).collect() }
    }

    /// Keeps a kind of token too.
    pub(crate) fn keep(&mut self, kind: u16) {
        self.set(Some(&[kind]), KEPT);
    }

    /// Looks up the fields of children of these kinds; `None` means of all kinds.
    pub(crate) fn want_fields_below(&mut self, kinds: Option<&[u16]>) {
        self.set(kinds, FIELDS);
    }

    /// The same, tokens included.
    pub(crate) fn want_all_fields_below(&mut self, kinds: Option<&[u16]>) {
        self.set(kinds, FIELDS | ALL_FIELDS);
    }

    fn set(&mut self, kinds: Option<&[u16]>, flag: u8) {
        match kinds {
            None => self.flags.iter_mut().for_each(|flags| *flags |= flag),
            Some(kinds) => {
                for kind in kinds {
                    if let Some(flags) = self.flags.get_mut(usize::from(*kind)) {
                        *flags |= flag;
                    }
                }
            }
        }
    }

    fn of(&self, kind: u16) -> u8 {
        // Errors are named and lie beyond the table.
        self.flags.get(usize::from(kind)).copied().unwrap_or(NAMED)
    }
}

#[derive(Debug, Clone, Copy)]
struct Node {
    start: u32,
    end: u32,
    /// The first node that is not a descendant.
    next: u32,
    parent: u32,
    kind: u16,
    /// The field below the parent, 0 for none; the highest bit is set for tokens.
    field: u16,
}

const TOKEN: u16 = 1 << 15;

/// The nodes of one text.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// The nodes whose descendants are being read, with their kinds' flags.
    open: Vec<(u32, u8)>,
    has_error: bool,
    /// The names of the macros that the grammar has not seen.
    pub(crate) macros: Vec<ByteSpan>,
    /// The regions that the grammar has skipped.
    pub(super) lost: Vec<LostRegion>,
    /// The parts that were left out of the text so that the rest can be read, in order of position.
    pub(super) blanks: Vec<ByteSpan>,
    /// Whether the grammar has functions or types.
    pub(super) is_code: bool,
    /// Bytes in the text.
    length: u32,
}

impl Tree {
    /// Replaces the nodes by those below `cursor`, without what they have beyond the first `length` bytes.
    pub(crate) fn fill(&mut self, cursor: &mut TreeCursor<'_>, kept: &KeptKinds, length: usize) {
        self.nodes.clear();
        self.length = length as u32;
        self.open.clear();
        self.has_error = cursor.node().has_error();
        loop {
            if let Some(opened) = self.push(cursor, kept)
                && cursor.goto_first_child()
            {
                self.open.push(opened);
                continue;
            }
            loop {
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return;
                }
                self.close();
            }
        }
    }

    /// Forgets the nodes.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.macros.clear();
        self.lost.clear();
        self.blanks.clear();
        self.has_error = false;
    }

    /// Whether the grammar can't read a part of the text.
    pub(crate) fn has_error(&self) -> bool {
        self.has_error
    }

    /// The parts of a text of code in which definitions may be missing: what was left out of it, the regions that the grammar
    /// has skipped, and its errors over several lines.
    pub(super) fn losses(&self, text: &str) -> Vec<ByteSpan> {
        let mut losses = self.blanks.clone();
        losses.extend(self.lost.iter().map(|region| ByteSpan::new(region.span.start, region.span.end)));
        if self.is_code {
            let errors = self.errors().map(|error| self.span(error));
            losses.extend(errors.filter(|span| text.get(span.range()).is_some_and(is_long)));
        }
        losses
    }

    /// Every node's number, in pre-order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = NodeNumber> + use<> {
        (0..self.nodes.len() as u32).map(NodeNumber)
    }

    /// The nodes that stand for text which the grammar can't read.
    pub(crate) fn errors(&self) -> impl Iterator<Item = NodeNumber> {
        let numbers = if self.has_error { 0..self.nodes.len() as u32 } else { 0..0 };
        numbers.map(NodeNumber).filter(|node| self.is_error(*node))
    }

    /// The nodes that start in a range of bytes.
    pub(crate) fn starting_in(&self, start: u32, end: u32) -> impl Iterator<Item = NodeNumber> + use<> {
        let first = self.nodes.partition_point(|node| node.start < start);
        let last = self.nodes.partition_point(|node| node.start < end);
        (first as u32..last as u32).map(NodeNumber)
    }

    /// The direct children.
    pub(crate) fn children(&self, node: NodeNumber) -> impl Iterator<Item = NodeNumber> {
        let (mut child, end) = (node.following(), self.next(node));
        std::iter::from_fn(move || {
            let current = (child < end).then_some(child)?;
            child = self.next(current);
            Some(current)
        })
    }

    /// The kind's number in the grammar.
    pub(crate) fn kind(&self, node: NodeNumber) -> u16 {
        self.nodes[node.index()].kind
    }

    /// The number of the field below the parent, 0 for none.
    pub(crate) fn field(&self, node: NodeNumber) -> u16 {
        self.nodes[node.index()].field & !TOKEN
    }

    /// First byte.
    pub(crate) fn start(&self, node: NodeNumber) -> u32 {
        self.nodes[node.index()].start
    }

    /// One past the last byte.
    pub(crate) fn end(&self, node: NodeNumber) -> u32 {
        self.nodes[node.index()].end
    }

    /// Its bytes.
    pub(crate) fn span(&self, node: NodeNumber) -> ByteSpan {
        ByteSpan { start: self.start(node), end: self.end(node) }
    }

    /// The first node behind this one that is not inside.
    pub(crate) fn next(&self, node: NodeNumber) -> NodeNumber {
        NodeNumber(self.nodes[node.index()].next)
    }

    /// The node around this one; the root is its own.
    pub(crate) fn parent(&self, node: NodeNumber) -> NodeNumber {
        NodeNumber(self.nodes[node.index()].parent)
    }

    /// Whether the grammar names it: not a token.
    pub(crate) fn is_named(&self, node: NodeNumber) -> bool {
        self.nodes[node.index()].field & TOKEN == 0
    }

    /// Whether it stands for text that the grammar can't read.
    pub(crate) fn is_error(&self, node: NodeNumber) -> bool {
        self.kind(node) == ERROR_KIND
    }

    /// Whether it has kept children.
    pub(crate) fn is_leaf(&self, node: NodeNumber) -> bool {
        self.next(node) == node.following()
    }

    /// Its text.
    pub(crate) fn text<'t>(&self, node: NodeNumber, text: &'t str) -> &'t str {
        let node = &self.nodes[node.index()];
        text.get(node.start as usize..node.end as usize).unwrap_or_default()
    }

    /// Takes in the cursor's node. What comes back is the node to descend into: nothing is looked for below tokens.
    fn push(&mut self, cursor: &TreeCursor<'_>, kept: &KeptKinds) -> Option<(u32, u8)> {
        let node = cursor.node();
        let kind = node.kind_id();
        let flags = kept.of(kind);
        let (parent, parent_flags) = self.open.last().copied().unwrap_or((0, 0));
        let is_token = flags & NAMED == 0;
        let wants_field = parent_flags & if is_token && flags & KEPT == 0 { ALL_FIELDS } else { FIELDS } != 0;
        let mut field = if wants_field { cursor.field_id().map_or(0, std::num::NonZero::get) } else { 0 };
        if is_token {
            if flags & KEPT == 0 && field == 0 {
                return None;
            }
            field |= TOKEN;
        }
        let number = self.nodes.len() as u32;
        let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
        let (start, end) = (start.min(self.length), end.min(self.length));
        self.nodes.push(Node { start, end, next: number + 1, parent, kind, field });
        (!is_token).then_some((number, flags))
    }

    /// Ends the node that was opened last.
    fn close(&mut self) {
        if let Some((number, _)) = self.open.pop() {
            self.nodes[number as usize].next = self.nodes.len() as u32;
        }
    }
}
