//! Whatever a host sends, its event is translated or of no interest, and always in the same way.

#![no_main]

use codecairn_hooks::{HOSTS, json};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (event, payload) = codecairn_fuzz::path_and_content(data);
    let Ok(document) = json::parse(payload) else { return };
    let again = json::parse(json::ascii(&document).as_bytes()).expect("what was written is JSON");
    let (Some(payload), Some(again)) = (document.as_object(), again.as_object()) else { return };
    for host in &HOSTS {
        let translated = host.translate(&event, payload, &|_| None);
        assert_eq!(translated, host.translate(&event, again, &|_| None));
    }
});
