//! Turns marks into segments: the whole text in order, each piece with its owner.

use codecairn_base::span::ByteSpan;

use super::attach::{Attachments, visible};
use super::layers::Layer;
use super::limits::{MAX_CHUNK, SMALL, STRAY};
use super::lines::Lines;
use crate::{ChunkName, Facts, Mark, MarkKind, NodeNumber, Tree};

/// The number of a kept mark.
pub(super) type CuttingMarkNumber = usize;

/// A mark that cuts the text.
#[derive(Debug, Clone)]
pub(super) struct CuttingMark {
    /// The layer that it is a mark of.
    pub(super) layer: usize,
    /// Its index in that layer's marks.
    pub(super) mark: usize,
    pub(super) kind: MarkKind,
    /// With all that is attached before it.
    pub(super) start: u32,
    pub(super) end: u32,
    /// The kept mark around it.
    pub(super) parent: Option<CuttingMarkNumber>,
    /// Whether other kept marks lie inside.
    pub(super) has_members: bool,
    /// The first node behind it.
    next: NodeNumber,
}

/// A piece of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) owner: Owner,
}

/// Whose text a segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// A kept mark's own: all of it, or what precedes its first member.
    Own(CuttingMarkNumber),
    /// What lies between members of a mark, or of the text; `is_tail` if no member follows.
    Between { parent: Option<CuttingMarkNumber>, is_tail: bool },
}

/// The marks of one layer that cut the text, outer ones first.
pub(super) fn keep(number: usize, layer: &Layer, text: &str, attachments: &Attachments<'_>) -> Vec<CuttingMark> {
    let Layer { tree, facts, named, .. } = layer;
    let mut kept: Vec<CuttingMark> = Vec::new();
    let mut open: Vec<CuttingMarkNumber> = Vec::new();
    for (mark_number, mark) in facts.marks.iter().enumerate() {
        let (mut start, end) = extent(mark, facts, tree, text);
        start = attachments.begin(start);
        let closed = close(&mut kept, &mut open, Some((mark.node, start)), text);
        let next = tree.next(mark.node);
        if mark.kind == MarkKind::Clause
            && let Some(before) = closed
            && kept[before].kind == MarkKind::Clause
            && is_same(named, kept[before].mark, mark_number)
            && text.get(kept[before].end as usize..start as usize).is_some_and(|between| between.trim().is_empty())
        {
            kept[before].end = end;
            kept[before].next = next;
            open.push(before);
            continue;
        }
        let parent = open.last().copied();
        if start >= end || parent.is_some_and(|parent| !takes_members(&kept[parent], mark, end - start)) {
            continue;
        }
        if let Some(parent) = parent {
            kept[parent].has_members = true;
            start = start.max(kept[parent].start);
        }
        open.push(kept.len());
        let kind = mark.kind;
        kept.push(CuttingMark { layer: number, mark: mark_number, kind, start, end, parent, has_members: false, next });
    }
    close(&mut kept, &mut open, None, text);
    kept
}

/// Puts the marks of an embedded text among those of the text around it.
pub(super) fn embed(outer: &mut Vec<CuttingMark>, mut inner: Vec<CuttingMark>, range: ByteSpan) {
    let at = outer.partition_point(|kept| kept.start < range.start);
    let parent = outer[..at].iter().rposition(|kept| kept.end >= range.end);
    if let Some(parent) = parent {
        if outer[parent].end - outer[parent].start < SMALL {
            return;
        }
        outer[parent].has_members |= !inner.is_empty();
    }
    let count = inner.len();
    for kept in &mut inner {
        kept.parent = kept.parent.map_or(parent, |number| Some(number + at));
    }
    for kept in &mut outer[at..] {
        kept.parent = kept.parent.map(|number| if number < at { number } else { number + count });
    }
    outer.splice(at..at, inner);
}

/// Cuts the text at the kept marks. The segments are disjoint and cover everything.
pub(super) fn cut(kept: &[CuttingMark], text: &str, lines: &Lines) -> Vec<Segment> {
    let mut cutter = Cutter { kept, text, lines, at: 0, open: Vec::new(), segments: Vec::new() };
    for number in 0..kept.len() {
        cutter.open(number);
    }
    cutter.finish();
    cutter.segments
}

/// A mark's node with the wrappers around it, without white space at the ends.
fn extent(mark: &Mark, facts: &Facts, tree: &Tree, text: &str) -> (u32, u32) {
    let mut node = mark.node;
    while tree.parent(node) != node && facts.wrappers.binary_search(&tree.parent(node)).is_ok() {
        node = tree.parent(node);
    }
    visible(text, tree.start(node), tree.end(node))
}

