//! Code about authentication, sessions, permissions, cryptography and secrets.

use std::sync::LazyLock;

use exacta_core::facts::{Area, FactKind, Whence};
use exacta_core::path::RelPath;

use super::line::Line;
use super::phrases::Phrases;
use super::security_words::{CODE_WORDS, PATH_WORDS};
use super::subject::Subject;
use crate::fold::{fold, words};

fn as_written(phrase: &str) -> String {
    phrase.to_owned()
}

static IN_PATH: LazyLock<Phrases<Area>> = LazyLock::new(|| Phrases::new(PATH_WORDS, as_written));
static IN_CODE: LazyLock<Phrases<Area>> = LazyLock::new(|| Phrases::new(CODE_WORDS, as_written));

/// What the path says. Tests and prose about security are not security code.
pub(crate) fn by_path(path: &RelPath, subject: &Subject<'_>) -> Option<FactKind> {
    if subject.test || subject.prose {
        return None;
    }
    let (word, area) = IN_PATH.first(&words(&fold(path.as_str())))?;
    Some(FactKind::SecurityCode { area: *area, whence: Whence::Path, word: word.to_owned() })
}

/// What a changed line of code says.
pub(crate) fn security_line(subject: &Subject<'_>, line: &Line<'_>) -> Option<FactKind> {
    if subject.test || subject.prose || line.comment {
        return None;
    }
    let (word, area) = IN_CODE.first(&line.words)?;
    Some(FactKind::SecurityCode { area: *area, whence: Whence::Code, word: word.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(path: &str, raw: &str) -> Option<Area> {
        let path = RelPath::parse(path).unwrap();
        let subject = Subject::new(&path);
        let image = [raw];
        let comment = super::super::starts_as_comment(raw);
        let line = Line::new(&image, 0, comment).unwrap();
        match security_line(&subject, &line) {
            Some(FactKind::SecurityCode { area, .. }) => Some(area),
            _ => None,
        }
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
            assert_eq!(area("src/a.py", raw), Some(expected), "{raw}");
        }
    }

    #[test]
    fn words_with_other_meanings_are_left_alone() {
        for raw in [
            "# the token after the login keyword",
            "let token = lexer.next_token();",
            "session.query(User).all()",
            "author = Author(name)",
            "hash = hash(key)",
            "self.tokens.push(tok)",
            "sign = -1 if x < 0 else 1",
            "verify(plan)",
            "key = row['key']",
        ] {
            assert_eq!(area("src/a.py", raw), None, "{raw}");
        }
        assert_eq!(area("tests/test_a.py", "check_password(user)"), None);
        assert_eq!(area("docs/a.md", "set a password"), None);
    }

    #[test]
    fn paths_tell_too() {
        let tells = |text: &str| {
            let path = RelPath::parse(text).unwrap();
            by_path(&path, &Subject::new(&path)).is_some()
        };
        assert!(tells("src/auth/mod.rs"));
        assert!(tells("lib/userSession.js"));
        assert!(tells("app/password_reset.rb"));
        assert!(!tells("src/author.rs"));
        assert!(!tells("src/tokenizer.rs"));
        assert!(!tells("tests/test_auth.py"));
        assert!(!tells("docs/security.md"));
    }
}
