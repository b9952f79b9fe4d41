//! Lists the languages of building, shipping and running software.

use super::row::{Language, code, settings};

pub(super) const LANGUAGES: &[Language] = &[
    code("make", "Makefile", &["mk", "mak", "make", "mkfile"])
        .names(&["Makefile", "GNUmakefile", "BSDmakefile", "Kbuild", "Makefile.am", "Makefile.in", "mkfile"])
        .prefixes(&["Makefile.", "GNUmakefile."])
        .shebang(&["make"])
        .aliases(&["makefile", "makefile-gmake", "makefile-automake"])
        .parsed()
        .comment("#"),
    code("cmake", "CMake", &["cmake"]).names(&["CMakeLists.txt"]).shebang(&["cmake"]).parsed().comment("#"),
    code("starlark", "Starlark", &["bzl", "star", "bazel", "sky", "bxl"])
        .names(&["BUILD", "WORKSPACE", "BUCK", "Tiltfile", "TARGETS", "WORKSPACE.bzlmod", "REPO.bazel", "PACKAGE"])
        .aliases(&["bzl", "bazel"])
        .grammar("python")
        .comment("#"),
    code("dockerfile", "Dockerfile", &["dockerfile", "containerfile"])
        .names(&["Dockerfile", "Containerfile", "Earthfile"])
        .prefixes(&["Dockerfile.", "Dockerfile-", "Containerfile."])
        .parsed()
        .comment("#"),
    code("hcl", "HCL", &["hcl", "tf", "tofu", "nomad", "tftest"]).aliases(&["terraform"]).parsed().comment("#"),
    code("bicep", "Bicep", &["bicep", "bicepparam"]).comment("//"),
    code("jsonnet", "Jsonnet", &["jsonnet", "libsonnet"]).comment("//"),
    code("cue", "CUE", &["cue"]).comment("//"),
    code("dhall", "Dhall", &["dhall"]).comment("--"),
    code("nickel", "Nickel", &["ncl"]).comment("#"),
    code("pkl", "Pkl", &["pkl"]).comment("//"),
    code("kcl", "KCL", &["k"]).comment("#"),
    code("puppet", "Puppet", &["pp"]).comment("#"),
    code("just", "Just", &["just"]).names(&["justfile", ".justfile"]).shebang(&["just"]).comment("#"),
    code("meson", "Meson", &[]).names(&["meson.build", "meson_options.txt", "meson.options"]).comment("#"),
    code("ninja", "Ninja", &["ninja"]).comment("#"),
    code("gn", "GN", &["gn", "gni"]).comment("#"),
    code("dune", "Dune", &[]).names(&["dune", "dune-project", "dune-workspace"]).comment(";"),
    code("m4", "M4", &["m4", "ac", "am"])
        .names(&["configure.ac", "configure.in"])
        .aliases(&["autoconf", "config"])
        .comment("dnl"),
    code("qmake", "qmake", &["pro", "pri"]).comment("#"),
    code("bitbake", "BitBake", &["bbappend", "bbclass"]).comment("#"),
    code("linkerscript", "Linker script", &["ld", "lds", "lcf"]).comment("//"),
    code("devicetree", "Device tree", &["dts", "dtsi", "dtso"]).comment("//"),
    code("kconfig", "Kconfig", &[]).names(&["Kconfig", "Config.in"]).prefixes(&["Kconfig."]).comment("#"),
    code("rpmspec", "RPM spec", &["spec"]).comment("#"),
    code("nsis", "NSIS", &["nsi", "nsh"]).comment(";"),
    code("innosetup", "Inno Setup", &["iss"]).comment(";"),
    settings("moduledef", "Module definition", &["def"]).comment(";"),
    settings("gomod", "Go module", &[]).names(&["go.mod", "go.work"]).comment("//"),
    settings("cabal", "Cabal", &["cabal"]).names(&["cabal.project"]).comment("--"),
    settings("procfile", "Procfile", &[]).names(&["Procfile"]).comment("#"),
    settings("systemd", "systemd unit", &["service", "timer", "socket", "mount", "target"]).comment("#"),
];
