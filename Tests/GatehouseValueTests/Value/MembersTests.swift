// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

/// Ordered members with unique names.
@Suite(.timeLimit(.minutes(10))) struct MembersTests {
    @Test(arguments: [3, 16, 17, 200])
    func `names keep their order through changes and removals`(count: Int) {
        var members = Members((0..<count).map { ("k\($0)", Value($0)) })
        #expect(members.count == count)
        members["k0"] = "changed"
        members["k1"] = nil
        members["absent"] = nil
        members["last"] = true
        #expect(members.keys == ["k0"] + (2..<count).map { "k\($0)" } + ["last"])
        #expect(members["k0"] == "changed")
        #expect(members["k1"] == nil)
        #expect(members["k\(count - 1)"]?.intValue == count - 1)
        #expect(members[members.count - 1].key == "last")
    }

    @Test func `a repeated name keeps its first place and its last value`() {
        let members: Members = ["a": 1, "b": 2, "a": 3]
        #expect(members.map(\.key) == ["a", "b"])
        #expect(members["a"] == 3)
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `members behave like a dictionary`(seed: UInt64) {
        var generator = Generator(seed: seed)
        var members = Members()
        var model: [String: Value] = [:]
        for _ in 0..<200 {
            let key = "k\(generator.next() % 40)"
            let value: Value? = generator.next() % 3 == 0 ? nil : Value(generator.next())
            members[key] = value
            model[key] = value
        }
        #expect(members.count == model.count, "seed \(seed)")
        #expect(model.allSatisfy { members[$0.key] == $0.value }, "seed \(seed)")
        #expect(Set(members.keys) == Set(model.keys), "seed \(seed)")
    }
}
