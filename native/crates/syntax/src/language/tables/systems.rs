//! Lists languages that compile to machine code.

use super::row::{Language, code};

pub(super) const LANGUAGES: &[Language] = &[
    code("c", "C", &["c", "h", "cats", "idc"]).parsed().comment("//"),
    code(
        "cpp",
        "C++",
        &[
            "cpp", "cc", "cxx", "c++", "cp", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "txx", "tcc", "inl", "ixx",
            "cppm", "cxxm", "ccm", "ino",
        ],
    )
    .aliases(&["c++"])
    .parsed()
    .comment("//"),
    code("objc", "Objective-C", &["m", "mm"])
        .aliases(&["objective-c", "objcpp", "objective-c++"])
        .parsed()
        .comment("//"),
    code("cuda", "CUDA", &["cu", "cuh"]).grammar("cpp").comment("//"),
    code("opencl", "OpenCL", &["opencl", "clcpp"]).grammar("c").comment("//"),
    code("rust", "Rust", &["rs"]).shebang(&["rust-script"]).parsed().comment("//"),
    code("go", "Go", &["go"]).aliases(&["golang"]).parsed().comment("//"),
    code("zig", "Zig", &["zig", "zon"]).parsed().comment("//"),
    code("swift", "Swift", &["swift", "swiftinterface"]).shebang(&["swift"]).parsed().comment("//"),
    code("d", "D", &["d", "di"]).shebang(&["rdmd", "dub"]).comment("//"),
    code("nim", "Nim", &["nim", "nims", "nimble"]).shebang(&["nim"]).comment("#"),
    code("crystal", "Crystal", &["cr"]).shebang(&["crystal"]).comment("#"),
    code("vlang", "V", &["vv"]).shebang(&["v"]).comment("//"),
    code("odin", "Odin", &["odin"]).comment("//"),
    code("hare", "Hare", &["ha"]).comment("//"),
    code("vala", "Vala", &["vala", "vapi"]).comment("//"),
    code("carbon", "Carbon", &["carbon"]).comment("//"),
    code("mojo", "Mojo", &["mojo", "🔥"]).comment("#"),
    code("assembly", "Assembly", &["asm", "s", "nasm", "a51"]).aliases(&["asm", "nasm", "gas"]).comment(";"),
    code("llvm", "LLVM IR", &["ll"]).comment(";"),
    code("webassembly", "WebAssembly text", &["wat", "wast"]).comment(";;"),
    code("verilog", "Verilog", &["v", "vh", "veo"]).comment("//"),
    code("systemverilog", "SystemVerilog", &["sv", "svh"]).comment("//"),
    code("vhdl", "VHDL", &["vhd", "vhdl", "vho"]).comment("--"),
];
