// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

@Suite("gatehouse ctl hour", .timeLimit(.minutes(10)))
struct ControlHourTests {
    /// The hour as JSON.
    private func hour(_ host: ControlledHost, _ ids: String...) throws -> Value {
        try JSONText.parse(Array(try host.ctl(["hour", "--json"] + ids).output.utf8))
    }

    @Test func `the hour has what was done since the host started, and marks`() throws {
        let host = try ControlledHost()
        // From the answer on the first sample is there.
        _ = try hour(host)
        for _ in 1...3 { _ = try host.ctl("dispatch", "eu/increment") }
        _ = try host.ctl("close", "eu")
        let hour = try hour(host)
        #expect(sum(hour["actions"]) == 4)
        #expect(hour["instances"]?.arrayValue?.map { $0["id"] } == ["eu", "us"])
        #expect(sum(hour["instances"]?[0]?["heard"]) == 3)
        #expect(hour["instances"]?[0]?["gate"]?.arrayValue?.last == "bypass")
        #expect(hour["memory"]?.arrayValue?.last?.intValue ?? 0 > 1 << 20)
        let marks = hour["marks"]?.arrayValue ?? []
        #expect(marks.map { $0["event"] } == ["start", "gate"])
        #expect(marks.last?["id"] == "eu")
        #expect(try self.hour(host, "us")["instances"]?.arrayValue?.count == 1)
    }

    /// The sum of an array of numbers.
    private func sum(_ numbers: Value?) -> Int {
        (numbers?.arrayValue ?? []).reduce(0) { $0 + ($1.intValue ?? 0) }
    }

    @Test func `people see numbers, lines and words for the marks`() throws {
        let host = try ControlledHost()
        _ = try hour(host)
        _ = try host.ctl("close", "eu")
        let lines = try host.ctl("hour").output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0].contains("Z to ") && lines[0].contains(" sample"))
        #expect(lines[2].split(separator: " ") == ["NOW", "MEAN", "MOST", "OVER", "TIME"])
        #expect(
            lines[3...7].map { $0.split(separator: " ").first } == [
                "actions/s", "waiting", "effects", "memory", "time",
            ])
        #expect(lines[9].hasPrefix("INSTANCE  HEARD/s  SENT/s  FAILED"))
        #expect(lines[10].hasPrefix("eu ") && lines[10].contains("  bypass  "))
        #expect(lines[11].hasPrefix("us ") && lines[11].contains("  active  "))
        #expect(lines[13].hasSuffix("Z  the samples begin"))
        #expect(lines[14].hasSuffix("Z  eu: the gate is bypass"))
    }

    @Test func `an instance that was not there is refused`() throws {
        let outcome = try ControlledHost().ctl("hour", "eux")
        #expect(
            outcome.errors
                == "gatehouse: expected ids of instances of the last hour, found \"eux\"; did you mean \"eu\"?\n"
        )
        #expect(outcome.exitCode == 64)
    }
}
