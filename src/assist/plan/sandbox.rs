//! Confines the user's command, which runs code that a model has just written.
//!
//! | by | network | home folder | elsewhere | processes |
//! |---|---|---|---|---|
//! | `bwrap` | none | toolchains, read-only | read-only; `/tmp` and `/run` are empty | end with it |
//! | `unshare` | none | as the user's | as the user's | end with it |
//! | `sandbox-exec` | none | toolchains, read-only | read-only | stay in its group |
//!
//! The copy is always writable. A program counts as available if it works here: some systems have it but forbid
//! it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::config::Verify;
use crate::text::named;

named! {
    /// A program that runs another one in a sandbox.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Sandbox {
        /// From bubblewrap, on Linux.
        Bwrap = "bwrap",
        /// From util-linux.
        Unshare = "unshare",
        /// Part of macOS.
        SandboxExec = "sandbox-exec",
    }
}

/// Folders of toolchains in the home folder, which builds read; separated by spaces.
const TOOLCHAINS: &str = ".asdf .bun .bundle .cabal .cargo .conda .config/nvm .deno .dotnet .elan .fnm .gem .ghcup .go \
    .gradle .hex .ivy2 .jenv .juliaup .julia .local/bin .local/lib .local/share/coursier \
    .local/share/fnm .local/share/mise .local/share/pipx .local/share/pnpm .local/share/uv \
    .local/share/virtualenvs .m2 .mix .nix-defexpr .nix-profile .npm .nuget .nvm .opam .pnpm-store \
    .pub-cache .pyenv .rbenv .rustup .rvm .rye .sbt .sdkman .stack .swiftpm .volta .yarn \
    Library/Developer anaconda3 flutter go mambaforge micromamba miniconda3 miniforge3";

/// Files in them that contain keys.
const WITH_KEYS: &str = ".bundle/config .cargo/credentials .cargo/credentials.toml .gem/credentials \
    .gradle/gradle.properties .hex/hex.config .ivy2/.credentials .m2/settings-security.xml \
    .m2/settings.xml .nuget/NuGet/NuGet.Config .sbt/.credentials .yarn/berry/.yarnrc.yml";

/// The files that a confined command sees.
struct View {
    home: Option<PathBuf>,
    /// Readable files and folders in the home folder.
    readable: Vec<PathBuf>,
    /// Readable files that are shown empty.
    emptied: Vec<PathBuf>,
    writable: Vec<PathBuf>,
}

impl Sandbox {
    /// The sandbox that works here. It is tried once.
    ///
    /// Blocks until that attempt ends.
    pub fn available() -> Option<Self> {
        static FOUND: OnceLock<Option<Sandbox>> = OnceLock::new();
        *FOUND.get_or_init(|| {
            let all = match std::env::consts::OS {
                "linux" => &[Self::Bwrap, Self::Unshare][..],
                "macos" => &[Self::SandboxExec],
                _ => &[],
            };
            all.iter().copied().find(|it| it.works())
        })
    }

    /// Describes its restrictions for people.
    pub fn describe(self, verify: &Verify) -> String {
        let network = if verify.network { "with network" } else { "no network" };
        let files = match self {
            Self::Bwrap | Self::SandboxExec => "your home folder hidden but for toolchains",
            Self::Unshare => "it can read and change your files",
        };
        format!("{}: {network}, {files}", self.name())
    }

    /// The path of a command's program, as seen from the copy; `None` if it does not exist.
    ///
    /// The sandbox would report a missing program as a failure of the command.
    pub fn program(verify: &Verify, copy: &Path) -> Option<PathBuf> {
        let name = verify.command.first()?;
        if name.contains('/') {
            return Some(copy.join(name)).filter(|path| path.exists());
        }
        let path = super::environment::values(verify).find(|(name, _)| name == "PATH")?.1;
        let names = [name.clone(), format!("{name}{}", std::env::consts::EXE_SUFFIX)];
        let of = |folder: PathBuf| names.each_ref().map(|name| copy.join(&folder).join(name));
        std::env::split_paths(&path).flat_map(of).find(|path| path.is_file())
    }

