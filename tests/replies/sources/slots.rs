use std::time::Duration;

const WAIT: Duration = Duration::from_millis(250);

pub struct Slots {
    taken: Vec<Option<u32>>,
    free: usize,
    cycles: u64,
}

impl Slots {
    pub fn with_room(room: usize) -> Self {
        let taken = vec![None; room];
        Slots { taken, free: room, cycles: 0 }
    }

    pub fn take(&mut self, owner: u32) -> Option<usize> {
        self.cycles += 1;
        let place = self.taken.iter().position(Option::is_none)?;
        self.taken[place] = Some(owner);
        self.free -= 1;
        Some(place)
    }

    pub fn give_back(&mut self, owner: u32) -> Option<usize> {
        self.cycles += 1;
        let place = self.taken.iter().position(|slot| *slot == Some(owner))?;
        self.taken[place] = None;
        self.free += 1;
        Some(place)
    }
}

pub fn wait_for_first(slots: &Slots) -> Duration {
    let mut wait = WAIT;
    let rounds = slots.cycles.min(8);
    for _ in 0..rounds {
        wait = wait.saturating_mul(2);
    }
    wait
}

pub fn wait_for_next(slots: &Slots) -> Duration {
    let mut wait = WAIT;
    let rounds = slots.cycles.min(3);
    for _ in 0..rounds {
        wait = wait.saturating_mul(2);
    }
    wait
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_table_gives_nothing() {
        let mut slots = Slots::with_room(1);
        assert_eq!(slots.take(7), Some(0));
        assert_eq!(slots.take(8), None);
    }

    #[test]
    fn returned_slot_is_free() {
        let mut slots = Slots::with_room(1);
        assert_eq!(slots.take(7), Some(0));
        assert_eq!(slots.give_back(7), Some(0));
    }
}
