// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehousePlan

/// Who takes over from whom when one plan follows another.
@Suite(.timeLimit(.minutes(10))) struct SuccessionTests {
    /// Who takes over, by entries such as `b` or `b was a`.
    private func predecessors(_ old: [String], _ new: String...) -> [String] {
        let entries = new.map { text in
            let words = text.split(separator: " ").map(String.init)
            return InstanceConfiguration(id: words[0], was: words.count == 3 ? words[2] : nil)
        }
        let succession = Succession(from: old, to: entries)
        return entries.map { succession[$0.id] ?? "-" }
    }

    @Test func `an entry goes on under its id, and one that is new begins anew`() {
        #expect(predecessors(["a", "b"], "b", "c") == ["b", "-"])
    }

    @Test func `a renamed entry takes over from the one that it was`() {
        #expect(predecessors(["a"], "b was a") == ["a"])
        #expect(predecessors(["x"], "b was a") == ["-"])
    }

    @Test func `its own id comes before the one that it was`() {
        #expect(predecessors(["a", "b"], "b was a") == ["b"])
    }

    @Test func `an entry that still has the id keeps its state, wherever it stands`() {
        #expect(predecessors(["a"], "b was a", "a") == ["-", "a"])
    }

    @Test func `of several that were the same the first one is it`() {
        #expect(predecessors(["a"], "b was a", "c was a") == ["a", "-"])
    }
}
