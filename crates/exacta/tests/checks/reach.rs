//! What a check cannot reach: other files, the network, other processes, more rights.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};

use exacta_engine::checks::Verdict;
use exacta_engine::run::Quiet;
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, open};

use crate::project::{Project, VIEWS, check, shell, words};

#[test]
fn nothing_outside_can_be_written_or_read() {
    for view in VIEWS {
        let project = Project::new();
        let outside = project.outside.path().display().to_string();
        let root = project.folder.path().display().to_string();
        // Each line must fail; the ones that succeed are printed.
        let attempts = [
            format!("echo x > '{outside}/made'"),
            format!("cat '{outside}/readable'"),
            format!("cat '{outside}/state/key'"),
            format!("ls '{outside}'"),
            format!("cat '{root}/.exacta/journal'"),
            format!("ls '{root}/.exacta'"),
            format!("ls '{root}/../'* | grep -q key"),
            "echo x > /etc/exacta-was-here".into(),
            "echo x > /usr/exacta-was-here".into(),
            "touch /exacta-was-here".into(),
            "cat /etc/shadow".into(),
            "for f in .ssh .bashrc .profile .config .cargo/config.toml; do ls -d /root/$f && exit; done; \
             false"
                .into(),
            "ls /home/*".into(),
            "ls /proc/1/root/".into(),
            "readlink /proc/1/fd/0".into(),
            "echo '{\"Ended\":0}' > /proc/1/fd/2".into(),
            "cat /proc/1/environ".into(),
            "echo x > /proc/1/comm".into(),
            "ls /sys/".into(),
            "ls /run/*".into(),
            "cat /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmsg | head -c 1 | grep -q .".into(),
        ];
        let tried = |a: &String| {
            format!("({a}) >/dev/null 2>&1 && echo \"reached: {}\"\n", a.replace('"', ""))
        };
        let script = attempts.iter().map(tried).collect::<Vec<_>>().concat();
        let outcomes = project.script(&format!("{script} true"), view).unwrap();
        assert_eq!(words(&outcomes[0]), "");
        println!("{} ways out were tried on {view:?}, none led anywhere", attempts.len());
    }
}

#[test]
fn hidden_folders_stay_hidden_where_what_lies_around_them_is_shown() {
    for view in VIEWS {
        let project = Project::new();
        let outside = project.outside.path();
        let mut room = project.room(view);
        room.reads.push(outside.into());
        room.hidden = vec![outside.join("state")];
        let script = format!(
            "cd '{}' && cat readable && ls state && ! cat state/key 2>/dev/null && \
             ! echo x 2>/dev/null > made && ! echo x 2>/dev/null > state/key",
            outside.display()
        );
        let outcomes = project.judge(&[shell(&script)], &room, &Quiet).unwrap();
        assert_eq!(words(&outcomes[0]), "for all");
        assert!(!outside.join("made").exists());
    }
}

#[test]
fn there_is_no_network() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    // Not every machine has one.
    let six = TcpListener::bind("[::1]:0").ok();
    let everywhere = TcpListener::bind("0.0.0.0:0").unwrap();
    let own = fs::read_to_string("/proc/net/fib_trie").unwrap_or_default();
    let addresses = own.lines().filter_map(|line| line.trim().strip_prefix("|-- "));
    let addresses = addresses.collect::<Vec<_>>().join(" ");
    let name = format!("exacta-test-{}", std::process::id());
    let hidden = SocketAddr::from_abstract_name(&name).unwrap();
    let hidden = UnixListener::bind_addr(&hidden).unwrap();
    hidden.set_nonblocking(true).unwrap();
    everywhere.set_nonblocking(true).unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    for view in VIEWS {
        let project = Project::new();
        let socket = project.outside.path().join("socket");
        let unix = UnixListener::bind(&socket).unwrap();
        unix.set_nonblocking(true).unwrap();
        let script = format!(
            "(exec 3<>/dev/tcp/127.0.0.1/{}) 2>/dev/null && echo reached tcp\n\
             (echo hello > /dev/udp/127.0.0.1/{}) 2>/dev/null\n\
             (exec 3<>/dev/tcp/::1/{}) 2>/dev/null && echo reached tcp 6\n\
             for a in {addresses}; do \
             (exec 3<>/dev/tcp/$a/{}) 2>/dev/null && echo reached $a; done\n\
             perl -e 'use Socket; socket(my $s, 1, 1, 0) && \
             connect($s, pack_sockaddr_un(\"\\0{name}\")) and print \"reached abstract\"'\n\
             (exec 3<>/dev/tcp/1.1.1.1/80) 2>/dev/null && echo reached the world\n\
             test -e '{}' && echo reached socket\n\
             grep -v lo: /proc/net/dev | grep : && echo reached a device\n\
             true",
            tcp.local_addr().unwrap().port(),
            udp.local_addr().unwrap().port(),
            six.as_ref().map_or(9, |six| six.local_addr().unwrap().port()),
            everywhere.local_addr().unwrap().port(),
            socket.display()
        );
        let bash = check(&["bash", "-c", &script]);
        let outcomes = project.judge(&[bash], &project.room(view), &Quiet).unwrap();
        assert_eq!(words(&outcomes[0]), "");
        assert!(tcp.accept().is_err() && unix.accept().is_err());
        assert!(everywhere.accept().is_err() && hidden.accept().is_err());
        assert!(udp.recv(&mut [0; 8]).is_err());
    }
}

