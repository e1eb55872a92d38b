//! A listening socket of the enclosed network, handed out to whoever holds the leash.
//!
//! The command's network has no device but its own loopback. A socket that listens there is
//! made inside and handed to us, so that what connects to it inside is answered outside, by a
//! proxy that lets through what the user named.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, Shutdown, SocketFlags, SocketType, recvmsg, send, sendmsg,
    shutdown, socket_with,
};

/// Where the proxy listens inside. The network is the command's own, so it is always free.
pub const PROXY_PORT: u16 = 3128;

/// Answers for a command that reaches some hosts only.
pub trait Proxy: Send + Sync {
    /// Answers what connects, until the socket is shut down.
    fn serve(&self, listener: TcpListener);
}

/// What of the network a command reaches.
#[derive(Clone, Default)]
pub enum NetworkReach {
    /// Nothing.
    #[default]
    Nothing,
    /// What the proxy lets through.
    Through(Arc<dyn Proxy>),
    /// Everything that we reach, sockets on this machine included.
    Everything,
}

impl std::fmt::Debug for NetworkReach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Nothing => "Nothing",
            Self::Through(_) => "Through",
            Self::Everything => "Everything",
        })
    }
}

/// The socket that a proxy answers on, while it does.
#[derive(Clone, Default)]
pub(super) struct Served(Arc<Mutex<Socket>>);

#[derive(Default)]
enum Socket {
    #[default]
    Awaited,
    Open(TcpListener),
    Over,
}

impl Served {
    /// Takes the socket from the child and has it answered until it is stopped. A child that
    /// cannot make one says so in its report.
    pub(super) fn serve(&self, leash: &UnixStream, proxy: &dyn Proxy) {
        let Ok(Some(socket)) = receive(leash) else { return };
        let listener = TcpListener::from(socket);
        let Ok(twin) = listener.try_clone() else { return };
        {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if matches!(*state, Socket::Over) {
                return;
            }
            *state = Socket::Open(twin);
        }
        proxy.serve(listener);
    }

    /// Nobody inside is left; whoever waits for a connection is woken.
    pub(super) fn stop(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Socket::Open(socket) = std::mem::replace(&mut *state, Socket::Over) {
            let _ = shutdown(&socket, Shutdown::Both);
        }
    }
}

/// Lets go of a child, whoever else has a hold on our end.
pub(super) fn let_go(leash: UnixStream) {
    let _ = leash.shutdown(std::net::Shutdown::Both);
    drop(leash);
}

/// A message that says nothing but carries something.
const MARK: &[u8] = b"l";

/// Inside, once the loopback is up: hands out a socket on it.
pub(super) fn open(leash: BorrowedFd<'_>) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PROXY_PORT))?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let fds = [listener.as_fd()];
    if !control.push(SendAncillaryMessage::ScmRights(&fds)) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    sendmsg(leash, &[IoSlice::new(MARK)], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Outside: the socket, once it is there; `None` when the other side ended without one.
fn receive(leash: impl AsFd) -> io::Result<Option<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut mark = [0; MARK.len()];
    let mut parts = [IoSliceMut::new(&mut mark)];
    recvmsg(leash, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC)?;
    Ok(control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
        _ => None,
    }))
}

/// Inside: asks the kernel to set the first device of this network, its loopback, up.
pub(super) fn raise_loopback() -> io::Result<()> {
    const LENGTH: u32 = 32;
    const NEW_LINK: u16 = 16;
    const REQUEST_AND_ACKNOWLEDGE: u16 = 5;
    const FIRST_DEVICE: i32 = 1;
    const UP: u32 = 1;
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    let mut message = Vec::new();
    message.extend(LENGTH.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST_AND_ACKNOWLEDGE.to_ne_bytes());
    // A number and a sender; nobody else talks here.
    message.extend([0; 8]);
    // Any family, a filler, any type.
    message.extend([0; 4]);
    message.extend(FIRST_DEVICE.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    send(&socket, &message, SendFlags::empty())?;
    let mut answer = [0; 64];
    let (got, _) = rustix::net::recv(&socket, &mut answer[..], RecvFlags::empty())?;
    // An error number of zero, after the header, is the acknowledgement.
    let number = answer.get(16..20).filter(|_| got >= 20).and_then(|four| four.try_into().ok());
    match number.map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(errno) => Err(io::Error::from_raw_os_error(errno.saturating_neg())),
        None => Err(io::ErrorKind::InvalidData.into()),
    }
}
