//! Lists older languages that much running code is still written in.

use super::row::{Language, code};

pub(super) const LANGUAGES: &[Language] = &[
    code("fortran", "Fortran", &["f90", "f95", "f03", "f08", "f", "for", "f77", "fpp", "ftn"])
        .aliases(&["f90"])
        .comment("!"),
    code("pascal", "Pascal", &["pas", "dpr", "lpr", "dfm", "lfm", "dpk"])
        .shebang(&["instantfpc"])
        .aliases(&["delphi"])
        .comment("//"),
    code("ada", "Ada", &["adb", "ads", "ada", "gpr"]).comment("--"),
    code("cobol", "COBOL", &["cob", "cbl", "cpy", "cobol"]).comment("*"),
    code("forth", "Forth", &["4th", "fth", "forth"]).shebang(&["gforth"]).comment("\\"),
    code("apl", "APL", &["apl", "dyalog", "aplf"]).shebang(&["apl"]).comment("⍝"),
    code("abap", "ABAP", &["abap"]).comment("*"),
    code("sas", "SAS", &["sas"]).comment("*"),
    code("foxpro", "FoxPro", &["prg"]).comment("*"),
    code("rexx", "REXX", &["rexx", "rex"]).shebang(&["rexx", "regina"]),
    code("plsql", "PL/SQL", &["pks", "pkb", "plsql", "pls"]).grammar("sql").comment("--"),
];