/// What tests of a web framework do: they open a free port and connect to it.
#[test]
fn a_check_has_a_loopback_of_its_own() {
    let hosts = if TcpListener::bind("[::1]:0").is_ok() { "127.0.0.1 ::1" } else { "127.0.0.1" };
    for view in VIEWS {
        let project = Project::new();
        let script = format!(
            "perl -MIO::Socket::IP -e 'for my $h (qw({hosts})) {{\n\
             my $l = IO::Socket::IP->new(Listen => 1, LocalHost => $h, LocalPort => 0) or die $@;\n\
             my $c = IO::Socket::IP->new(PeerHost => $h, PeerPort => $l->sockport) or die $@;\n\
             my $s = $l->accept; print $s qq(hello\\n); close $s; print qq($h ), scalar <$c> }}'"
        );
        let outcomes = project.script(&script, view).unwrap();
        let wanted: Vec<String> = hosts.split(' ').map(|host| format!("{host} hello")).collect();
        assert_eq!(words(&outcomes[0]).lines().collect::<Vec<_>>(), wanted, "{view:?}");
    }
}

#[test]
fn no_right_is_left() {
    for view in VIEWS {
        let project = Project::new();
        let script = "grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|NSpid)' /proc/self/status\n\
             test $(id -u) != 0 || echo is root\n\
             mount -t tmpfs none /tmp 2>/dev/null && echo mounts\n\
             mount -o remount,rw / 2>/dev/null && echo remounts\n\
             umount /tmp 2>/dev/null && echo unmounts\n\
             unshare -U true 2>/dev/null && echo more name spaces\n\
             hostname other 2>/dev/null && echo renames\n\
             test $(ls -d /proc/[0-9]* | wc -l) -lt 8 || echo sees other processes\n\
             true";
        let outcomes = project.script(script, view).unwrap();
        let text = words(&outcomes[0]);
        for line in text.lines() {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            match name {
                "CapInh" | "CapPrm" | "CapEff" | "CapAmb" => {
                    assert_eq!(value.trim(), "0000000000000000", "{text}");
                }
                "CapBnd" => {}
                "NoNewPrivs" => assert_eq!(value.trim(), "1", "{text}"),
                "NSpid" => assert_ne!(value.trim(), "1", "{text}"),
                _ => panic!("{text}"),
            }
        }
        assert_eq!(text.lines().count(), 7, "{text}");
    }
}

/// An open handle that our caller forgot must not become a way out.
#[test]
fn open_files_of_the_caller_are_not_handed_on() {
    let project = Project::new();
    let flags = OFlags::RDONLY;
    let leaked = open(project.outside.path(), flags, Mode::empty()).unwrap();
    let outcomes = project
        .script("for n in 3 4 5 6 7 8; do readlink /proc/$$/fd/$n; done; true", VIEWS[0])
        .unwrap();
    drop(leaked);
    assert_eq!(words(&outcomes[0]), "");
}

