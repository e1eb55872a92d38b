//! When something is due: every so often, or at a time of certain days.

use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde_json::{Map, Value, json};

/// The shortest pause, in minutes.
const LEAST: u64 = 1;
/// The longest pause: four weeks.
const MOST: u64 = 4 * 7 * 24 * 60;
/// The days as they are written.
const DAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

/// Why words do not say when.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WhenFault {
    /// Neither or both ways.
    #[error("a schedule is either every so often or daily at a time")]
    Which,
    /// A pause that is none.
    #[error("`{0}` is not a pause such as `30m`, `2h` or `1d`, from one minute to four weeks")]
    Pause(String),
    /// A time that is none.
    #[error("`{0}` is not a time of the day such as `07:30`")]
    Time(String),
    /// A day that is none.
    #[error("`{0}` is not a day: they are mon, tue, wed, thu, fri, sat, sun")]
    Day(String),
    /// A time zone that this machine does not know.
    #[error("this machine does not know the time zone `{0}`")]
    Zone(String),
}

/// When something is due.
#[derive(Clone, Debug, PartialEq)]
pub enum When {
    /// Every so many minutes.
    Every(u64),
    /// At a time of these days; of every day when there are none.
    Daily {
        /// The time.
        at: Time,
        /// The days.
        days: Vec<Weekday>,
        /// Where that time is.
        zone: TimeZone,
    },
}

impl When {
    /// Reads the words of a person.
    ///
    /// # Errors
    /// [`WhenFault`].
    pub fn read(
        every: Option<&str>,
        daily: Option<&str>,
        days: &[String],
        zone: Option<&str>,
    ) -> Result<Self, WhenFault> {
        match (every, daily) {
            (Some(pause), None) if days.is_empty() => {
                let minutes = minutes(pause).ok_or_else(|| WhenFault::Pause(pause.into()))?;
                Ok(Self::Every(minutes))
            }
            (None, Some(time)) => {
                let at = time_of_day(time).ok_or_else(|| WhenFault::Time(time.into()))?;
                let day = |word: &String| {
                    let found = DAYS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
                    found.map(|(_, day)| *day).ok_or_else(|| WhenFault::Day(word.clone()))
                };
                let days = days.iter().map(day).collect::<Result<Vec<_>, _>>()?;
                let zone = match zone {
                    Some(name) => TimeZone::get(name).map_err(|_| WhenFault::Zone(name.into()))?,
                    None => TimeZone::system(),
                };
                Ok(Self::Daily { at, days, zone })
            }
            _ => Err(WhenFault::Which),
        }
    }

    /// Reads the arguments of a step.
    ///
    /// # Errors
    /// [`WhenFault`].
    pub fn of(args: &Value) -> Result<Self, WhenFault> {
        let text = |name: &str| args.get(name).and_then(Value::as_str);
        let days = args.get("days").and_then(Value::as_array).into_iter().flatten();
        let days: Vec<String> = days.filter_map(Value::as_str).map(ToOwned::to_owned).collect();
        Self::read(text("every"), text("daily"), &days, text("zone"))
    }

    /// The arguments that say the same.
    #[must_use]
    pub fn args(&self) -> Map<String, Value> {
        let mut args = Map::new();
        match self {
            Self::Every(minutes) => {
                args.insert("every".into(), json!(written(*minutes)));
            }
            Self::Daily { at, days, zone } => {
                args.insert("daily".into(), json!(at.strftime("%H:%M").to_string()));
                if !days.is_empty() {
                    args.insert("days".into(), json!(names(days)));
                }
                if let Some(name) = zone.iana_name() {
                    args.insert("zone".into(), json!(name));
                }
            }
        }
        args
    }

    /// The same in words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Every(minutes) => format!("every {}", written(*minutes)),
            Self::Daily { at, days, zone } => {
                let days = if days.is_empty() { "daily".into() } else { names(days).join(", ") };
                let zone = zone.iana_name().map(|name| format!(" ({name})")).unwrap_or_default();
                format!("{days} at {}{zone}", at.strftime("%H:%M"))
            }
        }
    }

    /// The first time it is due after `after`; pauses are counted from `start`.
    #[must_use]
    pub fn next(&self, start: Timestamp, after: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Every(minutes) => {
                let pause = i64::try_from(*minutes).ok()?.checked_mul(60_000)?;
                let gone = after.as_millisecond().checked_sub(start.as_millisecond())?;
                let turns = gone.div_euclid(pause).checked_add(1)?.max(1);
                let due = start.as_millisecond().checked_add(turns.checked_mul(pause)?)?;
                Timestamp::from_millisecond(due).ok()
            }
            Self::Daily { at, days, zone } => {
                let mut date = after.to_zoned(zone.clone()).date();
                // A week has every day; one more, because today's time may be over.
                for _ in 0..9 {
                    let due = date.at(at.hour(), at.minute(), 0, 0).to_zoned(zone.clone());
                    let due = due.ok()?.timestamp();
                    let wanted = days.is_empty() || days.contains(&date.weekday());
                    if wanted && due > after {
                        return Some(due);
                    }
                    date = date.checked_add(Span::new().days(1)).ok()?;
                }
                None
            }
        }
    }
}

