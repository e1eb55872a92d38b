//! References of added lines to other files of the project.
//!
//! Only what can lead to one place is looked at: relative imports of JavaScript,
//! TypeScript and Python, modules of Rust, and includes of C that start with a dot. Where
//! it would have to lead is told; whether something is there, the core asks the project
//! ([`exacta_core::judge::facts::settle`]).

use exacta_core::judge::facts::{FactKind, Language};
use exacta_core::model::path::RelPath;

use crate::detect::{Line, Subject};
use crate::excerpt::shorten;

/// Folders that are made by building, and so are in no project's files.
const BUILT: [&str; 6] = ["dist", "build", "generated", "lib", "out", "target"];

/// The reference on the line, with the places it may mean.
pub(crate) fn reference(subject: &Subject<'_>, line: &Line<'_>) -> Option<FactKind> {
    if line.comment || subject.test || subject.sample {
        return None;
    }
    let folder = subject.path.ancestors().next().unwrap_or_default();
    let text = line.raw.trim();
    let (reference, at) = match subject.language? {
        Language::JavaScript | Language::TypeScript => script(folder, text)?,
        Language::Python => python(folder, text)?,
        Language::C | Language::Cpp => include(folder, text)?,
        Language::Rust => module(subject.path, folder, line)?,
        Language::Go | Language::Java => return None,
    };
    let built = reference.split('/').any(|part| BUILT.contains(&part));
    let at: Vec<String> = at.into_iter().filter(|place| RelPath::parse(place).is_ok()).collect();
    (!built && !at.is_empty())
        .then(|| FactKind::MissingReference { reference: shorten(&reference), at })
}

type Found = (String, Vec<String>);

/// `import … from "./x"` and `require("./x")`.
fn script(folder: &str, text: &str) -> Option<Found> {
    if !(text.starts_with("import") || text.starts_with("export") || text.contains("require(")) {
        return None;
    }
    let at = ["from ", "import ", "require(", "import("]
        .iter()
        .filter_map(|word| text.rfind(word).map(|at| at + word.len()))
        .max()?;
    let rest = text.get(at..)?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (reference, _) = rest.get(1..)?.split_once(quote)?;
    if !reference.starts_with("./") && !reference.starts_with("../") {
        return None;
    }
    let clean = reference.split(['?', '#', '!']).next().unwrap_or(reference);
    // A source may import what it is compiled to, and the other way round.
    let stem = ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"]
        .iter()
        .find_map(|ending| clean.strip_suffix(ending)?.strip_suffix('.'))
        .unwrap_or(clean);
    // A folder itself: its index.
    let place = join(folder, stem)?;
    (!place.is_empty() && !stem.ends_with("..")).then(|| (reference.to_owned(), vec![place]))
}

/// `from .x import y`. What starts with `_` is often made when a package is built.
fn python(folder: &str, text: &str) -> Option<Found> {
    let (module, _) = text.strip_prefix("from ")?.split_once(" import")?;
    let module = module.trim();
    let dots = module.bytes().take_while(|byte| *byte == b'.').count();
    let name = module.get(dots..)?;
    let plain = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let made = |part: &str| part.starts_with('_') || part.contains("version");
    if dots == 0 || !name.split('.').all(plain) || name.split('.').any(made) {
        return None;
    }
    let mut base = folder;
    for _ in 1..dots {
        base = base.rsplit_once('/').map_or("", |(up, _)| up);
    }
    Some((module.to_owned(), vec![join(base, &name.replace('.', "/"))?]))
}

/// `#include "../x.h"`. Without the dots it may lie in any folder that the build names.
fn include(folder: &str, text: &str) -> Option<Found> {
    let rest = text.strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let (reference, _) = rest.strip_prefix('"')?.split_once('"')?;
    if !reference.starts_with("./") && !reference.starts_with("../") {
        return None;
    }
    let name = reference.rsplit('/').next()?;
    let made = ["config", "version", "generated", "pb.h", "moc", "ui_"];
    if made.iter().any(|part| name.contains(part)) {
        return None;
    }
    Some((reference.to_owned(), vec![join(folder, reference)?]))
}

/// `mod x;`
fn module(path: &RelPath, folder: &str, line: &Line<'_>) -> Option<Found> {
    let text = line.raw.trim();
    let name = ["mod ", "pub mod ", "pub(crate) mod ", "pub(super) mod "]
        .iter()
        .find_map(|start| text.strip_prefix(start))?
        .strip_suffix(';')?;
    let attributed = line.above().trim_start().starts_with("#[");
    let indented = line.raw.starts_with([' ', '\t']);
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if attributed || indented || !plain || name.is_empty() {
        return None;
    }
    let own = path.name().strip_suffix(".rs")?;
    // A crate's root may have any name, and then its modules lie beside it.
    let mut at = vec![join(folder, name)?];
    if !matches!(own, "mod" | "lib" | "main") {
        at.push(join(&join(folder, own)?, name)?);
    }
    Some((format!("mod {name}"), at))
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

    fn found(path: &str, raw: &str) -> Option<(String, Vec<String>)> {
        let path = RelPath::parse(path).unwrap();
        let image = [raw];
        match reference(&Subject::new(&path), &Line::new(&image, 0, false).unwrap())? {
            FactKind::MissingReference { reference, at } => Some((reference, at)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn references_tell_where_they_lead() {
        for (path, raw, reference, at) in [
            ("src/c.ts", "import { x } from './a'", "./a", vec!["src/a"]),
            ("src/c.ts", "import { x } from './a.js'", "./a.js", vec!["src/a"]),
            ("lib/c.d.ts", "import { x } from './a.ts'", "./a.ts", vec!["lib/a"]),
            ("src/c.ts", "import x from './data.json'", "./data.json", vec!["src/data.json"]),
            ("src/c.js", "const x = require('../src/b')", "../src/b", vec!["src/b"]),
            ("pkg/n.py", "from .m import f", ".m", vec!["pkg/m"]),
            ("pkg/sub/n.py", "from ..m.k import f", "..m.k", vec!["pkg/m/k"]),
            ("src/q.c", "#include \"../inc/q.h\"", "../inc/q.h", vec!["inc/q.h"]),
            ("src/lib.rs", "mod x;", "mod x", vec!["src/x"]),
            ("src/a.rs", "pub mod x;", "mod x", vec!["src/x", "src/a/x"]),
        ] {
            let at = at.into_iter().map(str::to_owned).collect();
            assert_eq!(found(path, raw), Some((reference.to_owned(), at)), "{raw}");
        }
    }

    #[test]
    fn what_may_lie_elsewhere_is_left_alone() {
        for (path, raw) in [
            ("src/c.ts", "import React from 'react'"),
            ("src/c.ts", "const url = './nowhere'"),
            ("src/c.ts", "import x from '../dist/y'"),
            ("src/c.ts", "import x from '..'"),
            ("src/c.ts", "import x from '../../../outside'"),
            ("src/c.ts", "const x = require(`./${name}`)"),
            ("pkg/n.py", "from os import path"),
            ("pkg/n.py", "from . import f"),
            ("pkg/n.py", "from ._version import v"),
            ("src/q.c", "#include \"q.h\""),
            ("src/q.c", "#include <stdio.h>"),
            ("src/lib.rs", "mod inline {"),
            ("tests/c.test.ts", "import { x } from './a'"),
            ("docs/readme.md", "[link](./nowhere)"),
        ] {
            assert_eq!(found(path, raw), None, "{raw}");
        }
    }
}
