//! Whatever a pack of records or a numbering holds once it is decompressed, it is refused or read, without panic and
//! within bounds.

#![no_main]

use std::sync::{Arc, LazyLock};

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::ErrorKind;
use codecairn_fuzz::MachineClock;
use codecairn_index::transfer::{NumberingPart, RecordPacks, adopt, digest_of};
use codecairn_model::embed;
use codecairn_store::{OpenOptions, Store};
use codecairn_syntax::chunk::EXTRACTOR_VERSION;
use libfuzzer_sys::fuzz_target;

const LEVEL: i32 = 1;

struct Sample {
    _folder: tempfile::TempDir,
    store: Store,
}

static SAMPLE: LazyLock<Sample> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(&folder.path().join("store"), OpenOptions::new(Arc::new(MachineClock))).expect("a store");
    Sample { _folder: folder, store }
});

fuzz_target!(|data: &[u8]| {
    let (index, block) = data.split_at(data.len() / 2);
    read_pack(index, block);
    read_numbering(data);
});

/// The first record of a pack is named by the digest of an empty text.
fn read_pack(rest: &[u8], block: &[u8]) {
    let packed_block = zstd::bulk::compress(block, LEVEL).expect("compression");
    let mut index = vec![1];
    codecairn_base::leb128::put_number(&mut index, packed_block.len() as u32);
    codecairn_base::leb128::put_number(&mut index, block.len() as u32);
    index.push(1);
    index.extend_from_slice(&digest_of(""));
    codecairn_base::leb128::put_text(&mut index, "python");
    index.extend_from_slice(rest);
    let packed = zstd::bulk::compress(&index, LEVEL).expect("compression");
    let mut pack = b"CAIRNREC".to_vec();
    for number in [2, EXTRACTOR_VERSION, index.len() as u32, packed.len() as u32] {
        pack.extend_from_slice(&number.to_le_bytes());
    }
    let pack = [pack, packed, packed_block].concat();
    if let Ok(packs) = RecordPacks::open(vec![pack]) {
        let _ = packs.check();
    }
}

fn read_numbering(raw: &[u8]) {
    let count = (raw.len() / 33) as u32;
    let mut data = b"CAIRNNUM".to_vec();
    data.extend_from_slice(&1u32.to_le_bytes());
    data.extend_from_slice(&count.to_le_bytes());
    data.extend_from_slice(&zstd::bulk::compress(raw, LEVEL).expect("compression"));
    let model = embed::builtin(embed::STATIC).expect("the built-in model");
    let mut guard = SAMPLE.store.lock("fuzzing").expect("the lock");
    let part = NumberingPart { first: 0, count, data };
    let adopted = adopt(&SAMPLE.store, &mut guard, model.as_ref(), &[part], &[], &CancelToken::default());
    let kind = adopted.expect_err("segments are missing").kind();
    assert!(matches!(kind, ErrorKind::PartDamaged | ErrorKind::InvalidArgument), "{kind:?}");
}
