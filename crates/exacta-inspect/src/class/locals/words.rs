//! Names of which nothing is proven, and what in a text lets names be looked up while it runs.

use exacta_core::judge::facts::Language;

use crate::class::names::{is_taken, occurrences};

/// Words that are sometimes words of a language, or that its headers define.
const fn two_sided(language: Language) -> &'static [&'static str] {
    match language {
        Language::Python => &["match", "case", "print", "exec", "with", "as", "in", "is"],
        Language::JavaScript | Language::TypeScript => &[
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
            "set",
        ],
        Language::Go => &["any", "comparable", "clear", "imag", "real", "uint", "uintptr"],
        Language::Java => &[
            "when",
            "permits",
            "sealed",
            "record",
            "enum",
            "assert",
            "with",
            "default",
            "java",
            "javax",
            "com",
            "org",
            "public",
            "private",
            "protected",
            "interface",
            "package",
            "abstract",
        ],
        Language::C | Language::Cpp => &[
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
            "linux",
            "unix",
            "i386",
            "errno",
            "stdin",
            "stdout",
            "stderr",
            "environ",
            "assert",
            "offsetof",
            "auto",
            "union",
            "default",
            "public",
            "private",
            "protected",
            "namespace",
            "std",
            "interface",
            "hyper",
            "huge",
            "boolean",
            "rad1",
            "grp1",
            "pascal",
            "cdecl",
        ],
        Language::Rust => &[
            "union",
            "default",
            "raw",
            "safe",
            "try",
            "gen",
            "macro_rules",
            "std",
            "core",
            "alloc",
            "crate",
            "auto",
        ],
    }
}

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
    name != "_"
        && has_shape(language, name)
        && !is_taken(language, name)
        && !two_sided(language).contains(&name)
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
        && (["inspect.stack", "inspect.trace"].iter().any(|call| text.contains(call))
            || asks_for_variables(text));
    asked || words.iter().any(|word| occurrences(text, word) > 0)
}

/// Whether a table is asked in words that may name variables: no plain text, or one with a
/// sign for them.
fn asks_for_variables(text: &str) -> bool {
    text.split(".query(").skip(1).any(|rest| {
        let rest = rest.trim_start();
        let quote = if rest.starts_with('"') { '"' } else { '\'' };
        let Some(inside) = rest.strip_prefix(quote) else { return true };
        let Some((words, _)) = inside.split_once(quote) else { return true };
        words.is_empty() || words.contains(['@', '{', '\\'])
    })
}

/// Whether tables and databases are asked, which may find variables by the names in a text.
pub(super) fn asks(language: Language, text: &str) -> bool {
    language == Language::Python
        && [".query(", ".sql(", ".execute("].iter().any(|call| text.contains(call))
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

/// Functions of the standard library of C++ that take values, with the name of the library.
const NAMED_IN_FULL: &[&str] = &[
    "std::abs",
    "std::begin",
    "std::clamp",
    "std::copy",
    "std::count",
    "std::distance",
    "std::end",
    "std::exchange",
    "std::fill",
    "std::find",
    "std::forward",
    "std::get",
    "std::make_pair",
    "std::make_shared",
    "std::make_tuple",
    "std::make_unique",
    "std::max",
    "std::min",
    "std::move",
    "std::size",
    "std::sort",
    "std::swap",
    "std::to_string",
];

pub(super) fn is_standard(name: &str) -> bool {
    STANDARD.contains(&name) || NAMED_IN_FULL.contains(&name)
}
