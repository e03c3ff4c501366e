// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Synchronization
import Testing

@testable import GatehouseSDK

/// What an instance of a plugin is made of.
@Suite(.timeLimit(.minutes(10))) struct PluginPartsTests {
    private enum Action: PluginAction {
        case go(Int), own(Int), out(Int), unnamed
        func encodedName() throws -> String {
            switch self {
            case .go: "go"
            case .own: "own"
            case .out: "out"
            case .unnamed: throw CodingFailure(pointer: .whole, expected: "a name", found: "none")
            }
        }
    }

    private struct Settings: PluginSettings { var most = 10 }

    /// Lets small numbers pass, makes others smaller, and notes all in its state.
    private struct Limiting: InterceptingPlugin {
        typealias Action = PluginPartsTests.Action
        typealias Settings = PluginPartsTests.Settings
        typealias State = [Int]

        static func initialState(_ settings: Settings) -> [Int] { [] }
        static func reducer(_ settings: Settings) -> Reducer<Action, [Int]> {
            .reducing { action, state in
                switch action {
                case .own(let number), .go(let number): state.append(number)
                case .out, .unnamed: return .unchanged
                }
                return .changed
            }
        }
        static func middlewares() -> [Reader] { [.doNothing(), .doNothing()] }
        static func interceptor(_ context: Context) -> AnyInterceptor<Action, [Int]> {
            let most = context.settings.most
            return AnyInterceptor { action, _, state, output, next in
                guard case .go(let number) = action else { return next() }
                state.apply(.own(-number))
                output.dispatch(.out(state().count), from: .here())
                if number <= most { next() } else { next(number > 100 ? .unnamed : .go(most)) }
            }
        }
    }

    /// What happened, in order.
    private final class Record: Sendable {
        let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private let services = HostServices(
        instance: "a", log: PluginLog { _, _ in }, clock: nil, dataDirectory: nil)

    /// A store with one instance; the record takes what reaches the reducers, and what was reported.
    private func store(_ record: Record, settings: Value = [:]) throws -> Store<AnyAction, Slice> {
        let parts = try PluginExports(Limiting.self).makeParts(settings: settings) { record.add("\($0)") }
        let interceptor = try #require(parts.interceptor)
        let reducer = try #require(parts.reducer)
        return Store(
            StoreParts(
                initialState: parts.slice,
                reducer: .reducing { action, slice in
                    record.add("\(action.type) \(action.payload?.json() ?? "")")
                    return reducer.apply(action, &slice)
                },
                middleware: ComposedMiddleware(parts.readers.map { $0.inject(services) }),
                interceptors: [interceptor(services)]))
    }

    @Test func `an interceptor passes actions on, changes them, keeps its state and emits`() throws {
        let record = Record()
        let store = try store(record, settings: ["most": 5])
        store.dispatch(AnyAction("go", payload: 3), from: .here())
        #expect(record.all == ["own -3", "go 3", "out 1"])
        store.dispatch(AnyAction("go", payload: 7), from: .here())
        #expect(record.all.dropFirst(3) == ["own -7", "go 5", "out 3"])
        #expect(try store.withState { slice in Result { try slice.value() } }.get() == [-3, 3, -7, 5])
    }

    @Test func `what does not decode goes by, and one reader reports it`() throws {
        let record = Record()
        let store = try store(record)
        store.dispatch(AnyAction("go", payload: "three"), from: .here())
        #expect(
            record.all == [
                "go: the whole value: expected an integer, found a string", #"go "three""#,
            ])
        let parts = try PluginExports(Limiting.self).makeParts(settings: [:]) { _ in }
        let make = try #require(parts.interceptor)
        let interceptor = make(services)
        #expect(interceptor.concerns(AnyAction("go", payload: 3)))
        #expect(!interceptor.concerns(AnyAction("go", payload: "three")))
    }

    @Test func `a change that cannot be written stops the action, and is reported`() throws {
        let record = Record()
        let store = try store(record)
        store.dispatch(AnyAction("go", payload: 101), from: .here())
        #expect(
            record.all == [
                "own -101",
                "an output cannot be written as JSON: the whole value: expected a name, found none", "out 1",
            ])
    }

    @Test func `a plugin has a reader for each of its middlewares, and one if it has none`() throws {
        #expect(try PluginExports(Limiting.self).makeParts(settings: [:]) { _ in }.readers.count == 2)
        struct None: Plugin {
            typealias Action = PluginPartsTests.Action
            static func logic(_ settings: Settings, now: ActionTime) -> PluginLogic<Action, NoState, Context>
            {
                PluginLogic(reducer: .identity, readers: [])
            }
        }
        let record = Record()
        let parts = try PluginExports(None.self).makeParts(settings: [:]) { record.add("\($0)") }
        let reader = try #require(parts.readers.first)
        #expect(parts.readers.count == 1)
        #expect(parts.slice.isEmpty)
        #expect(parts.reducer == nil)
        _ = reader.inject(services).handle(
            action: AnyAction("go", payload: "three"), from: .here(), state: GetState { Slice() })
        #expect(record.all.count == 1, "it reads along, to report what does not fit")
    }

    @Test func `the decoded payload of another instance of the same plugin is shared`() throws {
        let exports = PluginExports(Limiting.self)
        let first = try exports.makeParts(settings: [:]) { _ in }
        let second = try exports.makeParts(settings: [:], decoded: first.decoded) { _ in }
        let (one, same) = (ObjectIdentifier(first.decoded), ObjectIdentifier(second.decoded))
        #expect(same == one)
        let other = try exports.makeParts(settings: [:], decoded: DecodedPayload<AnyAction>()) { _ in }
        #expect(ObjectIdentifier(other.decoded) != one)
    }
}
