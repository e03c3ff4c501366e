// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import SeededTesting
import Testing

@testable import CounterPlugin
@testable import InterceptorPlugin
@testable import PersistencePlugin
@testable import ProbePlugin
@testable import ShapesPlugin

/// The code that the build tool generates for the actions of a plugin, against `Codable`.
///
/// `init(name:payload:)` is not generated, so it is `Codable`'s way; `init(type:payload:)` is.
@Suite(.timeLimit(.minutes(10))) struct GeneratedCodingTests {
    /// What an action says as Codable writes it, or the error.
    private static func outcome(_ body: () throws -> any PluginAction) -> Result<Value, CodingFailure> {
        Result { try Value(encoding: try body()) }.mapError { CodingFailure($0) }
    }

    /// Compares both ways of reading a payload, at the root of a tape and inside another one.
    private static func compareReading<Action: PluginAction>(
        _ type: Action.Type, _ name: String, _ payload: Value?, _ comment: String
    ) -> Result<Value, CodingFailure> {
        let root = payload.map { Tape.make($0).root }
        let inner = payload.flatMap { Tape.make(["before": [1, "x"], "in": [$0]]).root["in"]?[0] }
        let codable = outcome { try Action(name: name, payload: root) }
        for view in [root, inner] where (view == nil) == (payload == nil) {
            let generated = outcome { try Action(type: ActionType(name), payload: view) }
            #expect(generated == codable, "\(comment): \(name) \(payload?.json() ?? "without payload")")
        }
        return codable
    }

    /// Compares both ways of writing an action.
    private static func compareWriting(_ action: some PluginAction, _ comment: String) {
        let generated = Result { try action.encoded() }.mapError { CodingFailure($0) }
        let codable = Result { try Value.encodeCase(action) }.mapError { CodingFailure($0) }
        switch (generated, codable) {
        case (.success(let generated), .success(let codable)):
            #expect(generated.name == codable.name, "\(comment)")
            #expect(generated.payload?.json() == codable.payload?.json(), "\(comment): \(action)")
            #expect((try? action.encodedType().name) == codable.name, "\(comment)")
            #expect((try? action.encodedName()) == codable.name, "\(comment)")
        case (.failure(let generated), .failure(let codable)):
            #expect(generated == codable, "\(comment): \(action)")
        default:
            Issue.record("\(comment): \(action): \(generated) and \(codable)")
        }
    }

    /// Compares everything for actions of one plugin and many payloads made from theirs.
    private static func compare<Action: PluginAction>(_ actions: [Action], seed: UInt64, rounds: Int) throws {
        var random = SeededGenerator(seed: seed)
        let samples = try actions.map { try Value.encodeCase($0) }
        var accepted = 0
        for (action, sample) in zip(actions, samples) {
            compareWriting(action, "seed \(seed)")
            _ = compareReading(Action.self, sample.name, sample.payload, "seed \(seed)")
            _ = compareReading(Action.self, sample.name, nil, "seed \(seed)")
            _ = compareReading(Action.self, sample.name + "x", sample.payload, "seed \(seed)")
            let empty = Tape.emptyObject.root
            let generated = outcome { try Action(type: ActionType(sample.name), payload: empty) }
            #expect(generated == outcome { try Action(name: sample.name, payload: empty) })
        }
        for round in 0..<rounds {
            let sample = samples.randomElement(using: &random) ?? ("", nil)
            let payload = mutate(sample.payload ?? [:], &random)
            let comment = "seed \(seed), round \(round)"
            _ = compareReading(Action.self, sample.name, payload, comment)
            let read = Result { try Action(type: ActionType(sample.name), payload: Tape.make(payload).root) }
            if case .success(let action) = read {
                accepted += 1
                compareWriting(action, comment)
            }
        }
        #expect(accepted > rounds / 50 && accepted < rounds, "seed \(seed): \(accepted) of \(rounds)")
    }

    /// A value with a few changes: members and elements dropped, added and replaced, or something else altogether.
    private static func mutate(_ value: Value, _ random: inout SeededGenerator) -> Value {
        if Int.random(in: 0..<6, using: &random) == 0 { return anything(&random) }
        switch value {
        case .object(var members):
            for key in members.keys {
                switch Int.random(in: 0..<8, using: &random) {
                case 0: members[key] = nil
                case 1: members[key] = .null
                case 2, 3: members[key] = members[key].map { mutate($0, &random) }
                default: break
                }
            }
            if Bool.random(using: &random) { members["more"] = anything(&random) }
            if Int.random(in: 0..<12, using: &random) == 0 {
                for index in 0..<70 { members["further \(index)"] = .integer(Int64(index)) }
            }
            return .object(members)
        case .array(var elements):
            for index in elements.indices where Int.random(in: 0..<3, using: &random) == 0 {
                elements[index] = mutate(elements[index], &random)
            }
            if Bool.random(using: &random) { elements.append(anything(&random)) }
            return .array(elements)
        default:
            return Bool.random(using: &random) ? value : anything(&random)
        }
    }

    /// One of the values that decoders treat differently.
    private static func anything(_ random: inout SeededGenerator) -> Value {
        let values: [Value] = [
            .null, true, false, 0, 1, -1, 127, 128, 255, 256, -129, 65_536, 1.0, 1.5, -0.0, 1e300, 3e38, 4e38,
            "",
            "x", "blue", "a text that is longer than fifteen bytes", [], [1], ["x"], [.null], [1.5, 2],
            [[1.5], []],
            [:], ["street": "Weg"], ["street": 1], ["lines": [1, 256]], ["closed": [:]], ["whole": ["_0": 1]],
            .integer(.min), .integer(.max), .unsigned(.max), .bigNumber("1e999"),
            .bigNumber("170141183460469231731687303715884105727"), .double(9_007_199_254_740_992),
        ]
        return values.randomElement(using: &random) ?? .null
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `the counter's actions`(seed: UInt64) throws {
        let actions: [Counter.Action] = [
            .increment(by: 2), .increment(by: nil), .decrement(by: .min), .reset,
        ]
        try Self.compare(actions, seed: seed, rounds: 1_000)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `the actions of the persistence plugin`(seed: UInt64) throws {
        let entry = Persistence.Entry(Document(collection: "c", id: "é", value: ["a": [1, .null]]))
        let actions: [Persistence.Action] = [
            .save(collection: "c", id: "1", value: ["x": 1.5]), .delete(collection: "c", id: "1"),
            .request(token: "t", collection: "c", prefix: nil, ids: ["1", "2"]),
            .request(token: nil, collection: "c", prefix: "p", ids: nil), .cancel(token: nil),
            .cancel(token: "t"),
            .cancelAll, .saved(collection: "c", id: "1"), .deleted(collection: "c", id: "1"),
            .failed(
                operation: .save, reason: .locked, message: "m", collection: "c", id: "1", token: nil),
            .received(token: "t", collection: "c", documents: [entry]),
            .changed(token: nil, collection: "c", saved: [entry, entry], deleted: ["3"]), .ended(token: "t"),
        ]
        try Self.compare(actions, seed: seed, rounds: 3_000)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `the actions of fixtures`(seed: UInt64) throws {
        let probe: [Probe.Action] = [
            .ping(number: 1), .pong(number: 2), .later(text: "t"), .echoed(text: ""), .hold, .stray, .secret,
            .spin,
            .fill(cups: [Probe.Cup(size: 1), Probe.Cup(size: 2)]),
        ]
        try Self.compare(probe, seed: seed, rounds: 1_000)
        let interceptor: [Interceptor.Action] = [
            .pass(number: 1), .change(number: 1), .changed(number: 1), .stop(number: 1), .stopped(number: 1),
            .later(number: 1), .keep(number: 1), .twice(number: 1), .leak, .secret, .halt("why"),
        ]
        try Self.compare(interceptor, seed: seed, rounds: 1_000)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `actions of every shape`(seed: UInt64) throws {
        let place = Address(street: "Weg 1", lines: [1, 2])
        let actions: [ShapesAction] = [
            .scalars(bool: true, text: "né\n", double: 0.1, float: 0.1),
            .integers(
                a: .min, b: .max, c: .min, d: .min, e: .max, f: .max, g: .max, h: .max, i: .max),
            .wide(a: .max, b: .max), .wide(a: -1, b: nil),
            .optional(bool: false, text: "t", double: 1, float: 2.5, int: 3, byte: 4),
            .optional(bool: nil, text: nil, double: nil, float: nil, int: nil, byte: nil),
            .arrays(ints: [1, 2], texts: ["x"], matrix: [[1.5], []], gaps: [1, nil], floats: [0.1]),
            .arrays(ints: [], texts: nil, matrix: [], gaps: [], floats: []),
            .whole(7), .maybe(nil), .maybe(1), .text("a text that is longer than fifteen bytes"),
            .json(.null),
            .json(["a": 1]), .maybeJSON(nil), .maybeJSON(["b": 1]), .maybeJSON(.null), .list(["a", "b"]),
            .place(place),
            .maybePlace(nil), .maybePlace(Address()), .kind(.red), .tape(Tape.make(["x": [1]])),
            .table(["a": 1]),
            .pair(1, 2), .mixed("m", colour: .blue), .mixed("m", colour: nil), .unnamed(1, y: 2, nil),
            .unnamed(1, y: 2, true),
            .labelled(place: place, maybe: place, kinds: [.red, .blue], value: [1], json: .null),
            .labelled(place: place, maybe: nil, kinds: [], value: .null, json: nil), .hidden(nil), .hidden(3),
            .hiddenLabel(a: 1, b: 2), .hiddenLabel(a: nil, b: nil), .hiddenLabel(a: nil, b: .some(nil)),
            .generic(a: ["x": [1]], b: ["one"], 4), .default(in: 1), .switch, .encoded(self: 2),
            .nested(.pair(1, 2)),
            .nested(nil), .closed, .open, .pair(of: 4),
        ]
        try Self.compare(actions, seed: seed, rounds: 6_000)
    }

    @Test(
        arguments: [
            .scalars(bool: true, text: "", double: .infinity, float: 1),
            .scalars(bool: true, text: "", double: 1, float: .nan),
            .arrays(ints: [], texts: nil, matrix: [[1], [2, -.infinity]], gaps: [], floats: []),
            .arrays(ints: [], texts: nil, matrix: [], gaps: [], floats: [1, .infinity]),
            .optional(bool: nil, text: nil, double: .nan, float: nil, int: nil, byte: nil),
        ] as [ShapesAction])
    func `a number that is not finite is refused at its place`(action: ShapesAction) {
        #expect(throws: (any Error).self) { try action.encoded() }
        Self.compareWriting(action, "")
    }

    @Test func `a name that only looks like a case is read as Codable reads it`() {
        for name in ["closed\u{301}", "Closed", "closed ", "", "\u{212A}ind"] {
            _ = Self.compareReading(ShapesAction.self, name, nil, "")
        }
    }

    @Test(
        arguments: [
            ("pair", ["_0": 1, "_1": "x"], "/_1: expected an integer, found a string"),
            ("arrays", ["ints": [1, "x"]], "/ints/1: expected an integer, found a string"),
            ("whole", nil, "the whole value: expected an integer, found an object"),
            ("pear", nil, "the whole value: expected a case of ShapesAction, found \"pear\""),
        ] as [(String, Value?, String)])
    func `the errors are those of Codable`(name: String, payload: Value?, sentence: String) {
        let outcome = Self.compareReading(ShapesAction.self, name, payload, "")
        #expect(throws: CodingFailure.self) { try outcome.get() }
        if case .failure(let failure) = outcome { #expect(failure.description == sentence) }
    }
}
