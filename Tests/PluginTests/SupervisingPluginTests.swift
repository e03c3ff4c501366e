// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// A plugin whose effects follow its state; the example of the documents.
@Suite(.timeLimit(.minutes(1))) struct SupervisingPluginTests {
    private struct Watcher: Plugin {
        enum Action: PluginAction { case watch(Bool), look }
        struct State: Codable, Sendable {
            var isWatching = false
            var pause = 5
            var looks = 0
        }

        static func initialState(_ settings: NoSettings) -> State { State() }

        static func reducer(_ settings: NoSettings) -> Reducer<Action, State> {
            .reduce { action, state in
                switch action {
                case .watch(let isOn): state.isWatching = isOn
                case .look: state.looks += 1
                }
            }
        }

        static func middleware() -> Reader {
            .supervise { state, context in
                guard state.isWatching, let clock = context.clock else { return .doNothing }
                return .timer(every: .milliseconds(state.pause), clock: clock.clock) { .look }
            }
        }
    }

    @Test func `a timer runs while the state wants it`() async throws {
        let (looks, look) = AsyncStream<Void>.makeStream()
        let harness = try PluginHarness(Watcher.self, granted: ["clock"]) { action in
            if action.type == "look" { look.yield() }
        }
        harness.send("watch", true)
        var seen = looks.makeAsyncIterator()
        for _ in 0..<3 { await seen.next() }
        harness.send("watch", false)
        #expect(try harness.state?["isWatching"] == false)
        #expect(try (harness.state?["looks"]?.intValue ?? 0) >= 3)
    }

    @Test func `without a clock it does nothing`() throws {
        let harness = try PluginHarness(Watcher.self)
        harness.send("watch", true)
        #expect(harness.actions.count == 1)
    }
}
