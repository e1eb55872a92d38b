//! RFC 8785 through the canonicaliser that every hash of the product uses.

use exacta_core::model::canonical;
use exacta_core::model::digest::Digest;
use exacta_core::read::parse::json::{Json, read};
use exacta_testkit::corpus;
use serde_json::Value;

#[test]
fn the_six_vectors_come_out_byte_for_byte() {
    let names = corpus::names("rfc8785/testdata/input");
    assert_eq!(names.len(), 6);
    for name in names {
        let input: Value =
            serde_json::from_slice(&corpus::bytes(&format!("rfc8785/testdata/input/{name}")))
                .unwrap();
        let expected = corpus::bytes(&format!("rfc8785/testdata/output/{name}"));
        let mut canonical = Vec::new();
        canonical::write(&as_json(&input), &mut canonical).unwrap();
        assert_eq!(String::from_utf8_lossy(&canonical), String::from_utf8_lossy(&expected));
        assert_eq!(canonical, serde_json_canonicalizer::to_vec(&input).unwrap(), "the reference");
        let hex = corpus::text(&format!("rfc8785/testdata/outhex/{}", name.replace("json", "txt")));
        let bytes: Vec<u8> =
            hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
        assert_eq!(canonical, bytes, "{name}");
        // The hash streams through the same writer.
        assert_eq!(
            Digest::of_canonical(&as_json(&input)).unwrap(),
            Digest::of(&expected),
            "{name}"
        );
    }
}

/// A value without the range check of our reader, which one vector is beyond.
fn as_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(number) => {
            number.as_i64().map_or_else(|| Json::Real(number.as_f64().unwrap()), Json::Int)
        }
        Value::String(text) => Json::Str(text.clone()),
        Value::Array(elements) => Json::Arr(elements.iter().map(as_json).collect()),
        Value::Object(members) => {
            Json::Obj(members.iter().map(|(key, value)| (key.clone(), as_json(value))).collect())
        }
    }
}

#[test]
fn our_own_values_have_the_same_form() {
    let mut read_by_us = 0;
    for name in corpus::names("rfc8785/testdata/input") {
        let text = corpus::text(&format!("rfc8785/testdata/input/{name}"));
        let expected = corpus::bytes(&format!("rfc8785/testdata/output/{name}"));
        match read(&text) {
            Ok(value) => {
                read_by_us += 1;
                assert_eq!(Digest::of_canonical(&value).unwrap(), Digest::of(&expected), "{name}");
            }
            // This one holds 1E30, which is beyond the range of the layer.
            Err(_) => assert_eq!(name, "values.json"),
        }
    }
    assert_eq!(read_by_us, 5);
}

#[test]
fn ten_thousand_numbers_print_as_expected_and_read_back_as_the_same_double() {
    let text = corpus::text("rfc8785/es6testfile10k.txt");
    let (mut printed, mut read_back) = (0, 0);
    for line in text.lines() {
        let (hex, expected) = line.split_once(',').unwrap();
        let number = f64::from_bits(u64::from_str_radix(hex, 16).unwrap());
        let canonical = serde_json_canonicalizer::to_string(&number).unwrap();
        assert_eq!(canonical, expected, "{hex}");
        assert_eq!(
            Digest::of_canonical(&Json::Real(number)).unwrap(),
            Digest::of(expected.as_bytes())
        );
        printed += 1;
        let in_range = number.abs() < 9_007_199_254_740_992.0;
        let back = match read(expected) {
            #[expect(clippy::cast_precision_loss, reason = "the layer keeps to 53 bits")]
            Ok(Json::Int(value)) => value as f64,
            Ok(Json::Real(value)) => value,
            other => {
                assert!(!in_range, "{expected}: {other:?}");
                continue;
            }
        };
        assert!(in_range, "{expected}");
        // RFC 8785 prints both zeros as 0.
        let same = back.to_bits() == number.to_bits() || (number == 0.0 && back == 0.0);
        assert!(same, "{expected}");
        read_back += 1;
    }
    assert_eq!(printed, 10_000);
    assert!(read_back > 4_000, "{read_back}");
}
