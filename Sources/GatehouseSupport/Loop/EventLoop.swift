// SPDX-License-Identifier: Apache-2.0

private import CLinux

/// The one thread that waits for everything: sockets, clients, signals, changing files, timers.
///
/// Code marked `@EventLoop` runs there and nowhere else; the compiler enforces it. It never runs an action and waits only for
/// its descriptors, so a plugin that blocks or loops delays neither clients nor signals. A process has one, from its first use
/// to the end.
@globalActor
public actor EventLoop {
    /// The loop of this process.
    public static let shared = EventLoop()

    /// Runs the marked code, in the order of arrival.
    nonisolated let thread = LoopThread()
    /// The descriptors and moments that the loop waits for.
    @EventLoop static let waits = LoopWaits()

    /// Starts the loop's own thread, which waits from then on.
    private init() { thread.start() }

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe thread.asUnownedSerialExecutor()
    }

    /// The readiness of a descriptor.
    public struct Readiness: OptionSet, Sendable {
        public let rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// Reading does not block; also at the end of a stream.
        public static let readable = Readiness(rawValue: Int32(GATEHOUSE_READABLE))
        /// Writing does not block.
        public static let writable = Readiness(rawValue: Int32(GATEHOUSE_WRITABLE))
        /// The peer has gone, or something is wrong; always included.
        public static let hungUp = Readiness(rawValue: Int32(GATEHOUSE_HUNG_UP))
        /// An option: reports readiness once, and again after `rearm`.
        public static let once = Readiness(rawValue: Int32(GATEHOUSE_ONCE))
    }

    /// Runs a closure on the loop, and returns its result.
    @EventLoop
    public static func run<Result: Sendable, Failure: Error>(
        _ body: @EventLoop () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body()
    }

    /// Runs a closure on the loop, after those submitted before; callable from any thread.
    public static func perform(_ body: @escaping @EventLoop @Sendable () -> Void) {
        Task { @EventLoop in body() }
    }
}
