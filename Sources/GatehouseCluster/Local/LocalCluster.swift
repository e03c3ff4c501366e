// SPDX-License-Identifier: Apache-2.0

private import Dispatch
private import Synchronization

/// A cluster whose partitions are in a file of this machine, or in the memory of the process.
///
/// All connections of a process share one of these, through which a reader hears at once what the others append. Other processes may use
/// the same file: what they append is found within ``longestSleep``.
package final class LocalCluster: Cluster {
    /// A reader that waits.
    private struct Sleeper {
        /// The partitions that it reads.
        let partitions: Set<Int>
        /// Signalled to end the wait.
        let news: DispatchSemaphore
    }

    /// The guarded state.
    private struct State {
        /// The readers that wait, by id.
        var sleepers: [Int: Sleeper] = [:]
        /// The last id of a reader.
        var reader = 0
        /// The lives of this process, by the names of members.
        var lives: [String: String] = [:]
        /// The database in memory; nil for one in a file, and before it is needed.
        var shared: LocalStore?
    }

    /// How long a reader of a file sleeps before it looks for what other processes have appended.
    private static let longestSleep = Duration.milliseconds(100)

    /// The cluster's name, which the database records.
    let name: String
    /// The number of partitions.
    let partitions: Int
    /// The path of the file; nil for a cluster in memory.
    let path: String?
    /// How long actions stay readable after they came, at least.
    let history: Duration
    /// How long to wait for another process that writes.
    private let patience: Duration
    /// The guarded state.
    private let state = Mutex(State())
    /// Held while a connection of this process writes, since the database would let the others wait by the clock; held for whatever is
    /// done with the database in memory, which all share.
    private let turn = Mutex(())

    /// Creates a cluster without opening anything.
    ///
    /// - Parameters:
    ///   - path: the path of the file; nil for a cluster in memory, which ends with this object.
    ///   - history: how long actions stay readable after they came, at least.
    ///   - patience: how long to wait for another process that writes.
    package init(
        path: String?, name: String, partitions: Int, history: Duration = .zero,
        patience: Duration = .seconds(2)
    ) {
        self.path = path
        self.name = name
        self.partitions = partitions
        self.history = history
        self.patience = patience
    }

    package var memory: ClusterMemory? { nil }
    /// None: the data is in a file or in this process.
    package var server: ClusterServer? { nil }

    package func connect() throws(ClusterFailure) -> any ClusterEngine {
        LocalEngine(try store(), of: self)
    }

    /// Does nothing: a file never has less than it had confirmed, unless somebody exchanged it on purpose.
    package func halt(for failure: ClusterFailure, by member: String, at time: Int) throws(ClusterFailure)
        -> Bool
    {
        false
    }

    /// Opens the file, or returns the database in memory.
    private func store() throws(ClusterFailure) -> LocalStore {
        if let path { return try LocalStore(path: path, patience: patience) }
        return try state.withLock { state throws(ClusterFailure) in
            if let shared = state.shared { return shared }
            let made = try LocalStore(path: nil, patience: patience)
            state.shared = made
            return made
        }
    }

    // MARK: - Turns

    /// Reads in one transaction.
    func reading<Result: Sendable>(
        _ store: LocalStore, _ body: () throws(ClusterFailure) -> Result
    ) throws(ClusterFailure) -> Result {
        if path != nil { return try store.reading(body) }
        return try turn.withLock { _ throws(ClusterFailure) in try store.reading(body) }
    }

    /// Writes in one transaction, after the others of this process.
    func writing<Result: Sendable>(
        _ store: LocalStore, _ body: () throws(ClusterFailure) -> Result
    ) throws(ClusterFailure) -> Result {
        try turn.withLock { _ throws(ClusterFailure) in try store.writing(body) }
    }

    // MARK: - Members

    /// Records the life as which a member of this process has joined or renewed.
    func join(_ member: ClusterPresence) { state.withLock { $0.lives[member.name] = member.life } }

    /// Returns the life of a member of this process; nil without one of this name.
    func life(of member: String) -> String? { state.withLock { $0.lives[member] } }

    // MARK: - Sleeping and waking

    /// Returns an id for a reader, from 1.
    func makeReader() -> Int {
        state.withLock { state in
            state.reader += 1
            return state.reader
        }
    }

    /// Looks for actions of partitions until there are some, the reader is woken, or the time is over.
    ///
    /// - Parameter look: reads what there is; returns whether there was anything.
    func sleep(
        as reader: Int, over partitions: Set<Int>, atMost time: Duration,
        _ look: () throws(ClusterFailure) -> Bool
    ) throws(ClusterFailure) {
        let sleeper = Sleeper(partitions: partitions, news: DispatchSemaphore(value: 0))
        let end = ContinuousClock.now + time
        // Whoever appends from here on wakes it.
        state.withLock { $0.sleepers[reader] = sleeper }
        defer { state.withLock { _ = $0.sleepers.removeValue(forKey: reader) } }
        while true {
            if try look() { return }
            let rest = ContinuousClock.now.duration(to: end)
            guard rest > .zero else { return }
            let pause = path == nil ? rest : min(rest, Self.longestSleep)
            let deadline = DispatchTime.now() + .nanoseconds(Int(pause / .nanoseconds(1)))
            if sleeper.news.wait(timeout: deadline) == .success {
                _ = try look()
                return
            }
        }
    }

    /// Wakes the readers of partitions that have new actions.
    func wake(readersOf partitions: some Sequence<Int>) {
        state.withLock { state in
            guard !state.sleepers.isEmpty else { return }
            for partition in partitions {
                for sleeper in state.sleepers.values where sleeper.partitions.contains(partition) {
                    sleeper.news.signal()
                }
            }
        }
    }

    /// Whether a reader sleeps.
    func isAsleep(_ reader: Int) -> Bool { state.withLock { $0.sleepers[reader] != nil } }

    /// Wakes a reader; false when it does not sleep.
    func wake(_ reader: Int) -> Bool {
        state.withLock { state in
            guard let sleeper = state.sleepers[reader] else { return false }
            sleeper.news.signal()
            return true
        }
    }

    // MARK: - What is told

    /// Returns the failure of a cluster that nobody has joined, or that is another one.
    func stranger(_ found: (name: String, partitions: Int)?) -> ClusterFailure {
        let place = LocalStore.place(of: path)
        guard let found else { return .missing(name, at: place) }
        guard found.name == name else {
            return .refused(
                "\(place) holds the cluster '\(found.name)', not '\(name)'; give each cluster a file of its own"
            )
        }
        return .resized(name, at: place, to: found.partitions, expected: partitions)
    }
}
