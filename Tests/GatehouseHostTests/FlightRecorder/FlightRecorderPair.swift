// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Testing

@testable import GatehouseHost
@testable import GatehouseRuntime

/// A flight recorder in a file, and the same as others see it.
struct FlightRecorderPair {
    /// The flight recorder as its process writes it.
    let own: FlightRecorder
    /// The same as others read it.
    let seen: FlightRecorder

    /// A flight recorder in which nothing has happened.
    init() throws {
        let file = unsafe gatehouse_memfd_create("box")
        try #require(file >= 0 && ftruncate(file, off_t(FlightRecorder.byteCount)) == 0)
        defer { close(file) }
        own = FlightRecorder(in: file)
        seen = FlightRecorder(lookingAt: file)
    }

    /// Has a drain run the code of an instance.
    static func enter(_ progress: RunProgress, _ instance: Int, _ step: PluginStep) {
        progress.resume(UInt64(instance) << 8 | step.rawValue)
    }
}
