//! Code about authentication, sessions, permissions, cryptography and secrets.

use std::sync::LazyLock;

use exacta_core::judge::facts::{Area, FactKind, Whence};
use exacta_core::model::path::RelPath;

use super::phrases::{Phrases, as_written};
use super::security_words::{CODE_WORDS, GONE_WORDS, PATH_WORDS};
use crate::fold::{fold, words};

static IN_PATH: LazyLock<Phrases<Area>> = LazyLock::new(|| Phrases::new(PATH_WORDS, as_written));
static IN_CODE: LazyLock<Phrases<Area>> = LazyLock::new(|| Phrases::new(CODE_WORDS, as_written));
static IN_GONE: LazyLock<Phrases<Area>> = LazyLock::new(|| Phrases::new(GONE_WORDS, as_written));

/// A word that says what code guards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SecurityWord {
    pub(crate) area: Area,
    pub(crate) word: &'static str,
}

impl SecurityWord {
    pub(crate) fn fact(self, whence: Whence) -> FactKind {
        FactKind::SecurityCode { area: self.area, whence, word: self.word.to_owned() }
    }
}

fn first(phrases: &Phrases<Area>, words: &str) -> Option<SecurityWord> {
    phrases.first(words).map(|(word, area)| SecurityWord { area: *area, word })
}

/// What a path says.
pub(crate) fn by_path(path: &RelPath) -> Option<SecurityWord> {
    in_name(&words(&fold(path.as_str())))
}

/// What the words of a name or a description say.
pub(crate) fn in_name(words: &str) -> Option<SecurityWord> {
    first(&IN_PATH, words)
}

/// What the words of a line of code say.
pub(crate) fn by_words(words: &str) -> Option<SecurityWord> {
    first(&IN_CODE, words)
}

/// What the words of a line that went away say beyond that.
pub(crate) fn where_it_was(words: &str) -> Option<SecurityWord> {
    first(&IN_GONE, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(raw: &str) -> Option<Area> {
        by_words(&words(&fold(raw))).map(|word| word.area)
    }

    #[test]
    fn security_code_is_known_by_its_words() {
        for (raw, expected) in [
            ("if not check_password(user, raw):", Area::Authentication),
            ("return request.user.isAuthenticated", Area::Authentication),
            ("headers['Authorization'] = token", Area::Authentication),
            ("@login_required", Area::Permission),
            ("if user.has_permission('edit'):", Area::Permission),
            ("session_cookie = make()", Area::Session),
            ("mac = hmac.new(k, m)", Area::Crypto),
            ("let cipher = Aes256Gcm::new(key);", Area::Crypto),
            ("client_secret = config.get()", Area::Secrets),
            ("OAuth2Client()", Area::Authentication),
        ] {
            assert_eq!(area(raw), Some(expected), "{raw}");
        }
    }

    #[test]
    fn words_with_other_meanings_are_left_alone() {
        for raw in [
            "let token = lexer.next_token();",
            "session.query(User).all()",
            "author = Author(name)",
            "hash = hash(key)",
            "self.tokens.push(tok)",
            "sign = -1 if x < 0 else 1",
            "verify(plan)",
            "key = row['key']",
        ] {
            assert_eq!(area(raw), None, "{raw}");
        }
    }

    #[test]
    fn paths_tell_too() {
        let tells = |text: &str| {
            let path = RelPath::parse(text).unwrap();
            crate::detect::Subject::new(&path).guards() && by_path(&path).is_some()
        };
        assert!(tells("src/auth/mod.rs"));
        assert!(tells("lib/userSession.js"));
        assert!(tells("app/password_reset.rb"));
        assert!(!tells("src/author.rs"));
        assert!(!tells("src/tokenizer.rs"));
        assert!(!tells("tests/test_auth.py"));
        assert!(!tells("docs/security.md"));
        assert!(!tells("examples/login.py"));
        assert!(!tells("crypto/package.json"));
    }
}
