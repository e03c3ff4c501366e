// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
internal import GatehouseValue

/// One request line of a client.
struct ControlRequest: Sendable {
    /// The method that is asked for.
    let method: ControlMethod
    /// The parameters of the request.
    let parameters: ControlParameters
    /// The id for the answer; nil for a notification, which is carried out and not answered.
    let id: Value?

    /// The members a request may have.
    private static let members = ["jsonrpc", "id", "method", "params"]

    /// A line that is not a request, with the id for the answer; nil where none is sent.
    struct Mistake: Error {
        /// Why the line is not a request.
        let error: ControlError
        /// The id for the answer; null where it could not be read.
        let id: Value?
    }

    /// Reads a request from a line.
    init(_ line: [UInt8]) throws(Mistake) {
        let value: Value
        do {
            value = try JSONText.parse(line)
        } catch {
            throw Mistake(error: .syntax(error), id: .null)
        }
        guard case .object(let object) = value else {
            let batch =
                value.arrayValue == nil ? "" : "; batches are not supported, send the requests line by line"
            throw Mistake(
                error: .invalid("expected a request, which is an object, found \(value.kindName)" + batch),
                id: .null)
        }
        let name = object["id"]
        // A request with an invalid id is answered with a null id.
        let id = name.map { Self.isName($0) ? $0 : .null }
        do throws(ControlError) {
            try Self.check(object, id: name)
            guard let text = object["method"]?.stringValue else {
                throw .invalid(
                    "/method: expected a string, found \(object["method"]?.kindName ?? "none"); name a method such as \"status\""
                )
            }
            guard let method = ControlMethod(rawValue: text) else { throw .unknown(method: text) }
            self.method = method
            parameters = try ControlParameters(object["params"], of: method)
        } catch {
            throw Mistake(error: error, id: id)
        }
        self.id = id
    }

    /// Whether a value is valid as an id.
    private static func isName(_ value: Value) -> Bool {
        switch value {
        case .null, .integer, .unsigned, .double, .bigNumber, .string: true
        case .bool, .array, .object: false
        }
    }

    /// Refuses members that no request has.
    private static func check(_ object: Members, id: Value?) throws(ControlError) {
        for member in object where !members.contains(member.key) {
            let hint = ControlError.advice(for: member.key, among: members) ?? "remove it"
            throw .invalid("unknown member \(Quotation.of(member.key)); \(hint)")
        }
        guard object["jsonrpc"]?.stringValue == "2.0" else {
            throw .invalid(
                "/jsonrpc: expected \"2.0\", found \(object["jsonrpc"]?.quoted ?? "none"); this is JSON-RPC 2.0"
            )
        }
        if let id, !isName(id) {
            throw .invalid("/id: expected a string, a number or null, found \(id.kindName)")
        }
    }
}
