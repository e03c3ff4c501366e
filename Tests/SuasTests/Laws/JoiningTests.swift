// SPDX-License-Identifier: Apache-2.0

import SeededTesting
import Suas
import Testing

/// `+` is associative and keeps the order, for middlewares and for reducers.
@Suite(.timeLimit(.minutes(10)))
struct JoiningTests {
    /// Joins the parts in order, bracketed as chance has it.
    private func join<Part>(
        _ parts: [Part], with generator: inout SeededGenerator, _ plus: (Part, Part) -> Part
    ) -> Part? {
        var parts = parts
        while parts.count > 1 {
            let index = Int.random(in: 0..<(parts.count - 1), using: &generator)
            parts.replaceSubrange(index...(index + 1), with: [plus(parts[index], parts[index + 1])])
        }
        return parts.first
    }

    @Test(arguments: UInt64(1)...20)
    func `however middlewares are bracketed, each runs once and in order`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let trace = Trace()
        let names = (0..<Int.random(in: 1...12, using: &generator)).map { "m\($0)" }
        let parts: [any MiddlewareComponent] = names.map { Probe(name: $0, trace: trace) }
        let joined = try #require(join(parts, with: &generator) { $0 + $1 }, "seed \(seed)")
        let probes = joined.members.compactMap { $0 as? Probe }
        #expect(probes.map(\.name) == names, "seed \(seed)")
        let store = Suas.createStore(reducer: Number(), middleware: CombinedMiddleware(probes))
        store.dispatch(action: Add(1))
        let before = names.map { "\($0) before +1 (0)" }
        let after = names.reversed().map { "\($0) after +1 (1)" }
        #expect(trace.lines == before + after, "seed \(seed)")
    }

    @Test(arguments: UInt64(1)...20)
    func `however reducers are bracketed, the first of each key stays`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...12, using: &generator)
        let keys = (0..<count).map { _ in "k\(Int.random(in: 0...5, using: &generator))" }
        let parts = keys.enumerated().map { index, key in
            CombinedReducer(BlockReducer(initialState: index, stateKey: key) { _, _ in nil })
        }
        let joined = try #require(join(parts, with: &generator) { $0 + $1 }, "seed \(seed)")
        let first = Dictionary(keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(joined.initialState.compactMapValues { $0 as? Int } == first, "seed \(seed)")
        #expect(joined.problems.count == count - first.count, "seed \(seed)")
    }
}
