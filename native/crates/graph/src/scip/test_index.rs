//! SCIP indexes for tests, written by hand.

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

/// An occurrence: its range, its symbol, its roles.
pub(crate) fn name(range: &[u64], symbol: &str, roles: u64) -> Vec<u8> {
    let packed: Vec<u8> = range.iter().flat_map(|part| varint(*part)).collect();
    [bytes(1, &packed), bytes(2, symbol.as_bytes()), number(3, roles)].concat()
}

/// A document: its path, the number of its encoding, its text, its occurrences.
pub(crate) fn document(path: &str, encoding: u64, text: Option<&str>, names: &[Vec<u8>]) -> Vec<u8> {
    let names = names.iter().flat_map(|name| bytes(2, name)).collect();
    let text = text.map_or_else(Vec::new, |text| bytes(5, text.as_bytes()));
    [bytes(1, path.as_bytes()), names, text, number(6, encoding)].concat()
}

/// An index: the indexer with its version, its documents.
pub(crate) fn index(tool: &str, version: &str, documents: &[Vec<u8>]) -> Vec<u8> {
    let tool = [bytes(1, tool.as_bytes()), bytes(2, version.as_bytes())].concat();
    let documents = documents.iter().flat_map(|document| bytes(2, document)).collect();
    [bytes(1, &bytes(2, &tool)), documents].concat()
}
