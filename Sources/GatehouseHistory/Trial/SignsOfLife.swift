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
    /// Whether there is a thread that gives signs, and until when they are wanted.
    private let state = Mutex((hasThread: false, end: ContinuousClock.now))

    /// How long signs are given at most.
    private static let longest = Duration.seconds(120)
    /// The time between two signs, in milliseconds.
    private static let pause: Int32 = 1_000

    /// Tells nothing yet.
    ///
    /// - Parameter descriptor: where the host listens.
    init(tellingTo descriptor: Int32) { writer = ChildEventWriter(descriptor: descriptor) }

    /// Begins to give signs.
    func begin() {
        let isNew = state.withLock { state in
            defer { state = (true, .now + Self.longest) }
            return !state.hasThread
        }
        guard isNew else { return }
        BackgroundThread.start { [self] in
            while true {
                _ = poll(nil, 0, Self.pause)
                guard state.withLock({ .now < $0.end }) else { continue }
                writer.tell(HistoryEvent.step(sequence: 0, type: "", origin: "").line)
            }
        }
    }

    /// Gives no more signs.
    func end() { state.withLock { $0.end = .now } }
}
