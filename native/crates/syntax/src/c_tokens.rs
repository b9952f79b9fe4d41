//! Finds the ends of the tokens of C and C++.

pub(super) fn is_line_start(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    before.is_none_or(|&byte| byte == b'\n')
}

/// The end of a line with a directive, which goes on behind a backslash.
pub(super) fn directive_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        let end = line_end(bytes, at);
        let line = &bytes[at..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if end == bytes.len() || !line.ends_with(b"\\") {
            return end;
        }
        at = end + 1;
    }
}

/// Where the line around a byte ends, without its end.
fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| at + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_go_on_behind_a_backslash() {
        let directive = "#define A \\\r\n  b\nc";
        assert_eq!(&directive[directive_end(directive.as_bytes(), 0)..], "\nc");
    }
}
