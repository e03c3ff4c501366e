// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// The example in the documentation of `PluginAction`, with the wire forms that its comments show.
@Suite(.timeLimit(.minutes(10)))
struct PluginActionTests {
    enum Action: PluginAction {
        case placed(id: Int, total: Double)  // {"type":"…placed","payload":{"id":1,"total":9.5}}
        case renamed(String)  // {"type":"…renamed","payload":"the value itself"}
        case cancelled  // {"type":"…cancelled"}
    }

    @Test(
        arguments: [
            (.placed(id: 1, total: 9.5), "placed", ["id": 1, "total": 9.5]),
            (.renamed("the value itself"), "renamed", "the value itself"),
            (.cancelled, "cancelled", nil),
        ] as [(Action, String, Value?)])
    func `the name of the case is the type, its values are the payload`(
        action: Action, name: String, payload: Value?
    ) throws {
        #expect(try action.encodedName() == name)
        let encoded = try action.encoded()
        #expect(encoded.name == name)
        #expect(encoded.payload == payload)
        let tape = payload.map { Tape.make($0) }
        #expect("\(try Action(name: name, payload: tape?.root))" == "\(action)")
    }
}
