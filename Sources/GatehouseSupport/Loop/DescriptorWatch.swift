// SPDX-License-Identifier: Apache-2.0

/// A descriptor that the event loop waits for, until this is cancelled.
///
/// The descriptor stays the owner's, who cancels before closing it.
@EventLoop
public final class DescriptorWatch {
    /// The descriptor that is watched.
    public nonisolated let descriptor: Int32
    /// What the loop knows it by.
    private nonisolated let token: UInt64
    /// The readiness that is waited for.
    private nonisolated let readiness: EventLoop.Readiness
    /// Whether it is waited for no longer.
    private var isCancelled = false

    /// Waits from here on.
    ///
    /// - Parameters:
    ///   - readiness: with `once`, only until it is ready, and again after each `rearm`.
    ///   - body: told what the descriptor is ready for, each time.
    /// - Throws: the system's error; `EPERM` for a regular file, which is always ready.
    public init(
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

    /// Waits once more, after the descriptor was ready; callable from any thread while the descriptor is open.
    public nonisolated func rearm() {
        _ = EventLoop.shared.thread.add(descriptor, for: readiness.rawValue, as: token)
    }

    /// Waits for something else.
    public func change(to readiness: EventLoop.Readiness) {
        guard !isCancelled else { return }
        _ = EventLoop.shared.thread.add(descriptor, for: readiness.rawValue, as: token)
    }

    /// Waits no longer; call it before the descriptor is closed.
    public func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        EventLoop.shared.thread.remove(descriptor)
        EventLoop.waits.remove(token)
    }
}