    fn works(self) -> bool {
        let nothing = Verify::new(Vec::new(), std::time::Duration::ZERO);
        let folder = std::env::temp_dir();
        let (program, arguments) = self.wrapped(&nothing, &folder, &folder, &["true".to_owned()]);
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|it| it.success())
    }

    /// The program and the arguments that run a command in the sandbox: in `copy`, a copy of `root`.
    pub(super) fn wrapped(
        self,
        verify: &Verify,
        copy: &Path,
        root: &Path,
        command: &[String],
    ) -> (&'static str, Vec<OsString>) {
        let view = View::new(verify, copy, root);
        let mut arguments = match self {
            Self::Bwrap => bwrap(&view, verify.network, copy),
            Self::Unshare => unshare(verify.network),
            Self::SandboxExec => sandbox_exec(&view, verify.network),
        };
        arguments.extend(command.iter().map(OsString::from));
        (self.name(), arguments)
    }
}

impl View {
    fn new(verify: &Verify, copy: &Path, root: &Path) -> Self {
        // If the home folder is the file system's root, hiding it would hide everything.
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let home = home.filter(|it| it.is_absolute() && it.parent().is_some());
        let home = home.and_then(|it| it.canonicalize().ok());
        let below = |names: &str| -> Vec<PathBuf> {
            let names = names.split(' ').filter_map(|name| Some(home.as_ref()?.join(name)));
            names.filter(|path| path.exists()).collect()
        };
        let mut readable = below(TOOLCHAINS);
        // Paths in variables are needed, too, and so is the program.
        let named = super::environment::values(verify).map(|(_, value)| PathBuf::from(value));
        let needed = named.chain(Sandbox::program(verify, copy));
        readable.extend(needed.filter(|path| home.as_ref().is_some_and(|home| path.starts_with(home))));
        // The root contains files that git ignores, such as packages.
        readable.push(root.to_owned());
        readable.extend(verify.readable.iter().cloned());
        readable.retain(|path| path.exists() && home.as_ref().is_none_or(|home| !home.starts_with(path)));
        let mut writable = verify.writable.clone();
        writable.retain(|path| path.exists());
        writable.push(copy.to_owned());
        Self { readable, emptied: below(WITH_KEYS), writable, home }
    }
}

fn bwrap(view: &View, network: bool, copy: &Path) -> Vec<OsString> {
    let mut arguments: Vec<OsString> =
        ["--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc"].map(OsString::from).to_vec();
    if !network {
        arguments.push("--unshare-net".into());
    }
    let mut add = |option: &str, paths: &[&Path]| {
        arguments.push(option.into());
        arguments.extend(paths.iter().map(|path| path.as_os_str().to_owned()));
    };
    let path = Path::new;
    add("--ro-bind", &[path("/"), path("/")]);
    add("--dev", &[path("/dev")]);
    add("--proc", &[path("/proc")]);
    // It contains sockets of other programs.
    add("--tmpfs", &[path("/run")]);
    add("--tmpfs", &[path("/tmp")]);
    for kept in ["/run/current-system", "/run/wrappers", "/run/systemd/resolve"] {
        add("--ro-bind-try", &[path(kept), path(kept)]);
    }
    if let Some(home) = &view.home {
        add("--tmpfs", &[home]);
    }
    for readable in &view.readable {
        add("--ro-bind", &[readable, readable]);
    }
    for emptied in &view.emptied {
        add("--ro-bind", &[path("/dev/null"), emptied]);
    }
    for writable in &view.writable {
        add("--bind", &[writable, writable]);
    }
    add("--setenv", &[path("TMPDIR"), path("/tmp")]);
    add("--chdir", &[copy]);
    add("--", &[]);
    arguments
}

fn unshare(network: bool) -> Vec<OsString> {
    let mut arguments =
        vec!["--user", "--map-current-user", "--pid", "--fork", "--kill-child", "--mount-proc"];
    if !network {
        arguments.push("--net");
    }
    arguments.push("--");
    arguments.into_iter().map(OsString::from).collect()
}

