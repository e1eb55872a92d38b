//! Which shell commands only read.
//!
//! A list of programs is data (`read_only.toml`). A line passes when every command of it is on
//! the list and nothing in it is more than plain words: no redirection, no substitution, no
//! variable, no group, no background. What is not understood does not pass.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What is known of a program.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    /// Arguments that make it do more than read.
    #[serde(default)]
    never: Vec<String>,
    /// What its first argument may be; anything where this is empty.
    #[serde(default)]
    first: Vec<String>,
    /// How many arguments it may have that are not options.
    #[serde(default)]
    most: Option<usize>,
    /// Whether an argument that begins with `+` is an option.
    #[serde(default)]
    plus: bool,
    /// What no argument may contain.
    #[serde(default)]
    without: Vec<String>,
}

/// A word as the program gets it.
#[derive(Debug, Default)]
struct Word {
    text: String,
    /// Whether the shell puts names of files in its place, which may look like options.
    spreads: bool,
}

const LIST: &str = include_str!("read_only.toml");

/// What a line does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// It only reads, or is a command that the operator lets through.
    Yes,
    /// It reads what is the gate's own.
    Own,
    /// It may do more.
    No,
}

/// Whether a line passes. `own` says of a program and a word whether they lead to the gate's own
/// folders.
pub(super) fn passes(
    line: &str,
    operator: &[Vec<String>],
    own: &dyn Fn(&str, &str) -> bool,
) -> Reads {
    let Some(commands) = commands(line) else { return Reads::No };
    let Ok(known) = toml::from_str::<BTreeMap<String, Known>>(LIST) else { return Reads::No };
    let mut all = Reads::Yes;
    for words in &commands {
        if operator.iter().any(|allowed| starts(words, allowed)) {
            continue;
        }
        if !reads(words, &known) {
            return Reads::No;
        }
        let program = words.first().map_or("", |word| word.text.as_str());
        if words.iter().skip(1).any(|word| own(program, &word.text)) {
            all = Reads::Own;
        }
    }
    all
}

fn starts(words: &[Word], allowed: &[String]) -> bool {
    let first = words.get(..allowed.len()).unwrap_or_default();
    !allowed.is_empty()
        && first.len() == allowed.len()
        && first.iter().zip(allowed).all(|(word, allowed)| word.text == *allowed)
}

fn reads(words: &[Word], known: &BTreeMap<String, Known>) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    let Some(known) = known.get(&program.text) else { return false };
    let options_end = arguments.iter().position(|argument| argument.text == "--");
    let plain = |(at, argument): &(usize, &Word)| {
        let is_option = argument.text.starts_with('-') && argument.text != "-"
            || known.plus && argument.text.starts_with('+');
        !is_option || options_end.is_some_and(|end| *at > end)
    };
    let plain = arguments.iter().enumerate().filter(plain).count();
    let first = known.first.is_empty()
        || arguments.first().is_some_and(|first| known.first.contains(&first.text));
    let minds = !known.never.is_empty() || known.most.is_some() || !known.without.is_empty();
    let spreads = arguments.iter().any(|argument| argument.spreads);
    first
        && known.most.is_none_or(|most| plain <= most)
        && !(minds && spreads)
        && !arguments.iter().any(|argument| known.refuses(&argument.text))
}

impl Known {
    /// Whether an argument makes the program do more than read.
    fn refuses(&self, argument: &str) -> bool {
        let name = argument.split('=').next().unwrap_or(argument);
        if self.without.iter().any(|text| argument.contains(text.as_str())) {
            return true;
        }
        self.never.iter().any(|never| {
            let short = never.len() == 2 && argument.starts_with(never.as_str());
            // Letters of one dash may stand together.
            let letter = never.strip_prefix('-').filter(|rest| rest.len() == 1);
            let among = !argument.starts_with("--")
                && argument.starts_with('-')
                && letter.is_some_and(|letter| argument.contains(letter));
            // Many programs take the beginning of a long option for the whole of it.
            let begins = name.len() > 2 && name.starts_with("--") && never.starts_with(name);
            name == never || short || among || begins
        })
    }
}

