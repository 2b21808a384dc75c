//! Finds the server that the user's windows share, or starts it.
//!
//! Windows share a server if they run the same program with the same configuration file and the same environment, but
//! for the variables that name a window ([`OF_WINDOW`]). So the keys, proxies and tools of one project never serve
//! another.

use std::collections::VecDeque;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::getuid;
use tokio::io::AsyncReadExt as _;
use tokio::net::UnixStream;
use tokio::time::{Instant, sleep, timeout};

use crate::cli::limits::{HOST_ANSWER_TIMEOUT, HOST_START_TIMEOUT, HUNG_HOST_TIMEOUT, LOSSES, LOSSES_WINDOW};
use crate::cli::terminal;
use crate::disk;
use crate::lsp::{self, Connect, FromServer, ToServer};
use crate::text::hash::{fnv64, fnv64_add};

/// The first bytes that a server sends to a window: it has accepted it.
pub(super) const GREETING: &[u8] = b"tandem\n";
/// How often the start of a server is checked.
const POLL: Duration = Duration::from_millis(5);
/// The most bytes of a socket's path on every system (`sun_path` has 104 on macOS).
const PATH_BYTES: usize = 103;
/// The variables that name a window, a terminal or a login, and on which no result depends. A `*` matches any rest of a name.
const OF_WINDOW: &[&str] = &[
    "ALACRITTY_*",
    "CHROME_DESKTOP",
    "COLORFGBG",
    "COLORTERM",
    "COLUMNS",
    "DESKTOP_STARTUP_ID",
    "DISPLAY",
    "GHOSTTY_*",
    "GIO_LAUNCHED_DESKTOP_FILE*",
    "GNOME_TERMINAL_*",
    "GPG_TTY",
    "HELIX_RUNTIME",
    "INSIDE_EMACS",
    "INVOCATION_ID",
    "ITERM_*",
    "JOURNAL_STREAM",
    "KITTY_*",
    "KONSOLE_*",
    "LINES",
    "LS_COLORS",
    "MALLOC_ARENA_MAX",
    "MYVIMRC",
    "NVIM*",
    "OLDPWD",
    "PS1",
    "PWD",
    "SECURITYSESSIONID",
    "SHELL_SESSION_ID",
    "SHLVL",
    "SSH_CLIENT",
    "SSH_CONNECTION",
    "SSH_TTY",
    "STARSHIP_*",
    "STY",
    "SYSTEMD_EXEC_PID",
    "TERM",
    "TERMINAL_*",
    "TERM_*",
    "TMUX*",
    "VIM",
    "VIMRUNTIME",
    "VSCODE_*",
    "VTE_VERSION",
    "WAYLAND_DISPLAY",
    "WEZTERM_*",
    "WINDOW",
    "WINDOWID",
    "WINDOWPATH",
    "WT_*",
    "XAUTHORITY",
    "XDG_ACTIVATION_TOKEN",
    "XDG_SESSION_*",
    "XDG_VTNR",
    "ZELLIJ*",
    "_",
];

/// The server that this window shares with others.
pub(super) struct SharedServer {
    start: lsp::Start,
    place: io::Result<Place>,
    /// When a server was connected to.
    connected: VecDeque<Instant>,
}

impl SharedServer {
    pub(super) fn new(start: lsp::Start) -> Self {
        let place = Place::find(start.config.as_deref());
        Self { start, place, connected: VecDeque::new() }
    }

    /// The streams of a server in this process.
    fn own(&self) -> (FromServer, ToServer) {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (input, output) = tokio::io::split(theirs);
        tokio::spawn(lsp::serve(input, output, self.start.clone()));
        let (input, output) = tokio::io::split(ours);
        (Box::pin(input), Box::pin(output))
    }

    /// Connects to the shared server. The error is a clause that gives the reason.
    async fn shared(&mut self, patience: Duration) -> Result<UnixStream, String> {
        let place = self.place.as_ref().map_err(ToString::to_string)?;
        self.connected.retain(|at| at.elapsed() < LOSSES_WINDOW);
        // One connection more than losses.
        if self.connected.len() > LOSSES {
            return Err(format!("it was lost {LOSSES} times in a minute"));
        }
        let stream =
            place.connect(self.start.config.as_deref(), patience).await.map_err(|error| error.to_string())?;
        self.connected.push_back(Instant::now());
        Ok(stream)
    }
}

impl Connect for SharedServer {
    async fn connect(&mut self, is_hung: bool) -> (FromServer, ToServer) {
        // Another one may run by now. The one that hangs accepts nothing.
        let patience = if is_hung { HUNG_HOST_TIMEOUT } else { HOST_ANSWER_TIMEOUT };
        match self.shared(patience).await {
            Ok(stream) => {
                let (input, output) = stream.into_split();
                (Box::pin(input), Box::pin(output))
            }
            Err(why) => {
                terminal::say(format_args!(
                    "the shared server cannot be used ({why}); this window runs its own"
                ));
                self.own()
            }
        }
    }
}

/// The socket of a shared server, with its lock and its log beside it.
pub(super) struct Place {
    socket: PathBuf,
}

impl Place {
    /// The files beside this socket.
    pub(super) fn of(socket: &Path) -> Self {
        Self { socket: socket.to_owned() }
    }

