// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import GatehouseSDK

/// The text of an action, whatever form its parts are in.
@Suite(.timeLimit(.minutes(10))) struct WireFormTests {
    /// Answers every weighing with half of it.
    struct Scale: Plugin {
        enum Action: PluginAction {
            case weigh(Double?)
            case weighed(grams: Double, note: String?)
            case cleared
        }

        static func middleware() -> Reader {
            .onAction { action, _, _ in
                guard case .weigh(let weight) = action else { return .doNothing }
                return .just(weight.map { .weighed(grams: $0 * 1e300, note: nil) } ?? .cleared)
            }
        }
    }

    @Test func `the text of an action is that of its wire form`() throws {
        let values: [Value?] = [nil, .null, ["a\n": [1, 2.50, .bigNumber("1e400")], "": "é\u{1}"]]
        for payload in values {
            for meta in values {
                for error in [false, true] {
                    let tapes = (payload.map { Tape.make($0).root }, meta.map { Tape.make($0).root })
                    let made = AnyAction("orders/\"placed\"", payload: payload, error: error, meta: meta)
                    let arrived = AnyAction(made.type, tape: tapes.0, error: error, meta: tapes.1)
                    for action in [made, arrived] {
                        var bytes = Array("> ".utf8)
                        try action.writeWireForm(to: &bytes)
                        #expect(String(decoding: bytes, as: UTF8.self) == "> \(try made.wireForm().json())")
                        #expect(action.payloadJSON() == payload?.json())
                    }
                }
            }
        }
    }

    @Test func `an emitted action is encoded, or says why not and writes nothing`() throws {
        let parts = try PluginEntry.exports(of: Scale.self).makeParts(settings: [:]) { Issue.record("\($0)") }
        let services = HostServices(
            instance: "scale", log: PluginLog { _, _ in }, clock: nil, dataDirectory: nil)
        let middleware = try #require(parts.readers.first).inject(services)
        let outputs = Mutex<[AnyAction]>([])
        for weight in [2.5e-300, nil, 1e9] as [Value] {
            middleware.handle(
                action: AnyAction("weigh", payload: weight), from: .here(), state: GetState { parts.slice }
            ).run { output in outputs.withLock { $0.append(output.action) } }
        }
        let emitted = outputs.withLock { $0 }
        try #require(emitted.count == 3)
        var bytes: [UInt8] = []
        try emitted[0].writeWireForm(to: &bytes)
        try emitted[1].writeWireForm(to: &bytes)
        let failure = #expect(throws: CodingFailure.self) { try emitted[2].writeWireForm(to: &bytes) }
        #expect(failure?.description == "/weighed/grams: expected a finite number, found inf")
        let text = #"{"type":"weighed","payload":{"grams":2.5}}{"type":"cleared"}"#
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }

    @Test func `an action of any type is no error, and has its payload, whatever its name is given as`()
        throws
    {
        let payload = Tape.make(["n": 1]).root
        let made = [try AnyAction(type: "a", payload: payload), try AnyAction(name: "a", payload: payload)]
        for action in made {
            #expect(action.type == "a")
            #expect(!action.isError)
            #expect(action.payload == ["n": 1])
            #expect(action.meta == nil)
            #expect(try action.encodedName() == "a")
        }
    }

    @Test func `payload and meta lie where they arrived, alone and together`() {
        let (payload, meta): (Value, Value) = (["n": 1], ["id": "x"])
        let (taped, tapedMeta) = (Tape.make(payload).root, Tape.make(meta).root)
        let alone = AnyAction("a", tape: nil, error: false, meta: tapedMeta)
        #expect(alone.payload == nil)
        #expect(alone.meta == meta)
        let both = AnyAction("a", tape: taped, error: false, meta: tapedMeta)
        #expect(both.payload == payload)
        #expect(both.meta == meta)
        let neither = AnyAction("a", tape: taped, error: false, meta: nil)
        #expect(neither.payload == payload)
        #expect(neither.meta == nil)
    }

    @Test func `an action weighs about what its payload and meta take as text, up to a limit`() {
        let text: Value = .string(String(repeating: "x", count: 1_000))
        let views = Tape.make(text).root
        #expect(AnyAction("a").size(upTo: 5_000) == 0)
        #expect(AnyAction("a", payload: text).size(upTo: 5_000) == 1_002)
        #expect(AnyAction("a", meta: text).size(upTo: 5_000) == 1_002)
        #expect(AnyAction("a", payload: text, meta: text).size(upTo: 5_000) == 2_004)
        #expect(AnyAction("a", payload: text, meta: text).size(upTo: 1_500) == 1_500)
        #expect(AnyAction("a", tape: views, error: false, meta: nil).size(upTo: 5_000) >= 1_000)
        let apart = AnyAction("a", tape: views, error: false, meta: Tape.make(text).root)
        #expect(apart.size(upTo: 5_000) >= 2_000)
    }

    @Test func `parts that are read later weigh what their texts have`() throws {
        var line = #"{"payload":"\#(String(repeating: "x", count: 1_000))","meta":[1,2]}"#
        let (payload, meta) = try line.withUTF8 { line in
            let bytes = UnsafeRawBufferPointer(line)
            let outline = try unsafe JSONText.outline(bytes, members: 2)
            return unsafe (outline.text(of: "payload", in: bytes), outline.text(of: "meta", in: bytes))
        }
        for (payload, meta, size) in [(payload, nil, 1_002), (nil, meta, 5), (payload, meta, 1_007)] {
            let content = ActionContent(payload.map { .text($0) }, meta: meta.map { .text($0) })
            #expect(content.size(upTo: 5_000) == size)
            #expect(content.size(upTo: 4) == 4)
        }
    }
}
