//! A small random number generator (`SplitMix64`) with a seed that a failure can name.
//!
//! Generated cases must be the same on every machine and in every release, so that a
//! seed printed today still finds the same case next year.

/// The generator. Equal seeds give equal numbers for ever.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// A generator that starts at `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `end - 1`; 0 when `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).expect("a length fits 64 bits");
        usize::try_from(self.bits() % end).expect("smaller than a length")
    }

    /// True in `share` of a hundred cases.
    pub fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    /// One of the elements.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        let at = self.below(from.len());
        from.get(at).expect("something to pick from")
    }

    /// Brings the elements into another order.
    pub fn shuffle<T>(&mut self, elements: &mut [T]) {
        for last in (1..elements.len()).rev() {
            elements.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_numbers_for_ever() {
        let mut rng = Rng::new(7);
        let numbers: Vec<u64> = (0..3).map(|_| rng.bits()).collect();
        assert_eq!(
            numbers,
            [7_191_089_600_892_374_487, 309_689_372_594_955_804, 16_616_101_746_815_609_346]
        );
    }
}
