// SPDX-License-Identifier: Apache-2.0

private import CLinux

/// SIGINT and SIGTERM as something to wait for instead of something that interrupts.
public enum SignalDescriptor {
    /// Blocks the signals and gives a descriptor that becomes readable when one arrives; nil when the system refuses.
    ///
    /// Call it on the main thread before any other thread exists.
    public static func open() -> Int32? {
        let descriptor = gatehouse_signals_open(false)
        return descriptor >= 0 ? descriptor : nil
    }

    /// The number of one signal that has arrived, nil when none is waiting.
    static func take(from descriptor: Int32) -> Int32? {
        let signal = gatehouse_signals_next(descriptor)
        return signal > 0 ? signal : nil
    }

    /// Lets writing to a closed pipe fail instead of ending the process; holds for the whole process.
    public static func ignoreBrokenPipe() {
        _ = gatehouse_ignore_broken_pipe()
    }
}
