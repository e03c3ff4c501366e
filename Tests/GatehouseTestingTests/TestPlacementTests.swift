// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

/// What a test of an instance finds that is to run in a worker.
@Suite(.timeLimit(.minutes(5)))
struct TestPlacementTests {
    /// Counts to a limit, and keeps what it counted; how well its state comes back is up to the test.
    struct Memory: Plugin {
        enum Action: PluginAction {
            case keep(String)
        }
        struct State: Codable, Sendable {
            /// What was kept last, which is written only where it is not a secret.
            var word = ""
            /// How long it is.
            var length = 0

            init() {}

            enum CodingKeys: CodingKey { case word, length }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                word = try container.decode(String.self, forKey: .word)
                guard word != "poison" else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .word, in: container, debugDescription: "no poison")
                }
                length = word.utf8.count
            }
        }

        static func initialState(_ settings: NoSettings) -> State { State() }

        static func reducer(_ settings: NoSettings) -> Reducer<Action, State> {
            .reducing { action, state in
                guard case .keep(let word) = action else { return .unchanged }
                state.word = word
                state.length = word == "hidden" ? 40 : word.utf8.count
                return .changed
            }
        }

        static func middleware() -> Reader { .onAction { _, _, _ in .doNothing } }
    }

    /// The text of the failure that a closure throws.
    private func failure(_ body: () async throws -> Void) async throws -> String {
        do { try await body() } catch let failure as TestFailure { return failure.text }
        return "none"
    }

    @Test func `an instance that keeps its state by what it writes runs in a worker as in the host`()
        async throws
    {
        let store = try TestStore(Memory.self, placement: .worker)
        try store.send(.keep("tea")) { ($0.word, $0.length) = ("tea", 3) }
        try await store.finish()
        #expect(store.takeProblems() == [])
    }

    @Test func `a state that is read again as another one is found at the place where it differs`()
        async throws
    {
        let store = try TestStore(Memory.self, placement: .worker)
        try store.send(.keep("hidden")) { ($0.word, $0.length) = ("hidden", 40) }
        #expect(
            try await failure { try await store.finish() }
                == "the next process of its worker would have another state: /length: expected 40, found 6 at the end"
        )
    }

    @Test func `a state that is written and not read again is found`() async throws {
        let store = try TestStore(Memory.self, placement: .worker)
        try store.send(.keep("poison")) { ($0.word, $0.length) = ("poison", 6) }
        #expect(
            store.takeProblems() == [
                "the next process of its worker would not take its state: /word: expected an acceptable value, found one that is refused: no poison"
            ])
    }

    @Test func `in the host nobody reads the state again, and the same instance passes`() async throws {
        let store = try TestStore(Memory.self)
        try store.send(.keep("poison")) { ($0.word, $0.length) = ("poison", 6) }
        try await store.finish()
    }

    @Test func `an instance that needs the host fails at the beginning, with all that it has`() {
        let all = #expect(throws: TestFailure.self) {
            try TestStore(
                Alarms.self, services: TestServices(state: HostStateReader { _ in nil }), placement: .worker)
        }
        #expect(
            all?.text
                == "expected an instance that can run in a worker, found an interceptor, the service state; an operator has to run it in the host"
        )
        #expect(all?.place.file == "GatehouseTestingTests/TestPlacementTests.swift")
    }
}
