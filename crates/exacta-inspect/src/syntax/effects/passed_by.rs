//! Ways past what functions checked: rights that are given, calls that are told less, errors
//! that are dropped, money that goes elsewhere; and what was taken and is refused.

use exacta_core::judge::facts::GuardLoss;
use hashbrown::{HashMap, HashSet};

use super::exits::Exit;
use super::gather::{Deed, Effects};
use super::key::{without_texts, words};
use super::literals::says_who;
use super::losses::{Tell, Turned, counts, kind, shown};
use super::operations::BETWEEN;
use super::reach::checks;
use super::upkeep::keeping;
use super::weigh::{beyond, stays};

/// Who somebody is, or whether something was checked, is set anew in a function that stays.
pub(super) fn granted(before: &Effects, turned: &Turned<'_>, tell: Tell<'_>) {
    for one in &turned.come {
        if one.sign != "=" || !before.functions.contains(&*one.deed.function) {
            continue;
        }
        let left = one.deed.key.split(BETWEEN).next().unwrap_or_default();
        let Some((_, member)) = left.rsplit_once(['.', '>']) else { continue };
        let says = words(member).iter().any(|word| {
            says_who(word)
                || checks(word)
                || matches!(word.as_str(), "rights" | "scope" | "scopes" | "trusted" | "granted")
        });
        if says {
            tell(GuardLoss::PassedBy, &shown(one), false);
        }
    }
}

/// A call that is made with fewer of the values that it was made with.
pub(super) fn dropped(before: &Effects, after: &Effects, tell: Tell<'_>) {
    let fresh = beyond(after.handed.iter(), before.handed.iter());
    let mut by_name: HashMap<(&str, &str), Vec<&Deed>> = HashMap::new();
    for deed in fresh {
        by_name.entry((&*deed.function, kind(deed))).or_default().push(deed);
    }
    for deed in beyond(before.handed.iter(), after.handed.iter()) {
        let Some(others) = by_name.get(&(&*deed.function, kind(deed))) else { continue };
        let parts = |deed: &'_ Deed| -> Vec<String> {
            let list = deed.key.split_once('(').map_or("", |(_, list)| list);
            list.trim_end_matches(')').split(',').map(str::to_owned).collect()
        };
        let old = parts(deed);
        let fewer = others.iter().take(8).any(|other| {
            let new = parts(other);
            new.len() < old.len() && new.iter().all(|part| part.is_empty() || old.contains(part))
        });
        if fewer {
            tell(GuardLoss::Check, deed, true);
        }
    }
}

/// Marks that let something past a check.
pub(super) fn exempt(before: &Effects, after: &Effects, tell: Tell<'_>) {
    for deed in beyond(after.marks.iter(), before.marks.iter()) {
        let name = deed.key.split('(').next().unwrap_or_default();
        let lets = words(name).iter().any(|word| {
            matches!(
                word.as_str(),
                "permit"
                    | "anonymous"
                    | "exempt"
                    | "cross"
                    | "skip"
                    | "insecure"
                    | "unsafe"
                    | "bypass"
                    | "disable"
                    | "allow"
                    | "public"
                    | "no"
                    | "naked"
                    | "ctor"
            )
        });
        if lets && !name.starts_with("#[allow") {
            tell(GuardLoss::PassedBy, deed, false);
        }
    }
}

/// Branches that refuse, in functions that had fewer of them: what was taken is refused.
pub(super) fn refuses_more(before: &Effects, after: &Effects, tell: Tell<'_>) {
    fn refusing(effects: &Effects) -> impl Iterator<Item = &Deed> {
        let guards = effects.guards.iter().filter(|guard| guard.exit == Exit::Refuses);
        guards.map(|guard| &guard.deed)
    }
    let often = counts(refusing(before).map(|deed| &*deed.function));
    let often_now = counts(refusing(after).map(|deed| &*deed.function));
    for deed in beyond(refusing(after), refusing(before)) {
        let function = &*deed.function;
        if before.functions.contains(function) && often_now.get(function) > often.get(function) {
            tell(GuardLoss::Refuses, deed, false);
        }
    }
}

/// Whether a text names money, or what stands for it.
pub(super) fn is_money(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "price",
        "prices",
        "amount",
        "amounts",
        "balance",
        "balances",
        "cents",
        "fee",
        "fees",
        "discount",
        "discounts",
        "coupon",
        "coupons",
        "refund",
        "refunds",
        "payout",
        "withdraw",
        "withdrawal",
        "deposit",
        "invoice",
        "invoices",
        "wallet",
        "ledger",
        "iban",
        "payment",
        "payments",
        "payee",
        "debit",
        "spent",
        "bonus",
        "vat",
        "salary",
        "currency",
    ];
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .take(64)
        .any(|name| words(name).iter().any(|word| WORDS.contains(&word.as_str())))
}

