// SPDX-License-Identifier: Apache-2.0

private import GatehouseManifest
package import GatehouseSDK
package import GatehouseSupport
private import Glibc
private import Synchronization

/// The sockets at which the instances of a run listen: they belong to the run, and instances borrow them.
///
/// One that is given back is closed at once, except at the start and during a reload, where the next instance may want the same: what
/// nobody has borrowed by the end of that is closed then. Callable from any thread.
package final class RunListeners: Sendable {
    /// What an instance asks for.
    private struct Key: Hashable {
        /// Where.
        let address: ListeningAddress
        /// Who, for an address of which everybody gets a port of his own; nil for others.
        let instance: String?

        /// What an instance asks for at an address.
        init(_ address: ListeningAddress, for instance: String) {
            self.address = address
            if case .port(_, 0) = address { self.instance = instance } else { self.instance = nil }
        }

        /// What whoever keeps its socket over a crash calls it; the service manager takes only plain letters, and no colon.
        var name: String {
            let text = ([address.description] + [instance].compactMap { $0 }).joined(separator: " ")
            return HandedSockets.keptPrefix + SHA256.digest(Array(text.utf8)).hex.prefix(32)
        }
    }

    /// Who has a socket.
    private struct Borrower: Equatable {
        /// The instance.
        let instance: String
        /// Whether it runs in a worker, whose processes may do with the socket what they like.
        let isInWorker: Bool
    }

    /// A socket that listens.
    private struct Listener {
        /// Open as long as this is here.
        let descriptor: Int32
        /// Where clients find it.
        let address: ListeningAddress
        /// Whether it is the service manager's by a socket unit, and stays open.
        let isUnits: Bool
        /// The file of a Unix socket of the run's own.
        let file: ListenerFile?
        /// Who has it, or had it last; nil before anybody has.
        var borrower: Borrower?
        /// How often that instance has it: it may take over from one of the same id that has not let go.
        var count = 0
    }

    /// What is guarded by the lock.
    private struct State {
        /// What listens.
        var listeners: [Key: Listener] = [:]
        /// The sockets that the host had before a crash and nobody has asked for yet, by their names.
        var kept: [String: Int32]
        /// How many times what is given back is kept for others.
        var holds: Int
        /// Whether another process goes on with all of them.
        var areHandedOver = false
        /// Told when nobody listens any more.
        var onEnd: (@Sendable () -> Void)?
    }

    /// What listens, guarded by the lock.
    private let state: Mutex<State>
    /// The sockets of socket units.
    private let handed: HandedSockets
    /// Keeps sockets over a crash; nil where nobody does.
    private let keeper: NotifySocket?

    /// The table of a run; sockets that were kept over a crash wait for their borrowers until the first `settle`.
    ///
    /// - Parameters:
    ///   - handed: what whoever started this process has open; nil for a host that is no run of its own.
    ///   - keeper: where sockets are kept over a crash; nil for nowhere.
    package init(_ handed: HandedSockets? = nil, keeper: NotifySocket? = nil) {
        self.handed = handed ?? HandedSockets()
        self.keeper = keeper
        state = Mutex(State(kept: handed?.kept ?? [:], holds: handed == nil ? 0 : 1))
    }

    deinit {
        state.withLock { state in
            for listener in state.listeners.values { Glibc.close(listener.descriptor) }
            for descriptor in state.kept.values { Glibc.close(descriptor) }
        }
    }

    /// Whether an instance listens, or may in a moment.
    package var areUsed: Bool {
        state.withLock { state in state.holds > 0 || state.listeners.values.contains { $0.count > 0 } }
    }

    /// The sockets that are not those of socket units, by the names under which they are handed over.
    package var descriptors: [(descriptor: Int32, name: String)] {
        state.withLock { state in
            state.listeners.filter { !$0.value.isUnits }.map { ($0.value.descriptor, $0.key.name) }
        }
    }

    /// Sets what is done when nobody listens any more; called from any thread.
    package func onEnd(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onEnd = body } }

    /// Keeps what is given back for others, until as many calls of `settle`.
    package func hold() { state.withLock { $0.holds += 1 } }

    /// Takes note that another process listens at all of them from here on: what is given back is closed here, and neither is its file
    /// removed nor does whoever keeps it forget it.
    func handOver() { state.withLock { $0.areHandedOver = true } }

    /// Closes what nobody has borrowed, where this is the last of the calls that are due.
    package func settle() {
        let onEnd = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.holds > 0 else { return nil }
            state.holds -= 1
            guard state.holds == 0 else { return nil }
            for (name, descriptor) in state.kept {
                Glibc.close(descriptor)
                keeper?.tell(.forget(name: name))
            }
            state.kept = [:]
            for key in state.listeners.keys { close(key, in: &state) }
            return state.listeners.values.contains { $0.count > 0 } ? nil : state.onEnd
        }
        onEnd?()
    }

    /// What whoever keeps the socket of an instance at an address calls it.
    package static func name(of address: ListeningAddress, for instance: String) -> String {
        Key(address, for: instance).name
    }

    /// What one instance borrows from.
    ///
    /// - Parameter isInWorker: whether what it borrows goes into the hands of a worker.
    package func listeners(for instance: String, inWorker isInWorker: Bool = false) -> HostListeners {
        let borrower = Borrower(instance: instance, isInWorker: isInWorker)
        return HostListeners { [self] address throws(ListeningFailure) in try borrow(address, for: borrower) }
    }

    // MARK: - Implementation details

    /// Lends what listens at an address, opened where it is not open yet.
    private func borrow(
        _ address: ListeningAddress, for borrower: Borrower
    ) throws(ListeningFailure) -> BorrowedListener {
        let key = Key(address, for: borrower.instance)
        let result = state.withLock { state in
            Result { () throws(ListeningFailure) in
                var listener: Listener
                if let open = state.listeners[key] {
                    listener = open
                } else {
                    listener = try open(key, in: &state)
                }
                if listener.count > 0, let other = listener.borrower?.instance, other != borrower.instance {
                    throw ListeningFailure(
                        "\(address): the instance \(other) listens there already; set \"listen\" of one of them to another place"
                    )
                }
                if !isFit(listener, for: borrower) { listener = try reopen(listener, key, in: &state) }
                let own = fcntl(listener.descriptor, F_DUPFD_CLOEXEC, 3)
                if own >= 0 { (listener.borrower, listener.count) = (borrower, listener.count + 1) }
                state.listeners[key] = listener
                guard own >= 0 else {
                    let reason = SystemReason.last
                    if state.holds == 0 { close(key, in: &state) }
                    throw ListeningFailure(
                        "\(address): nobody can listen there: \(reason); raise the limit with ulimit -n")
                }
                return BorrowedListener(descriptor: own, address: listener.address) { [self] in
                    takeBack(key)
                }
            }
        }
        return try result.get()
    }

    /// Whether a socket may be lent as it is.
    private func isFit(_ listener: Listener, for borrower: Borrower) -> Bool {
        guard ListeningAddress.isListening(listener.descriptor) else { return false }
        // A worker leaves its settings of the socket behind, and its processes may still accept from it: that is for nobody else.
        guard let last = listener.borrower, last.isInWorker, !listener.isUnits else { return true }
        return last == borrower
    }

    /// Opens a socket in place of one that is not fit, as often lent as that.
    private func reopen(
        _ old: Listener, _ key: Key, in state: inout State
    ) throws(ListeningFailure) -> Listener {
        // Whoever has a copy accepts nobody any more, and keeps the address from nobody.
        if !old.isUnits { shutdown(old.descriptor, Int32(SHUT_RDWR)) }
        old.file?.remove()
        keeper?.tell(.forget(name: key.name))
        var new = try open(key, in: &state)
        if !old.isUnits { Glibc.close(old.descriptor) }
        new.count = old.count
        return new
    }

    /// Finds a socket among those that were handed over, or opens one, which is kept over a crash from here on.
    private func open(_ key: Key, in state: inout State) throws(ListeningFailure) -> Listener {
        if let kept = state.kept.removeValue(forKey: key.name) {
            if ListeningAddress.isListening(kept) {
                return Listener(
                    descriptor: kept, address: ListeningAddress(of: kept) ?? key.address, isUnits: false,
                    file: ListenerFile(of: key.address))
            }
            Glibc.close(kept)
            keeper?.tell(.forget(name: key.name))
        }
        if let unit = handed.socket(at: key.address), ListeningAddress.isListening(unit) {
            _ = fcntl(unit, F_SETFL, O_NONBLOCK)
            return Listener(descriptor: unit, address: key.address, isUnits: true, file: nil)
        }
        let made = try key.address.open()
        keeper?.keep(made, as: key.name)
        return Listener(
            descriptor: made, address: ListeningAddress(of: made) ?? key.address, isUnits: false,
            file: ListenerFile(of: key.address))
    }

    /// Takes note that an instance has let go.
    private func takeBack(_ key: Key) {
        let onEnd = state.withLock { state -> (@Sendable () -> Void)? in
            guard var listener = state.listeners[key] else { return nil }
            listener.count -= 1
            state.listeners[key] = listener
            guard state.holds == 0 else { return nil }
            close(key, in: &state)
            return state.listeners.values.contains { $0.count > 0 } ? nil : state.onEnd
        }
        onEnd?()
    }

    /// Closes what nobody has borrowed, and lets whoever keeps it forget it; a socket unit's stays open.
    private func close(_ key: Key, in state: inout State) {
        guard let listener = state.listeners[key], listener.count == 0, !listener.isUnits else { return }
        state.listeners[key] = nil
        if !state.areHandedOver { listener.file?.remove() }
        Glibc.close(listener.descriptor)
        if !state.areHandedOver { keeper?.tell(.forget(name: key.name)) }
    }
}
