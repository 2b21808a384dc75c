//! The figures by which models are talked to, each with its source. Durations that a test
//! shortens are in [`super::timing`].

use std::time::Duration;

/// The first wait after a socket could not be opened; it doubles with each further
/// failure. The backoff of the widely used clients of the Responses API.
pub(super) const CONNECT_FIRST: Duration = Duration::from_millis(200);
/// The longest such wait, and the longest between two attempts at one request.
pub(super) const CONNECT_MOST: Duration = Duration::from_secs(30);
/// The least wait after 403 for an upgrade: a challenge, or too many connections. Proxies
/// let a client in again within seconds.
pub(super) const FORBIDDEN_LEAST: Duration = Duration::from_secs(3);
/// The longest time between two looks at whether sockets work again. A look costs one
/// refused upgrade.
pub(super) const HTTP_MOST: Duration = Duration::from_secs(60 * 60);
/// The first wait after a failure of an endpoint that may pass by itself; it doubles with
/// each further one.
pub(super) const AWAY_FIRST: Duration = Duration::from_secs(2);
/// The longest such wait: the time after which a user who mended something sees it work
/// at the latest.
pub(super) const AWAY_MOST: Duration = Duration::from_secs(60);
/// How long an endpoint that refused for good is left alone: keys and accounts are mended
/// by people.
pub(super) const REFUSED_FOR: Duration = Duration::from_secs(5 * 60);
/// The longest that a server may ask to be left alone: quotas are renewed within a week,
/// and clocks end.
pub(super) const RETRY_AFTER_MOST: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Sockets to one endpoint at once. Providers refuse clients that hold several dozen.
pub(super) const SOCKETS: usize = 8;
/// Idle sockets kept when nothing is going on: one to use, one in reserve.
pub(super) const IDLE_SOCKETS: usize = 2;
/// After a whole response without a nonce, the one that was asked for begins within this
/// time, if the server repeats nonces and that was not it: servers acknowledge a request
/// before they work on it, so one round trip is enough.
pub(super) const NONCE_SETTLES: Duration = Duration::from_millis(250);
/// Abandoned tokens that are never too many: one short completion.
pub(super) const ABANDONED_FREE_TOKENS: f64 = 128.0;
/// The part of all tokens that may belong to abandoned answers.
///
/// What a user is ready to pay for latency is a guess.
pub(super) const ABANDONED_SHARE: f64 = 0.1;
/// Tokens that an abandoned answer may still have, for reading on to be worth it: at
/// 1,000 tokens/s it ends about as soon as a new socket would be open.
pub(super) const DRAIN_TOKENS: f64 = 160.0;
/// Sockets that may be dropped at once …
pub(super) const DROPPED_SOCKETS: f64 = 8.0;
/// … and a second, for long. Providers count upgrades as requests.
pub(super) const DROPPED_SOCKETS_PER_SECOND: f64 = 4.0;
/// How fast the typical length of an answer follows what is seen: about the last five
/// answers count.
pub(super) const TYPICAL_LENGTH_WEIGHT: f64 = 0.2;
/// Quotas read from one answer: OpenAI names two, Groq and Cerebras four.
pub(super) const QUOTA_POOLS: usize = 8;
/// A candidate is looked for this long after the start: its wire connects first, and what
/// that finds out need not be asked for. A TLS handshake and an upgrade take three round
/// trips.
pub(super) const PROBE_AFTER: Duration = Duration::from_millis(300);
/// The most that is read of an answer that is no stream, in bytes. The longest answer of
/// a model is a tenth of it.
pub(super) const BODY_BYTES: usize = 4 << 20;
/// Requests in progress on one socket where lanes work. The service runs 16 at a time;
/// one is kept for bases.
pub(super) const REQUEST_LANES: usize = 15;
/// Fewer tokens than these say nothing about speed.
pub(super) const SPEED_TOKENS: u64 = 32;
/// Nor does less time than this: bursts and the network decide there.
pub(super) const SPEED_TIME: Duration = Duration::from_millis(200);
/// One part in this many of the usual speed is another machine, not a busy one. Load
/// halves a speed, as a rule.
pub(super) const SLOW_FACTOR: f64 = 5.0;
/// Lanes for base responses on one socket: with those of requests fewer than the 32 names
/// that a connection may have.
pub(super) const BASE_LANES: usize = 8;
/// A stable beginning that is shorter, in bytes, is sent again each time: providers cache
/// from 1,024 tokens on.
pub(super) const BASE_BYTES: usize = 1_024;
/// After so many base responses that were gone before they could be used, no more are
/// made.
pub(super) const BASES_LOST: u8 = 3;
/// Refused fields that are left out of one request at most.
pub(super) const DROPPED_FIELDS: u8 = 4;
/// Speeds remembered of each candidate: an odd number, for the median.
pub(super) const RATES: usize = 9;
/// Quotas remembered of each candidate: more than servers have, and not as many as one
/// may make up.
pub(super) const QUOTAS: usize = 12;
/// Speeds that must be known before one of them can be called unusual.
pub(super) const RATES_NEEDED: usize = 5;
/// How long an answer that is not wanted any more, or has ended, may hold its connection.
pub(super) const DRAIN_TIME: Duration = Duration::from_secs(1);
/// Bytes that are read of an answer over HTTP after it ended or was abandoned.
pub(super) const DRAIN_BYTES: usize = 64 << 10;
/// How long a socket that was not heard of may take to show that it lives, when a call
/// waits for it.
pub(super) const PROOF_OF_LIFE: Duration = Duration::from_secs(1);
/// Names of lanes for requests; with those of base responses fewer than the 32 that a
/// connection may have.
pub(super) const LANE_NAMES: usize = 16;
/// An idle socket beyond the reserve is closed after this long.
pub(super) const SPARE_LIFE: Duration = Duration::from_secs(30);
/// The machine slept if its clock went this much further than the time of this process
/// did.
pub(super) const SLEPT: Duration = Duration::from_secs(5);
/// The body of a refusal is waited for this long.
pub(super) const REFUSAL_WITHIN: Duration = Duration::from_secs(2);
/// A list of models that takes longer counts as none.
pub(super) const LIST_TIMEOUT: Duration = Duration::from_secs(5);
/// A model that thinks before it says one word gets the time for it.
pub(super) const PROBE_TIMEOUT: Duration = Duration::from_secs(30);
/// The least that the Responses API takes for `max_output_tokens`.
pub(super) const PROBE_TOKENS: u32 = 16;
/// Tokens that are written to measure how fast a model is.
pub(super) const MEASURED_TOKENS: u32 = 32;
/// Messages of one response that are told apart. Models write one or two.
pub(super) const MESSAGES: usize = 64;
/// Characters of a server's name for a model, a tier or a quota.
pub(super) const NAME_CHARACTERS: usize = 120;
/// Bytes read from a socket at once, which are cleared before each read.
///
/// An event has some hundred.
pub(super) const READ_BYTES: usize = 8 << 10;
/// The longest line of server-sent events, in bytes. A whole answer fits.
pub(super) const LINE_BYTES: usize = 4 << 20;
/// Characters of a server's words that are shown.
pub(super) const MESSAGE_CHARACTERS: usize = 200;
/// The longest time ahead of a token's end at which another one is fetched …
pub(super) const TOKEN_AHEAD_MOST: Duration = Duration::from_secs(5 * 60);
/// … and the part of its life that it is at most. Tokens live from minutes to a day.
pub(super) const TOKEN_AHEAD_PART: u32 = 5;
/// How long a token is sent at least, whatever its end is said to be: the clock may be wrong, and its source is not
/// asked without a pause.
pub(super) const TOKEN_LIFE_LEAST: Duration = Duration::from_secs(10);
/// How long a failure to get a token is the answer to all that ask for one. Requests back off on their own.
pub(super) const TOKEN_AGAIN: Duration = Duration::from_secs(2);
/// The wait for another attempt while the token before is valid.
pub(super) const TOKEN_AHEAD_AGAIN: Duration = Duration::from_secs(20);
/// A token endpoint that takes longer is given up.
pub(super) const TOKEN_WITHIN: Duration = Duration::from_secs(10);
/// Bytes of a file with a token: those of the largest that servers take in a header, many times.
pub(super) const TOKEN_BYTES: u64 = 64 << 10;
