// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
private import GatehouseSupport
private import Glibc
private import Synchronization

/// The sockets at which an instance in a worker listens: the host has them from the start of the instance to its end, so that clients
/// wait while one process follows another.
///
/// Callable from any thread.
final class GrantedListeners: Sendable {
    /// Where it may listen.
    let grants: [ListeningGrant]
    /// What it borrows from in the host.
    private let lender: HostListeners
    /// What it has.
    private let held = Mutex<[ListeningGrant: BorrowedListener]>([:])

    /// The sockets of an instance, none of which is open yet.
    init(_ grants: [ListeningGrant] = [], of lender: HostListeners = HostListeners()) {
        (self.grants, self.lender) = (grants, lender)
    }

    /// The sockets of the same instance in another worker.
    func anew() -> GrantedListeners { GrantedListeners(grants, of: lender) }

    /// Opens all of them that are not open; returns why some cannot be.
    func open() -> [ListeningFailure] { open { _ in grants } }

    /// Opens those anew that a process of the worker has shut down; returns why some cannot be.
    func renew() -> [ListeningFailure] { open { Array($0.keys) } }

    /// Opens some of them, where they are not open.
    private func open(
        _ some: ([ListeningGrant: BorrowedListener]) -> [ListeningGrant]
    ) -> [ListeningFailure] {
        held.withLock { held in
            some(held).compactMap { grant in
                do throws(ListeningFailure) {
                    _ = try listener(of: grant, in: &held)
                    return nil
                } catch {
                    return error
                }
            }
        }
    }

    /// Copies the descriptor of one of them for a process of the worker, and opens it before where it is not open.
    ///
    /// - Throws: why nobody can listen there.
    func copy(of grant: ListeningGrant) throws(ListeningFailure) -> NetworkConnection {
        let result = held.withLock { held in
            Result { () throws(ListeningFailure) in
                let descriptor = fcntl(try listener(of: grant, in: &held).descriptor, F_DUPFD_CLOEXEC, 3)
                guard descriptor >= 0 else {
                    throw ListeningFailure(
                        "\(grant.address): nobody can listen there: \(SystemReason.last); raise the limit with ulimit -n"
                    )
                }
                return NetworkConnection(descriptor: descriptor)
            }
        }
        return try result.get()
    }

    /// Gives back one of them; copies in the worker stay open.
    func giveBack(_ grant: ListeningGrant) {
        held.withLock { held in held.removeValue(forKey: grant) }?.giveBack()
    }

    /// Gives back all of them.
    func giveBack() {
        let all = held.withLock { held in
            defer { held = [:] }
            return Array(held.values)
        }
        for listener in all { listener.giveBack() }
    }

    /// What the host has; borrowed where it has none, and anew where a process of the worker has shut it down.
    private func listener(
        of grant: ListeningGrant, in held: inout [ListeningGrant: BorrowedListener]
    ) throws(ListeningFailure) -> BorrowedListener {
        if let listener = held[grant], ListeningAddress.isListening(listener.descriptor) { return listener }
        // The old one goes last, so that the run never seems to have nobody who listens.
        let listener = try lender.listen(at: grant.address)
        held.updateValue(listener, forKey: grant)?.giveBack()
        return listener
    }
}
