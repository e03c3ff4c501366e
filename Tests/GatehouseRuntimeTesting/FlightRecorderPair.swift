// SPDX-License-Identifier: Apache-2.0

private import CLinux
package import GatehouseRuntime
private import Glibc
private import Testing

/// A flight recorder in a file, and the same as others see it.
package struct FlightRecorderPair {
    /// The flight recorder as its process writes it.
    package let own: FlightRecorder
    /// The same as others read it.
    package let seen: FlightRecorder

    /// A flight recorder in which nothing has happened.
    package init() throws {
        let file = unsafe gatehouse_memfd_create("box")
        try #require(file >= 0 && ftruncate(file, off_t(FlightRecorder.byteCount)) == 0)
        defer { close(file) }
        own = FlightRecorder(in: file)
        seen = FlightRecorder(lookingAt: file)
    }

    /// Has a drain run the code of an instance.
    package static func enter(_ progress: RunProgress, _ instance: Int, _ step: PluginStep) {
        progress.resume(UInt64(instance) << 8 | step.rawValue)
    }
}