#[test]
fn only_the_named_environment_is_handed_on() {
    let project = Project::new();
    let mut room = project.room(VIEWS[0]);
    room.environment.push(("EXTRA".into(), "1".into()));
    let outcomes = project.judge(&[check(&["env"])], &room, &Quiet).unwrap();
    assert_eq!(outcomes[0].verdict, Verdict::Passed);
    let text = words(&outcomes[0]);
    let mut names: Vec<_> = text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.sort_unstable();
    // What a check has anyway, where tools lie, and which version of them is chosen.
    let known = "EXTRA HOME LANG PATH TMPDIR \
        ASDF_DATA_DIR CARGO_HOME GOPATH NVM_DIR PYENV_ROOT RBENV_ROOT RUSTUP_HOME VOLTA_HOME \
        CONDA_DEFAULT_ENV CONDA_PREFIX GOROOT JAVA_HOME PYENV_VERSION RBENV_VERSION \
        RUSTUP_TOOLCHAIN VIRTUAL_ENV";
    let known: Vec<&str> = known.split_whitespace().collect();
    assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
    assert!(fs::metadata("/tmp/home").is_err(), "the check's home is its own");
}

/// What a program is told of a kind of socket that is not there.
const REFUSED: i32 = libc::EAFNOSUPPORT;

/// A program in Perl that says for each call whether it worked, or the error.
fn calls() -> String {
    let keys = [
        format!("keyctl {} 0 -3 0", libc::SYS_keyctl),
        format!("request_key {} 0 0 0", libc::SYS_request_key),
        format!("add_key {} 0 0 0", libc::SYS_add_key),
        format!("ring {} 1 0 0", libc::SYS_io_uring_setup),
    ];
    // Each with a type that it has.
    let kinds = [
        (libc::AF_UNIX, libc::SOCK_STREAM),
        (libc::AF_VSOCK, libc::SOCK_STREAM),
        (libc::AF_ALG, libc::SOCK_SEQPACKET),
        (libc::AF_INET, libc::SOCK_STREAM),
        (libc::AF_NETLINK, libc::SOCK_RAW),
    ];
    let call = libc::SYS_socket;
    let sockets = kinds.map(|(kind, of)| format!("socket-{kind} {call} {kind} {of} 0"));
    let all: Vec<_> = keys.into_iter().chain(sockets).collect();
    format!(
        "for my $line ({}) {{ my ($name, @words) = split / /, $line; \
         my $got = syscall($words[0], map {{ $_ + 0 }} @words[1..3]); \
         print $name, ' ', ($got < 0 ? $! + 0 : 'works'), \"\\n\" }} \
         socketpair(my $a, my $b, 1, 1, 0) and print \"pair works\\n\"; \
         socketpair(my $c, my $d, 2, 1, 0) or print 'other pair ', $! + 0, \"\\n\"; \
         for my $of (2, 3, 4, 5, 1 | 2048 | 524288, 2 | 2048 | 524288) {{ print \"pair-$of \", \
         (socketpair(my $c, my $d, 1, $of, 0) ? 'works' : $! + 0), \"\\n\" }}",
        all.iter().map(|line| format!("'{line}'")).collect::<Vec<_>>().join(", ")
    )
}

/// Keys of the caller, sockets that lead past the network, and rings that no filter sees.
#[test]
fn calls_that_reach_past_the_walls_are_refused() {
    for view in VIEWS {
        let project = Project::new();
        let perl = check(&["perl", "-e", &calls()]);
        let outcomes = project.judge(&[perl], &project.room(view), &Quiet).unwrap();
        let absent = libc::ENOSYS;
        let mut expected: Vec<String> =
            ["keyctl", "request_key", "add_key", "ring"].map(|n| format!("{n} {absent}")).into();
        let denied = [libc::AF_UNIX, libc::AF_VSOCK, libc::AF_ALG];
        expected.extend(denied.map(|kind| format!("socket-{kind} {REFUSED}")));
        let enclosed = [libc::AF_INET, libc::AF_NETLINK];
        expected.extend(enclosed.map(|kind| format!("socket-{kind} works")));
        expected.extend(["pair works".into(), format!("other pair {REFUSED}")]);
        // An end that is not bound to the other one may send to any address.
        let kinds =
            [(2, false), (3, false), (4, false), (5, true), (526_337, true), (526_338, false)];
        expected.extend(kinds.map(|(kind, works)| {
            let unbound = libc::ESOCKTNOSUPPORT.to_string();
            format!("pair-{kind} {}", if works { "works" } else { &unbound })
        }));
        assert_eq!(words(&outcomes[0]).lines().collect::<Vec<_>>(), expected);
        let outcomes = project.script("cat /proc/keys /proc/key-users", view).unwrap();
        assert_eq!(words(&outcomes[0]), "");
    }
}