/// Whether something inside a kept mark may become a chunk of its own.
fn takes_members(outer: &CuttingMark, inner: &Mark, inner_bytes: u32) -> bool {
    let outer_bytes = outer.end - outer.start;
    match outer.kind {
        MarkKind::Container => outer_bytes >= SMALL,
        MarkKind::Section | MarkKind::OpenSection => inner.kind.is_section() || outer_bytes >= SMALL,
        MarkKind::Unit | MarkKind::Clause => outer_bytes > MAX_CHUNK && inner_bytes >= SMALL,
    }
}

/// Whether two marks are called the same.
fn is_same(named: &[ChunkName], one: usize, other: usize) -> bool {
    (named[one].kind, &named[one].qualified_name) == (named[other].kind, &named[other].qualified_name)
}

/// Takes from `open` what ends before the next mark, and returns the outermost of it. Open sections run on to where
/// the next mark begins, or to their parent's end.
fn close(
    kept: &mut [CuttingMark],
    open: &mut Vec<CuttingMarkNumber>,
    next: Option<(NodeNumber, u32)>,
    text: &str,
) -> Option<CuttingMarkNumber> {
    let mut closed = None;
    while let Some(&number) = open.last() {
        if next.is_some_and(|(node, _)| node < kept[number].next) {
            break;
        }
        open.pop();
        closed = Some(number);
        if kept[number].kind != MarkKind::OpenSection {
            continue;
        }
        let parent_ends = open.last().map(|parent| &kept[*parent]).filter(|parent| match next {
            Some((node, _)) => parent.next <= node,
            None => true,
        });
        let end = match (parent_ends, next) {
            (Some(parent), _) => parent.end,
            (None, Some((_, start))) => start,
            (None, None) => text.len() as u32,
        };
        kept[number].end = kept[number].end.max(end);
    }
    closed
}

struct Cutter<'c> {
    kept: &'c [CuttingMark],
    text: &'c str,
    lines: &'c Lines,
    /// Up to here everything has its owner.
    at: u32,
    /// The marks that the next segment lies in, with whether a member has been seen.
    open: Vec<(CuttingMarkNumber, bool)>,
    segments: Vec<Segment>,
}

impl Cutter<'_> {
    fn open(&mut self, number: CuttingMarkNumber) {
        let kept = &self.kept[number];
        while let Some(&(outer, _)) = self.open.last() {
            if kept.parent == Some(outer) {
                break;
            }
            self.close_last(kept.start);
        }
        let start = self.snapped_start(kept);
        let owner = self.owner(false);
        self.push(start, owner);
        if let Some((_, has_seen)) = self.open.last_mut() {
            *has_seen = true;
        }
        self.open.push((number, false));
    }

    fn finish(&mut self) {
        let length = self.text.len() as u32;
        while !self.open.is_empty() {
            self.close_last(length);
        }
        self.push(length, Owner::Between { parent: None, is_tail: false });
    }

    fn close_last(&mut self, next_start: u32) {
        let owner = self.owner(true);
        if let Some((number, _)) = self.open.pop() {
            let end = self.snapped_end(self.kept[number].end, next_start);
            self.push(end, owner);
        }
    }

    fn owner(&self, is_tail: bool) -> Owner {
        match self.open.last() {
            None => Owner::Between { parent: None, is_tail: false },
            Some((number, true)) => Owner::Between { parent: Some(*number), is_tail },
            Some((number, false)) => Owner::Own(*number),
        }
    }

    fn push(&mut self, to: u32, owner: Owner) {
        if to > self.at {
            self.segments.push(Segment { start: self.at, end: to, owner });
            self.at = to;
        }
    }

    /// A mark begins with its line, unless something else has ended or begun there.
    fn snapped_start(&self, kept: &CuttingMark) -> u32 {
        let line = self.lines.start(self.lines.of(kept.start));
        let outer_begins = kept.parent.map_or(0, |outer| self.kept[outer].start + 1);
        if line >= self.at.max(outer_begins) && kept.start - line <= STRAY { line } else { kept.start.max(self.at) }
    }

    /// A mark ends with its line, unless something else begins there.
    fn snapped_end(&self, end: u32, next_start: u32) -> u32 {
        let line_end = self.lines.end(self.lines.of(end.max(1) - 1));
        if next_start < line_end || line_end - end > STRAY { end.min(next_start.max(self.at)) } else { line_end }
    }
}
