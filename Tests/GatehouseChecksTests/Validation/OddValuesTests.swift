// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseChecks

/// What checks put in the place of what a plugin expects.
@Suite(.timeLimit(.minutes(10))) struct OddValuesTests {
    /// How many containers are around the innermost value, each with one thing in it.
    private func depth(_ value: Value) -> Int {
        var (depth, inner) = (0, value)
        while true {
            switch inner {
            case .array(let elements) where elements.count == 1: inner = elements[0]
            case .object(let members) where members.count == 1: inner = members["example"] ?? "another name"
            default: return inner == .null ? depth : -1
            }
            depth += 1
        }
    }

    @Test func `deep values leave room for the payload around them, and for the action`() {
        #expect(OddValues.deep.map(depth) == [JSONText.maximumDepth - 8, JSONText.maximumDepth - 8])
        #expect(OddValues.deep.map(\.kindName) == ["an array", "an object"])
    }

    @Test func `large values are a megabyte of text, and ten thousand of elements and members`() {
        let counts = OddValues.large.map { value in
            switch value {
            case .string(let text): text.utf8.count
            case .array(let elements): elements.count
            case .object(let members): members.count
            default: 0
            }
        }
        #expect(counts == [1 << 20, 10_000, 10_000])
    }

    @Test func `places are those of what is in no other value, and of containers where they are wanted`() {
        let value: Value = ["a": [1, [], ["b": .null]], "c": .object(Members()), "d": "x"]
        let leaves = ["/a/0", "/a/1", "/a/2/b", "/c", "/d"]
        #expect(OddValues.places(in: value).map(\.description) == leaves)
        #expect(
            OddValues.places(in: value, containers: true).map(\.description)
                == ["", "/a", "/a/0", "/a/1", "/a/2", "/a/2/b", "/c", "/d"])
        #expect(OddValues.places(in: 1).map(\.description) == [""])
    }

    @Test func `one place is replaced or removed, and the rest stays`() throws {
        let value: Value = ["a": [1, 2]]
        let pointer = try JSONPointer("/a/1")
        #expect(OddValues.replacing(pointer, in: value, by: "x") == ["a": [1, "x"]])
        #expect(OddValues.replacing(pointer, in: value, by: nil) == ["a": [1]])
        #expect(OddValues.replacing(.whole, in: value, by: 7) == 7)
        #expect(OddValues.replacing(.whole, in: value, by: nil) == nil)
    }

    @Test(
        arguments: [
            (0, true), (.integer(.max), true), (.unsigned(.max), false), (.double(8e18), true),
            (.double(9e18), false), (.double(-9e18), false), (.double(0.5), true),
            (.bigNumber("1e999"), false),
            ("text", true), (.null, true), ([.unsigned(.max)], true),
        ] as [(Value, Bool)])
    func `numbers beyond 64 bits fit no usual type`(value: Value, fits: Bool) {
        #expect(OddValues.fitsUsualTypes(value) == fits)
    }

    @Test func `random values are the same for a seed, and are of all kinds, not deeper than asked`() {
        var (one, other) = (SeededNumbers(seed: 7), SeededNumbers(seed: 7))
        let values = (0..<500).map { _ in OddValues.random(&one) }
        #expect(values == (0..<500).map { _ in OddValues.random(&other) })
        #expect(
            Set(values.map(\.kindName)).isSuperset(of: [
                "null", "a boolean", "an integer", "a number", "a string", "an array", "an object",
            ]))
        let scalars = (0..<500).map { _ in OddValues.random(&one, depth: 0).kindName }
        #expect(!scalars.contains("an array") && !scalars.contains("an object"))
    }

    @Test func `random containers have at most three things in them`() {
        var numbers = SeededNumbers(seed: 7)
        let counts = (0..<500).compactMap { _ -> Int? in
            switch OddValues.random(&numbers) {
            case .array(let elements): elements.count
            case .object(let members): members.count
            default: nil
            }
        }
        #expect(Set(counts) == [0, 1, 2, 3])
    }

    @Test func `there is one value of each kind, both of the two that are true or false, and what is empty`()
    {
        #expect(Set(OddValues.kinds).count == OddValues.kinds.count)
        #expect(
            Set(OddValues.kinds.map(\.kindName)) == [
                "null", "a boolean", "an integer", "a number", "a string", "an array", "an object",
            ])
        for value: Value in [true, false, "", .array([]), .object(Members())] {
            #expect(OddValues.kinds.contains(value))
        }
    }

    @Test func `the numbers of a seed are those of SplitMix64`() {
        var numbers = SeededNumbers(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in numbers.next() }
                == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }
}
