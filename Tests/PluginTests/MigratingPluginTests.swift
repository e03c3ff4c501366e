// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// What becomes of a state that another version of a plugin has written.
@Suite(.timeLimit(.minutes(10))) struct MigratingPluginTests {
    /// What all of them keep.
    struct Sum: Codable, Sendable { var sum = 0 }

    enum Add: PluginAction { case add(Int) }

    /// Has known no other form.
    private struct Settled: Plugin {
        typealias Action = Add
        typealias State = Sum
        static func middleware() -> Reader { .doNothing() }
        static func initialState(_ settings: Settings) -> Sum { Sum() }
        static func reducer(_ settings: Settings) -> Reducer<Add, Sum> { .adding }
    }

    /// Has known one other form.
    private struct Migrating: MigratingPlugin {
        typealias Action = Add
        typealias State = Sum
        static func middleware() -> Reader { .doNothing() }
        static func initialState(_ settings: Settings) -> Sum { Sum() }
        static func reducer(_ settings: Settings) -> Reducer<Add, Sum> { .adding }
        static var stateVersion: Int { 2 }
        static func migrate(_ state: Value, from version: Int) throws -> Value {
            guard let total = state["total"] else {
                throw CodingFailure(pointer: .whole, expected: "a member \"total\"", found: "none")
            }
            return ["sum": total]
        }
    }

    /// Has known two other forms, and decides about actions.
    private struct Both: InterceptingPlugin, MigratingPlugin {
        typealias Action = Add
        typealias State = Sum
        static func middleware() -> Reader { .doNothing() }
        static func initialState(_ settings: Settings) -> Sum { Sum() }
        static func reducer(_ settings: Settings) -> Reducer<Add, Sum> { .adding }
        static func interceptor(_ context: Context) -> AnyInterceptor<Add, Sum> { .identity }
        static var stateVersion: Int { 3 }
        static func migrate(_ state: Value, from version: Int) throws -> Value {
            ["sum": .integer(Int64(version))]
        }
    }

    /// A state of an older version goes through the plugin, one of the present version is left as it is.
    @Test func `an older state is migrated, the present one is not`() throws {
        let exports = PluginEntry.exports(of: Migrating.self)
        #expect(exports.stateVersion == 2)
        #expect(try exports.migrate(["total": 5], from: 1) == ["sum": 5])
        #expect(try exports.migrate(["total": 5], from: 2) == ["total": 5])
    }

    @Test func `a plugin that both migrates and intercepts does both`() throws {
        let exports = PluginEntry.exports(of: Both.self)
        #expect(exports.stateVersion == 3 && exports.intercepts)
        #expect(try exports.migrate([:], from: 2) == ["sum": 2])
        #expect(!PluginEntry.exports(of: Migrating.self).intercepts)
    }

    @Test(arguments: [3, 0, -1])
    func `a version that the plugin cannot know is refused`(version: Int) throws {
        let failure = CodingFailure(
            pointer: .whole, expected: "state of version at most 2", found: "version \(version)")
        #expect(throws: failure) {
            try PluginEntry.exports(of: Migrating.self).migrate([:], from: version)
        }
    }

    @Test func `what the plugin throws is what does not fit`() throws {
        let failure = CodingFailure(pointer: .whole, expected: "a member \"total\"", found: "none")
        #expect(throws: failure) {
            try PluginEntry.exports(of: Migrating.self).migrate([:], from: 1)
        }
    }

    @Test func `a plugin that does not migrate has version 1, and knows no other`() throws {
        let exports = PluginEntry.exports(of: Settled.self)
        #expect(exports.stateVersion == 1)
        #expect(try exports.migrate(["sum": 1], from: 1) == ["sum": 1])
        let failure = CodingFailure(
            pointer: .whole, expected: "state of version at most 1", found: "version 2")
        #expect(throws: failure) { try exports.migrate([:], from: 2) }
    }

    /// The slice of a fresh instance.
    private func slice(_ exports: PluginExports, _ state: Value? = nil) throws -> Slice {
        let slice = try exports.makeParts(settings: [:]) { _ in }.slice
        if let state { try slice.restore(state) }
        return slice
    }

    @Test func `a slice takes over the state of another one of its type, and counts that as a change`() throws
    {
        let exports = PluginEntry.exports(of: Settled.self)
        let (old, new) = try (slice(exports, ["sum": 7]), slice(exports))
        let version = new.version
        #expect(try new.value() == ["sum": 0])
        #expect(new.adopt(old))
        #expect(try new.value() == ["sum": 7])
        #expect(new.version == version + 1)
        #expect(try old.value() == ["sum": 7])
    }

    @Test func `a slice of another type is left alone`() throws {
        struct Other: Plugin {
            typealias Action = Add
            struct State: Codable, Sendable { var sum = 1 }
            static func middleware() -> Reader { .doNothing() }
            static func initialState(_ settings: Settings) -> State { State() }
            static func reducer(_ settings: Settings) -> Reducer<Add, State> { .identity }
        }
        let new = try slice(PluginEntry.exports(of: Settled.self))
        #expect(try !new.adopt(slice(PluginEntry.exports(of: Other.self))))
        #expect(!new.adopt(Slice()))
        #expect(!Slice().adopt(new))
        #expect(Slice().adopt(Slice()))
        #expect(try new.value() == ["sum": 0])
    }
}

extension Reducer where ActionType == MigratingPluginTests.Add, StateType == MigratingPluginTests.Sum {
    /// Adds the numbers up.
    fileprivate static var adding: Self {
        .reduce { action, state in
            if case .add(let number) = action { state.sum += number }
        }
    }
}
