// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseReload
@testable import GatehouseSupport

/// What has come of comparing a shadow with its instance.
@Suite(.timeLimit(.minutes(10))) struct ShadowAccountTests {
    /// An account of so many actions a second from a moment on, every tenth of which differs.
    private func account(_ count: Int, from time: Double = 0, differing: Bool = true) -> ShadowAccount {
        var account = ShadowAccount(behind: 0, at: time)
        for number in 0..<count {
            account.count(at: time + Double(number), isDifferent: differing && number % 10 == 9)
        }
        return account
    }

    @Test func `the share of what is answered otherwise is told in words`() {
        #expect(account(0).agreement == "nothing heard yet")
        #expect(account(1, differing: false).agreement == "1 action heard, all answered alike")
        #expect(account(300).agreement == "300 actions heard, 30 answered otherwise (10.0 %)")
        var rare = account(99_999, differing: false)
        rare.count(at: 0, isDifferent: true)
        #expect(rare.agreement == "100000 actions heard, 1 answered otherwise (less than 0.01 %)")
        var hundredth = account(9_999, differing: false)
        hundredth.count(at: 0, isDifferent: true)
        #expect(hundredth.agreement == "10000 actions heard, 1 answered otherwise (0.01 %)")
    }

    @Test func `the last hour is kept by minutes, whatever has happened before`() {
        let account = account(7_200)
        #expect(account.minutes.count == 60)
        #expect(account.minutes.first?.start == 3_600 && account.minutes.last?.start == 7_140)
        #expect(account.minutes.allSatisfy { $0.heard == 60 && $0.differing == 6 })
        #expect(account.heard == 7_200 && account.differing == 720)
    }

    @Test func `a clock that was set back adds to the minute in hand`() {
        var account = account(1, from: 600)
        account.count(at: 30, isDifferent: false)
        #expect(account.minutes.map(\.heard) == [2])
    }

    @Test func `only so many differences are kept, and all are counted`() {
        var account = ShadowAccount(behind: 0, at: 0)
        for number in 0..<UInt64(1_000) {
            account.note(
                output: "t/\(number) changed", ShadowAccount.Difference(after: number, "t/\(number)"))
        }
        account.note(output: "t/0 changed", ShadowAccount.Difference(after: 0, "t/0"))
        #expect(account.first.count == 20 && account.outputs.count == 256)
        #expect(account.outputs["t/0 changed"] == 2)
        #expect(account.lines.count == 1 + 256 + 1 + 5)
    }

    @Test func `of what was not heard eight sentences are kept`() {
        var account = ShadowAccount(behind: 0, at: 0)
        for number in 1...9 { account.note(missed: "\(number)") }
        #expect(account.lines == (1...8).map { "\($0)" })
    }

    @Test func `effects are counted by type on both sides, and of 256 types`() {
        var account = ShadowAccount(behind: 0, at: 0)
        for number in 0..<UInt64(257) {
            account.note(effectsOf: "t/\(number)", ShadowAccount.Sides(1, 2), after: number)
        }
        account.note(effectsOf: "t/0", ShadowAccount.Sides(3, 4), after: 300)
        #expect(account.effects.count == 256 && account.effects["t/256"] == nil)
        #expect(account.effects["t/0"] == ShadowAccount.Sides(4, 6))
        #expect(account.first.count == 20)
    }

    @Test func `reports about bad data are told where their numbers differ`() {
        var account = ShadowAccount(behind: 0, at: 0)
        account.errors = ShadowAccount.Sides(2, 2)
        #expect(account.lines == [])
        account.errors.shadow = 3
        #expect(account.lines == ["reports about bad data: 2 → 3"])
    }

    @Test func `it comes back as it was sent`() throws {
        var account = account(100)
        account.note(effectsOf: "t/a", ShadowAccount.Sides(1, 0), after: 7)
        account.note(missed: "actions 3 to 4 came while nobody listened")
        account.state = ShadowAccount.Difference(after: 9, "the state differs", ["a": 1])
        #expect(ShadowAccount(json: account.json) == account)
        #expect(
            account.lines == [
                "actions 3 to 4 came while nobody listened", "other numbers of effects begin with:",
                "  t/a  1 → 0", "the first of them:", "  effects of t/a after 7  1 → 0",
                "the state differs",
            ])
    }
}
