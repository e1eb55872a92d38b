//! The time of day, where tools need it: dates of mail, days of limits, quiet hours.

use jiff::Zoned;

/// Today, such as `2026-11-18`, in local time.
pub(crate) fn today() -> String {
    Zoned::now().date().to_string()
}

/// The minute of the day in local time.
pub(crate) fn minute() -> u16 {
    let now = Zoned::now();
    let (hour, minute) = (now.hour(), now.minute());
    u16::try_from(hour)
        .unwrap_or(0)
        .saturating_mul(60)
        .saturating_add(u16::try_from(minute).unwrap_or(0))
}

/// Now, as mail writes it.
pub(crate) fn mail_date() -> String {
    let now = Zoned::now().with_time_zone(jiff::tz::TimeZone::UTC);
    jiff::fmt::rfc2822::to_string(&now).unwrap_or_default()
}
