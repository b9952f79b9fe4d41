//! A short line diff between an anchor's text and the current one.
//!
//! The lines between the common beginning and end are compared by their longest common subsequence: O(N · M) for N old
//! and M new lines.

/// How many lines a diff has at most.
const MAX_LINES: usize = 6;
/// How many removed, or added, lines in a row are shown of a longer diff.
const MAX_RUN_LINES: usize = 2;
/// How many characters of a line are shown.
const MAX_LINE_CHARS: usize = 100;
/// Cells of the largest table. Longer texts are shown as removed and added as a whole.
const MAX_CELLS: usize = 1 << 20;

/// The changed lines with `-` and `+` before them, and an unchanged line before each group; the first ones only.
pub(super) fn short_diff(was: &str, now: &str) -> Vec<String> {
    let [old, new] = [was, now].map(|text| text.lines().map(str::trim_end).collect::<Vec<&str>>());
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (rest_old, rest_new) = (&old[start..], &new[start..]);
    let same_end = rest_old.iter().rev().zip(rest_new.iter().rev()).take_while(|(old, new)| old == new).count();
    let changes = changes(&rest_old[..rest_old.len() - same_end], &rest_new[..rest_new.len() - same_end]);
    let before = start.checked_sub(1).map(|at| (' ', old[at]));
    let lines = before.filter(|_| !changes.is_empty()).into_iter().chain(changes);
    cut(lines.map(|(mark, line)| format!("{mark}{}", shortened(line))).collect())
}

/// The first lines, so that long removals leave room for what was added.
fn cut(lines: Vec<String>) -> Vec<String> {
    if lines.len() <= MAX_LINES {
        return lines;
    }
    let count = lines.len();
    let runs = lines.chunk_by(|one, next| one.chars().next() == next.chars().next());
    let firsts = runs.flat_map(|run| &run[..run.len().min(MAX_RUN_LINES)]);
    let mut shown: Vec<String> = firsts.take(MAX_LINES - 1).cloned().collect();
    shown.push(format!("… {} more lines", count - shown.len()));
    shown
}

fn shortened(line: &str) -> String {
    let end = line.char_indices().nth(MAX_LINE_CHARS).map_or(line.len(), |(at, _)| at);
    let mark = if end < line.len() { "…" } else { "" };
    format!("{}{mark}", &line[..end])
}

/// Removed and added lines in order, and of the unchanged ones between them the one before each group.
fn changes<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    let width = new.len() + 1;
    if (old.len() + 1).saturating_mul(width) > MAX_CELLS {
        let removed = old.iter().map(|line| ('-', *line));
        return removed.chain(new.iter().map(|line| ('+', *line))).collect();
    }
    // `common[i][j]`: the length of the longest common subsequence of `old[i..]` and `new[j..]`.
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut unchanged) = (0, 0, None);
    let mut found = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            unchanged = Some((' ', old[i]));
            (i, j) = (i + 1, j + 1);
            continue;
        }
        found.extend(unchanged.take());
        let is_removed = j == new.len() || i < old.len() && common[(i + 1) * width + j] >= common[i * width + j + 1];
        if is_removed {
            found.push(('-', old[i]));
            i += 1;
        } else {
            found.push(('+', new[j]));
            j += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_follow_the_line_before_them() {
        let was = "def f(a):\n    b = a\n    c = b\n    d = c\n    return d";
        let now = "def f(a):\n    b = a + 1\n    c = b\n    d = c\n    log(d)\n    return d";
        let lines = [" def f(a):", "-    b = a", "+    b = a + 1", "     d = c", "+    log(d)"];
        assert_eq!(short_diff(was, now), lines);
        assert!(short_diff(was, was).is_empty());
        assert_eq!(short_diff("PORT = 80", "PORT = 81"), ["-PORT = 80", "+PORT = 81"]);
        assert_eq!(short_diff("a\nb", ""), ["-a", "-b"]);
    }

    #[test]
    fn a_diff_is_cut_to_a_few_short_lines() {
        let text =
            |mark: &str| (0..40).map(|n| format!("{mark}{n} {}\n", "é".repeat(200))).collect::<Vec<_>>().concat();
        let lines = short_diff(&text("a"), &text("b"));
        let marks: Vec<char> = lines.iter().filter_map(|line| line.chars().next()).collect();
        assert_eq!(marks, ['-', '-', '+', '+', '…']);
        assert_eq!(lines[4], "… 76 more lines");
        assert!(lines.iter().all(|line| line.chars().count() <= MAX_LINE_CHARS + 2));
    }

    #[test]
    fn long_texts_are_compared_within_bounds() {
        let text = |mark: &str| (0..5_000).map(|n| format!("{mark}{n}\n")).collect::<Vec<_>>().concat();
        assert_eq!(short_diff(&text("a"), &text("b")).len(), 5);
    }
}
