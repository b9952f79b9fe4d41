//! A vector is finite, of length one or zero, and the same whatever was embedded before.

#![no_main]

use codecairn_model::embed::{Embedder, FeatureHash, Scratch};
use codecairn_model::vector::{QuantisedVector, Query, quantise};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (model, mut scratch) = (FeatureHash::default(), Scratch::default());
    let vector = model.embed_document(&text, &mut scratch);
    let length: f32 = vector.iter().map(|value| value * value).sum();
    assert!(length == 0.0 || (length - 1.0).abs() < 1e-4, "length {length}");
    model.embed_query(&text, &mut scratch);
    assert_eq!(vector, model.embed_document(&text, &mut scratch));
    let quantised = quantise(&vector).expect("it is finite");
    let read_back = QuantisedVector::from_bytes(&quantised.to_bytes(), vector.len()).expect("it was just written");
    assert_eq!(quantised, read_back);
    assert_eq!(Query::of(&quantised).is_zero(), quantised.is_zero());
});