/// Money that is worked out or handed on otherwise in functions that stay.
pub(super) fn money(before: &Effects, after: &Effects, turned: &Turned<'_>, tell: Tell<'_>) {
    for one in &turned.come {
        let sums = matches!(one.sign, "+" | "-" | "*" | "/" | "%" | "//") || one.sets();
        if sums && before.functions.contains(&*one.deed.function) && is_money(&one.deed.key) {
            tell(GuardLoss::Sum, &shown(one), false);
        }
    }
    for deed in beyond(after.handed.iter(), before.handed.iter()) {
        // What is only shown moves nothing.
        let shows = ["format", "print", "println", "printf", "log", "debug", "info", "assert"];
        if before.functions.contains(&*deed.function)
            && !shows.contains(&kind(deed))
            && is_money(&without_texts(&deed.key))
        {
            tell(GuardLoss::Sum, deed, false);
        }
    }
}

/// New definitions that calls which were there now lead to.
pub(super) fn shadowed(before: &Effects, after: &Effects, tell: Tell<'_>) {
    let named = |effects: &'_ Effects| effects.declares.len();
    let same = || before.declares.iter().zip(&after.declares).all(|(was, is)| was.key == is.key);
    if named(before) == named(after) && same() {
        return;
    }
    let often = counts(before.declares.iter().map(|deed| deed.key.as_str()));
    let often_now = counts(after.declares.iter().map(|deed| deed.key.as_str()));
    let defined: HashSet<&str> = before.defines.iter().map(String::as_str).collect();
    for deed in &after.declares {
        let name = deed.key.as_str();
        let (was, is) = (often.get(name), often_now.get(name));
        let takes_calls = !defined.contains(name) && before.bare.contains(name) && was.is_none();
        let overloads = was.is_some() && is > was && checks(name);
        if takes_calls || overloads {
            tell(GuardLoss::Shadowed, deed, false);
        }
    }
}

/// A function whose name says that it cleans up, and that does less of it.
pub(super) fn emptied(after: &Effects, turned: &Turned<'_>, tell: Tell<'_>) {
    let cleans = |function: &str| {
        let name = function.rsplit([':', '.']).next().unwrap_or(function);
        [
            "wipe", "clear", "reset", "logout", "destroy", "cleanup", "dispose", "zero", "erase",
            "revoke",
        ]
        .iter()
        .any(|word| name.to_ascii_lowercase().contains(word))
    };
    for one in &turned.gone {
        // What no longer points to what was freed, and what ends a text.
        let ends = ["=NULL", "=nullptr", "='\\0'"]
            .iter()
            .any(|end| one.deed.key.ends_with(end.replace('=', &BETWEEN.to_string()).as_str()));
        let set = one.sign == "=" && (ends || cleans(&one.deed.function));
        if set && stays(after, &one.deed) {
            tell(GuardLoss::Upkeep, &shown(one), true);
        }
    }
}

/// Calls that are still made and no longer waited for.
pub(super) fn unawaited(before: &Effects, after: &Effects, tell: Tell<'_>) {
    let called: HashSet<&str> = after.names.iter().map(|(name, _)| name.as_str()).collect();
    for deed in beyond(before.awaited.iter(), after.awaited.iter()) {
        let deferred = deed.key.strip_prefix("defer ");
        let still = called.contains(deferred.unwrap_or(&deed.key));
        if stays(after, deed) && (still || deferred.is_some_and(|name| !keeping(name).is_empty())) {
            tell(GuardLoss::Check, deed, true);
        }
    }
}

/// Functions that stay and do something less often, which nothing else in the file does more.
pub(super) fn fewer(
    before: &[Deed],
    after: &[Deed],
    now: &Effects,
    how: GuardLoss,
    tell: Tell<'_>,
) {
    if after.len() >= before.len() {
        return;
    }
    let often = counts(before.iter().map(|deed| &*deed.function));
    let often_now = counts(after.iter().map(|deed| &*deed.function));
    for deed in beyond(before.iter(), after.iter()) {
        let function = &*deed.function;
        if stays(now, deed) && often_now.get(function) < often.get(function) {
            tell(how, deed, true);
        }
    }
}
