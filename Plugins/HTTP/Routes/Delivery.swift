// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One webhook as an action, whose payload is the body as it came.
struct Delivery: Sendable {
    /// The type of the action.
    let type: String
    /// The hook that received it.
    let hook: String
    /// The sender's id; nil for none.
    let id: String?
    /// The body, which may not be JSON.
    let body: [UInt8]
    /// The trace that the sender has begun, as a header; nil for none, or where the host makes no spans.
    var traceparent: String?

    /// Its unique name among the deliveries of all hooks.
    var name: String { hook + "/" + (id ?? "") }

    /// The name of its body among those of its hook; `=` is in no name of a delivery.
    var digest: String { "=" + String(decoding: Signature.hex(Signature.digest(of: body)), as: UTF8.self) }

    /// Everything before the body.
    ///
    /// It has all possible members of an action, each once. So no body can add another one: it would be repeated, or have a
    /// name that actions do not have.
    private var head: String {
        var meta: Members = ["hook": .string(hook)]
        if id != nil { meta["id"] = .string(name) }
        if let traceparent { meta["traceparent"] = .string(traceparent) }
        return
            #"{"type":\#(Value.string(type).json()),"error":false,"meta":\#(Value.object(meta).json()),"payload":"#
    }

    /// The action in wire form, on one line.
    var line: [UInt8] { Array(head.utf8) + ActionsRoute.oneLine(body) + [UInt8(ascii: "}")] }

    /// Describes the mistake in the body, from the host's refusal of the line.
    func explain(_ refusal: HostIngress.Receipt.Refusal) -> String {
        guard let column = refusal.column else { return refusal.reason }
        let place = BodyPlace(ofScalar: max(1, column - head.unicodeScalars.count), in: body)
        return "line \(place.line), column \(place.column) of the body: \(refusal.reason)"
    }
}
