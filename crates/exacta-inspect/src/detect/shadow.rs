//! New files that take the place of a module or header of the language's own library.

use exacta_core::model::path::RelPath;

/// Modules of Python and of its best known tools that programs ask for by name.
const PYTHON: &[&str] = &[
    "abc",
    "argparse",
    "ast",
    "asyncio",
    "base64",
    "builtins",
    "calendar",
    "codecs",
    "collections",
    "configparser",
    "contextlib",
    "copy",
    "csv",
    "ctypes",
    "dataclasses",
    "datetime",
    "decimal",
    "email",
    "enum",
    "functools",
    "glob",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "importlib",
    "inspect",
    "io",
    "itertools",
    "json",
    "logging",
    "math",
    "mimetypes",
    "multiprocessing",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "platform",
    "pprint",
    "queue",
    "random",
    "re",
    "secrets",
    "select",
    "shlex",
    "shutil",
    "signal",
    "site",
    "smtplib",
    "socket",
    "sqlite3",
    "ssl",
    "stat",
    "statistics",
    "string",
    "struct",
    "subprocess",
    "sys",
    "tarfile",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "token",
    "tokenize",
    "traceback",
    "types",
    "typing",
    "unittest",
    "urllib",
    "uuid",
    "warnings",
    "weakref",
    "xml",
    "zipfile",
    "pytest",
    "requests",
    "numpy",
    "flask",
    "django",
    "yaml",
    "setuptools",
];

/// Headers of C and C++.
const C: &[&str] = &[
    "assert",
    "ctype",
    "errno",
    "fcntl",
    "inttypes",
    "limits",
    "locale",
    "math",
    "pthread",
    "setjmp",
    "signal",
    "stdarg",
    "stdatomic",
    "stdbool",
    "stddef",
    "stdint",
    "stdio",
    "stdlib",
    "string",
    "strings",
    "time",
    "unistd",
];

/// Folders in which interpreters and compilers look first.
const FIRST: &[&str] =
    &["", "src", "lib", "include", "inc", "tests", "test", "scripts", "bin", "app"];

/// What the new file at `path` stands before.
pub(crate) fn shadows(path: &RelPath) -> Option<String> {
    let whole = path.as_str();
    let (folder, name) = whole.rsplit_once('/').unwrap_or(("", whole));
    if !FIRST.contains(&folder) {
        return None;
    }
    let (stem, ending) = name.rsplit_once('.')?;
    let known = match ending {
        "py" => PYTHON.contains(&stem),
        "h" | "hpp" => C.contains(&stem),
        _ => false,
    };
    known.then(|| stem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_before_a_module_is_told_from_one_in_a_package() {
        let tells = |path| shadows(&RelPath::parse(path).unwrap()).is_some();
        assert!(tells("random.py") && tells("tests/json.py") && tells("include/assert.h"));
        assert!(!tells("shop/json.py") && !tells("src/orders.py") && !tells("src/json.rs"));
    }
}
