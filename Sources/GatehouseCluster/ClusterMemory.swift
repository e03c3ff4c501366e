// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// What an engine has confirmed to this process, over all its connections: the floor below which it must never fall.
///
/// A Redis that was restored from a backup, or failed over to an incomplete copy, answers as if nothing had happened. Continuing
/// then silently loses acknowledged actions.
package final class ClusterMemory: Sendable {
    /// The floor of a partition.
    typealias Floor = ClusterPromise.Floor

    /// The state guarded by the lock.
    private struct Contents {
        /// The run of the server known to have everything; nil before the first, and after one was found lacking.
        var run: String?
        /// The lives of this process, by the names of members.
        var lives: [String: String] = [:]
        /// The era, and the floor of each partition.
        var promise: ClusterPromise
        /// The floors.
        var floors: [Floor] {
            get { promise.floors }
            set { promise.floors = newValue }
        }
    }

    /// The guarded state.
    private let contents: Mutex<Contents>

    /// Creates an empty memory.
    init(partitions: Int) { contents = Mutex(Contents(promise: ClusterPromise(partitions: partitions))) }

    /// What the server has confirmed, for the next process of the member.
    package var promise: ClusterPromise { contents.withLock { $0.promise } }

    /// Recalls what the server had confirmed to an earlier process of the member; of another number of partitions only the era.
    package func recall(_ promise: ClusterPromise) {
        contents.withLock { contents in
            contents.promise.era = promise.era
            if promise.floors.count == contents.floors.count { contents.floors = promise.floors }
        }
    }

    /// Compares the eras of the server's data with the known one; false when that is none of them.
    ///
    /// In a later era nothing is left of what was known of an earlier one.
    func isFamiliar(_ eras: [String]) -> Bool {
        contents.withLock { contents in
            guard let era = contents.promise.era else {
                contents.promise.era = eras.last
                return true
            }
            guard eras.contains(era) else { return false }
            if eras.last != era {
                contents.promise = ClusterPromise(partitions: contents.floors.count)
                contents.promise.era = eras.last
            }
            return true
        }
    }

    /// Records the era in which a member of this process has joined.
    func join(era: String?) { contents.withLock { $0.promise.era = era ?? $0.promise.era } }

    /// Returns the floors to compare with a server's run; nil when it is the known one, or there are no floors.
    func floors(toCompareWith run: String) -> [Floor]? {
        contents.withLock { contents in
            contents.run == run || contents.floors.allSatisfy { $0 == Floor() } ? nil : contents.floors
        }
    }

    /// Accepts the server of a run; true when another one was known before.
    func trust(_ run: String) -> Bool {
        contents.withLock { contents in
            defer { contents.run = run }
            return contents.run != nil && contents.run != run
        }
    }

    /// Makes the next connection compare everything, even with a known run.
    func doubt() { contents.withLock { $0.run = $0.run == nil ? nil : "" } }

    /// Whether a member of this process, or of an earlier one, has joined, so that the cluster must exist.
    var hasJoined: Bool { contents.withLock { !$0.lives.isEmpty || $0.promise.era != nil } }

    /// Records that a member of this process has joined or renewed as a life.
    func join(_ member: ClusterPresence) { contents.withLock { $0.lives[member.name] = member.life } }

    /// Returns the life of a member of this process; nil without one of this name.
    func life(of member: String) -> String? { contents.withLock { $0.lives[member] } }

    /// Records actions seen in partitions, up to these.
    func see(_ entries: some Sequence<(partition: Int, offset: ClusterOffset)>) {
        contents.withLock { contents in
            for (partition, offset) in entries where contents.floors.indices.contains(partition) {
                contents.floors[partition].entry = max(contents.floors[partition].entry, offset)
            }
        }
    }

    /// Records a checkpoint seen in a partition.
    func see(checkpoint offset: ClusterOffset, of partition: Int) {
        contents.withLock { contents in
            contents.floors[partition].checkpoint = max(contents.floors[partition].checkpoint, offset)
        }
    }

    /// The known epochs; must be read before asking the server, because answers to several threads are seen in any order.
    var epochs: [Int] { contents.withLock { $0.floors.map(\.epoch) } }

    /// Returns the known epoch of a partition.
    func epoch(of partition: Int) -> Int { contents.withLock { $0.floors[partition].epoch } }

    /// Records an epoch seen in a partition.
    func see(epoch: Int, of partition: Int) {
        contents.withLock { contents in
            contents.floors[partition].epoch = max(contents.floors[partition].epoch, epoch)
        }
    }
}
