//! Settings that a server, proxy, container, orchestrator or database obeys.

use std::sync::LazyLock;

use exacta_core::judge::facts::FactKind;

use super::look::{Look, Told};
use super::lookup::Names;

static SERVED: LazyLock<Names> = LazyLock::new(|| Names::of(include_str!("../../data/served.txt")));

/// So many lines tell what a file is for.
const HEAD: usize = 400;

pub(super) fn detect(look: &Look<'_>, out: &mut Vec<Told>) {
    if look.subject.prose || look.subject.language.is_some() || !look.acts() {
        return;
    }
    let path = look.subject.path.as_str().to_lowercase();
    let named = SERVED.note(&path).filter(|_| {
        // A folder says something about settings, not about pictures.
        look.subject.ends_in(&[
            "yaml",
            "yml",
            "json",
            "toml",
            "conf",
            "cfg",
            "ini",
            "tpl",
            "j2",
            "hcl",
            "cnf",
            "rules",
            "vcl",
            "pem",
            "crt",
            "cer",
            "properties",
            "xml",
            "txt",
            "nginx",
            "vhost",
            "bicep",
            "gotmpl",
            "types",
            "cf",
            "erb",
        ]) || look.subject.ending.is_empty()
            || !look.subject.path.name().contains('.')
            || matches!(
                look.subject.path.name(),
                "_headers"
                    | "_redirects"
                    | "known_hosts"
                    | "authorized_keys"
                    | "sshd_config"
                    | "ssh_config"
            )
    });
    let program = named
        .or_else(|| by_content(look, look.after.lines))
        .or_else(|| by_content(look, look.before.lines));
    if let Some(program) = program {
        let (line, in_before) = look.first();
        let kind = FactKind::ObeyedSettings { program: program.to_owned() };
        out.push(Told { line, in_before, kind });
    }
}

/// What the text says it is for.
fn by_content(look: &Look<'_>, lines: &[&str]) -> Option<&'static str> {
    let head = || lines.iter().take(HEAD).map(|line| line.trim_end());
    let starts = |word: &str| head().any(|line| line.starts_with(word));
    let inside = |word: &str| {
        head().any(|line| line.trim_start().trim_start_matches("- ").starts_with(word))
    };
    if look.subject.ends_in(&["yaml", "yml", "tpl", "j2"]) {
        if starts("apiVersion:") && starts("kind:") {
            return Some("Kubernetes");
        }
        if starts("AWSTemplateFormatVersion") || inside("Type: AWS::") {
            return Some("CloudFormation");
        }
        if starts("services:") && (inside("image:") || inside("build:")) {
            return Some("docker compose");
        }
        if inside("hosts:") && (inside("tasks:") || inside("roles:") || inside("become:")) {
            return Some("ansible");
        }
    }
    if look.subject.ends_in(&["conf", "cfg"]) || look.subject.ending.is_empty() {
        if inside("server {") || inside("location ") || inside("proxy_pass ") {
            return Some("nginx");
        }
        if inside("<VirtualHost") || inside("<Directory") {
            return Some("Apache");
        }
        if starts("frontend ") || starts("backend ") {
            return Some("HAProxy");
        }
    }
    None
}
