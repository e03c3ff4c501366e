// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// What a Redis has confirmed to this process, over all its connections: the floor below which it must never be found again.
///
/// A Redis that was restored from a backup, or failed over to a copy that had not received everything, answers as if nothing had
/// happened. Whoever goes on then loses acknowledged actions without a word.
final class RedisMemory: Sendable {
    /// What is known of a partition.
    struct Floor: Equatable, Sendable {
        /// The highest action that was appended, read or processed.
        var entry = ClusterOffset.start
        /// The highest offset of a checkpoint.
        var checkpoint = ClusterOffset.start
        /// The highest epoch.
        var epoch = 0
    }

    /// What the lock guards.
    private struct Contents {
        /// Of the server that was seen to have everything; nil before the first, and after one was found that has not.
        var run: String?
        /// Whether a member of this process has joined.
        var hasJoined = false
        /// The lives of this process, by the names of members.
        var lives: [String: String] = [:]
        /// What is known of each partition.
        var floors: [Floor]
    }

    /// All that is known.
    private let contents: Mutex<Contents>

    /// One that knows nothing.
    init(partitions: Int) { contents = Mutex(Contents(floors: Array(repeating: Floor(), count: partitions))) }

    /// The floors, if they are to be compared with a server of a run; nil when it is the known one, or nothing is known.
    func floors(toCompareWith run: String) -> [Floor]? {
        contents.withLock { contents in
            contents.run == run || contents.floors.allSatisfy { $0 == Floor() } ? nil : contents.floors
        }
    }

    /// Takes the server of a run for good; true when another one was known before.
    func trust(_ run: String) -> Bool {
        contents.withLock { contents in
            defer { contents.run = run }
            return contents.run != nil && contents.run != run
        }
    }

    /// Lets the next connection compare everything, also with a server of a known run.
    func doubt() { contents.withLock { $0.run = $0.run == nil ? nil : "" } }

    /// Whether a member of this process has joined, so that the cluster must be there.
    var hasJoined: Bool { contents.withLock { $0.hasJoined } }

    /// A member of this process has joined, or renewed, as a life.
    func join(_ member: ClusterPresence) {
        contents.withLock { contents in
            contents.hasJoined = true
            contents.lives[member.name] = member.life
        }
    }

    /// The life that a member of this process has; nil when none has this name.
    func life(of member: String) -> String? { contents.withLock { $0.lives[member] } }

    /// Actions were seen in partitions, up to these.
    func see(_ entries: some Sequence<(partition: Int, offset: ClusterOffset)>) {
        contents.withLock { contents in
            for (partition, offset) in entries where contents.floors.indices.contains(partition) {
                contents.floors[partition].entry = max(contents.floors[partition].entry, offset)
            }
        }
    }

    /// A checkpoint of a partition was seen.
    func see(checkpoint offset: ClusterOffset, of partition: Int) {
        contents.withLock { contents in
            contents.floors[partition].checkpoint = max(contents.floors[partition].checkpoint, offset)
        }
    }

    /// The epochs that are known; to be asked before the server is, because answers to several threads are seen in any order.
    var epochs: [Int] { contents.withLock { $0.floors.map(\.epoch) } }

    /// The epoch that is known of a partition.
    func epoch(of partition: Int) -> Int { contents.withLock { $0.floors[partition].epoch } }

    /// An epoch of a partition was seen.
    func see(epoch: Int, of partition: Int) {
        contents.withLock { contents in
            contents.floors[partition].epoch = max(contents.floors[partition].epoch, epoch)
        }
    }
}
