// SPDX-License-Identifier: Apache-2.0

private import Glibc
internal import Synchronization

/// A listening socket lent to an instance until it gives it back; callable from any thread.
public final class BorrowedListener: Sendable {
    /// What is guarded by the lock.
    struct Content {
        /// Runs when the socket is given back; nil afterwards.
        var onReturn: (@Sendable () -> Void)?
        /// The threads that wait for a client.
        var waits: [ObjectIdentifier: AcceptWait] = [:]
        /// Told when the last of them waits no more, once the socket is to be given back.
        var onLeave: AcceptWait?
    }

    /// The instance's own descriptor, which does not block; accept from it until `giveBack`, and do not close it.
    public let descriptor: Int32
    /// The address for clients, with the port that the system has chosen.
    public let address: ListeningAddress
    /// What varies.
    let content: Mutex<Content>

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
        content = Mutex(
            Content {
                Glibc.close(descriptor)
                onReturn()
            })
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

    /// Gives the socket back; another call does nothing.
    ///
    /// Each `accept` that waits ends with a failure. Whoever accepts from the descriptor by other means stops before.
    public func giveBack() {
        let (onReturn, onLeave) = content.withLock { content -> ((@Sendable () -> Void)?, AcceptWait?) in
            guard let onReturn = content.onReturn.take() else { return (nil, nil) }
            guard !content.waits.isEmpty else { return (onReturn, nil) }
            // Nobody may look at a number that belongs to another file by then. The waits end at once, because no other code runs in them.
            content.onLeave = AcceptWait()
            for wait in content.waits.values { wait.end() }
            return (onReturn, content.onLeave)
        }
        onLeave?.untilEnd()
        onReturn?()
    }
}
