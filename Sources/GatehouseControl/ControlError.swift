// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehouseSDK
internal import GatehouseSupport

/// Why a request failed; written to clients as JSON-RPC 2.0, and passed to instances as is.
package typealias ControlError = HostControl.Failure

extension ControlError {
    /// The request makes sense, but cannot be carried out now.
    package static func refused(_ message: String) -> ControlError {
        ControlError(code: -32001, message: message)
    }

    /// The request did not get its turn in the drain in time.
    package static func busy(_ message: String) -> ControlError {
        ControlError(code: -32002, message: message)
    }

    /// The host has just left everything to another process.
    package static let handedOver = busy("another process goes on for this host; nothing was done, ask again")

    /// The same for actions that the journal had accepted before.
    static let takenAlong = busy("another process goes on for this host, and processes what was accepted")

    /// The host, or its capacity for clients, is exhausted.
    package static func exhausted(_ message: String) -> ControlError {
        ControlError(code: -32003, message: message)
    }

    /// What was tried did not succeed, and everything is as it was.
    package static func failed(_ message: String) -> ControlError {
        ControlError(code: -32006, message: message)
    }

    /// The client lacks permission.
    static func denied(_ message: String) -> ControlError { ControlError(code: -32004, message: message) }

    /// The line is not JSON.
    static func syntax(_ error: JSONSyntaxError) -> ControlError {
        ControlError(
            code: -32700,
            message: "column \(error.position.column): \(error.reason); send one JSON object a line")
    }

    /// The line is JSON, but not a request.
    static func invalid(_ message: String) -> ControlError { ControlError(code: -32600, message: message) }

    /// The method does not exist.
    package static func unknown(method: String) -> ControlError {
        let known = ControlMethod.allCases.map(\.rawValue)
        let hint = advice(for: method, among: known) ?? "there are \(known.joined(separator: ", "))"
        return ControlError(code: -32601, message: "unknown method \(Quotation.of(method)); \(hint)")
    }

    /// A parameter is not one that the method accepts.
    static func parameter(
        at pointer: JSONPointer, expected: String, found: String, advice: String? = nil
    ) -> ControlError {
        ControlError(
            code: -32602,
            message: "\(pointer): expected \(expected), found \(found)" + (advice.map { "; " + $0 } ?? ""),
            data: [
                "pointer": .string("\(pointer)"), "expected": .string(expected), "found": .string(found),
            ])
    }

    /// A parameter of this name is not one that the method accepts.
    static func parameter(
        _ name: String, expected: String, found: String, advice: String? = nil
    ) -> ControlError {
        .parameter(
            at: JSONPointer(tokens: ["params", name]), expected: expected, found: found, advice: advice)
    }

    /// A parameter does not name an instance that runs.
    static func unknownInstance(_ id: String, as name: String, among known: [String]) -> ControlError {
        .parameter(
            name, expected: "the id of an instance", found: Quotation.of(id),
            advice: advice(for: id, among: known)
                ?? (known.isEmpty ? "there are none" : "the instances are \(known.joined(separator: ", "))"))
    }

    /// A value in the request is of another kind than the method accepts; nil for one that is missing.
    static func kind(at pointer: JSONPointer, expected: String, found value: Value?) -> ControlError {
        .parameter(at: pointer, expected: expected, found: value?.kindName ?? "none")
    }

    /// Asks whether a similar word was meant; nil where none is.
    static func advice(for word: String, among known: [String]) -> String? {
        NearMiss.suggestion(for: word, among: known).map { "did you mean \(Quotation.of($0))?" }
    }

    /// The error as a member of an answer.
    package var value: Value {
        var members: Members = ["code": Value(code), "message": .string(message)]
        members["data"] = data
        return .object(members)
    }
}
