// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Answers `POST /control`: one request of the control protocol, in JSON-RPC 2.0.
struct ControlRoute: Sendable {
    /// The context of the instance.
    let context: HTTP.Context
    /// Decides who may ask for what.
    let entrance: Guard

    /// The methods that only look; every other one changes something, or may do so some day.
    static let looking: Set<String> = [
        "status", "state", "plan", "deadLetters", "metrics", "history", "cluster", "trial",
        "shadow", "hour", "graph", "costs", "effects", "generations",
    ]

    /// Performs a request, and answers it under its id.
    func answer(_ request: HTTPRequest, _ body: [UInt8]) async -> HTTPResponse {
        guard let control = context.control else {
            return ActionsRoute.notGranted("control", context.instance)
        }
        // A form of another site can send text, but not this type without asking first.
        guard request.mediaType == "application/json" else {
            return .refusal(
                415, "expected application/json, found \(request.mediaType ?? "no Content-Type")")
        }
        let call: Value
        do throws(JSONSyntaxError) {
            call = try JSONText.parse(body)
        } catch {
            return Self.failure(-32700, "\(error.position): \(error.reason); send one JSON object", id: .null)
        }
        let id = call["id"] ?? .null
        guard call["jsonrpc"] == "2.0", let method = call["method"]?.stringValue else {
            return Self.failure(
                -32600, "expected an object with \"jsonrpc\": \"2.0\" and a method, found none", id: id)
        }
        guard !["watch", "unwatch"].contains(method) else {
            return Self.failure(
                -32001, "expected a request with one answer, found \(method); ask for /events", id: id)
        }
        let objection =
            Self.looking.contains(method)
            ? entrance.objection(toLookBy: request) : entrance.objection(toChangeBy: request)
        if let objection { return objection }
        do throws(HostControl.Failure) {
            let result = try await control.request(method, call["params"] ?? [:])
            return HTTPResponse(200, ["jsonrpc": "2.0", "id": id, "result": result])
        } catch {
            return Self.failure(error.code, error.message, error.data, id: id)
        }
    }

    /// Returns a failure in the form of the protocol.
    private static func failure(
        _ code: Int, _ message: String, _ data: Value? = nil, id: Value
    ) -> HTTPResponse {
        var error: Members = ["code": Value(code), "message": .string(message)]
        if let data { error["data"] = data }
        return HTTPResponse(200, ["jsonrpc": "2.0", "id": id, "error": .object(error)])
    }
}
