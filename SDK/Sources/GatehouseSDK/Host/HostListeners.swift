// SPDX-License-Identifier: Apache-2.0

private import Glibc
private import Synchronization

/// Gives an instance the sockets at which it listens, which belong to the run and not to the instance.
///
/// A socket stays open while one instance takes over from another, and under a supervisor or a service manager also after a crash:
/// clients then only wait until somebody accepts them. As long as an instance has one, the run goes on, also when its inputs have
/// ended.
///
/// ```swift
/// let listener = try context.listeners.listen(at: .port(host: "127.0.0.1", 8080))
/// ```
public struct HostListeners: Sendable {
    /// Finds or opens what listens at an address.
    private let borrow: @Sendable (ListeningAddress) throws(ListeningFailure) -> BorrowedListener

    /// A source of sockets; outside of a host each one is opened, and closed when it is given back.
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

/// A listening socket that an instance has until it gives it back; callable from any thread.
public final class BorrowedListener: Sendable {
    /// The instance's own descriptor, which does not block; accept from it until `giveBack`, and do not close it.
    public let descriptor: Int32
    /// Where clients find it, with the port that the system has chosen.
    public let address: ListeningAddress
    /// What is done when it comes back; nil when it has.
    private let onReturn: Mutex<(@Sendable () -> Void)?>

    /// A socket that somebody else keeps open.
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

    /// Opens a socket of one's own.
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

    /// Lets go of the socket: accept no more before; another call does nothing.
    public func giveBack() {
        let onReturn = onReturn.withLock { onReturn in
            defer { onReturn = nil }
            return onReturn
        }
        onReturn?()
    }
}
