//! The patterns that can destroy or take over, one rule each.
//!
//! The first group of a pattern is what it acts on; [`super::danger`] decides from that
//! whether it is harmless after all.

use exacta_core::judge::facts::{Danger, Language};

use super::book::{Rule, anywhere};
use super::subject::Subject;

/// What a pattern is feared for.
#[derive(Clone, Copy)]
pub(super) struct Peril {
    pub(super) danger: Danger,
    /// What the file must bring in for the pattern to mean that.
    pub(super) needs: Option<&'static str>,
}

macro_rules! danger {
    ($danger:ident, $applies:expr, [$($trigger:literal),*], $pattern:literal) => {
        danger!($danger, $applies, None, [$($trigger),*], $pattern)
    };
    ($danger:ident, $applies:expr, $needs:expr, [$($trigger:literal),*], $pattern:literal) => {
        Rule {
            triggers: &[$($trigger),*],
            pattern: $pattern,
            cased: false,
            applies: $applies,
            kind: Peril { danger: Danger::$danger, needs: $needs },
        }
    };
}

fn python(subject: &Subject<'_>) -> bool {
    subject.language == Some(Language::Python) || subject.ends_in(&["ipynb"])
}

fn scripted(subject: &Subject<'_>) -> bool {
    subject.web() || subject.ends_in(&["rb", "php", "pl", "sh", "bash", "zsh"])
}

fn javascript(subject: &Subject<'_>) -> bool {
    matches!(subject.language, Some(Language::JavaScript | Language::TypeScript)) || subject.web()
}

fn native(subject: &Subject<'_>) -> bool {
    matches!(subject.language, Some(Language::C | Language::Cpp))
        || subject.ends_in(&["php", "pl", "rb"])
}

fn scripted_text(subject: &Subject<'_>) -> bool {
    python(subject) || javascript(subject) || scripted(subject)
}

fn php(subject: &Subject<'_>) -> bool {
    subject.ends_in(&["php"])
}

fn java(subject: &Subject<'_>) -> bool {
    subject.language == Some(Language::Java) || subject.ends_in(&["kt", "groovy", "scala"])
}

fn sql(subject: &Subject<'_>) -> bool {
    subject.ends_in(&["sql", "ddl", "psql"])
}

fn ruby(subject: &Subject<'_>) -> bool {
    subject.ends_in(&["rb", "erb", "rake"])
}

