// SPDX-License-Identifier: Apache-2.0

/// Tells when an interceptor lets go of an action that it has not let pass: at once, or after it has held it back.
final class DroppedAction {
    /// Whether it has gone on, so that there is nothing to tell; touched in the drain.
    var isPassed = false
    /// Takes note of it, on the thread that lets go.
    private let onDrop: @Sendable () -> Void

    /// An action that is shown to an interceptor; `onDrop` is called on any thread, at most once.
    init(onDrop: @escaping @Sendable () -> Void) { self.onDrop = onDrop }

    deinit { if !isPassed { onDrop() } }
}
