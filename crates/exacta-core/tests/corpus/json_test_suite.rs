//! JSONTestSuite through the JSON layer: what is not JSON is refused, what is JSON is
//! read, and where the grammar leaves it open our choice is pinned.

use std::collections::BTreeMap;

use exacta_core::read::parse::json::{JsonRule, read};
use exacta_testkit::corpus;

const FOLDER: &str = "jsontestsuite/test_parsing";

/// `accept`, or the rule that refuses.
fn outcome(bytes: &[u8]) -> &'static str {
    let Ok(text) = core::str::from_utf8(bytes) else { return "utf8" };
    match read(text) {
        Ok(_) => "accept",
        Err(fault) => match fault.rule {
            JsonRule::Syntax(_) => "syntax",
            JsonRule::DuplicateKey(_) => "duplicate_key",
            JsonRule::NumberRange | JsonRule::NumberRounded => "number_range",
            JsonRule::Depth => "depth",
            JsonRule::KeySize(_) => "key_size",
            JsonRule::Values => "values",
        },
    }
}

/// The outcome of every file whose name starts with `prefix`.
fn outcomes(prefix: &str) -> BTreeMap<String, &'static str> {
    corpus::names(FOLDER)
        .into_iter()
        .filter(|name| name.starts_with(prefix))
        .map(|name| {
            let bytes = corpus::bytes(&format!("{FOLDER}/{name}"));
            (name.trim_end_matches(".json").to_owned(), outcome(&bytes))
        })
        .collect()
}

#[test]
fn everything_that_is_not_json_is_refused() {
    let outcomes = outcomes("n_");
    assert_eq!(outcomes.len(), 188);
    let accepted: Vec<_> = outcomes.iter().filter(|(_, rule)| **rule == "accept").collect();
    assert!(accepted.is_empty(), "{accepted:?}");
}

/// JSON by the grammar, but two readers could take it for two things.
const STRICTER: [(&str, &str); 7] = [
    ("y_number", "number_range"),
    ("y_number_real_capital_e", "number_range"),
    ("y_number_real_exponent", "number_range"),
    ("y_number_real_fraction_exponent", "number_range"),
    ("y_object_duplicated_key", "duplicate_key"),
    ("y_object_duplicated_key_and_value", "duplicate_key"),
    ("y_object_extreme_numbers", "number_range"),
];

#[test]
fn all_json_is_read_except_where_a_stricter_rule_refuses() {
    let outcomes = outcomes("y_");
    assert_eq!(outcomes.len(), 95);
    let refused: Vec<(&str, &str)> = outcomes
        .iter()
        .filter(|(_, rule)| **rule != "accept")
        .map(|(name, rule)| (name.as_str(), *rule))
        .collect();
    assert_eq!(refused, STRICTER);
}

/// Where the grammar leaves it open.
const PINNED: [(&str, &str); 35] = [
    ("i_number_double_huge_neg_exp", "number_range"),
    ("i_number_huge_exp", "number_range"),
    ("i_number_neg_int_huge_exp", "number_range"),
    ("i_number_pos_double_huge_exp", "number_range"),
    ("i_number_real_neg_overflow", "number_range"),
    ("i_number_real_pos_overflow", "number_range"),
    ("i_number_real_underflow", "number_range"),
    ("i_number_too_big_neg_int", "number_range"),
    ("i_number_too_big_pos_int", "number_range"),
    ("i_number_very_big_negative_int", "number_range"),
    ("i_object_key_lone_2nd_surrogate", "syntax"),
    ("i_string_1st_surrogate_but_2nd_missing", "syntax"),
    ("i_string_1st_valid_surrogate_2nd_invalid", "syntax"),
    ("i_string_UTF-16LE_with_BOM", "utf8"),
    ("i_string_UTF-8_invalid_sequence", "utf8"),
    ("i_string_UTF8_surrogate_U+D800", "utf8"),
    ("i_string_incomplete_surrogate_and_escape_valid", "syntax"),
    ("i_string_incomplete_surrogate_pair", "syntax"),
    ("i_string_incomplete_surrogates_escape_valid", "syntax"),
    ("i_string_invalid_lonely_surrogate", "syntax"),
    ("i_string_invalid_surrogate", "syntax"),
    ("i_string_invalid_utf-8", "utf8"),
    ("i_string_inverted_surrogates_U+1D11E", "syntax"),
    ("i_string_iso_latin_1", "utf8"),
    ("i_string_lone_second_surrogate", "syntax"),
    ("i_string_lone_utf8_continuation_byte", "utf8"),
    ("i_string_not_in_unicode_range", "utf8"),
    ("i_string_overlong_sequence_2_bytes", "utf8"),
    ("i_string_overlong_sequence_6_bytes", "utf8"),
    ("i_string_overlong_sequence_6_bytes_null", "utf8"),
    ("i_string_truncated-utf-8", "utf8"),
    ("i_string_utf16BE_no_BOM", "utf8"),
    ("i_string_utf16LE_no_BOM", "utf8"),
    ("i_structure_500_nested_arrays", "depth"),
    ("i_structure_UTF-8_BOM_empty_object", "syntax"),
];

#[test]
fn what_the_grammar_leaves_open_is_pinned() {
    let found: Vec<(String, &str)> = outcomes("i_").into_iter().collect();
    let pinned: Vec<(String, &str)> =
        PINNED.iter().map(|(name, rule)| ((*name).to_owned(), *rule)).collect();
    assert_eq!(found, pinned);
}
