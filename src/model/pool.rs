//! A pool of open sockets: which socket has room, and when to open another one.
//!
//! The state machine is plain data ([`Pool`]) and is driven by [`super::websocket`]. There is no cancel frame
//! ([cancelling](super#cancelling)), so an abandoned call occupies its place until its answer has ended or
//! the socket is dropped; meanwhile the next request uses another lane or a spare socket.

use super::health::Connecting;
use super::limits::{IDLE_SOCKETS, SOCKETS};

/// Identifies a socket.
pub(super) type SocketId = u64;

/// The next action on connections.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// No action.
    Enough,
    /// Open one more socket.
    Connect,
}

/// The placement of a call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Placement<C> {
    /// On this socket, now.
    Socket(SocketId, C),
    /// The call waits for a socket.
    Waits,
    /// No socket is available soon: connecting has just failed.
    Refused(C),
}

/// The sockets of one endpoint and the calls that wait for one.
#[derive(Debug)]
pub(super) struct Pool<C> {
    sockets: Vec<Slot>,
    /// Number of calls that one socket takes at a time.
    capacity: usize,
    connecting: usize,
    waiting: Vec<C>,
    next_id: SocketId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slot {
    id: SocketId,
    /// Calls on the socket whose answers have not ended.
    calls: usize,
    /// Whether the socket is so old that it is to be replaced: new calls avoid it if they can.
    aging: bool,
}

impl<C> Default for Pool<C> {
    fn default() -> Self {
        Self { sockets: Vec::new(), capacity: 1, connecting: 0, waiting: Vec::new(), next_id: 0 }
    }
}

impl<C> Pool<C> {
    /// Finds a socket for a call.
    pub(super) fn place(&mut self, call: C, connecting: Connecting) -> Placement<C> {
        let capacity = self.capacity;
        let room = |slot: &&mut Slot| slot.calls < capacity;
        let young = self.sockets.iter_mut().filter(room).min_by_key(|slot| slot.aging);
        if let Some(slot) = young {
            slot.calls += 1;
            return Placement::Socket(slot.id, call);
        }
        let hopeless = self.sockets.is_empty() && self.connecting == 0;
        if hopeless && connecting == Connecting::No {
            return Placement::Refused(call);
        }
        self.waiting.push(call);
        Placement::Waits
    }

    /// Whether to open another socket, so that every waiting call gets one and one stays in
    /// reserve. [`Want::Connect`] counts the socket as being opened.
    pub(super) fn want(&mut self, connecting: Connecting) -> Want {
        let room = self.sockets.iter().filter(|slot| slot.calls < self.capacity && !slot.aging).count();
        let target = match connecting {
            Connecting::No => 0,
            Connecting::One => 1,
            Connecting::NoReserve => self.waiting.len().max(1),
            // With lanes, one socket nearly always has room; the spare replaces it when it closes.
            Connecting::Reserve => self.waiting.len() + if self.capacity > 1 { 2 } else { 1 },
        };
        let full = self.sockets.len() + self.connecting >= SOCKETS;
        if room + self.connecting >= target || full {
            return Want::Enough;
        }
        self.connecting += 1;
        Want::Connect
    }

    /// Counts one more socket as being opened, whatever failed before.
    pub(super) fn probe(&mut self) {
        self.connecting += 1;
    }

    /// Sets the number of calls that each socket takes at a time.
    pub(super) fn set_capacity(&mut self, capacity: usize) {
        self.capacity = capacity;
    }

    /// Records that a socket was opened. Returns its id, and a waiting call for it.
    pub(super) fn connected(&mut self) -> (SocketId, Option<C>) {
        self.connecting = self.connecting.saturating_sub(1);
        let id = self.next_id;
        self.next_id += 1;
        self.sockets.push(Slot { id, calls: 1, aging: false });
        (id, self.finished(id))
    }

    /// Drops abandoned calls that wait, so that no socket is opened for them.
    pub(super) fn forget_waiting(&mut self, is_forgotten: impl Fn(&C) -> bool) {
        self.waiting.retain(|call| !is_forgotten(call));
    }

    /// Whether a socket is idle.
    pub(super) fn has_idle(&self) -> bool {
        self.sockets.iter().any(|slot| slot.calls == 0 && !slot.aging)
    }

    /// Whether calls wait for a socket.
    pub(super) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Records that opening a socket failed. Returns the calls that have no socket left, so that
    /// they can be failed with the reason.
    pub(super) fn failed(&mut self) -> Vec<C> {
        self.connecting = self.connecting.saturating_sub(1);
        if self.sockets.is_empty() && self.connecting == 0 {
            std::mem::take(&mut self.waiting)
        } else {
            Vec::new()
        }
    }

