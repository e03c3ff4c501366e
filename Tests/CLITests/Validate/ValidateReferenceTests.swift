// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// The table of checks in the reference is the one that the program prints.
@Suite(.timeLimit(.minutes(10))) struct ValidateReferenceTests {
    @Test func `the reference has each check with its sentence, in order`() throws {
        let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let text = String(
            decoding: try FileSystem.read("/\(folder)/Documentation/Reference.md"), as: UTF8.self)
        let start = try #require(text.firstRange(of: "| check | expects |\n|---|---|\n")).upperBound
        let rows = text[start...].split(separator: "\n", omittingEmptySubsequences: false).prefix {
            !$0.isEmpty
        }
        let printed = try JSONText.parse(
            try ChildProcess.run(arguments: ["validate", "--list", "--json"]).output)
        let expected = try #require(printed.arrayValue).map { check in
            "| `\(check["name"]?.stringValue ?? "")` | \(check["expectation"]?.stringValue ?? "") |"
        }
        #expect(rows.map(String.init) == expected)
    }
}
