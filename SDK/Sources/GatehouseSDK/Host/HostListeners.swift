// SPDX-License-Identifier: Apache-2.0

private import Glibc
private import Synchronization

/// Gives an instance its listening sockets, which belong to the run and not to the instance.
///
/// A socket stays open while one instance takes over from another. Under a supervisor or a service manager it also survives a
/// crash. Clients then only wait until somebody accepts them. While an instance has a socket, the run continues even after its
/// inputs have ended.
///
/// ```swift
/// let listener = try context.listeners.listen(at: .port(host: "127.0.0.1", 8080))
/// ```
public struct HostListeners: Sendable {
    /// Finds or opens the socket for an address.
    private let borrow: @Sendable (ListeningAddress) throws(ListeningFailure) -> BorrowedListener

    /// Creates a source of sockets; outside of a host it opens each one, and closes it when it is given back.
    public init(
        _ borrow: @escaping @Sendable (ListeningAddress) throws(ListeningFailure) -> BorrowedListener = {
            address throws(ListeningFailure) in try BorrowedListener(opening: address)
        }
    ) {
        self.borrow = borrow
    }

    /// Listens at an address; callable from any thread, and in the plugin's start.
    ///
    /// - Throws: why nobody can listen there, or that another instance does.
    public func listen(at address: ListeningAddress) throws(ListeningFailure) -> BorrowedListener {
        try borrow(address)
    }
}

/// A listening socket lent to an instance until it gives it back; callable from any thread.
public final class BorrowedListener: Sendable {
    /// The instance's own descriptor, which does not block; accept from it until `giveBack`, and do not close it.
    public let descriptor: Int32
    /// The address for clients, with the port that the system has chosen.
    public let address: ListeningAddress
    /// Runs when the socket is given back; nil afterwards.
    private let onReturn: Mutex<(@Sendable () -> Void)?>

    /// Wraps a socket that somebody else keeps open.
    ///
    /// - Parameters:
    ///   - descriptor: closed when it is given back, before the call of `onReturn`.
    ///   - onReturn: called once.
    public init(
        descriptor: Int32, address: ListeningAddress, onReturn: @escaping @Sendable () -> Void
    ) {
        self.descriptor = descriptor
        self.address = address
        self.onReturn = Mutex {
            Glibc.close(descriptor)
            onReturn()
        }
    }

    /// Opens a socket.
    ///
    /// - Throws: why nobody can listen there.
    public convenience init(opening address: ListeningAddress) throws(ListeningFailure) {
        let made = try address.open()
        let file = ListenerFile(of: address)
        self.init(descriptor: made, address: ListeningAddress(of: made) ?? address) {
            file?.remove()
        }
    }

    deinit { giveBack() }

    /// Gives the socket back: accept no more before; another call does nothing.
    public func giveBack() { onReturn.withLock { $0.take() }?() }
}
