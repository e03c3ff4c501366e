// SPDX-License-Identifier: Apache-2.0

private import CLinux

/// The one thread that waits for everything: sockets, clients, signals, changing files, timers.
///
/// Code marked `@EventLoop` runs there and nowhere else; the compiler enforces it. It never runs an action and waits only for
/// its descriptors, so a plugin that blocks or loops delays neither clients nor signals. A process has one, from its first use
/// to the end.
@globalActor
package actor EventLoop {
    /// The loop of this process.
    package static let shared = EventLoop()

    /// Runs the marked code, in the order of arrival.
    nonisolated let thread = LoopThread()
    /// The descriptors and moments that the loop waits for.
    @EventLoop static let waits = LoopWaits()

    /// Starts the loop's own thread, which waits from then on.
    private init() { thread.start() }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// The readiness of a descriptor.
    package struct Readiness: OptionSet, Sendable {
        package let rawValue: Int32

        package init(rawValue: Int32) { self.rawValue = rawValue }

        /// Reading does not block; also at the end of a stream.
        package static let readable = Readiness(rawValue: Int32(GATEHOUSE_READABLE))
        /// Writing does not block.
        package static let writable = Readiness(rawValue: Int32(GATEHOUSE_WRITABLE))
        /// The peer has gone, or something is wrong; always included.
        package static let hungUp = Readiness(rawValue: Int32(GATEHOUSE_HUNG_UP))
        /// An option: reports readiness once, and again after `rearm`.
        package static let once = Readiness(rawValue: Int32(GATEHOUSE_ONCE))
    }

    /// Runs a closure on the loop, and returns its result.
    @EventLoop
    package static func run<Result: Sendable, Failure: Error>(
        _ body: @EventLoop () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body()
    }

    /// Runs a closure on the loop, after those submitted before; callable from any thread.
    package static func perform(_ body: @escaping @EventLoop @Sendable () -> Void) {
        Task { @EventLoop in body() }
    }
}
