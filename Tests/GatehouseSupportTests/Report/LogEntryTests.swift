// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseSupport

/// The two forms of an entry of the host's log.
@Suite(.timeLimit(.minutes(10))) struct LogEntryTests {
    /// The JSON form at a fixed time.
    private func json(_ entry: LogEntry) -> String { entry.line(as: .json, at: 1_800_000_000.25) }

    @Test func `text says who speaks, and that it is a warning`() {
        #expect(LogEntry.own(.info, "all is well").line(as: .text) == "gatehouse: all is well")
        #expect(LogEntry.warning("take care").line(as: .text) == "gatehouse: warning: take care")
        #expect(LogEntry(.debug, prefix: "shop: ", "sold").line(as: .text) == "shop: sold")
    }

    @Test func `JSON has both as members`() {
        #expect(
            json(.warning("take care"))
                == #"{"time":"2027-01-15T08:00:00.250Z","level":"warning","message":"take care"}"#)
        #expect(
            json(LogEntry(.debug, prefix: "shop: ", "sold", instance: "shop"))
                == #"{"time":"2027-01-15T08:00:00.250Z","level":"debug","message":"sold","instance":"shop"}"#)
    }

    @Test func `lines of text lose the name of the program`() {
        #expect(json(.lines(.info, "gatehouse: 1 line")).hasSuffix(#""message":"1 line"}"#))
        #expect(LogEntry.lines(.info, "gatehouse: 1 line").line(as: .text) == "gatehouse: 1 line")
    }

    @Test func `an entry stays on one line of JSON, and moves no terminal`() {
        let entry = LogEntry(.error, "a \"b\"\n  below\n\u{1B}[K\u{2028}")
        #expect(entry.line(as: .text) == "a \"b\"\n  below\\n\\u{1B}[K\\u{2028}")
        #expect(json(entry).hasSuffix(#""message":"a \"b\"\n  below\n\u001b[K\u2028"}"#))
    }
}
