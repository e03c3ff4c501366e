// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc
private import Synchronization

/// Tells the host of a child that the child is at work while its own thread says nothing for long.
///
/// Callable from any thread. A plugin that hangs meanwhile is found when the patience of this is over.
final class SignsOfLife: Sendable {
    /// Where the host listens.
    private let writer: ChildEventWriter
    /// How many signs may still be given; nil before there is a thread that gives them, 0 while none is wanted.
    private let left = Mutex<Int?>(nil)

    /// The most signs at once, one each second.
    private static let most = 120
    /// The time between two signs, in milliseconds.
    private static let pause: Int32 = 1_000

    /// Tells nothing yet.
    ///
    /// - Parameter descriptor: where the host listens.
    init(tellingTo descriptor: Int32) { writer = ChildEventWriter(descriptor: descriptor) }

    /// Begins to give signs.
    func begin() {
        let isNew = left.withLock { left in
            defer { left = Self.most }
            return left == nil
        }
        guard isNew else { return }
        BackgroundThread.start { [self] in
            while true {
                _ = poll(nil, 0, Self.pause)
                let isWanted = left.withLock { left in
                    guard let count = left, count > 0 else { return false }
                    left = count - 1
                    return true
                }
                if isWanted { writer.tell(HistoryEvent.step(sequence: 0, type: "", origin: "").line) }
            }
        }
    }

    /// Gives no more signs.
    func end() { left.withLock { $0 = 0 } }
}
