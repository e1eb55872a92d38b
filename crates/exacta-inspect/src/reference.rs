//! References to files that neither exist nor are made.
//!
//! Only relative references are judged, and only when the whole list of the project's
//! paths is known; everything else could be resolved in ways that are not seen here.

use std::collections::BTreeSet;

use exacta_core::facts::{FactKind, Language};
use exacta_core::path::RelPath;

use crate::detect::{Line, Subject};
use crate::request::StepInput;

/// The project's paths once the plan has run.
pub(crate) struct KnownPaths<'a> {
    paths: BTreeSet<&'a str>,
    names: BTreeSet<&'a str>,
}

impl<'a> KnownPaths<'a> {
    pub(crate) fn new(paths: &[&'a str], steps: &'a [StepInput<'a>]) -> Self {
        let mut all: BTreeSet<&str> = paths.iter().copied().collect();
        for step in steps {
            if step.after.is_some() {
                all.insert(step.path.as_str());
            } else {
                all.remove(step.path.as_str());
            }
        }
        let names = all.iter().map(|path| path.rsplit('/').next().unwrap_or(path)).collect();
        Self { paths: all, names }
    }

    /// The reference on the line that leads nowhere.
    pub(crate) fn missing(
        &self,
        path: &RelPath,
        subject: &Subject<'_>,
        line: &Line<'_>,
    ) -> Option<FactKind> {
        if line.comment || subject.test {
            return None;
        }
        let folder = path.ancestors().next().unwrap_or_default();
        let text = line.raw.trim();
        let reference = match subject.language? {
            Language::JavaScript | Language::TypeScript => self.script(folder, text)?,
            Language::Python => self.python(folder, text)?,
            Language::C | Language::Cpp => self.include(text)?,
            Language::Rust => self.module(path, folder, line)?,
            Language::Go | Language::Java => return None,
        };
        Some(FactKind::MissingReference { reference: crate::excerpt::shorten(&reference) })
    }

    fn exists(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    fn is_folder(&self, path: &str) -> bool {
        let start = format!("{path}/");
        self.paths.range(start.as_str()..).next().is_some_and(|next| next.starts_with(&start))
    }

    /// `import … from "./x"` and `require("./x")`.
    fn script(&self, folder: &str, text: &str) -> Option<String> {
        if !(text.starts_with("import") || text.starts_with("export") || text.contains("require("))
        {
            return None;
        }
        let at = ["from ", "import ", "require(", "import("]
            .iter()
            .filter_map(|word| text.rfind(word).map(|at| at + word.len()))
            .max()?;
        let rest = text.get(at..)?.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let reference = rest.get(1..)?.split(quote).next()?;
        if !reference.starts_with("./") && !reference.starts_with("../") {
            return None;
        }
        let clean = reference.split(['?', '#', '!']).next().unwrap_or(reference);
        let target = join(folder, clean)?;
        let stem = target.rsplit_once('.').map_or(target.as_str(), |(stem, _)| stem);
        let endings = [
            "", ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".json", ".d.ts",
            ".vue", ".svelte", ".css", ".node", ".wasm",
        ];
        let found = self.is_folder(&target)
            || endings.iter().any(|ending| {
                self.exists(&format!("{target}{ending}")) || self.exists(&format!("{stem}{ending}"))
            });
        // Built or generated output is not on the list of paths.
        let built = ["dist", "build", "generated", "lib", "out"]
            .iter()
            .any(|part| clean.split('/').any(|p| p == *part));
        (!found && !built && !target.is_empty()).then(|| reference.to_owned())
    }

    /// `from .x import y`.
    fn python(&self, folder: &str, text: &str) -> Option<String> {
        let rest = text.strip_prefix("from ")?;
        let (module, _) = rest.split_once(" import")?;
        let module = module.trim();
        let dots = module.bytes().take_while(|byte| *byte == b'.').count();
        let name = module.get(dots..)?;
        if dots == 0 || name.is_empty() {
            return None;
        }
        let mut base = folder;
        for _ in 1..dots {
            base = base.rsplit_once('/').map_or("", |(up, _)| up);
        }
        let target = join(base, &name.replace('.', "/"))?;
        let found = [".py", ".pyi", ".pyx", ".so", ".c"]
            .iter()
            .any(|ending| self.exists(&format!("{target}{ending}")))
            || self.is_folder(&target);
        (!found && !name.starts_with('_')).then(|| module.to_owned())
    }

    /// `#include "x.h"`, which may lie in any folder that the build names.
    fn include(&self, text: &str) -> Option<String> {
        let rest = text.strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        let reference = rest.strip_prefix('"')?.split('"').next()?;
        let name = reference.rsplit('/').next()?;
        let made = ["config", "version", "generated", "pb.h", "moc", "ui_"]
            .iter()
            .any(|part| name.contains(part));
        (!self.names.contains(name) && !made).then(|| reference.to_owned())
    }

    /// `mod x;`
    fn module(&self, path: &RelPath, folder: &str, line: &Line<'_>) -> Option<String> {
        let text = line.raw.trim();
        let name = ["mod ", "pub mod ", "pub(crate) mod ", "pub(super) mod "]
            .iter()
            .find_map(|start| text.strip_prefix(start))?
            .strip_suffix(';')?;
        let attributed = line.above().trim_start().starts_with("#[");
        let indented = line.raw.starts_with([' ', '\t']);
        if attributed
            || indented
            || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            return None;
        }
        let own = path.name().strip_suffix(".rs")?;
        let inner = if matches!(own, "mod" | "lib" | "main") {
            folder.to_owned()
        } else {
            join(folder, own)?
        };
        // A crate's root may have any name, and then its modules lie beside it.
        let found = [inner.as_str(), folder].iter().any(|base| {
            join(base, name).is_some_and(|at| {
                self.exists(&format!("{at}.rs")) || self.exists(&format!("{at}/mod.rs"))
            })
        });
        (!found).then(|| format!("mod {name}"))
    }
}

/// The path below the project that `reference` means; `None` when it leads outside.
fn join(folder: &str, reference: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in reference.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(path: &str, raw: &str) -> Option<String> {
        let known = [
            "src/a.ts",
            "src/b/index.ts",
            "src/lib.rs",
            "src/x.rs",
            "pkg/m.py",
            "pkg/sub/__init__.py",
            "include/q.h",
        ];
        let known = KnownPaths::new(&known, &[]);
        let path = RelPath::parse(path).unwrap();
        let image = [raw];
        match known.missing(&path, &Subject::new(&path), &Line::new(&image, 0, false).unwrap())? {
            FactKind::MissingReference { reference } => Some(reference),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn references_lead_somewhere_or_are_reported() {
        for (path, raw) in [
            ("src/c.ts", "import { x } from './a'"),
            ("src/c.ts", "import { x } from './a.js'"),
            ("src/c.ts", "import x from './b'"),
            ("src/c.ts", "import React from 'react'"),
            ("src/c.ts", "const url = './nowhere'"),
            ("src/c.ts", "import x from '../dist/y'"),
            ("pkg/n.py", "from .m import f"),
            ("pkg/n.py", "from .sub import f"),
            ("pkg/n.py", "from os import path"),
            ("src/q.c", "#include \"q.h\""),
            ("src/q.c", "#include <stdio.h>"),
            ("src/lib.rs", "mod x;"),
            ("src/lib.rs", "mod inline {"),
        ] {
            assert_eq!(missing(path, raw), None, "{raw}");
        }
        for (path, raw, reference) in [
            ("src/c.ts", "import { x } from './nowhere'", "./nowhere"),
            ("src/c.ts", "const x = require('../src/none')", "../src/none"),
            ("pkg/n.py", "from .none import f", ".none"),
            ("src/q.c", "#include \"none.h\"", "none.h"),
            ("src/lib.rs", "mod none;", "mod none"),
        ] {
            assert_eq!(missing(path, raw).as_deref(), Some(reference), "{raw}");
        }
    }
}