    /// Returns all waiting calls: no socket will be available.
    pub(super) fn give_up(&mut self) -> Vec<C> {
        std::mem::take(&mut self.waiting)
    }

    /// Records that an answer has ended on a socket. Returns the newest waiting call for its place,
    /// if any, since older calls are more likely to be outdated.
    pub(super) fn finished(&mut self, id: SocketId) -> Option<C> {
        let slot = self.sockets.iter_mut().find(|slot| slot.id == id)?;
        slot.calls = slot.calls.saturating_sub(1);
        if slot.calls >= self.capacity {
            return None;
        }
        let call = self.waiting.pop()?;
        slot.calls += 1;
        Some(call)
    }

    /// Removes a closed socket. Returns the calls that have no socket left while no socket may be
    /// opened.
    pub(super) fn gone(&mut self, id: SocketId, connecting: Connecting) -> Vec<C> {
        self.sockets.retain(|slot| slot.id != id);
        let hopeless = self.sockets.is_empty() && self.connecting == 0;
        if hopeless && connecting == Connecting::No { std::mem::take(&mut self.waiting) } else { Vec::new() }
    }

    /// Marks a socket as old, so that it is replaced.
    pub(super) fn ages(&mut self, id: SocketId) {
        if let Some(slot) = self.sockets.iter_mut().find(|slot| slot.id == id) {
            slot.aging = true;
        }
    }

    /// Expires all sockets after the server rejected one as too old: the others were opened with
    /// it, or have as little left. Removes the idle sockets and returns them for closing, and marks
    /// those in use as aging.
    pub(super) fn expire(&mut self) -> Vec<SocketId> {
        let (idle, mut used): (Vec<Slot>, _) = self.sockets.drain(..).partition(|slot| slot.calls == 0);
        used.iter_mut().for_each(|slot: &mut Slot| slot.aging = true);
        self.sockets = used;
        idle.into_iter().map(|slot| slot.id).collect()
    }

    /// Removes an idle socket if there are too many, or if it has a younger replacement. Returns
    /// whether it was removed.
    pub(super) fn retire(&mut self, id: SocketId) -> bool {
        let Some(slot) = self.sockets.iter().find(|slot| slot.id == id && slot.calls == 0) else {
            return false;
        };
        let idle = self.sockets.iter().filter(|slot| slot.calls == 0).count();
        let replaced = slot.aging && self.sockets.iter().any(|slot| !slot.aging);
        let leaves = idle > IDLE_SOCKETS || replaced;
        if leaves {
            self.sockets.retain(|slot| slot.id != id);
        }
        leaves
    }

