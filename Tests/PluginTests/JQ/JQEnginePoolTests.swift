// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import JQPlugin

/// Programs that many instances have.
@Suite(.timeLimit(.minutes(5)))
struct JQEnginePoolTests {
    /// The outputs of a program, or why there are none.
    private func outputs(_ pool: JQEnginePool, for input: Value) -> Result<[Value], JQFailure> {
        Result { () throws(JQFailure) in try pool.outputs(for: input, most: 10, size: 1_000) }
    }

    @Test func `instances share a program while one of them has it`() throws {
        let first = try JQEnginePool.of(".a+1")
        #expect(try JQEnginePool.of(".a+1") === first)
        #expect(try JQEnginePool.of(".a+2") !== first)
        #expect(outputs(first, for: ["a": 1]) == .success([2]))
        // What one input does to a program is nothing to the next one.
        #expect(throws: JQFailure.self) { try outputs(first, for: ["a": "x"]).get() }
        #expect(outputs(first, for: ["a": 2]) == .success([3]))
    }

    @Test func `a program that does not compile is shared by nobody`() {
        for _ in 1...2 { #expect(throws: JQFailure.self) { try JQEnginePool.of(".a+") } }
    }

    @Test func `many tasks that use a program at the same time get what is theirs`() async throws {
        let pool = try JQEnginePool.of("[range(.n)]|add")
        await withTaskGroup(of: Bool.self) { group in
            for task in 1...8 {
                group.addTask {
                    (1...200).allSatisfy { number in
                        let n = task * 7 + number % 13
                        let sum = n * (n - 1) / 2
                        return outputs(pool, for: ["n": Value(n)]) == .success([Value(sum)])
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
