//! Lists the languages of virtual machines: Java's, .NET's, Dart's, Ethereum's, Salesforce's.

use super::row::{Language, code};

pub(super) const LANGUAGES: &[Language] = &[
    code("java", "Java", &["java", "jav"]).shebang(&["java"]).parsed().comment("//"),
    code("kotlin", "Kotlin", &["kt", "kts", "ktm"]).shebang(&["kotlin"]).parsed().comment("//"),
    code("scala", "Scala", &["scala", "sc", "sbt", "mill"])
        .shebang(&["scala", "scala-cli", "amm"])
        .parsed()
        .comment("//"),
    code("groovy", "Groovy", &["groovy", "gradle", "gvy", "gy", "gsh", "nf"])
        .names(&["Jenkinsfile"])
        .prefixes(&["Jenkinsfile."])
        .shebang(&["groovy", "nextflow"])
        .parsed()
        .comment("//"),
    code("csharp", "C#", &["cs", "csx", "cake"]).aliases(&["c#"]).shebang(&["dotnet-script"]).parsed().comment("//"),
    code("fsharp", "F#", &["fs", "fsi", "fsx", "fsscript"]).aliases(&["f#"]).comment("//"),
    code("vb", "Visual Basic", &["vb", "bas", "vbs", "frm", "vba"]).aliases(&["vbnet", "visual-basic"]).comment("'"),
    code("dart", "Dart", &["dart"]).shebang(&["dart"]).parsed().comment("//"),
    code("apex", "Apex", &["cls", "trigger", "apex"]).parsed().comment("//"),
    code("solidity", "Solidity", &["sol"]).comment("//"),
    code("vyper", "Vyper", &["vy", "vyi"]).grammar("python").comment("#"),
    code("move", "Move", &["move"]).comment("//"),
    code("cairo", "Cairo", &["cairo"]).comment("//"),
    code("haxe", "Haxe", &["hx", "hxsl"]).comment("//"),
    code("ballerina", "Ballerina", &["bal"]).comment("//"),
    code("smali", "Smali", &["smali"]).comment("#"),
];
