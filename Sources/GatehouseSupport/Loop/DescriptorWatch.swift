// SPDX-License-Identifier: Apache-2.0

/// A descriptor that the event loop watches until this is cancelled.
///
/// The owner keeps the descriptor, and must cancel before closing it.
@EventLoop
package final class DescriptorWatch {
    /// The watched descriptor.
    package nonisolated let descriptor: Int32
    /// The loop's name for it.
    private nonisolated let token: UInt64
    /// The readiness to wait for.
    private nonisolated let readiness: EventLoop.Readiness
    /// Whether the watch has ended.
    private var isCancelled = false

    /// Starts watching.
    ///
    /// - Parameters:
    ///   - readiness: with `once`, watches only until the descriptor is ready, and again after each `rearm`.
    ///   - body: called with the descriptor's readiness, each time.
    /// - Throws: the system's error; `EPERM` for a regular file, which is always ready.
    package init(
        _ descriptor: Int32, for readiness: EventLoop.Readiness,
        _ body: @escaping @EventLoop (EventLoop.Readiness) -> Void
    ) throws(SystemFailure) {
        self.descriptor = descriptor
        self.readiness = readiness
        token = EventLoop.waits.add(body)
        let code = EventLoop.shared.thread.add(descriptor, for: readiness.rawValue, as: token)
        guard code == 0 else {
            EventLoop.waits.remove(token)
            isCancelled = true
            throw SystemFailure(code: code)
        }
    }

    /// Watches once more, after the descriptor was ready; callable from any thread while the descriptor is
    /// open.
    package nonisolated func rearm() {
        _ = EventLoop.shared.thread.add(descriptor, for: readiness.rawValue, as: token)
    }

    /// Watches for another readiness.
    package func change(to readiness: EventLoop.Readiness) {
        guard !isCancelled else { return }
        _ = EventLoop.shared.thread.add(descriptor, for: readiness.rawValue, as: token)
    }

    /// Stops watching; call it before the descriptor is closed.
    package func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        EventLoop.shared.thread.remove(descriptor)
        EventLoop.waits.remove(token)
    }
}
