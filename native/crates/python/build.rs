//! Links the C++ runtime into the extension on Linux: the shared one takes half a millisecond to load in each process.

#![allow(clippy::disallowed_methods, reason = "files of a developer, at paths of their choice")]

use std::path::{Path, PathBuf};

const LIBRARY: &str = "libstdc++.a";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name| std::env::var(name).unwrap_or_default();
    if variable("CARGO_CFG_TARGET_OS") != "linux" || variable("CARGO_CFG_TARGET_ENV") != "gnu" {
        return;
    }
    // Where the compiler has no static library, it answers with the bare name.
    let compiler = cc::Build::new().cpp(true).get_compiler();
    let answer = compiler.to_command().arg(format!("-print-file-name={LIBRARY}")).output();
    let found = answer.map(|answer| String::from_utf8_lossy(&answer.stdout).trim().to_owned()).unwrap_or_default();
    if !Path::new(&found).is_absolute() {
        return;
    }
    // A linker takes the shared library if a folder has both.
    let folder = PathBuf::from(variable("OUT_DIR"));
    match std::fs::copy(&found, folder.join(LIBRARY)) {
        Ok(_) => println!("cargo::rustc-link-search=native={}", folder.display()),
        Err(error) => println!("cargo::warning=copying {found}: {error}"),
    }
}