/// Now, in milliseconds.
#[must_use]
pub fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

/// A time in milliseconds as people of this machine write it.
#[must_use]
pub fn local(ms: i64) -> String {
    let time = Timestamp::from_millisecond(ms).map(|time| time.to_zoned(TimeZone::system()));
    time.map(|time| time.strftime("%Y-%m-%d %H:%M").to_string()).unwrap_or_default()
}

fn names(days: &[Weekday]) -> Vec<&'static str> {
    DAYS.iter().filter(|(_, day)| days.contains(day)).map(|(name, _)| *name).collect()
}

/// A pause in minutes.
fn minutes(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let minutes = match unit {
        "m" => 1,
        "h" => 60,
        "d" => 24 * 60,
        _ => return None,
    };
    let plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let total = number.parse::<u64>().ok().filter(|_| plain)?.checked_mul(minutes)?;
    (LEAST..=MOST).contains(&total).then_some(total)
}

fn written(minutes: u64) -> String {
    match minutes {
        days if days.is_multiple_of(24 * 60) => format!("{}d", days / (24 * 60)),
        hours if hours.is_multiple_of(60) => format!("{}h", hours / 60),
        _ => format!("{minutes}m"),
    }
}

fn time_of_day(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':')?;
    let two = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    if !two(hour) || !two(minute) {
        return None;
    }
    Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn words_say_when_or_are_refused() {
        let no_days: [String; 0] = [];
        for (every, minutes) in [("30m", 30), ("2h", 120), ("1d", 1440), ("28d", 40_320)] {
            let when = When::read(Some(every), None, &no_days, None).unwrap();
            assert_eq!(when, When::Every(minutes));
            assert_eq!(When::of(&Value::Object(when.args())).unwrap(), when);
        }
        for wrong in
            ["", "0m", "m", "30", "30s", "+5m", "29d", "-1h", "1.5h", "99999999999999999999d"]
        {
            assert!(When::read(Some(wrong), None, &no_days, None).is_err(), "{wrong}");
        }
        let days = ["mon".to_owned(), "Tue".to_owned()];
        let when = When::read(None, Some("07:30"), &days, Some("Europe/Berlin")).unwrap();
        assert_eq!(When::of(&Value::Object(when.args())).unwrap(), when);
        assert_eq!(when.words(), "mon, tue at 07:30 (Europe/Berlin)");
        for wrong in ["7:30", "24:00", "07:60", "0730", "07:30:00"] {
            assert!(When::read(None, Some(wrong), &no_days, None).is_err(), "{wrong}");
        }
        assert!(When::read(None, Some("07:30"), &["someday".into()], None).is_err());
        assert!(When::read(None, Some("07:30"), &no_days, Some("Nowhere/None")).is_err());
        assert_eq!(When::read(None, None, &no_days, None), Err(WhenFault::Which));
        assert_eq!(When::read(Some("1h"), Some("07:30"), &no_days, None), Err(WhenFault::Which));
        assert_eq!(When::read(Some("1h"), None, &days, None), Err(WhenFault::Which));
    }

    #[test]
    fn a_pause_is_counted_from_the_start_and_does_not_drift() {
        let (start, when) = (at("2026-01-01T00:00:07Z"), When::Every(30));
        assert_eq!(when.next(start, start), Some(at("2026-01-01T00:30:07Z")));
        assert_eq!(when.next(start, at("2026-01-01T00:30:07Z")), Some(at("2026-01-01T01:00:07Z")));
        assert_eq!(when.next(start, at("2026-01-01T05:41:00Z")), Some(at("2026-01-01T06:00:07Z")));
        // A clock that went back does not make it due in the past.
        assert_eq!(when.next(start, at("2025-12-31T00:00:00Z")), Some(at("2026-01-01T00:30:07Z")));
    }

    #[test]
    fn a_time_of_the_day_is_local_and_keeps_its_days() {
        let zone = Some("Europe/Berlin");
        let daily = When::read(None, Some("07:30"), &[], zone).unwrap();
        let next = |when: &When, after: &str| when.next(at("2026-01-01T00:00:00Z"), at(after));
        assert_eq!(next(&daily, "2026-01-05T00:00:00Z"), Some(at("2026-01-05T06:30:00Z")));
        assert_eq!(next(&daily, "2026-01-05T06:30:00Z"), Some(at("2026-01-06T06:30:00Z")));
        // In summer the same time is an hour earlier.
        assert_eq!(next(&daily, "2026-07-05T06:00:00Z"), Some(at("2026-07-06T05:30:00Z")));
        let weekly = When::read(None, Some("07:30"), &["wed".into()], zone).unwrap();
        assert_eq!(next(&weekly, "2026-01-05T00:00:00Z"), Some(at("2026-01-07T06:30:00Z")));
        assert_eq!(next(&weekly, "2026-01-07T06:30:00Z"), Some(at("2026-01-14T06:30:00Z")));
        // A time that the change of clocks leaves out comes once all the same.
        let gap = When::read(None, Some("02:30"), &[], zone).unwrap();
        assert_eq!(next(&gap, "2026-03-29T00:00:00Z"), Some(at("2026-03-29T01:30:00Z")));
    }
}
