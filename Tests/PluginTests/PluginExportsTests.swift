// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import Testing

@testable import GatehouseSDK

/// What a library offers its host.
@Suite(.timeLimit(.minutes(10))) struct PluginExportsTests {
    private enum Action: PluginAction { case known, other(Int) }

    private struct Settings: PluginSettings { var count = 1 }

    private struct Stateless: Plugin {
        typealias Action = PluginExportsTests.Action
        typealias Settings = PluginExportsTests.Settings
        static func middleware() -> Reader { .doNothing() }
    }

    private struct Intercepting: InterceptingPlugin {
        typealias Action = PluginExportsTests.Action
        static func middleware() -> Reader { .doNothing() }
        static func interceptor(_ context: Context) -> AnyInterceptor<Action, NoState> { .identity }
    }

    private struct Keeping: MigratingPlugin {
        typealias Action = PluginExportsTests.Action
        typealias State = Int
        static func middleware() -> Reader { .doNothing() }
        static func initialState(_ settings: Settings) -> Int { 7 }
        static func reducer(_ settings: Settings) -> Reducer<Action, Int> { .identity }
        static var stateVersion: Int { 4 }
        static func migrate(_ state: Value, from version: Int) throws -> Value { .integer(Int64(version)) }
    }

    private struct Everything: Plugin {
        typealias Action = AnyAction
        static func middleware() -> Reader { .doNothing() }
    }

    @Test func `a plugin has the kinds and the version that it says`() {
        let plain = PluginExports(Stateless.self)
        #expect(!plain.keepsState && !plain.intercepts)
        #expect(plain.stateVersion == 1)
        let intercepting = PluginExports(Intercepting.self)
        #expect(!intercepting.keepsState && intercepting.intercepts)
        #expect(intercepting.stateVersion == 1)
        let keeping = PluginExports(Keeping.self)
        #expect(keeping.keepsState && !keeping.intercepts)
        #expect(keeping.stateVersion == 4)
    }

    @Test func `the kind of a plugin is found although only its type is known`() {
        func exports<P: Plugin>(_ plugin: P.Type) -> PluginExports { PluginEntry.exports(of: plugin) }
        #expect(!exports(Stateless.self).intercepts)
        #expect(exports(Intercepting.self).intercepts)
        #expect(exports(Keeping.self).stateVersion == 4)
    }

    @Test func `names that are no actions are found, and patterns are not asked for`() {
        let names = ["known", "knwon", "other", "*", "k*", "known*"]
        #expect(PluginExports(Stateless.self).unknownNames(in: names) == ["knwon"])
        #expect(PluginExports(Everything.self).unknownNames(in: names) == [])
    }

    @Test func `settings and schema are compared`() {
        let schema = Schema(["properties": ["cuont": [:]]])
        let difference = PluginExports(Stateless.self).settingsDifference(from: schema)
        #expect(difference.unknown == ["cuont"])
        #expect(difference.undescribed == ["count"])
        #expect(!difference.isEmpty)
        let same = PluginExports(Stateless.self).settingsDifference(
            from: Schema(["properties": ["count": [:]]]))
        #expect(same.isEmpty)
    }

    @Test func `each older version is migrated, and no other one`() throws {
        let exports = PluginExports(Keeping.self)
        for version in 1...3 {
            #expect(try exports.migrate("old", from: version) == .integer(Int64(version)))
        }
        #expect(try exports.migrate("present", from: 4) == "present")
        for version in [-1, 0, 5] {
            #expect(throws: CodingFailure.self) { try exports.migrate("other", from: version) }
        }
    }

    @Test func `exports that are made of functions are what they were made of`() throws {
        let exports = PluginExports(
            keepsState: true, intercepts: true, stateVersion: 3, migrate: { state, _ in state },
            makeParts: { settings, _, _ throws(CodingFailure) in
                guard settings == [:] else {
                    throw CodingFailure(pointer: .whole, expected: "nothing", found: "something")
                }
                return PluginParts(
                    readers: [], slice: Slice(), decoded: DecodedPayload<AnyAction>(), reducer: nil,
                    interceptor: nil)
            })
        #expect(exports.keepsState && exports.intercepts)
        #expect(exports.stateVersion == 3)
        #expect(exports.unknownNames(in: ["any"]) == [])
        #expect(exports.settingsDifference(from: Schema(["properties": ["a": [:]]])).isEmpty)
        #expect(try exports.migrate(5, from: 2) == 5)
        #expect(try exports.makeParts(settings: [:]) { _ in }.readers.isEmpty)
        #expect(throws: CodingFailure.self) { try exports.makeParts(settings: 1) { _ in } }
    }

    @Test func `settings of a wrong type are refused, and those that are missing have their defaults`() throws
    {
        struct Counting: Plugin {
            typealias Action = PluginExportsTests.Action
            struct Settings: PluginSettings {
                var start = 5
                var step = 2
            }
            typealias State = [Int]
            static func middleware() -> Reader { .doNothing() }
            static func initialState(_ settings: Settings) -> [Int] { [settings.start, settings.step] }
            static func reducer(_ settings: Settings) -> Reducer<Action, [Int]> { .identity }
        }
        let exports = PluginExports(Counting.self)
        func state(_ settings: Value) throws -> Value? {
            try exports.makeParts(settings: settings) { _ in }.slice.value()
        }
        #expect(try state([:]) == [5, 2])
        #expect(try state(["step": 3]) == [5, 3])
        let failure = #expect(throws: CodingFailure.self) { try state(["step": "three"]) }
        #expect(failure?.description == "/step: expected an integer, found a string")
    }
}
