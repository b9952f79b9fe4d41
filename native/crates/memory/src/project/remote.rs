//! Reads the address of a repository's remote, in one spelling for all ways to write it.

use std::path::{Component, Path, PathBuf};

use codecairn_walk::read_text;

/// git's configuration is read up to this size; that of a repository has some hundred bytes.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// The address of the remote `origin`, else of the first one, without scheme, user, password and `.git`. A relative path
/// is one from `top`, the working tree's top folder.
pub(super) fn remote_url(config: &Path, top: &Path) -> Option<String> {
    let config = read_text(config, MAX_CONFIG_BYTES).ok()?;
    let mut section: Option<String> = None;
    let mut found: Option<(bool, String)> = None;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.strip_prefix("[remote \"").and_then(|rest| rest.strip_suffix("\"]")).map(str::to_owned);
        } else if let (Some(remote), Some((key, value))) = (&section, line.split_once('=')) {
            let is_origin = remote == "origin";
            let is_better = found.as_ref().is_none_or(|known| is_origin && !known.0);
            if key.trim().eq_ignore_ascii_case("url") && is_better {
                found = Some((is_origin, plain_url(value.trim().trim_matches('"'), top)));
            }
        }
    }
    found.map(|found| found.1).filter(|url| !url.is_empty())
}

/// One spelling for all ways to write an address. The port of an SSH address is left out, as other schemes lead to the
/// same repositories; that of an HTTP address tells two servers of one machine apart.
fn plain_url(url: &str, top: &Path) -> String {
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest.to_owned()),
        None if is_path(url) => return path_url(&top.join(url)),
        None => ("ssh".to_owned(), url.replacen(':', "/", 1)),
    };
    if scheme == "file" {
        return path_url(Path::new(&rest));
    }
    let (first, rest) = rest.split_once('/').unwrap_or((&rest, ""));
    let host = first.rsplit('@').next().unwrap_or(first).to_ascii_lowercase();
    let (name, port) = host.split_once(':').unwrap_or((&host, ""));
    let has_own_port = match scheme.as_str() {
        "http" => !matches!(port, "" | "80"),
        "https" => !matches!(port, "" | "443"),
        _ => false,
    };
    let host = if has_own_port { &host } else { name };
    format!("{host}/{}", without_git(rest))
}

/// Whether git takes an address without a scheme for a path: one with a colon before any slash names a host.
fn is_path(url: &str) -> bool {
    let is_drive = url.as_bytes().get(1) == Some(&b':') && url.as_bytes()[0].is_ascii_alphabetic() && cfg!(windows);
    is_drive || url.split_once(':').is_none_or(|(before, _)| before.contains('/'))
}

fn path_url(path: &Path) -> String {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    format!("/{}", without_git(&plain.to_string_lossy()))
}

fn without_git(path: &str) -> &str {
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    path.trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings_of_an_address_are_one() {
        for url in [
            "https://example.com/owner/name.git",
            "https://example.com:443/owner/name",
            "https://bob:word@Example.com/owner/name",
            "git@example.com:owner/name.git",
            "example.com:owner/name",
            "ssh://git@example.com:22/owner/name.git/",
            "ssh://git@example.com:2222/owner/name",
        ] {
            assert_eq!(plain_url(url, Path::new("/w/shop")), "example.com/owner/name", "{url}");
        }
    }

    #[test]
    fn servers_on_two_ports_of_a_machine_are_two() {
        let top = Path::new("/w/shop");
        assert_eq!(plain_url("http://localhost:3000/a/b", top), "localhost:3000/a/b");
        assert_eq!(plain_url("http://localhost:8080/a/b.git", top), "localhost:8080/a/b");
    }

    #[test]
    fn a_relative_path_is_another_one_in_another_folder() {
        let at = |top: &str, url: &str| plain_url(url, Path::new(top));
        assert_eq!(at("/w/a/shop", "../starter.git"), "/w/a/starter");
        assert_eq!(at("/w/b/shop", "../starter.git"), "/w/b/starter");
        for url in ["/srv/git/starter.git", "file:///srv/git/starter", "../../../srv/git/starter/"] {
            assert_eq!(at("/w/a/shop", url), "/srv/git/starter", "{url}");
        }
    }
}
