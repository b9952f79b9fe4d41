//! Lists the languages of graphics processors.

use super::row::{Language, code};

pub(super) const LANGUAGES: &[Language] = &[
    code(
        "glsl",
        "GLSL",
        &[
            "glsl", "vert", "frag", "geom", "tesc", "tese", "comp", "rgen", "rchit", "rmiss", "vsh", "fsh", "glslf",
            "glslv",
        ],
    )
    .comment("//"),
    code("hlsl", "HLSL", &["hlsl", "hlsli", "fx", "fxh", "cginc", "usf", "ush"]).comment("//"),
    code("metal", "Metal", &["metal"]).grammar("cpp").comment("//"),
    code("wgsl", "WGSL", &["wgsl"]).comment("//"),
    code("shaderlab", "ShaderLab", &["shader"]).comment("//"),
    code("gdshader", "Godot shader", &["gdshader", "gdshaderinc"]).comment("//"),
    code("slang", "Slang", &["slang"]).comment("//"),
];
