// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// The trail of rules that led to an action.
@Suite(.timeLimit(.minutes(10))) struct ActionSourceRuleTests {
    /// The trail after an answer to one with these lines.
    private func answered(_ lines: [String]?) -> [String] {
        let source = ActionSource(
            file: "f", function: "g", line: 7, info: lines.map { $0.joined(separator: "\n") })
        let answer = source.answered(by: "rules", rule: 3, to: "a/b")
        #expect(answer.file == "f" && answer.line == 7)
        return answer.info?.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) ?? []
    }

    private let last = "a/b by rules /rules/3"

    @Test func `an answer adds a line to the trail`() {
        #expect(answered(nil) == [last])
        #expect(answered(["x"]) == ["x", last])
        #expect(answered(["", "x", ""]) == ["", "x", "", last])
    }

    @Test func `of a long trail the first four lines and the last four are kept`() {
        let lines = (1...9).map(String.init)
        #expect(answered(Array(lines.prefix(7))) == ["1", "2", "3", "4", "5", "6", "7", last])
        #expect(answered(Array(lines.prefix(8))) == ["1", "2", "3", "4", "…", "6", "7", "8", last])
        #expect(answered(lines) == ["1", "2", "3", "4", "…", "7", "8", "9", last])
    }
}