    /// Removes an idle socket after a long time without requests. Returns whether it was removed.
    pub(super) fn close(&mut self, id: SocketId) -> bool {
        let idle = self.sockets.iter().any(|slot| slot.id == id && slot.calls == 0);
        if idle {
            self.sockets.retain(|slot| slot.id != id);
        }
        idle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Driver {
        pool: Pool<&'static str>,
        connecting: Connecting,
    }

    impl Driver {
        fn new() -> Self {
            Self { pool: Pool::default(), connecting: Connecting::NoReserve }
        }

        fn connected(&mut self) -> (SocketId, Option<&'static str>) {
            self.connecting = Connecting::Reserve;
            self.pool.connected()
        }

        fn connects(&mut self) -> usize {
            std::iter::from_fn(|| (self.pool.want(self.connecting) == Want::Connect).then_some(())).count()
        }
    }

    #[test]
    fn keeps_one_socket_in_reserve() {
        let mut it = Driver::new();
        assert_eq!(it.connects(), 1, "warming opens one");
        assert_eq!(it.connected(), (0, None));
        assert_eq!(it.pool.place("a", it.connecting), Placement::Socket(0, "a"));
        assert_eq!(it.connects(), 1, "one busy: a spare is opened");
        assert_eq!(it.connected(), (1, None));
        assert_eq!(
            it.pool.place("b", it.connecting),
            Placement::Socket(1, "b"),
            "no wait for the first answer"
        );
        assert_eq!(it.pool.finished(0), None);
        assert_eq!(it.connects(), 0, "socket 0 is in reserve again");
    }

    #[test]
    fn serves_the_newest_waiting_call_first() {
        let mut it = Driver::new();
        assert_eq!(it.pool.place("old", it.connecting), Placement::Waits);
        assert_eq!(it.pool.place("new", it.connecting), Placement::Waits);
        assert_eq!(it.connects(), 2, "one each");
        assert_eq!(it.connected(), (0, Some("new")));
        assert_eq!(it.connects(), 1, "and a spare, once one is granted");
        assert_eq!(it.pool.finished(0), Some("old"));
        assert_eq!(it.pool.finished(0), None);
    }

    #[test]
    fn never_opens_more_than_its_cap() {
        let mut it = Driver::new();
        for _ in 0..20 {
            assert_eq!(it.pool.place("call", it.connecting), Placement::Waits);
        }
        assert_eq!(it.connects(), SOCKETS);
    }

    #[test]
    fn failed_connections_answer_calls_that_wait_in_vain() {
        let mut it = Driver::new();
        assert_eq!(it.pool.place("a", it.connecting), Placement::Waits);
        assert_eq!(it.pool.place("b", it.connecting), Placement::Waits);
        assert_eq!(it.connects(), 2);
        assert_eq!(it.pool.failed(), Vec::<&str>::new(), "another may still succeed");
        assert_eq!(it.pool.failed(), vec!["a", "b"]);
        it.connecting = Connecting::No;
        assert_eq!(it.pool.place("c", it.connecting), Placement::Refused("c"));
        assert_eq!(it.connects(), 0);
        it.connecting = Connecting::One;
        assert_eq!(it.pool.place("d", it.connecting), Placement::Waits);
        assert_eq!(it.pool.place("e", it.connecting), Placement::Waits);
        assert_eq!(it.connects(), 1, "one alone tries");
        assert_eq!(it.connected(), (0, Some("e")));
        assert_eq!(it.connects(), 2, "for the other, and a spare");
    }

    #[test]
    fn retires_idle_sockets_beyond_the_kept_ones() {
        let mut it = Driver::new();
        for _ in 0..4 {
            assert_eq!(it.pool.place("call", it.connecting), Placement::Waits);
        }
        while it.connects() > 0 {
            while it.pool.connecting > 0 {
                it.connected();
            }
        }
        assert!(!it.pool.retire(0), "busy");
        for id in 0..4 {
            assert_eq!(it.pool.finished(id), None);
        }
        let retired = (0..5).filter(|id| it.pool.retire(*id)).count();
        assert_eq!(retired, 5 - IDLE_SOCKETS);
    }

    #[test]
    fn lanes_share_a_socket() {
        let mut it = Driver::new();
        it.pool.set_capacity(2);
        assert_eq!(it.connects(), 1);
        it.connected();
        assert_eq!(it.connects(), 1, "a spare for when it goes");
        it.connected();
        assert_eq!(it.pool.place("a", it.connecting), Placement::Socket(0, "a"));
        assert_eq!(it.pool.place("b", it.connecting), Placement::Socket(0, "b"));
        assert_eq!(it.pool.place("c", it.connecting), Placement::Socket(1, "c"));
        assert_eq!(it.pool.place("d", it.connecting), Placement::Socket(1, "d"));
        assert_eq!(it.pool.place("e", it.connecting), Placement::Waits);
        assert_eq!(it.pool.finished(0), Some("e"));
        assert_eq!(it.connects(), 2);
    }

    #[test]
    fn an_old_socket_is_replaced_before_it_goes() {
        let mut it = Driver::new();
        assert_eq!(it.connects(), 1);
        it.connected();
        it.pool.ages(0);
        assert!(!it.pool.retire(0), "nothing is in its place yet");
        assert_eq!(
            it.pool.place("a", it.connecting),
            Placement::Socket(0, "a"),
            "better an old one than none"
        );
        assert_eq!(it.connects(), 1);
        it.connected();
        assert_eq!(it.pool.place("b", it.connecting), Placement::Socket(1, "b"));
        assert!(!it.pool.retire(0), "busy");
        assert_eq!(it.pool.finished(0), None);
        assert!(it.pool.retire(0));
        assert!(!it.pool.close(1), "busy");
        assert_eq!(it.pool.finished(1), None);
        assert!(it.pool.close(1));
    }

    #[test]
    fn with_one_that_is_too_old_the_others_go() {
        let mut it = Driver::new();
        assert_eq!(it.pool.place("a", it.connecting), Placement::Waits);
        assert_eq!(it.connects(), 1);
        assert_eq!(it.connected(), (0, Some("a")));
        assert_eq!(it.connects(), 1);
        it.connected();
        assert_eq!(it.pool.expire(), [1]);
        assert_eq!(it.connects(), 1, "socket 0 goes, too");
        assert_eq!(it.pool.place("b", it.connecting), Placement::Waits, "for a new one");
    }
}
