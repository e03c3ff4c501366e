// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Synchronization

/// A thread that makes the instances of partitions before these come to the thread that runs them.
///
/// A hand-over takes less time this way: what takes long is made while another member still processes the partition, and the
/// partitions that are here already do not wait for it.
final class PartitionPreparer: Sendable {
    /// An order to the thread.
    private enum Order: Sendable {
        /// Make the instances of a partition.
        case prepare(Int)
        /// Drop what was made, or is to be made, for these.
        case discard(Set<Int>)
        /// Drop everything, and end.
        case end
    }

    /// The orders.
    private let mailbox = Mailbox<Order>()
    /// What is made, by the partition.
    private let made = Mutex<[Int: PreparedPartition]>([:])
    /// Makes the instances of a partition.
    private let make: @Sendable (Int) -> PreparedPartition
    /// Called on the thread with each partition whose instances are made.
    private let tell: @Sendable (Int) -> Void

    /// Creates a thread that is not started.
    init(
        _ make: @escaping @Sendable (Int) -> PreparedPartition, tell: @escaping @Sendable (Int) -> Void
    ) {
        self.make = make
        self.tell = tell
    }

    /// Starts the thread; false when the system refuses one.
    func start() -> Bool { BackgroundThread.start { [self] in run() } }

    /// Has the instances of a partition made, after those ordered before.
    func prepare(_ number: Int) { mailbox.send(.prepare(number)) }

    /// Has instances dropped whose partitions do not come.
    func discard(_ numbers: Set<Int>) { mailbox.send(.discard(numbers)) }

    /// Ends the thread.
    func end() { mailbox.send(.end) }

    /// Takes what is made for a partition that has come; nil for nothing.
    func take(_ number: Int) -> PreparedPartition? { made.withLock { $0.removeValue(forKey: number) } }

    /// Carries out orders until the one to end.
    private func run() {
        var pending: [Int] = []
        while true {
            for order in mailbox.takeAll() {
                switch order {
                case .prepare(let number): pending.append(number)
                case .discard(let numbers):
                    pending.removeAll(where: numbers.contains)
                    for number in numbers { _ = take(number) }
                case .end:
                    let rest = made.withLock { made in
                        defer { made = [:] }
                        return made
                    }
                    // Code of plugins runs while they are dropped, and not under the lock.
                    return withExtendedLifetime(rest) {}
                }
            }
            guard !pending.isEmpty else {
                mailbox.pipe.wait()
                continue
            }
            let prepared = make(pending.removeFirst())
            made.withLock { $0[prepared.number] = prepared }
            tell(prepared.number)
        }
    }
}
