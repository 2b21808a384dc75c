//! Ends all processes that a command started.
//!
//! * Its process group is killed at once.
//! * On Linux, processes that left the group are found and killed, too: those with the run's mark in their
//!   environment, their descendants, and orphans that were reparented to this process and have no mark of
//!   another run.
//! * On other systems, processes that left the group live on.

use tokio::process::Child;

/// The environment variable with the mark of a run.
pub(super) const MARK_VARIABLE: &str = "TANDEM_RUN";

/// The processes of one run. They are killed when this value is dropped.
pub(super) struct Processes {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
    #[cfg(target_os = "linux")]
    mark: String,
    #[cfg(target_os = "linux")]
    _adoption: linux::Adoption,
}

#[cfg(unix)]
impl Processes {
    /// Prepares for a command that gets `mark` as the value of [`MARK_VARIABLE`].
    pub(super) fn new(#[cfg_attr(not(target_os = "linux"), expect(unused))] mark: &str) -> Self {
        Self {
            leader: None,
            #[cfg(target_os = "linux")]
            mark: format!("{MARK_VARIABLE}={mark}"),
            #[cfg(target_os = "linux")]
            _adoption: linux::Adoption::new(),
        }
    }

    /// Records the started command, which leads a process group.
    pub(super) fn begun(&mut self, child: &Child) {
        let leader = child.id().and_then(|id| i32::try_from(id).ok());
        self.leader = leader.and_then(rustix::process::Pid::from_raw);
    }
}

#[cfg(not(unix))]
impl Processes {
    pub(super) fn new(_: &str) -> Self {
        Self {}
    }

    pub(super) fn begun(&mut self, _: &Child) {}
}

#[cfg(unix)]
impl Drop for Processes {
    fn drop(&mut self) {
        let Some(leader) = self.leader.take() else { return };
        // Fails if no process of the group is left.
        _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        #[cfg(target_os = "linux")]
        linux::kill_rest(leader, &self.mark);
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{HashMap, HashSet};
    use std::fs;
    use std::path::PathBuf;

    use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid};

    use crate::disk::{self, Links};
    use crate::lock::Mutex;

    /// Searches for remaining processes before giving up on a command that starts them faster than they are killed.
    const LOOKS: usize = 100;

    /// Limit on the bytes that are read of a file about a process.
    const LONGEST: u64 = 8 << 20;

    /// While a value of this type lives, orphaned descendants are reparented to this process instead of to init.
    pub(super) struct Adoption;

    /// The number of living values.
    static ADOPTIONS: Mutex<usize> = Mutex::new(0);

    impl Adoption {
        pub(super) fn new() -> Self {
            let mut count = ADOPTIONS.lock();
            *count += 1;
            if let Err(error) = set_child_subreaper(Some(getpid())) {
                tracing::debug!(%error, "what loses its parent is looked for by its mark alone");
            }
            Self
        }
    }

    impl Drop for Adoption {
        fn drop(&mut self) {
            let mut count = ADOPTIONS.lock();
            *count -= 1;
            if *count == 0 {
                _ = set_child_subreaper(None);
            }
        }
    }

    struct Process {
        parent: i32,
        group: i32,
        session: i32,
        is_dead: bool,
    }

    pub(super) fn kill_rest(leader: Pid, mark: &str) {
        for _ in 0..LOOKS {
            let rest = rest(leader.as_raw_nonzero().get(), mark);
            if rest.is_empty() {
                return;
            }
            for pid in rest.into_iter().filter_map(Pid::from_raw) {
                _ = kill_process(pid, Signal::KILL);
                // If it was reparented to this process, this process must reap it.
                _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
        }
        tracing::warn!("a command goes on starting processes");
    }

    /// The remaining processes of a run, except its leader, which is waited for elsewhere.
    fn rest(leader: i32, mark: &str) -> Vec<i32> {
        let own = getpid().as_raw_nonzero().get();
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let all: HashMap<i32, Process> = names.filter_map(|pid| Some((pid, process(pid)?))).collect();
        // `getsid` cannot identify a session whose leader is outside this PID namespace: it has number 0.
        let session = all.get(&own).map(|it| it.session);
        let variable = mark.split('=').next().unwrap_or_default();
        let begins = all.iter().filter(|(pid, it)| {
            // Orphans of git or another command of this process stay in its session.
            let was_left = it.parent == own && Some(it.session) != session;
            it.group == leader
                || match mark_of(**pid, variable) {
                    Some(its) => its == mark.as_bytes(),
                    None => was_left,
                }
        });
        let mut found: HashSet<i32> = begins.map(|(pid, _)| *pid).collect();
        let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
        for (pid, process) in &all {
            children.entry(process.parent).or_default().push(*pid);
        }
        let mut left: Vec<i32> = found.iter().copied().collect();
        while let Some(pid) = left.pop() {
            for child in children.get(&pid).into_iter().flatten() {
                if found.insert(*child) {
                    left.push(*child);
                }
            }
        }
        // Zombies that are not children of this process are reaped by another.
        let is_left = |pid: &i32| all.get(pid).is_some_and(|it| !it.is_dead || it.parent == own);
        found.into_iter().filter(|pid| *pid != leader && *pid != own && is_left(pid)).collect()
    }

    /// The mark of the run that a process belongs to, with the name of its variable.
    fn mark_of(pid: i32, variable: &str) -> Option<Vec<u8>> {
        // The environment of another user's process is unreadable, but such a process was not started here.
        let variables = disk::bytes(&about(pid, "environ"), LONGEST, Links::Follow).ok()?;
        let mut variables = variables.split(|byte| *byte == 0);
        let is_mark =
            |it: &&[u8]| it.strip_prefix(variable.as_bytes()).is_some_and(|it| it.starts_with(b"="));
        variables.find(is_mark).map(<[u8]>::to_vec)
    }

    fn about(pid: i32, what: &str) -> PathBuf {
        format!("/proc/{pid}/{what}").into()
    }

    fn process(pid: i32) -> Option<Process> {
        let stat = disk::bytes(&about(pid, "stat"), LONGEST, Links::Follow).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        // The name before may contain blanks and brackets.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
        let is_dead = matches!(fields.next()?, "Z" | "X");
        let mut number = || fields.next()?.parse().ok();
        Some(Process { parent: number()?, group: number()?, session: number()?, is_dead })
    }
}
