//! Any bytes are a SCIP index or are refused, in memory that grows with them alone.

#![no_main]

use codecairn_graph::scip::Index;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let read = |bytes: &mut &[u8]| Index::read(bytes).expect("reading from memory never fails").ok();
    let (Some(index), Some(again)) = (read(&mut &*data), read(&mut &*data)) else { return };
    assert_eq!(format!("{index:?}"), format!("{again:?}"));
    assert!(index.len() <= data.len());
});
