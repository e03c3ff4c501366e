// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct PluginLogTests {
    @Test func `lines below the minimum are not written`() {
        let written = Written()
        let log = PluginLog(minimum: .warning) { level, line in
            written.lines.withLock { $0.append("\(level) \(line)") }
        }
        for level in PluginLog.Level.allCases { log(level, "x") }
        log("y")
        #expect(written.lines.withLock { $0 } == ["warning x", "error x"])
    }

    @Test func `a line without a level is information`() {
        let written = Written()
        let log = PluginLog { level, line in written.lines.withLock { $0.append("\(level) \(line)") } }
        log("y")
        #expect(written.lines.withLock { $0 } == ["info y"])
    }

    /// What a log wrote.
    private final class Written: Sendable {
        let lines = Mutex<[String]>([])
    }
}
