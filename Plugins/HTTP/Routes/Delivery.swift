// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One webhook as an action, whose payload is the body as it came.
struct Delivery: Sendable {
    /// The type of the action.
    let type: String
    /// The hook that it came to.
    let hook: String
    /// What its sender calls it; nil where it has no name.
    let id: String?
    /// The body, of which nobody knows yet whether it is JSON.
    let body: [UInt8]

    /// What it is known by among the deliveries of all hooks.
    var name: String { hook + "/" + (id ?? "") }

    /// What its body is known by among those of its hook; `=` is in no name of a delivery.
    var digest: String { "=" + String(decoding: Signature.hex(Signature.digest(of: body)), as: UTF8.self) }

    /// All that stands before the body.
    ///
    /// All members that an action may have are there, each once. So no body can bring another one: it would be there twice, or
    /// have a name that actions do not have.
    private var head: String {
        var meta: Members = ["hook": .string(hook)]
        if id != nil { meta["id"] = .string(name) }
        return
            #"{"type":\#(Value.string(type).json()),"error":false,"meta":\#(Value.object(meta).json()),"payload":"#
    }

    /// The action in wire form, on one line.
    var line: [UInt8] { Array(head.utf8) + ActionsRoute.oneLine(body) + [UInt8(ascii: "}")] }

    /// What is wrong with the body, by what the host says of the line.
    func explain(_ refusal: HostIngress.Receipt.Refusal) -> String {
        guard let column = refusal.column else { return refusal.reason }
        let place = BodyPlace(ofScalar: max(1, column - head.unicodeScalars.count), in: body)
        return "line \(place.line), column \(place.column) of the body: \(refusal.reason)"
    }
}
