//! What a check cannot reach: other files, the network, other processes, more rights.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::UnixListener;

use exacta_engine::checks::Verdict;
use exacta_engine::run::Quiet;

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
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    for view in VIEWS {
        let project = Project::new();
        let socket = project.outside.path().join("socket");
        let unix = UnixListener::bind(&socket).unwrap();
        unix.set_nonblocking(true).unwrap();
        let script = format!(
            "(exec 3<>/dev/tcp/127.0.0.1/{}) 2>/dev/null && echo reached tcp\n\
             (echo hello > /dev/udp/127.0.0.1/{}) 2>/dev/null && echo reached udp\n\
             (exec 3<>/dev/tcp/1.1.1.1/80) 2>/dev/null && echo reached the world\n\
             test -e '{}' && echo reached socket\n\
             grep -v lo: /proc/net/dev | grep : && echo reached a device\n\
             true",
            tcp.local_addr().unwrap().port(),
            udp.local_addr().unwrap().port(),
            socket.display()
        );
        let bash = check(&["bash", "-c", &script]);
        let outcomes = project.judge(&[bash], &project.room(view), &Quiet).unwrap();
        assert_eq!(words(&outcomes[0]), "");
        assert!(tcp.accept().is_err() && unix.accept().is_err());
        assert!(udp.recv(&mut [0; 8]).is_err());
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
    let flags = rustix::fs::OFlags::RDONLY;
    let leaked =
        rustix::fs::open(project.outside.path(), flags, rustix::fs::Mode::empty()).unwrap();
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
    let known = ["CARGO_HOME", "EXTRA", "HOME", "LANG", "PATH", "RUSTUP_HOME", "TMPDIR"];
    assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
    assert!(fs::metadata("/tmp/home").is_err(), "the check's home is its own");
}
