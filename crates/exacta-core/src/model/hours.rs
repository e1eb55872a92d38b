//! A span of the day, in whole minutes.

/// From one minute of the day up to, not including, another; it may pass midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hours {
    from: u16,
    to: u16,
}

impl Hours {
    /// Reads `22:00-07:00`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('-')?;
        let minute = |text: &str| -> Option<u16> {
            let (hour, minute) = text.split_once(':')?;
            let digits = |text: &str| text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
            if !digits(hour) || !digits(minute) {
                return None;
            }
            let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
            (hour < 24 && minute < 60).then(|| hour.saturating_mul(60).saturating_add(minute))
        };
        let hours = Self { from: minute(from)?, to: minute(to)? };
        (hours.from != hours.to).then_some(hours)
    }

    /// Whether a minute of the day is in it.
    #[must_use]
    pub fn contains(self, minute: u16) -> bool {
        if self.from < self.to {
            (self.from..self.to).contains(&minute)
        } else {
            minute >= self.from || minute < self.to
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_pass_midnight() {
        let night = Hours::parse("22:00-07:30").unwrap();
        for (minute, inside) in [(0, true), (449, true), (450, false), (1319, false), (1320, true)]
        {
            assert_eq!(night.contains(minute), inside, "{minute}");
        }
        let noon = Hours::parse("12:00-13:00").unwrap();
        assert!(noon.contains(720) && !noon.contains(780) && !noon.contains(0));
        for text in ["", "22:00", "22:00-22:00", "24:00-01:00", "1:00-02:00", "22:60-23:00", "a-b"]
        {
            assert_eq!(Hours::parse(text), None, "{text}");
        }
    }
}