    /// The socket for this program, configuration file and environment.
    fn find(config: Option<&Path>) -> io::Result<Self> {
        let folder = private_folder()?;
        let socket = folder.join(format!("{:016x}.sock", identity(config)?));
        if socket.as_os_str().len() > PATH_BYTES {
            let problem = format!("the path {} is too long for a socket", socket.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        Ok(Self { socket })
    }

    /// Locks the starting and ending of this server.
    pub(super) fn try_lock(&self) -> Result<File, TryLockError> {
        let file = File::create(self.socket.with_extension("lock")).map_err(TryLockError::Error)?;
        file.try_lock()?;
        Ok(file)
    }

    /// Connects to the server, and starts it if none is running.
    async fn connect(&self, config: Option<&Path>, patience: Duration) -> io::Result<UnixStream> {
        match greeted(&self.socket, patience).await {
            Err(error) if is_gone(&error) => {}
            answered => return answered,
        }
        // Windows that start together start one server.
        let deadline = Instant::now() + HOST_START_TIMEOUT;
        let _lock = loop {
            match self.try_lock() {
                Ok(lock) => break lock,
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if Instant::now() > deadline => {
                    return Err(late("another window's start"));
                }
                Err(TryLockError::WouldBlock) => sleep(POLL).await,
            }
        };
        match greeted(&self.socket, patience).await {
            Err(error) if is_gone(&error) => self.start(config).await?,
            answered => return answered,
        }
        let deadline = Instant::now() + HOST_START_TIMEOUT;
        loop {
            match greeted(&self.socket, HOST_ANSWER_TIMEOUT).await {
                Err(error) if is_gone(&error) && Instant::now() < deadline => sleep(POLL).await,
                Err(error) if is_gone(&error) => return Err(late("its start")),
                answered => return answered,
            }
        }
    }

    /// Starts a server apart from this window: it is no child of the editor, which may end all of its children.
    async fn start(&self, config: Option<&Path>) -> io::Result<()> {
        match std::fs::remove_file(&self.socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        let log = disk::open_private(&self.socket.with_extension("log"), &mut options)?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["lsp", "--start-host"]).arg(&self.socket);
        if let Some(config) = config {
            command.arg("--config").arg(std::path::absolute(config)?);
        }
        command.current_dir("/").process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let ended = tokio::process::Command::from(command).status().await?;
        if ended.success() { Ok(()) } else { Err(io::Error::other(format!("it did not start: {ended}"))) }
    }
}

/// Whether no server listens.
fn is_gone(error: &io::Error) -> bool {
    // A server that is about to end closes the connection, or has it reset.
    use io::ErrorKind::{BrokenPipe, ConnectionRefused, ConnectionReset, NotFound, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionRefused | ConnectionReset | NotFound | UnexpectedEof)
}

/// Connects to a server and waits until it has accepted.
async fn greeted(socket: &Path, patience: Duration) -> io::Result<UnixStream> {
    let greeted = async {
        let mut stream = UnixStream::connect(socket).await?;
        if !is_own(&stream) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the socket is another user's"));
        }
        let mut greeting = [0; GREETING.len()];
        stream.read_exact(&mut greeting).await?;
        if greeting != GREETING {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the socket is another program's"));
        }
        Ok(stream)
    };
    timeout(patience, greeted).await.unwrap_or_else(|_| Err(late("its answer")))
}

fn late(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, format!("{what} took too long"))
}

/// Whether the other end runs as the same user.
pub(super) fn is_own(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == getuid().as_raw())
}

/// The folder of the sockets, which only the user can enter.
fn private_folder() -> io::Result<PathBuf> {
    let set = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|it| it.is_absolute());
    let folder = match set {
        Some(folder) => folder.join("tandem"),
        None => std::env::temp_dir().join(format!("tandem-{}", getuid().as_raw())),
    };
    disk::private_folder(&folder)?;
    // In a folder for everybody, another user may have made it before.
    let metadata = std::fs::symlink_metadata(&folder)?;
    if !metadata.is_dir() || metadata.uid() != getuid().as_raw() || metadata.mode() & 0o077 != 0 {
        let problem = format!("{} is not a folder of yours alone", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
    }
    Ok(folder)
}

/// The number of the server for this program, configuration file and environment.
fn identity(config: Option<&Path>) -> io::Result<u64> {
    let program = std::env::current_exe()?;
    let metadata = std::fs::metadata(&program)?;
    let mut parts = vec![
        env!("CARGO_PKG_VERSION").to_owned(),
        program.display().to_string(),
        format!("{} {}.{}", metadata.len(), metadata.mtime(), metadata.mtime_nsec()),
        config.map(std::path::absolute).transpose()?.unwrap_or_default().display().to_string(),
    ];
    let variables = std::env::vars_os().map(|(name, value)| (name.into_string().unwrap_or_default(), value));
    let mut variables: Vec<_> = variables.filter(|(name, _)| !is_of_window(name)).collect();
    variables.sort();
    parts.extend(variables.iter().map(|(name, value)| format!("{name}={}", value.to_string_lossy())));
    // A byte that is in no text ends each part.
    let add = |hash, part: &String| fnv64_add(part.bytes().fold(hash, fnv64_add), 0xff);
    Ok(parts.iter().fold(fnv64(""), add))
}

fn is_of_window(name: &str) -> bool {
    OF_WINDOW.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == *pattern,
    })
}