pub(super) static RULES: &[Rule<Peril>] = &[
    danger!(
        RecursiveDelete,
        anywhere,
        ["rm"],
        r"(?:^|[\s;&|('\x22`\\/@!{])rm\s+(?:-[a-z]+\s+)*(?:-[a-z]*r[a-z]*f[a-z]*|-[a-z]*f[a-z]*r[a-z]*|-r\s+-f|-f\s+-r|--recursive\s+--force|--force\s+--recursive)\s+([^;&|)]+)"
    ),
    danger!(
        RecursiveDelete,
        anywhere,
        ["rm"],
        r"(?:^|[\s;&|('\x22`\\/@!{])rm\s+(?:-[a-eg-z]+\s+)*(?:-[a-eg-z]*r[a-eg-z]*|--recursive)\s+(?:-[a-eg-z]+\s+)*([\x22']?(?:~|/|\$\{?home\b)[^;&|)]*)"
    ),
    danger!(RecursiveDelete, anywhere, ["rmtree"], r"\brmtree\s*\(([^)]*)"),
    danger!(
        RecursiveDelete,
        anywhere,
        ["remove_dir_all", "remove_all"],
        r"(?:\bremove_dir_all|(?:^|[^.\w])remove_all)\s*\(([^)]*)"
    ),
    danger!(
        RecursiveDelete,
        anywhere,
        [".remove_all"],
        // What is told two things, such as the ends of a range, is a collection.
        r"\.remove_all\s*\(((?:[^(),;]|\((?:[^()]|\([^()]*\))*\))*)(?:\)|$)"
    ),
    danger!(RecursiveDelete, anywhere, ["removeall("], r"\bos\.removeall\s*\(([^)]*)"),
    danger!(
        RecursiveDelete,
        javascript,
        ["recursive"],
        r"\b(?:rm|rmdir|rmsync|rmdirsync|remove)\s*\(([^)]*?),\s*\{[^}]*recursive\s*:\s*true"
    ),
    danger!(
        RecursiveDelete,
        javascript,
        ["rimraf", "emptydir", "fs.remove", "fse.remove"],
        r"\b(?:rimraf(?:\.sync)?|emptydir(?:sync)?|fse?\.remove(?:sync)?)\s*\(([^)]*)"
    ),
    danger!(
        RecursiveDelete,
        anywhere,
        ["rm_rf", "rm_r", "remove_entry_secure"],
        r"\bfileutils\.(?:rm_rf?|remove_entry_secure|rmtree)\b\s*\(?([^)]*)"
    ),
    danger!(RecursiveDelete, anywhere, ["remove-item"], r"\bremove-item\b[^;|]*-recurse\b"),
    danger!(
        RecursiveDelete,
        anywhere,
        ["deletedirectory", "deleterecursively", "directory.delete", "rmdir /s", "rd /s", "del /s"],
        r"(?:fileutils\.deletedirectory|deleterecursively)\s*\(([^)]*)|directory\.delete\s*\([^)]*,\s*true|\b(?:rmdir|rd|del)\s+/s"
    ),
    danger!(
        RecursiveDelete,
        anywhere,
        ["-delete", "-exec rm"],
        r"\bfind\s+\S+.*\s(?:-delete\b|-exec\s+rm\b)"
    ),
    danger!(
        Eval,
        python,
        ["eval", "exec"],
        r"(?:^|[^\w.])(?:builtins\.)?(?:eval|exec)\s*\(\s*([^)\s][^)]*)"
    ),
    danger!(
        Eval,
        scripted,
        ["eval"],
        r"(?:^|[^\w.$]|window\.|globalthis\.|self\.)eval\s*[( ]\s*([^)\s=;:,.][^)]*)"
    ),
    danger!(Eval, javascript, ["function("], r"\bnew\s+function\s*\(([^)]*)"),
    danger!(
        Eval,
        ruby,
        ["_eval", "public_send", ".constantize"],
        r"\b(?:instance_eval|class_eval|module_eval)\s*\(?\s*([^{\s|][^)]*)"
    ),
    danger!(
        Shell,
        anywhere,
        ["os.system", "os.popen", "getoutput", "getstatusoutput", "create_subprocess_shell"],
        r"\b(?:os\.(?:system|popen)|(?:commands|subprocess)\.get(?:status)?output|create_subprocess_shell)\s*\(\s*([^)]*)"
    ),
    danger!(
        Shell,
        python,
        ["__import__"],
        r"__import__\(\s*['\x22](?:os|subprocess)['\x22]\s*\)\.(?:system|popen)\s*\(\s*([^)]*)"
    ),
    danger!(
        Shell,
        python,
        Some("from os import"),
        ["system", "popen"],
        r"(?:^|[^\w.])(?:system|popen)\s*\(\s*([^)]*)"
    ),
    danger!(
        Shell,
        python,
        Some("from subprocess import"),
        ["getoutput", "getstatusoutput"],
        r"(?:^|[^\w.])get(?:status)?output\s*\(\s*([^)]*)"
    ),
    danger!(
        Shell,
        anywhere,
        ["shell=true", "shell = true", "shell: true"],
        r"\bshell\s*[=:]\s*true\b"
    ),
    danger!(
        Shell,
        javascript,
        ["exec"],
        r"\b(?:child_process|cp)(?:['\x22]\s*\))?\.exec(?:sync)?\s*\(\s*([^)]*)|\bexecsync\s*\(\s*([^)]*)"
    ),
    danger!(
        Shell,
        javascript,
        Some("child_process"),
        ["exec"],
        r"(?:^|[^\w.$])(?:promisify\s*\(\s*)?exec(?:sync)?\s*\)?\s*\(\s*([^)]*)"
    ),
    danger!(
        Shell,
        anywhere,
        ["\"-c\"", "'-c'", "\"/c\"", "'/c'"],
        r"(?:command\w*|new|processbuilder|popen|spawn\w*|exec\w*)\s*\(.*['\x22](?:/[\w/]*/)?(?:(?:ba|z|k|da)?sh|cmd(?:\.exe)?)['\x22]\s*\)?[,.\s].*['\x22][-/]c['\x22]"
    ),
    danger!(
        Shell,
        native,
        ["system", "popen"],
        r"(?:^|[^\w.>:]|\bstd::)(?:_?w?system|_?w?popen)\s*\(\s*([^)]*)"
    ),
    danger!(
        Shell,
        php,
        ["exec", "passthru", "proc_open"],
        r"(?:^|[^\w.>:$])(?:shell_exec|exec|passthru|proc_open)\s*\(\s*([^)]*)"
    ),
    danger!(Shell, anywhere, ["getruntime"], r"getruntime\(\)\s*\.exec\s*\(\s*([^)]*)"),
    danger!(
        Shell,
        java,
        Some("getRuntime"),
        [".exec"],
        r"\b\w*(?:rt|runtime)\s*\.exec\s*\(\s*([^)]*)"
    ),
    danger!(
        FetchAndRun,
        anywhere,
        ["curl", "wget", "invoke-webrequest", "iwr", "irm"],
        r"\b(?:curl|wget|iwr|irm|invoke-webrequest)\b[^;&]*\|\s*(?:sudo\s+(?:-\w+\s+)*)?(?:env\s+)?(?:/\S*/)?(?:ba|z|da|k)?(?:sh|iex|python[0-9.]*|perl|ruby|node)\b"
    ),
    danger!(
        FetchAndRun,
        anywhere,
        ["<(curl", "<(wget", "$(curl", "$(wget", "`curl"],
        r"(?:\b(?:source|eval|(?:(?:ba|z|da|k)?sh|python[0-9.]*|perl|ruby|node)(?:\s+-[a-z]+)*|\.)\s+['\x22]?(?:<\(|\$\(|`)\s*(?:curl|wget))"
    ),
    danger!(
        FetchAndRun,
        anywhere,
        ["curl", "wget"],
        r"\b(?:curl|wget)\b[^;&|]*\s(?:-[a-z]*o|--output(?:-document)?)[=\s][^;&|]*(?:&&|;)\s*(?:sudo\s+)?(?:chmod\s[^;&|]*(?:&&|;)\s*(?:sudo\s+)?(?:\./|/|\$)|(?:(?:ba|z|da|k)?sh|python[0-9.]*|perl|ruby|node|source|\.)\s+[^\s-])"
    ),
    danger!(
        FetchAndRun,
        anywhere,
        ["exec", "eval"],
        r"\b(?:exec|eval)\s*\(.*(?:urlopen|requests\.get|urlretrieve|fetch)\s*\("
    ),
    danger!(
        FetchAndRun,
        anywhere,
        ["iex"],
        r"\biex\s*\(?.*(?:downloadstring|iwr|irm|invoke-webrequest)"
    ),
    danger!(
        Deserialise,
        python,
        ["pickle", "marshal", "dill", "shelve"],
        r"\b(?:c?pickle|_pickle|marshal|dill|cloudpickle)\.loads?\s*\(([^)]*)"
    ),
    danger!(
        Deserialise,
        python,
        ["yaml.load", "yaml.unsafe_load", "yaml.full_load"],
        r"\byaml\.(?:unsafe_load|full_load|load)(?:_all)?\s*\([^)]*\)?"
    ),
    danger!(
        Deserialise,
        anywhere,
        ["readobject", "unserialize(", "marshal.load"],
        r"\bobjectinputstream\b.*readobject|\bunserialize\s*\(|\bmarshal\.load\s*\("
    ),
    danger!(
        SqlDrop,
        anywhere,
        ["drop"],
        r"\bdrop\s+(?:table|database|schema|keyspace|collection|column)\b(?:\s+if\s+exists)?\s+([\w.`\x22\[{$%-]+)"
    ),
    danger!(SqlDrop, anywhere, ["truncate"], r"\btruncate\s+(?:table\s+)([\w.`\x22\[{$%-]+)"),
    danger!(
        SqlDrop,
        sql,
        ["truncate"],
        r"(?:^|;)\s*truncate\s+[\w.`\x22\[\]]+\s*(?:;|,|cascade|restart|$)"
    ),
    danger!(
        SqlDrop,
        anywhere,
        ["truncate"],
        r"execute\w*\s*\(\s*['\x22`]\s*truncate\s+[\w.]+\s*[;'\x22`]"
    ),
    danger!(
        SqlDrop,
        anywhere,
        ["alter"],
        r"\balter\s+table\s+[\w.`\x22\[\]]+\s+drop\s+(?:if\s+exists\s+)?([a-z_]\w*)"
    ),
    danger!(
        SqlDrop,
        anywhere,
        ["delete"],
        r"\bdelete\s+from\s+[\w.`\x22\[\]]+\s*(?:;|['\x22`]|$|\swhere\s+(?:1\s*=\s*1|'1'\s*=\s*'1'|true|1)\s*(?:;|['\x22`]|$))"
    ),
    danger!(
        SqlDrop,
        anywhere,
        ["update"],
        r"\bupdate\s+[\w.`\x22\[\]]+\s+set\s+[\w.`\[\]]+\s*=(?:'[^']*'|\w\([^)]*\)|[\w.+*/ ?$:%@-])*(?:,\s*[\w.`\[\]]+\s*=(?:'[^']*'|\w\([^)]*\)|[\w.+*/ ?$:%@-])*)*(?:;|[\x22`]|$)"
    ),
    danger!(
        SqlDrop,
        anywhere,
        [
            "dropdatabase",
            "drop_all",
            "drop_table",
            "drop_database",
            "drop_column",
            "flushall",
            "flushdb"
        ],
        r"\.(?:dropdatabase|drop_all|drop_database|drop_table|drop_column)\s*\(|\bdrop_table\s*\(|\bflush(?:all|db)\b\s*\("
    ),
    danger!(
        SqlDrop,
        javascript,
        ["droptable", "dropcolumn", "dropschema", "removecolumn"],
        r"\.(?:drop(?:table(?:ifexists)?|columns?|schema)|removecolumn)\s*\(\s*['\x22`]"
    ),
    danger!(
        SqlDrop,
        python,
        ["deletemodel", "removefield"],
        r"\bmigrations\.(?:deletemodel|removefield)\s*\("
    ),
    danger!(
        SqlDrop,
        ruby,
        ["drop_table", "remove_column"],
        r"(?:^|[\s;])(?:drop_table|remove_columns?)\s*\(?\s*[:'\x22]"
    ),
    danger!(DisabledCheck, anywhere, ["--no-verify"], r"--no-verify\b"),
    danger!(
        DisabledCheck,
        anywhere,
        ["setenforce", "ufw", "csrf_exempt", "iptables"],
        r"\bsetenforce\s+0\b|\bufw\s+disable\b|@csrf_exempt\b|\biptables\s+-f\b"
    ),
    danger!(
        DisabledCheck,
        anywhere,
        ["--disable-web-security", "nopasswd", "stricthostkeychecking"],
        r"--disable-web-security\b|\bnopasswd\s*:|stricthostkeychecking[=\s]+(?:no|off)\b"
    ),
    danger!(
        DisabledCheck,
        anywhere,
        ["|| true", "||true", "|| :"],
        r"\b(?:test|tests|pytest|lint|clippy|audit|check|verify|mypy|tsc|eslint)\b[^|#]*\|\|\s*(?:true|:)(?:\s|$|['\x22])"
    ),
    danger!(
        DisabledCheck,
        anywhere,
        ["csrf", "protect_from_forgery", "skip_before_action"],
        r"csrf\w*\s*(?:\(\s*\)\s*)?\.disable\s*\(|csrf(?:::|\.)disable|skip_before_action\s+:(?:verify_authenticity_token|authenticate)|wtf_csrf_enabled['\x22]?\]?\s*=\s*false"
    ),
    danger!(
        WorldWritable,
        anywhere,
        ["chmod"],
        r"\bchmod(?:sync)?\b(?:\s+-\w+)*\s*[\s(].*?(?:\b0?o?(?:0?777|0?666)\b|\b(?:a|o|ugo|go)?\+(?:rwx|rw|w)\b|\ba=rwx\b)"
    ),
    danger!(
        WorldWritable,
        anywhere,
        ["set_mode", "from_mode", "setposixfilepermissions", "umask"],
        r"\b(?:set_mode|from_mode)\s*\(\s*0o?(?:777|666)\b|\bumask\s*\(?\s*0+\b"
    ),
    danger!(
        WorldWritable,
        anywhere,
        ["rwxrwxrwx", "rw-rw-rw-", "perms::all", "perms::others"],
        r"permissions?\s*\.\s*fromstring\s*\(\s*\x22rw[x-]rw[x-]rw[x-]\x22|\bperms::(?:all|others_all|others_write)\b"
    ),
    danger!(
        SqlText,
        anywhere,
        ["select", "insert", "update", "delete"],
        r"\x22\s*(?:select\s[^\x22]*\bfrom\s+\w|insert\s+into\s+\w|update\s+\S+\s+set\s|delete\s+from\s+\w)[^\x22]*\x22\s*(?:(?:\+|\|\||%)\s*\(?(\w+)|\.format\s*\()"
    ),
    danger!(
        SqlText,
        scripted_text,
        ["select", "insert", "update", "delete"],
        r"'\s*(?:select\s[^']*\bfrom\s+\w|insert\s+into\s+\w|update\s+\S+\s+set\s|delete\s+from\s+\w)[^']*'\s*(?:(?:\+|\|\||%)\s*\(?(\w+)|\.format\s*\()"
    ),
    danger!(
        SqlText,
        javascript,
        ["select", "insert", "update", "delete"],
        r"`\s*(?:select\s[^`]*\bfrom\s+\w|insert\s+into\s+\w|update\s+\S+\s+set\s|delete\s+from\s+\w)[^`]*\$\{\s*(\w+)"
    ),
    danger!(
        SqlText,
        python,
        ["select", "insert", "update", "delete"],
        r"\bf[\x22']+\s*(?:select\s.*\bfrom\s+\w|insert\s+into\s+\w|update\s+\S+\s+set\s|delete\s+from\s+\w)[^{]*\{\s*(\w+)"
    ),
    danger!(
        SqlText,
        anywhere,
        ["format!", "sprintf", "string.format"],
        r"(?:\bformat!|printf|string\.format)\s*\(.*\x22\s*(?:select\s[^\x22]*\bfrom\s+\w|insert\s+into\s+\w|update\s+\S+\s+set\s|delete\s+from\s+\w)[^\x22]*(?:%s|%v|\{\w*\})"
    ),
    danger!(
        Destructive,
        anywhere,
        ["mkfs", "dd ", "shred", "format "],
        r"(?:^|[\s;&|(])(?:mkfs(?:\.\w+)?\s+/|dd\s+.*\bof=/dev/|shred\s+-)|:\(\)\s*\{\s*:\|:&\s*\};:"
    ),
    danger!(
        Destructive,
        anywhere,
        ["push"],
        r"\bgit\s+push\b[^;&|]*\s(?:--force\b(?:[^-]|$)|-f\b|--mirror\b)"
    ),
    danger!(
        Destructive,
        anywhere,
        ["reset --hard", "clean -"],
        r"\bgit\s+(?:reset\s+--hard|clean\s+-[a-z]*f)"
    ),
];
