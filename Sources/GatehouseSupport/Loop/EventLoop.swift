// SPDX-License-Identifier: Apache-2.0

private import CLinux

/// The one thread that waits for everything: sockets, clients, signals, files that change, timers.
///
/// What is marked `@EventLoop` runs there and nowhere else, as the compiler sees to. It never runs an action and waits for
/// nothing but its descriptors, so that a plugin that blocks or loops keeps neither a client nor a signal waiting. There is one
/// in a process, from its first use to the end.
@globalActor
public actor EventLoop {
    /// The loop of this process.
    public static let shared = EventLoop()

    /// Runs what is marked, in the order in which it comes.
    nonisolated let thread = LoopThread()
    /// The descriptors and moments that the loop waits for.
    @EventLoop static let waits = LoopWaits()

    /// Starts the loop's own thread, which waits from then on.
    private init() { thread.start() }

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe thread.asUnownedSerialExecutor()
    }

    /// What descriptors are ready for.
    public struct Readiness: OptionSet, Sendable {
        public let rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// Reading does not block; at the end of a stream too.
        public static let readable = Readiness(rawValue: Int32(GATEHOUSE_READABLE))
        /// Writing does not block.
        public static let writable = Readiness(rawValue: Int32(GATEHOUSE_WRITABLE))
        /// The other side has gone, or something is wrong; always waited for.
        public static let hungUp = Readiness(rawValue: Int32(GATEHOUSE_HUNG_UP))
        /// Asked for with the others: waited for once, and again when `rearm` is called.
        public static let once = Readiness(rawValue: Int32(GATEHOUSE_ONCE))
    }

    /// Runs a closure on the loop, and gives its result.
    @EventLoop
    public static func run<Result: Sendable, Failure: Error>(
        _ body: @EventLoop () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body()
    }

    /// Runs a closure on the loop, behind what was brought there before; callable from any thread.
    public static func perform(_ body: @escaping @EventLoop @Sendable () -> Void) {
        Task { @EventLoop in body() }
    }
}
