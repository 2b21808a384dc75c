//! What a simulation of leases is about: how many ask how often, and what happens to the database.

use std::ops::Range;

use serde::Deserialize;
use tandem::model::leases::MicroDollars;

const DAY: u32 = 24 * 60 * 60;

/// What is simulated.
#[derive(Deserialize)]
pub(super) struct Plan {
    pub(super) clients: usize,
    pub(super) seconds: u32,
    /// Dollars of the budget, and those that a client may spend without the database.
    pub(super) dollars: f64,
    pub(super) away_dollars: f64,
    /// Seconds between two requests of an active client, on average.
    pub(super) pause: f64,
    /// The second before which all begin.
    pub(super) begun: u32,
    /// Seconds that a client is active, and idle, on average.
    pub(super) active: f64,
    pub(super) idle: f64,
    /// Micro-dollars that most requests cost; one in a hundred costs `dear` times as much.
    pub(super) cost: Range<MicroDollars>,
    pub(super) dear: MicroDollars,
    /// Each client sleeps, is cut off and killed at one in so many requests, each; 0: never.
    pub(super) disturbed: u32,
    /// The seconds in which a number of clients is killed, one after another.
    pub(super) kills: Option<(Range<u32>, usize)>,
    /// How many leases the database gives in a second; unset, as many as are asked for. The others wait.
    pub(super) capacity: Option<u32>,
    /// When the database is away, read-only, and restarted, in each `period`.
    pub(super) period: u32,
    pub(super) away: Range<u32>,
    pub(super) read_only: Range<u32>,
    pub(super) restarting: Range<u32>,
    pub(super) seed: u64,
}

impl Plan {
    /// A day whose budget is used up in the evening: 30 % are active, with a request every 20 s.
    pub(super) fn day(clients: usize, seed: u64) -> Self {
        let (pause, cost, dear) = (20.0, 300..1_700, 20);
        let wish =
            clients as f64 * 0.3 * f64::from(DAY) / pause * (cost.start + cost.end) as f64 / 2.0 * 1.19 / 1e6;
        Self {
            clients,
            seconds: DAY,
            dollars: wish * 0.75,
            away_dollars: 0.0,
            pause,
            begun: 2_000,
            active: 600.0,
            idle: 1_400.0,
            cost,
            dear,
            disturbed: 1_000,
            kills: None,
            capacity: None,
            period: 3_600,
            away: 600..660,
            read_only: 1_800..1_830,
            restarting: 2_700..2_720,
            seed,
        }
    }

    pub(super) fn budget(&self) -> MicroDollars {
        (self.dollars * 1e6) as MicroDollars
    }

    pub(super) fn weather(&self, second: u32) -> Weather {
        let second = second % self.period;
        let is_in = |range: &Range<u32>| range.contains(&second);
        match () {
            () if is_in(&self.away) => Weather::Away,
            () if is_in(&self.read_only) => Weather::ReadOnly,
            () if is_in(&self.restarting) => Weather::Restarting,
            () => Weather::Fair,
        }
    }
}

/// The state of the database in a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weather {
    Fair,
    Away,
    ReadOnly,
    /// Requests take effect, and half of the answers are lost.
    Restarting,
}
