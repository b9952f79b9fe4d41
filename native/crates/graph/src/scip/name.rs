//! Extracts the plain name of a SCIP symbol: `scip-python python shop 1.0 shop/till/Till#print().` names `print`.

/// The name at a symbol's definition in the source; `None` if the source need not have one.
pub(super) fn written_name(symbol: &str) -> Option<&str> {
    let without_parameters = symbol.strip_suffix(").").and_then(|rest| Some(&rest[..rest.rfind('(')?]));
    let named = match without_parameters {
        Some(method) => method,
        // Packages, files and anonymous types have names that indexers generate.
        None => symbol.strip_suffix(['#', '.'])?,
    };
    let name = match named.strip_suffix('`') {
        Some(quoted) => &quoted[quoted.rfind('`')? + 1..],
        None => &named[named.rfind(|char: char| !is_plain(char)).map_or(0, |at| at + last_width(named, at))..],
    };
    let is_written = !name.is_empty() && name.chars().all(is_plain) && name != "constructor" && name != "__init__";
    is_written.then_some(name)
}

/// Characters of names that need no quotes.
fn is_plain(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$')
}

fn last_width(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_descriptor_is_the_name() {
        let known = [
            ("scip-typescript npm shop 1.0.0 src/`price.ts`/Money#plus().", Some("plus")),
            ("scip-typescript npm shop 1.0.0 src/`price.ts`/Money#", Some("Money")),
            ("scip-java maven a b 1 com/a/B#c(+2).", Some("c")),
            ("scip-python python p 1 `p.q`/limit.", Some("limit")),
            ("rust-analyzer cargo c 1 m/impl#[`A<T>`]go().", Some("go")),
        ];
        for (symbol, name) in known {
            assert_eq!(written_name(symbol), name, "{symbol}");
        }
    }

    #[test]
    fn names_that_indexers_make_up_are_none() {
        for symbol in [
            "scip-typescript npm shop 1.0.0 src/`price.ts`/",
            "scip-typescript npm shop 1.0.0 src/`price.ts`/Money#`<constructor>`().",
            "scip-typescript npm shop 1.0.0 src/`till.ts`/paper0:",
            "scip-python python p 1 `p.q`/A#__init__().",
            "local 5",
            "",
            "`",
            "().",
        ] {
            assert_eq!(written_name(symbol), None, "{symbol}");
        }
    }
}