/// The commands of a line that is nothing but commands, joined by `|`, `&&`, `||` or `;`.
fn commands(line: &str) -> Option<Vec<Vec<Word>>> {
    let (mut commands, mut words) = (Vec::new(), Vec::new());
    let mut word: Option<Word> = None;
    // What only looks like a space is part of a name to a shell.
    let mut letters = line.trim_matches([' ', '\t', '\n']).chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '\'' => break,
                        // fish reads it as an escape, and its quote goes on.
                        '\\' => return None,
                        inner => word.text.push(inner),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '"' => break,
                        '$' | '`' | '\\' | '!' => return None,
                        inner => word.text.push(inner),
                    }
                }
            }
            ' ' | '\t' => words.extend(word.take()),
            '|' | ';' => {
                if letter == '|' {
                    letters.next_if_eq(&'|');
                }
                words.extend(word.take());
                commands.push(std::mem::take(&mut words));
            }
            '&' => {
                letters.next_if_eq(&'&')?;
                words.extend(word.take());
                commands.push(std::mem::take(&mut words));
            }
            '<' | '>' | '$' | '`' | '\\' | '(' | ')' | '{' | '}' | '!' | '#' | '~' | '\n'
            | '\r' | '='
                if is_sign(letter, word.as_ref()) =>
            {
                return None;
            }
            // Quotes to some shells, letters to others.
            '\u{2018}'..='\u{201f}' => return None,
            other if other.is_control() => return None,
            other => {
                let word = word.get_or_insert_default();
                // What it stands for begins as it does, so only such a word can become an option.
                let could =
                    word.text.is_empty() || word.text.starts_with('-') && !word.text.contains('=');
                word.spreads |= could && matches!(other, '*' | '?' | '[');
                word.text.push(other);
            }
        }
    }
    words.extend(word);
    commands.push(words);
    commands.iter().all(|words| !words.is_empty()).then_some(commands)
}

