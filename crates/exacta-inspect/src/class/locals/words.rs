//! Names of which nothing is proven, and what in a text lets names be looked up while it runs.

use exacta_core::judge::facts::Language;

use crate::class::names::{TAKEN, occurrences};

/// Words that are sometimes words of a language, or that headers of C define.
const TWO_SIDED: &[&str] = &[
    "_",
    "match",
    "case",
    "print",
    "exec",
    "get",
    "of",
    "as",
    "in",
    "is",
    "asserts",
    "infer",
    "keyof",
    "readonly",
    "declare",
    "namespace",
    "abstract",
    "public",
    "private",
    "protected",
    "interface",
    "package",
    "implements",
    "enum",
    "with",
    "when",
    "permits",
    "sealed",
    "auto",
    "union",
    "default",
    "raw",
    "safe",
    "try",
    "gen",
    "macro_rules",
    "errno",
    "stdin",
    "stdout",
    "stderr",
    "environ",
    "assert",
    "offsetof",
    "linux",
    "unix",
    "i386",
    "near",
    "far",
    "small",
    "major",
    "minor",
    "minor_version",
    "signals",
    "slots",
    "emit",
    "foreach",
    "forever",
    "bool",
    "complex",
    "imaginary",
    "alignas",
    "noreturn",
    "any",
    "comparable",
    "clear",
    "imag",
    "real",
    "uint",
    "uintptr",
    "std",
    "core",
    "alloc",
    "crate",
    "java",
    "javax",
    "com",
    "org",
];

/// Names that mean something wherever they stand, also where a local has them.
const OWN_MEANING: &[&str] = &[
    "_",
    "arguments",
    "async",
    "await",
    "case",
    "eval",
    "exec",
    "get",
    "let",
    "match",
    "of",
    "print",
    "self",
    "set",
    "static",
    "super",
    "this",
    "type",
    "undefined",
    "yield",
];

/// Whether a local of this name may have another one.
pub(super) fn may_change(language: Language, name: &str) -> bool {
    has_shape(language, name) && !OWN_MEANING.contains(&name)
}

/// Whether a local may have this name from now on.
pub(super) fn may_become(language: Language, name: &str) -> bool {
    has_shape(language, name) && !TAKEN.contains(&name) && !TWO_SIDED.contains(&name)
}

fn has_shape(language: Language, name: &str) -> bool {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && !name.starts_with("__");
    let cased = match language {
        // A pattern in upper case may be a constant, a name in upper case a macro or a type.
        Language::Rust | Language::C | Language::Cpp => {
            !name.bytes().any(|byte| byte.is_ascii_uppercase())
        }
        Language::Java => name.starts_with(|c: char| c.is_ascii_lowercase()),
        _ => true,
    };
    plain && cased
}

/// Whether names of locals may be looked up, shown or made while the program runs.
pub(super) fn in_doubt(language: Language, text: &str) -> bool {
    let words: &[&str] = match language {
        Language::Python => &[
            "eval",
            "exec",
            "locals",
            "vars",
            "dir",
            "breakpoint",
            "numexpr",
            "varname",
            "f_locals",
            "f_back",
            "_getframe",
            "currentframe",
            "getouterframes",
            "getinnerframes",
            "__code__",
            "co_varnames",
            "icecream",
            "cython",
        ],
        Language::JavaScript | Language::TypeScript => &["eval", "Function", "with", "execScript"],
        Language::C | Language::Cpp => &["asm", "__asm__", "__asm", "_Generic", "__auto_type"],
        Language::Go | Language::Java | Language::Rust => &[],
    };
    // Tables that are asked in words see the variables of whoever asks.
    let asked = language == Language::Python
        && [".query(", "inspect.stack", "inspect.trace"].iter().any(|call| text.contains(call));
    asked || words.iter().any(|word| occurrences(text, word) > 0)
}

/// Whether a name looks like that of a macro.
pub(super) fn is_shouted(name: &str) -> bool {
    name.bytes().any(|byte| byte.is_ascii_uppercase())
        && !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Functions of the standard library of C that show nobody the words of their arguments.
const STANDARD: &[&str] = &[
    "memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strcmp", "strncmp", "strchr",
    "strrchr", "strstr", "strcpy", "strncpy", "strcat", "snprintf", "sprintf", "printf", "fprintf",
    "malloc", "calloc", "realloc", "free", "strtol", "strtoul", "atoi", "fopen", "fclose", "fread",
    "fwrite", "fputs", "fgets", "qsort", "abs",
];

pub(super) fn is_standard(name: &str) -> bool {
    STANDARD.contains(&name)
}
