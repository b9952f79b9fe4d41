//! Computes the cost of a cut before each line.
//!
//! In code a cut costs 8 for each syntax node that it divides, 5 if it separates a comment or an attribute from what
//! follows, and 2 without a blank line before it: linear in the lines and the nodes, which add and remove their cost at
//! their ends (a difference array). In other texts it costs up to 2 for indentation and 2 without a blank line.

use codecairn_base::span::ByteSpan;

use super::attach::Attachments;
use super::layers::Layer;
use super::lines::{Line, Lines};
use super::split::Cost;

/// For each node that a cut would divide.
const DIVIDES: Cost = 8;

/// For parting a comment or attribute from what follows it.
const DETACHES: Cost = 5;

/// For a cut where there is no blank line.
const UNSPACED: Cost = 2;

/// The costs in a parsed text, one for each line of the span.
pub(super) fn of_code(
    text: &str,
    lines: &Lines,
    span: ByteSpan,
    layers: &[Layer],
    attachments: &Attachments<'_>,
) -> Vec<Cost> {
    let (first, last) = ends(lines, span);
    // Rises at the line after a node's first, falls at the line after its last.
    let mut changes = vec![0_i32; last - first + 2];
    for Layer { tree, .. } in layers {
        let mut line = first;
        for node in tree.starting_in(span.start, span.end) {
            let (start, end) = (tree.start(node), tree.end(node));
            while line < last && lines.end(line) <= start {
                line += 1;
            }
            if end > lines.end(line) {
                let node_last = lines.of(end - 1).min(last);
                changes[line + 1 - first] += 1;
                changes[node_last + 1 - first] -= 1;
            }
        }
    }
    let mut depth = 0;
    let mut costs: Vec<Cost> = changes[..=last - first]
        .iter()
        .map(|change| {
            depth += change;
            depth as Cost * DIVIDES
        })
        .collect();
    for (_, end) in attachments.on_own_lines(span.start, span.end) {
        let after = lines.of(end.max(1) - 1) + 1;
        if after <= last && !is_blank(text, lines, after) {
            costs[after - first] += DETACHES;
        }
    }
    add_spacing(text, lines, first, &mut costs);
    costs
}

/// The costs in a text without structure: blank lines and little indentation are good places.
pub(super) fn of_text(text: &str, lines: &Lines, span: ByteSpan) -> Vec<Cost> {
    let (first, last) = ends(lines, span);
    let indentation = |line: Line| {
        let bytes = &text.as_bytes()[lines.start(line) as usize..lines.end(line) as usize];
        bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count().min(8) as Cost / 4
    };
    let mut costs: Vec<Cost> = (first..=last).map(indentation).collect();
    add_spacing(text, lines, first, &mut costs);
    costs
}

fn add_spacing(text: &str, lines: &Lines, first: Line, costs: &mut [Cost]) {
    let mut was_blank = false;
    for (offset, cost) in costs.iter_mut().enumerate() {
        *cost += if was_blank { 0 } else { UNSPACED };
        was_blank = is_blank(text, lines, first + offset);
    }
}

fn ends(lines: &Lines, span: ByteSpan) -> (Line, Line) {
    (lines.of(span.start), lines.of(span.end.max(span.start + 1) - 1))
}

fn is_blank(text: &str, lines: &Lines, line: Line) -> bool {
    text[lines.start(line) as usize..lines.end(line) as usize].trim().is_empty()
}
