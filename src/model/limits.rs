//! Limits and waiting times for models, each with its source. Durations that tests shorten are in
//! [`super::timing`].

use std::time::Duration;

/// The first wait after a socket could not be opened; it doubles with each further failure. The
/// backoff of widely used clients of the Responses API.
pub(super) const CONNECT_FIRST: Duration = Duration::from_millis(200);
/// The longest such wait, and the longest wait between two attempts at one request.
pub(super) const CONNECT_MOST: Duration = Duration::from_secs(30);
/// The least wait after 403 for an upgrade: a challenge, or too many connections. Proxies admit a
/// client again within seconds.
pub(super) const FORBIDDEN_LEAST: Duration = Duration::from_secs(3);
/// The longest time between two probes whether sockets work again. A probe costs one refused
/// upgrade.
pub(super) const HTTP_MOST: Duration = Duration::from_secs(60 * 60);
/// The first wait after a failure of an endpoint that may be temporary; it doubles with each
/// further failure.
pub(super) const AWAY_FIRST: Duration = Duration::from_secs(2);
/// The longest such wait: a fix by the user takes effect within this time.
pub(super) const AWAY_MOST: Duration = Duration::from_secs(60);
/// How long an endpoint is skipped after a permanent refusal: keys and accounts are fixed by hand.
pub(super) const REFUSED_FOR: Duration = Duration::from_secs(5 * 60);
/// After how many refused requests in a row an endpoint is taken to refuse all. A file that a provider's filter blocks
/// causes a few.
pub(super) const REFUSALS: u8 = 8;
/// The longest wait that a server may ask for: quotas are renewed within a week, and clocks have an
/// end.
pub(super) const RETRY_AFTER_MOST: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Maximum number of sockets to one endpoint. Providers refuse clients that hold several dozen.
pub(super) const SOCKETS: usize = 8;
/// Idle sockets kept while there are no requests: one to use, one in reserve.
pub(super) const IDLE_SOCKETS: usize = 2;
/// After a complete response without a nonce, the requested response begins within this time if the
/// server repeats nonces and the response was another one: servers acknowledge a request before
/// they process it, so one round trip is enough.
pub(super) const NONCE_SETTLES: Duration = Duration::from_millis(250);
/// Abandoned tokens that are always allowed: one short completion.
pub(super) const ABANDONED_FREE_TOKENS: f64 = 128.0;
/// The share of all tokens that may belong to abandoned answers.
///
/// A guess at what users are ready to pay for latency.
pub(super) const ABANDONED_SHARE: f64 = 0.1;
/// Maximum number of remaining tokens for which an abandoned answer is drained: at 1,000 tokens/s
/// it ends about as soon as a new socket would be open.
pub(super) const DRAIN_TOKENS: f64 = 160.0;
/// Sockets that may be dropped at once …
pub(super) const DROPPED_SOCKETS: f64 = 8.0;
/// … and per second, in the long run. Providers count upgrades as requests.
pub(super) const DROPPED_SOCKETS_PER_SECOND: f64 = 4.0;
/// Weight of a new answer in the typical length of answers: about the last five answers count.
pub(super) const TYPICAL_LENGTH_WEIGHT: f64 = 0.2;
/// Quotas read from one answer: OpenAI names two, Groq and Cerebras four.
pub(super) const QUOTA_POOLS: usize = 8;
/// Delay of the first probe of a candidate after the start: its wire connects first, which may make
/// the probe unnecessary. A TLS handshake and an upgrade take three round trips.
pub(super) const PROBE_AFTER: Duration = Duration::from_millis(300);
/// The most that is read of a response that is not a stream, in bytes. A model's longest answer is
/// a tenth of it.
pub(super) const BODY_BYTES: usize = 4 << 20;
/// Requests in progress on one socket with lanes. The service runs 16 at a time; one is kept for
/// bases.
pub(super) const REQUEST_LANES: usize = 15;
/// Fewer tokens are not enough to measure the speed.
pub(super) const SPEED_TOKENS: u64 = 32;
/// Nor is less time than this, which is dominated by bursts and the network.
pub(super) const SPEED_TIME: Duration = Duration::from_millis(200);
/// A speed below the usual one by this factor means another machine, not a busy one. Load usually
/// halves a speed.
pub(super) const SLOW_FACTOR: f64 = 5.0;
/// Lanes for base responses on one socket. Together with those of requests, fewer than the 32 names
/// that a connection may have.
pub(super) const BASE_LANES: usize = 8;
/// A stable beginning below this size, in bytes, is sent each time: providers cache from 1,024
/// tokens on.
pub(super) const BASE_BYTES: usize = 1_024;
/// After this many base responses that were lost before they were used, no more are made.
pub(super) const BASES_LOST: u8 = 3;
/// Maximum number of refused fields that are left out of one request.
pub(super) const DROPPED_FIELDS: u8 = 4;
/// Number of speeds remembered per candidate, odd for the median.
pub(super) const RATES: usize = 9;
/// Number of quotas remembered per candidate: more than servers have, but fewer than one may make
/// up.
pub(super) const QUOTAS: usize = 12;
/// Number of speeds needed before one of them can be called unusual.
pub(super) const RATES_NEEDED: usize = 5;
/// How long an answer that has ended or was abandoned may hold its connection.
pub(super) const DRAIN_TIME: Duration = Duration::from_secs(1);
/// Bytes read of an answer over HTTP after it ended or was abandoned.
pub(super) const DRAIN_BYTES: usize = 64 << 10;
/// How long a silent socket may take to prove that it is alive, while a call waits for it.
pub(super) const PROOF_OF_LIFE: Duration = Duration::from_secs(1);
/// Names of lanes for requests. Together with those of base responses, fewer than the 32 that a
/// connection may have.
pub(super) const LANE_NAMES: usize = 16;
/// An idle socket beyond the reserve is closed after this time.
pub(super) const SPARE_LIFE: Duration = Duration::from_secs(30);
/// The machine slept if the wall clock advanced this much further than the monotonic clock.
pub(super) const SLEPT: Duration = Duration::from_secs(5);
/// How long to wait for the rest of an answer whose end was announced, such as its usage.
pub(super) const END_WITHIN: Duration = Duration::from_secs(1);
/// How long to wait for the body of a refusal.
pub(super) const REFUSAL_WITHIN: Duration = Duration::from_secs(2);
/// A list of models that takes longer counts as missing.
pub(super) const LIST_TIMEOUT: Duration = Duration::from_secs(5);
/// Long enough for models that think before they write.
pub(super) const PROBE_TIMEOUT: Duration = Duration::from_secs(30);
/// The minimum of `max_output_tokens` in the Responses API.
pub(super) const PROBE_TOKENS: u32 = 16;
/// Output tokens of a request that measures a model's speed.
pub(super) const MEASURED_TOKENS: u32 = 32;
/// Messages of one response that are distinguished. Models write one or two.
pub(super) const MESSAGES: usize = 64;
/// Maximum length of a server's name for a model, a tier or a quota, in characters.
pub(super) const NAME_CHARACTERS: usize = 120;
/// Bytes read from a socket at once; the buffer is cleared before each read.
///
/// An event has a few hundred bytes.
pub(super) const READ_BYTES: usize = 8 << 10;
/// Maximum length of a line of server-sent events, in bytes. A whole answer fits.
pub(super) const LINE_BYTES: usize = 4 << 20;
/// Maximum length of a server's message that is shown, in characters.
pub(super) const MESSAGE_CHARACTERS: usize = 200;
/// The longest time before a token's expiry at which the next one is fetched …
pub(super) const TOKEN_AHEAD_MOST: Duration = Duration::from_secs(5 * 60);
/// … and the part of its lifetime that it is at most, as a divisor. Tokens live from minutes to a day.
pub(super) const TOKEN_AHEAD_PART: u32 = 5;
/// The least time that a token is used, whatever its stated expiry: the clock may be wrong, and the
/// source must not be asked without a pause.
pub(super) const TOKEN_LIFE_LEAST: Duration = Duration::from_secs(10);
/// How long a failure to get a token is reused for further requests, which back off on their own.
pub(super) const TOKEN_AGAIN: Duration = Duration::from_secs(2);
/// The wait before another attempt while the previous token is still valid.
pub(super) const TOKEN_AHEAD_AGAIN: Duration = Duration::from_secs(20);
/// Timeout of a token endpoint.
pub(super) const TOKEN_WITHIN: Duration = Duration::from_secs(10);
/// Maximum size of a token file, in bytes: many times the largest header that servers accept.
pub(super) const TOKEN_BYTES: u64 = 64 << 10;
/// The largest message of a language server, in bytes: many times its longest answer.
pub(super) const FRAME_BYTES: usize = 4 << 20;
/// What may come before a message of a language server, in bytes: headers, and a greeting.
pub(super) const FRAME_HEADER_BYTES: u64 = 16 << 10;
/// Bytes kept of what a language server writes to standard error.
pub(super) const LAST_WORDS_BYTES: usize = 4 << 10;
/// How long to wait for the end of a language server that closed its output or was asked to end.
pub(super) const SERVER_ENDS_WITHIN: Duration = Duration::from_secs(1);
/// How long a language server may take to begin. GitHub Copilot's takes 3 s.
pub(super) const SERVER_BEGINS_WITHIN: Duration = Duration::from_secs(30);
/// How long to wait for the status of a language server that has just begun, when it is checked.
pub(super) const SERVER_STATUS_WITHIN: Duration = Duration::from_millis(300);
/// A request to a language server that is withdrawn later than this counts as not answered …
pub(super) const UNANSWERED_AFTER: Duration = Duration::from_secs(1);
/// Requests of which an answer counts though they were withdrawn.
pub(super) const WITHDRAWN: usize = 64;
/// … and after so many in a row the server counts as stuck.
pub(super) const UNANSWERED: u32 = 3;
/// Messages of a language server within [`MESSAGES_TIME`] from which on it is killed.
pub(super) const SERVER_MESSAGES: u32 = 20_000;
/// The time in which the messages of a language server are counted.
pub(super) const MESSAGES_TIME: Duration = Duration::from_secs(10);
/// Messages that a language server has not read yet, from which on it is killed.
pub(super) const UNREAD_MESSAGES: usize = 256;
/// The wait before a language server that failed is started again, which doubles …
pub(super) const SERVER_AGAIN_FIRST: Duration = Duration::from_secs(1);
/// … up to this …
pub(super) const SERVER_AGAIN_MOST: Duration = Duration::from_secs(60);
/// … and is longer after so many failures in a row.
pub(super) const SERVER_FAILURES: u32 = 5;
/// That longer wait.
pub(super) const SERVER_GIVEN_UP: Duration = Duration::from_secs(5 * 60);
/// Documents that a language server is told of at the same time.
pub(super) const OPEN_DOCUMENTS: usize = 4;
/// Items of a language server that are remembered, to tell it what became of them.
pub(super) const ITEMS: usize = 64;
/// Different messages of a language server that are shown to the user.
pub(super) const SERVER_SAYINGS: usize = 8;
/// The longest text of an item, in bytes.
pub(super) const ITEM_BYTES: usize = 64 << 10;

// A company's policy.

/// The time within which a policy has to come.
pub(super) const POLICY_WITHIN: Duration = Duration::from_secs(10);
