// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

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
}
