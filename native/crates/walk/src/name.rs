//! Classifies files by name: credentials, lock files, minified bundles, binary formats.
//!
//! Only names that hardly ever mean something else are here; the rest is left to the content. A user takes a name
//! out by negating it (`!.env.shared`) in `.codecairnignore` or in the exclude globs.

use super::skip::SkipReason;

/// Why a file of this name is not indexed, and in words.
pub(super) fn reason(name: &str) -> Option<(SkipReason, &'static str)> {
    let lowered: String;
    let name = if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        lowered = name.to_ascii_lowercase();
        &lowered
    } else {
        name
    };
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    if let Some(detail) = secret(name, stem, extension) {
        return Some((SkipReason::Secret, detail));
    }
    if is_lock_file(name) {
        return Some((SkipReason::Generated, "lock file"));
    }
    if extension == "map" && [".js", ".mjs", ".cjs", ".css", ".ts"].iter().any(|code| stem.ends_with(code)) {
        return Some((SkipReason::Generated, "source map"));
    }
    if MINIFIED_EXTENSIONS.contains(&extension) && [".min", "-min", ".prod.min"].iter().any(|mark| stem.ends_with(mark))
    {
        return Some((SkipReason::Minified, "minified by its name"));
    }
    // `libz.so.1.2.3`: what follows `.so` is a version.
    let unversioned = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let is_library = unversioned.rsplit_once('.').is_some_and(|(_, extension)| extension == "so");
    if is_library || is_binary(extension) {
        return Some((SkipReason::Binary, "no text by its extension"));
    }
    None
}

/// Whether a file holds credentials by its name, and which.
fn secret(name: &str, stem: &str, extension: &str) -> Option<&'static str> {
    if let Some(rest) = name.strip_prefix(".env") {
        let is_environment = rest.is_empty() || rest == "rc" || rest.starts_with(['.', '-', '_']);
        return (is_environment && !is_template(extension)).then_some("environment file");
    }
    if is_template(extension) {
        return None;
    }
    if extension == "env" {
        return Some("environment file");
    }
    if PRIVATE_KEYS.contains(&name) || is_key_store(extension) {
        return Some("private key or key store");
    }
    if is_credentials(name) {
        return Some("credentials file");
    }
    let is_cloud_key = extension == "json"
        && ["service-account", "service_account", "serviceaccount", "client_secret", "client-secret"]
            .iter()
            .any(|start| stem.starts_with(start));
    let is_state = name.split('.').any(|part| part == "tfstate") || extension == "tfvars";
    if is_cloud_key {
        Some("credentials file")
    } else if is_state || name.ends_with(".tfvars.json") {
        Some("terraform state or variables")
    } else {
        None
    }
}

/// Examples of secret files are there to be read; so is code that merely begins like one.
fn is_template(extension: &str) -> bool {
    const TEMPLATES: [&str; 16] = [
        "example", "sample", "template", "tmpl", "dist", "defaults", "schema", "md", "ts", "js", "py", "rb", "go",
        "rs", "php", "pub",
    ];
    TEMPLATES.contains(&extension)
}

#[rustfmt::skip]
const PRIVATE_KEYS: [&str; 7] =
    ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "identity.key"];

/// Extensions of private keys and of what holds them.
#[rustfmt::skip]
fn is_key_store(extension: &str) -> bool {
    matches!(extension,
        "pem" | "key" | "p12" | "pfx" | "p8" | "jks" | "jceks" | "keystore" | "truststore" | "ppk" | "kdbx" | "kdb" | "ovpn" | "gpg" | "pgp"
        | "keytab" | "agekey"
    )
}

/// Files that programs keep passwords and tokens in.
#[rustfmt::skip]
fn is_credentials(name: &str) -> bool {
    matches!(name,
        ".netrc" | "_netrc" | ".pgpass" | ".my.cnf" | ".htpasswd" | ".pypirc" | ".git-credentials" | ".dockercfg" | ".dockerconfigjson"
        | ".s3cfg" | ".boto" | ".passwd" | ".vault-token" | ".vault_pass" | ".vault_pass.txt" | "kubeconfig" | ".kubeconfig" | "credentials"
        | "credentials.json" | "credentials.yml" | "credentials.yaml" | "credentials.yml.enc" | "secrets.json" | "secrets.yml"
        | "secrets.yaml" | "secrets.toml" | "secrets.ini" | ".secrets" | "secret.json" | "secret.yml" | "secret.yaml" | "local.settings.json"
        | "application_default_credentials.json" | ".terraformrc" | "terraform.rc" | ".databrickscfg"
    )
}

/// Lock files of package managers.
#[rustfmt::skip]
fn is_lock_file(name: &str) -> bool {
    matches!(name,
        "package-lock.json" | "npm-shrinkwrap.json" | "yarn.lock" | "pnpm-lock.yaml" | "bun.lock" | "bun.lockb" | "deno.lock" | "cargo.lock"
        | "poetry.lock" | "pipfile.lock" | "pdm.lock" | "uv.lock" | "pixi.lock" | "pylock.toml" | "conda-lock.yml" | "gemfile.lock"
        | "composer.lock" | "symfony.lock" | "go.sum" | "go.work.sum" | "mix.lock" | "rebar.lock" | "flake.lock" | "podfile.lock"
        | "package.resolved" | "cartfile.resolved" | "pubspec.lock" | "packages.lock.json" | "project.assets.json" | "paket.lock"
        | "gradle.lockfile" | "buildscript-gradle.lockfile" | "stack.yaml.lock" | "cabal.project.freeze" | "shard.lock"
        | ".terraform.lock.hcl" | "chart.lock" | "module.bazel.lock" | "berksfile.lock" | "puppetfile.lock" | "vcpkg-lock.json" | "conan.lock"
        | "dub.selections.json" | "nimble.lock" | "packages-lock.json"
    )
}

