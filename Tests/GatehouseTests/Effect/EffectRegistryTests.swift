// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gatehouse

/// What one middleware knows of its running effects.
@Suite(.timeLimit(.minutes(10)))
struct EffectRegistryTests {
    /// Begins a run that may run.
    private func begin(_ registry: EffectRegistry, _ token: EffectToken) throws -> EffectRun {
        let beginning = registry.begin(token: token, as: .foreground, activity: nil, drain: nil, logged: nil)
        guard case .started(let run) = beginning else {
            Issue.record("there is room")
            throw CancellationError()
        }
        return run
    }

    @Test func `a run that ends when its successor has its token leaves it the token`() throws {
        let registry = EffectRegistry(limit: 10)
        let token = EffectToken("t")
        let first = try begin(registry, token)
        let second = Kept<EffectRun>()
        // Called when the first is cancelled, but has not told the registry yet.
        first.onCancel { second.value = try? self.begin(registry, token) }
        registry.cancel(token)
        let successor = try #require(second.value)
        #expect(!first.isRunning && successor.isRunning)
        #expect(registry.count == 1)
        registry.cancel(token)
        #expect(successor.isCancelled, "its token still names it")
        #expect(registry.count == 0)
    }
}
