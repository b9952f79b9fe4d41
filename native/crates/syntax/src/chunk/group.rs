//! Groups segments to drafts of chunks in one pass: strays join their neighbours, small members share a chunk.

use super::limits::{MAX_SHARED, SMALL};
use super::lines::Lines;
use super::outline::{CuttingMark, CuttingMarkNumber, Owner, Segment};

/// A chunk before it is split and named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Whose kind and name it has.
    pub(super) owner: Owner,
}

/// The longest end of a container that is not worth a chunk: `}`, `end`, `});`.
const MAX_TAIL: u32 = 40;

/// Makes drafts of all segments that hold more than white space.
pub(super) fn group(
    segments: &[Segment],
    kept: &[CuttingMark],
    text: &str,
    lines: &Lines,
    is_named: impl Fn(&CuttingMark) -> bool,
) -> Vec<Draft> {
    let mut grouper = Grouper { kept, is_named, drafts: Vec::new(), run: None, carried: None };
    for segment in segments {
        if let Some((start, end)) = trimmed(text, lines, segment.start, segment.end) {
            let draft = Draft { start, end, owner: segment.owner };
            grouper.add(draft, &text[start as usize..end as usize]);
        }
    }
    grouper.drafts.extend(grouper.carried);
    grouper.drafts
}

/// Without blank lines at the start and white space at the end; `None` if nothing is left.
pub(super) fn trimmed(text: &str, lines: &Lines, start: u32, end: u32) -> Option<(u32, u32)> {
    let inside = &text[start as usize..end as usize];
    let visible = inside.trim_end();
    let leading = visible.len() - visible.trim_start().len();
    if visible.is_empty() {
        return None;
    }
    let first = start + leading as u32;
    Some((start.max(lines.start(lines.of(first))), start + visible.len() as u32))
}

/// Small members that share the draft at `at`.
#[derive(Debug, Clone, Copy)]
struct Run {
    at: usize,
    /// Whose members may join.
    parent: Option<CuttingMarkNumber>,
}

struct Grouper<'g, N> {
    kept: &'g [CuttingMark],
    is_named: N,
    drafts: Vec<Draft>,
    run: Option<Run>,
    /// What the next draft has to take along.
    carried: Option<Draft>,
}

impl<N: Fn(&CuttingMark) -> bool> Grouper<'_, N> {
    fn add(&mut self, mut draft: Draft, inside: &str) {
        let is_stray = is_stray(&draft, inside);
        if is_stray
            && self.carried.is_none()
            && let Some(last) = self.drafts.last_mut()
        {
            last.end = draft.end;
            return;
        }
        if let Some(carried) = self.carried.take() {
            draft.start = carried.start;
        }
        if is_stray || self.is_lone_heading(&draft, inside) {
            self.carried = Some(draft);
            return;
        }
        let is_small = draft.end - draft.start < SMALL;
        match draft.owner {
            Owner::Own(number) if is_small => self.add_small_member(draft, number),
            Owner::Between { parent, .. } if is_small && self.run.is_some_and(|run| run.parent == parent) => {
                self.drafts.push(draft);
            }
            _ => {
                self.drafts.push(draft);
                self.run = None;
            }
        }
    }

    /// Joins the run if the member belongs to it, with what little may lie between; else begins another run.
    fn add_small_member(&mut self, draft: Draft, number: CuttingMarkNumber) {
        let kept = &self.kept[number];
        if let Some(run) = self.run
            && run.parent == kept.parent
            && !kept.has_members
            && self.drafts.len() - run.at <= 2
            && draft.end - self.drafts[run.at].start <= MAX_SHARED
        {
            self.drafts.truncate(run.at + 1);
            let shared = &mut self.drafts[run.at];
            shared.end = draft.end;
            // The first member with a name gives it to all.
            if matches!(shared.owner, Owner::Own(first) if !(self.is_named)(&self.kept[first])) {
                shared.owner = draft.owner;
            }
            return;
        }
        let parent = if kept.has_members { Some(number) } else { kept.parent };
        self.run = Some(Run { at: self.drafts.len(), parent });
        self.drafts.push(draft);
    }

    /// A section's heading without text of its own goes with the section below it, whose name holds it too.
    fn is_lone_heading(&self, draft: &Draft, inside: &str) -> bool {
        match draft.owner {
            Owner::Own(number) => {
                let kept = &self.kept[number];
                kept.kind.is_section() && kept.has_members && !inside.contains('\n')
            }
            Owner::Between { .. } => false,
        }
    }
}

fn is_stray(draft: &Draft, inside: &str) -> bool {
    match draft.owner {
        Owner::Own(_) => false,
        Owner::Between { is_tail, .. } => {
            let is_short = draft.end - draft.start < MAX_TAIL && inside.lines().count() <= 2;
            is_tail && is_short || !inside.contains(char::is_alphanumeric)
        }
    }
}