/// Whether a letter means something to a shell where it stands.
fn is_sign(letter: char, word: Option<&Word>) -> bool {
    match letter {
        // In the middle of an argument with a dash it only names a value.
        '=' => !word.is_some_and(|word| word.text.starts_with('-')),
        '#' | '~' => word.is_none(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(line: &str, operator: &[Vec<String>]) -> bool {
        super::passes(line, operator, &|_, _| false) == Reads::Yes
    }

    #[test]
    fn the_gates_own_folders_are_not_read() {
        let own = |program: &str, word: &str| program == "cat" && word == "/state/key";
        let passes = |line: &str| super::passes(line, &[], &own);
        assert_eq!(passes("cat a | wc -l && cat '/state/key'"), Reads::Own);
        assert_eq!(passes("cat /state/key; rm x"), Reads::No);
        assert_eq!(passes("cat a"), Reads::Yes);
    }

    #[test]
    fn the_list_is_read() {
        assert!(toml::from_str::<BTreeMap<String, Known>>(LIST).is_ok());
    }

    #[test]
    fn commands_that_read_pass() {
        for line in [
            "ls -la",
            "cat src/main.rs | head -20",
            "git status && git diff --stat",
            "rg 'fn main' --glob '*.rs'",
            "find . -name '*.py' -type f",
            "grep -rn \"a b\" src",
            "git log --format=oneline -5",
            "git diff --stat --no-color | cat -",
            "cat *.py",
            "wc -l src/*.py",
            "ls -la\n",
            "test -f notes.md && echo yes",
            "wc -l ./*.py",
            "test -d src -a notes.md -nt a.py",
            "sha256sum a.bin",
            "strings a.bin",
            "file a.bin",
            "jq '.a[] | select(.b)' a.json",
            "git log -3 --format='%h %an %s %(trailers:key=Reviewed-by)'",
            "date +%F",
            "date -u",
            "sort -u names.txt | uniq -c",
            "head -n 5 -- -odd-name",
        ] {
            assert!(passes(line, &[]), "{line}");
        }
    }

    #[test]
    fn whatever_may_write_does_not_pass() {
        for line in [
            "",
            "rm -rf /",
            "cat a > b",
            "cat <<EOF",
            "echo $(rm a)",
            "echo `rm a`",
            "ls; rm a",
            "ls & rm a",
            "find . -delete",
            "find . -exec rm {} +",
            "sort -o a b",
            "sort -uo a b",
            "git push",
            "git -c core.pager=x log",
            "git diff --output=a",
            "FOO=1 ls",
            "/tmp/ls",
            "./ls",
            "echo \"$HOME\"",
            "cat 'a",
            "echo 'a\\' '; rm -rf x #'",
            "echo \u{2019}; rm x",
            "ls\nrm a",
            "uniq a b",
            "rg --pre ./x y",
            "date -s 2020",
            "exacta approve x",
            "exacta run x",
            "sudo ls",
            "env ls",
            "xargs rm",
            // Redirections, substitutions, groups and the like.
            "cat a >> b",
            "cat a >| b",
            "cat a 2> b",
            "ls &> b",
            "cat <(rm a)",
            "cat <<< a",
            "cat << 'EOF'\na\nEOF",
            "{ rm a; }",
            "(rm a)",
            "ls |& tee a",
            "ls | tee a",
            "ls | xargs rm",
            "ls ; rm a",
            "ls || rm a",
            "ls &\nrm a",
            "ls\r\nrm a",
            "echo ${IFS}",
            "echo $((1+1))",
            "l\\s",
            "echo \"$(rm a)\"",
            "!! ",
            "alias ls=rm",
            "ls='rm a'",
            "FOO='a b' ls",
            "time ls",
            "command rm a",
            "exec rm a",
            "eval ls",
            "nohup ls",
            ". ./a",
            "source a",
            "sh -c ls",
            "bash a",
            "if true; then rm a; fi",
            "for a in b; do rm a; done",
            "function ls() { rm a; }",
            // Programs that run text or write where they are asked to.
            "awk 'BEGIN{system(\"rm a\")}'",
            "sed -i s/a/b/ c",
            "sed 'w out' a",
            "perl -e 1",
            "python3 -c 1",
            "find . -okdir rm {} +",
            "find . -fprintf a b",
            "find . '-delete'",
            "sort --output=a b",
            "sort --outp=a b",
            "sort --outp a b",
            "sort --compress-prog=./x b",
            "sort b -oa",
            "sort -To b",
            "uniq a -- -b",
            "uniq - b",
            "cat a | uniq - b",
            "sort *",
            "find *",
            "rg x *",
            "git diff --outp=a",
            "git log --outpu a",
            "git grep --open-files-in=./x y",
            "git grep -O./x y",
            "git diff --ext-d",
            "git --exec-path=. status",
            "git -C .. -c alias.status=!rm status",
            "git config core.pager x",
            "git branch -D a",
            "git stash",
            "tree -o a",
            "tree -R -L 1 -H .",
            "file -C -m a",
            "date 010100002030",
            "date --se=2030-01-01",
            "test -v 'a[$(rm b)]'",
            "test a -o -R b",
            "rg --hostname-b=./x y",
            // Names of files that come from elsewhere.
            "echo -n a | sort --files0-from=-",
            "echo -n a | sort --files0=-",
            "wc --files0-from=list",
            "wc --files0-from list",
            "wc -l *.py",
            "du --files0-from=-",
            "file -f -",
            "file -bf list",
            "file --files-from list",
            "file -m a:b c",
            "find -files0-from list",
            "tree --fromfile .",
            "sha256sum -c list",
            "md5sum --check list",
            "strings @list",
            "strings -a '@list'",
            "jq -nf program",
            "jq -n 'import \"a\" as $a; $a'",
            "jq -n -L . 'include \"a\"; b'",
            "xargs cat",
            "tar -cT list",
            "cpio -o",
            "rsync --files-from=list a b",
            // Programs beside the one that is named.
            "test 'a[$(touch x)]' -eq 0",
            "test 0 -lt 'a[`touch x`]'",
            "test -t 'a[$(touch x)]'",
            "test a -ge 0",
            "[[ 'a[$(touch x)]' -eq 0 ]]",
            "[ 'a[$(touch x)]' -eq 0 ]",
            "let 'a[$(touch x)]'",
            "git log --show-signature",
            "git log --show-sig",
            "git show --format=%G?",
            "git log '--pretty=tformat:%h %GS'",
            "git rev-list --format='%GK' HEAD",
            "git verify-commit HEAD",
            "git verify-tag v1",
            "git tag -v v1",
            "git show --textconv",
            "git cat-file --textconv HEAD:a",
            "git difftool",
            "git help log",
            "git -p log",
            "git --paginate log",
            "less a",
            "man ls",
            "more a",
            "vi a",
            "sed -n '1e touch x' a",
            "find . -fls a",
            "find . -fprint0 a",
            "file -z a",
            "tee a",
            "exacta propose x.patch",
            "exacta review x",
            "exacta undo",
            "exacta list --server=x",
            // What looks like a space is none, and what looks like a name is another.
            "\u{a0}ls",
            "ls\u{a0}-la",
            "\u{2003}ls",
            "\u{200b}ls",
            "lѕ",
            "ls\u{0}",
            "ls \u{1b}[0m",
        ] {
            assert!(!passes(line, &[]), "{line}");
        }
    }

    #[test]
    fn the_operator_lets_through_whole_words_only() {
        let allowed = [vec!["cargo".to_owned(), "test".to_owned()]];
        assert!(passes("cargo test --workspace", &allowed));
        assert!(passes("cargo test | head", &allowed));
        for line in ["cargo", "", "cargo testx", "cargo test > a", "cargo test; rm a"] {
            assert!(!passes(line, &allowed), "{line}");
        }
    }
}
