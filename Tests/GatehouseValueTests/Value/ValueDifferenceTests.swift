// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import SeededTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct ValueDifferenceTests {
    @Test(
        arguments: [
            (nil, nil, []), (1, 1.0, []), ([1, 2], [1, 2], []), (["a": 1, "b": 2], ["b": 2, "a": 1], []),
            (1, 2, [" 1 2"]), (nil, 1, [" none 1"]), (1, nil, [" 1 none"]),
            (["a": nil], [:], ["/a null none"]),
            (["a": 1], ["a": ["b": 1]], [#"/a 1 {"b":1}"#]), ([:], [], [" {} []"]),
            (["a": ["b": 1, "c": 2]], ["a": ["b": 1, "c": 3]], ["/a/c 2 3"]),
            (["a/b": 1, "c": 2], ["a/b": 2, "d": 2], ["/a~1b 1 2", "/c 2 none", "/d none 2"]),
            ([1, 2], [1, 3, 4, 5], ["/1 2 3", "/2 none 4", "/3 none 5"]),
            ([1, 2, 3], [0], ["/0 1 0", "/2 3 none", "/1 2 none"]),
        ] as [(Value?, Value?, [String])])
    func `two values differ in as few places as possible`(old: Value?, new: Value?, expected: [String]) {
        let changes = Value.differences(from: old, to: new).map { change in
            "\(change.pointer) \(change.old?.json() ?? "none") \(change.new?.json() ?? "none")"
        }
        #expect(changes == expected)
    }

    @Test func `places begin with the given pointer`() {
        let changes = Value.differences(from: [1], to: [2], at: JSONPointer(tokens: ["x", "y"]))
        #expect(changes == [ValueDifference(pointer: JSONPointer(tokens: ["x", "y", "0"]), old: 1, new: 2)])
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `applying the changes in order turns the one value into the other`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let old = Value.random(depth: 4, using: &random)
        let new =
            Bool.random(using: &random) ? Value.random(depth: 4, using: &random) : old.mutated(using: &random)
        var patched = old
        for change in Value.differences(from: old, to: new) {
            #expect(patched[change.pointer] == change.old, "seed \(seed)")
            let isPlaced = patched.set(change.new, at: change.pointer)
            #expect(isPlaced, "seed \(seed)")
        }
        #expect(patched == new, "seed \(seed)")
    }
}

extension Value {
    /// A value with few names and few scalars, so that two of them have something in common.
    fileprivate static func random(depth: Int, using random: inout SeededGenerator) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
        case 0: .null
        case 1: .bool(.random(using: &random))
        case 2: Value(Int.random(in: 0..<3, using: &random))
        case 3: .string(["a", "b~/", ""].randomElement(using: &random) ?? "")
        case 4:
            .array(
                (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                    .random(depth: depth - 1, using: &random)
                })
        default:
            .object(
                Members(
                    (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                        (
                            ["a", "b", "~/", ""].randomElement(using: &random) ?? "",
                            .random(depth: depth - 1, using: &random)
                        )
                    }))
        }
    }

    /// The value with something else in one or more places.
    fileprivate func mutated(using random: inout SeededGenerator) -> Value {
        switch self {
        case .array(let elements) where !elements.isEmpty: .array(elements.map { $0.mutated(using: &random) })
        case .object(let members) where !members.isEmpty:
            .object(Members(members.map { ($0.key, $0.value.mutated(using: &random)) }))
        default: Bool.random(using: &random) ? self : .random(depth: 2, using: &random)
        }
    }
}