/// Builds the rules for `sandbox-exec`; the last rule that matches applies.
fn sandbox_exec(view: &View, network: bool) -> Vec<OsString> {
    let quoted = |path: &Path| format!("{:?}", path.to_string_lossy());
    let subpaths = |paths: &[PathBuf]| -> String {
        paths.iter().map(|path| format!(" (subpath {})", quoted(path))).collect()
    };
    let mut rules = "(version 1)(allow default)(deny file-write*)".to_owned();
    if !network {
        rules.push_str("(deny network*)");
    }
    if let Some(home) = &view.home {
        rules.push_str(&format!(
            "(deny file-read* (subpath {0}))(allow file-read-metadata (subpath {0}))",
            quoted(home)
        ));
    }
    rules.push_str(&format!("(allow file-read*{})", subpaths(&view.readable)));
    if !view.emptied.is_empty() {
        rules.push_str(&format!("(deny file-read*{})", subpaths(&view.emptied)));
    }
    let writable = subpaths(&view.writable);
    rules.push_str(&format!("(allow file-read*{writable})(allow file-write*{writable} (subpath \"/dev\"))"));
    ["-p".into(), rules.into()].to_vec()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::time::Duration;

    use expect_test::{Expect, expect};

    use super::*;

    /// Checks the parts of the disk that a command sees, as arguments of the sandbox.
    fn check(arguments: &[OsString], expect: Expect) {
        let words: Vec<_> = arguments.iter().map(|it| it.to_string_lossy()).collect();
        expect.assert_eq(&words.join(" ").replace(" --", "\n--").replace(")(", ")\n("));
    }

    #[test]
    fn home_folder_is_hidden_but_for_toolchains_and_their_keys_are_hidden_too() {
        let view = View {
            home: Some("/home/me".into()),
            readable: vec!["/home/me/.cargo".into(), "/work".into()],
            emptied: vec!["/home/me/.cargo/credentials".into()],
            writable: vec!["/tmp/copy".into()],
        };
        check(
            &bwrap(&view, false, Path::new("/tmp/copy")),
            expect![[r#"
            --die-with-parent
            --new-session
            --unshare-pid
            --unshare-ipc
            --unshare-net
            --ro-bind / /
            --dev /dev
            --proc /proc
            --tmpfs /run
            --tmpfs /tmp
            --ro-bind-try /run/current-system /run/current-system
            --ro-bind-try /run/wrappers /run/wrappers
            --ro-bind-try /run/systemd/resolve /run/systemd/resolve
            --tmpfs /home/me
            --ro-bind /home/me/.cargo /home/me/.cargo
            --ro-bind /work /work
            --ro-bind /dev/null /home/me/.cargo/credentials
            --bind /tmp/copy /tmp/copy
            --setenv TMPDIR /tmp
            --chdir /tmp/copy
            --"#]],
        );
        check(
            &sandbox_exec(&view, false),
            expect![[r#"
            -p (version 1)
            (allow default)
            (deny file-write*)
            (deny network*)
            (deny file-read* (subpath "/home/me"))
            (allow file-read-metadata (subpath "/home/me"))
            (allow file-read* (subpath "/home/me/.cargo") (subpath "/work"))
            (deny file-read* (subpath "/home/me/.cargo/credentials"))
            (allow file-read* (subpath "/tmp/copy"))
            (allow file-write* (subpath "/tmp/copy") (subpath "/dev"))"#]],
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn network_is_reached_only_if_that_is_allowed() {
        // If no sandbox works, this only shows that the command can reach it without one.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let connect = ["bash", "-c", &format!("exec 3<>/dev/tcp/127.0.0.1/{port}")].map(str::to_owned);
        let folder = tempfile::tempdir().unwrap();
        for (sandbox, network) in [(None, false), (Sandbox::available(), true), (Sandbox::available(), false)]
        {
            let verify = Verify { network, ..Verify::new(connect.to_vec(), Duration::ZERO) };
            let (program, arguments) = match sandbox {
                Some(it) => it.wrapped(&verify, folder.path(), folder.path(), &connect),
                None => ("bash", connect[1..].iter().map(OsString::from).collect()),
            };
            let status = Command::new(program).args(arguments).stderr(Stdio::null()).status().unwrap();
            assert_eq!(status.success(), network || sandbox.is_none(), "{sandbox:?}, network: {network}");
        }
    }
}