/// A folder that is shown may hold the socket of a service that does as it is told.
#[test]
fn a_socket_in_a_folder_that_is_shown_is_not_reached() {
    for view in VIEWS {
        let project = Project::new();
        let socket = project.outside.path().join("socket");
        let unix = UnixListener::bind(&socket).unwrap();
        unix.set_nonblocking(true).unwrap();
        let mut room = project.room(view);
        room.reads.push(project.outside.path().into());
        let script = format!(
            "-S '{0}' or die 'it is not shown'; use Socket; socket(my $s, 1, 1, 0) or exit 0; \
             connect($s, pack_sockaddr_un('{0}')) and print 'reached';",
            socket.display()
        );
        let perl = check(&["perl", "-e", &script]);
        let outcomes = project.judge(&[perl], &room, &Quiet).unwrap();
        assert_eq!(words(&outcomes[0]), "");
        assert!(unix.accept().is_err());
    }
}

/// The end of a pair is a socket as well. One of single messages in order takes an address and
/// sends to its other end all the same.
#[test]
fn no_end_of_a_pair_sends_to_a_socket_in_a_folder_that_is_shown() {
    for view in VIEWS {
        let project = Project::new();
        let socket = project.outside.path().join("socket");
        let unix = UnixDatagram::bind(&socket).unwrap();
        unix.set_nonblocking(true).unwrap();
        let mut room = project.room(view);
        room.reads.push(project.outside.path().into());
        let script = format!(
            "-S '{0}' or die 'it is not shown'; use Socket; for my $of (1, 2, 3, 5) {{ \
             socketpair(my $c, my $d, 1, $of, 0) or next; my $to = pack_sockaddr_un('{0}'); \
             send($c, 'x', 0, $to); \
             connect($c, $to) and print \"reached $of\" }}",
            socket.display()
        );
        let perl = check(&["perl", "-e", &script]);
        let outcomes = project.judge(&[perl], &room, &Quiet).unwrap();
        assert_eq!(words(&outcomes[0]), "");
        assert!(unix.recv(&mut [0; 8]).is_err());
    }
}

/// A read-only folder keeps nobody from using a device that lies in it.
#[test]
fn devices_in_a_folder_that_is_shown_cannot_be_opened() {
    if !rustix::process::geteuid().is_root() {
        println!("only root can make a device");
        return;
    }
    for view in VIEWS {
        let project = Project::new();
        let outside = project.outside.path();
        let (mode, zero) = (Mode::RUSR | Mode::WUSR, rustix::fs::makedev(1, 5));
        mknodat(CWD, outside.join("zero"), FileType::CharacterDevice, mode, zero).unwrap();
        let mut room = project.room(view);
        room.reads.push(outside.into());
        let script = "cd \"$0\" && test -c zero && echo shown\n\
             head -c 1 zero > /tmp/got 2>/dev/null && echo read\n\
             (echo x > zero) 2>/dev/null && echo wrote; true";
        let sh = check(&["sh", "-c", script, outside.to_str().unwrap()]);
        let outcomes = project.judge(&[sh], &room, &Quiet).unwrap();
        assert_eq!(words(&outcomes[0]), "shown\n");
    }
}

/// Root owns the machine's devices and settings, also from inside.
#[test]
fn devices_work_and_neither_they_nor_the_machine_can_be_changed() {
    let before = fs::metadata("/dev/null").unwrap();
    for view in VIEWS {
        let project = Project::new();
        let script = "echo x > /dev/null && echo x > /dev/zero && head -c 1 /dev/zero > /dev/null && \
             head -c 1 /dev/urandom > /dev/null && ! echo x 2>/dev/null > /dev/full && echo use works\n\
             for d in null zero full random urandom; do\n\
               chmod 666 /dev/$d 2>/dev/null && echo chmod $d\n\
               touch /dev/$d 2>/dev/null && echo touch $d\n\
               rm -f /dev/$d 2>/dev/null && echo rm $d\n\
             done\n\
             (echo x > /dev/made) 2>/dev/null && echo made\n\
             echo x > /dev/shm/made && echo shared memory works\n\
             for f in sys/vm/swappiness sys/kernel/hostname sysrq-trigger irq/default_smp_affinity; do\n\
               test -e /proc/$f || continue\n\
               chmod 644 /proc/$f 2>/tmp/why && echo chmod $f\n\
               grep -q Read-only /tmp/why || cat /tmp/why\n\
             done; true";
        let outcomes = project.script(script, view).unwrap();
        assert_eq!(words(&outcomes[0]), "use works\nshared memory works\n");
    }
    let after = fs::metadata("/dev/null").unwrap();
    assert_eq!((after.mode(), after.uid()), (before.mode(), before.uid()));
}