const MINIFIED_EXTENSIONS: [&str; 6] = ["js", "mjs", "cjs", "css", "html", "json"];

/// Extensions of formats that are no text.
#[rustfmt::skip]
fn is_binary(extension: &str) -> bool {
    matches!(extension,
        // Pictures, sound, video, fonts.
        "png" | "jpg" | "jpeg" | "gif" | "bmp" | "ico" | "icns" | "webp" | "avif" | "heic" | "tif" | "tiff" | "psd" | "ai" | "xcf" | "sketch" | "fig"
        | "mp3" | "wav" | "ogg" | "oga" | "opus" | "flac" | "m4a" | "aac" | "aiff" | "mid" | "midi" | "mp4" | "m4v" | "mov" | "avi" | "mkv" | "webm"
        | "wmv" | "flv" | "ogv" | "ttf" | "otf" | "woff" | "woff2" | "eot" | "ktx" | "ktx2" | "dds" | "exr" | "tga" | "blend" | "fbx" | "glb"
        // Documents.
        | "pdf" | "doc" | "docx" | "xls" | "xlsx" | "ppt" | "pptx" | "odt" | "ods" | "odp" | "epub" | "mobi" | "pages" | "numbers" | "djvu" | "chm"
        // Archives and images of disks.
        | "zip" | "gz" | "tgz" | "bz2" | "tbz2" | "xz" | "txz" | "zst" | "lz4" | "lzma" | "br" | "7z" | "rar" | "tar" | "jar" | "war" | "ear" | "aar"
        | "apk" | "ipa" | "aab" | "whl" | "egg" | "gem" | "nupkg" | "crate" | "deb" | "rpm" | "dmg" | "iso" | "img" | "msi" | "cab"
        // Code for machines.
        | "exe" | "dll" | "so" | "dylib" | "a" | "o" | "pdb" | "ilk" | "pyc" | "pyo" | "pyd" | "class" | "dex" | "wasm" | "beam"
        | "elc" | "rlib" | "rmeta" | "node" | "nib" | "gch" | "pch" | "swiftmodule"
        // Data.
        | "sqlite" | "sqlite3" | "mdb" | "npy" | "npz" | "pkl" | "pickle" | "parquet" | "feather" | "arrow" | "avro" | "h5" | "hdf5"
        | "pth" | "onnx" | "tflite" | "safetensors" | "gguf"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str) -> Option<SkipReason> {
        reason(name).map(|(reason, _)| reason)
    }

    #[test]
    fn secrets_are_known_by_name() {
        for name in [
            ".env",
            ".env.local",
            ".env.production",
            ".ENV",
            ".envrc",
            "prod.env",
            "id_rsa",
            "id_ed25519",
            "server.key",
            "cert.PEM",
            "release.keystore",
            ".netrc",
            ".pypirc",
            "credentials",
            "credentials.json",
            "secrets.yaml",
            "terraform.tfstate",
            "terraform.tfstate.backup",
            "prod.tfvars",
            "service-account-prod.json",
            ".git-credentials",
            "kubeconfig",
        ] {
            assert_eq!(class(name), Some(SkipReason::Secret), "{name}");
        }
    }

    #[test]
    fn what_only_looks_like_a_secret_is_indexed() {
        for name in [
            ".env.example",
            ".env.sample",
            ".env.template",
            ".env.d.ts",
            ".environment",
            "env.py",
            "id_rsa.pub",
            "secrets.py",
            "credentials.go",
            "key.rs",
            "keyboard.json",
            "prod.env.example",
            "server.key.md",
            "environment.ts",
            "tokens.json",
        ] {
            assert_eq!(class(name), None, "{name}");
        }
    }

    #[test]
    fn lock_files_maps_and_bundles_are_known_by_name() {
        for name in
            ["package-lock.json", "Cargo.lock", "poetry.lock", "yarn.lock", "go.sum", "app.js.map", "style.css.map"]
        {
            assert_eq!(class(name), Some(SkipReason::Generated), "{name}");
        }
        for name in ["jquery.min.js", "site.min.css", "app-min.js"] {
            assert_eq!(class(name), Some(SkipReason::Minified), "{name}");
        }
        for name in ["world.map", "lock.rs", "go.mod", "Cargo.toml", "package.json", "admin.js", "min.js"] {
            assert_eq!(class(name), None, "{name}");
        }
    }

    #[test]
    fn formats_that_are_no_text_are_known_by_extension() {
        for name in ["logo.PNG", "libc.so.6", "libz.so", "libz.so.1.2.3", "a.tar.gz", "m.pyc"] {
            assert_eq!(class(name), Some(SkipReason::Binary), "{name}");
        }
        for name in ["", "so", "png", "a.dat", "a.bin", "logo.svg", "x.1", "a.so.txt.md", "notes."] {
            assert_eq!(class(name), None, "{name}");
        }
    }
}
