// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSupport
internal import GatehouseValue

/// One line of a client: what it asks for, and what the answer is called.
struct ControlRequest: Sendable {
    /// The method that is asked for.
    let method: ControlMethod
    /// The parameters of the request.
    let parameters: ControlParameters
    /// What the client calls the request; nil for a notification, which is done and not answered.
    let id: Value?

    /// The members a request may have.
    private static let members = ["jsonrpc", "id", "method", "params"]

    /// A line that is no request, with what its answer is called; nil where nobody is answered.
    struct Mistake: Error {
        /// The reason why the line is no request.
        let error: ControlError
        /// Null where it could not be read.
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
                value.arrayValue == nil ? "" : "; batches are not taken, send the requests line by line"
            throw Mistake(
                error: .invalid("expected a request, which is an object, found \(value.kindName)" + batch),
                id: .null)
        }
        let name = object["id"]
        // A request whose name makes no sense has none.
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

    /// Whether an answer can be called so.
    private static func isName(_ value: Value) -> Bool {
        switch value {
        case .null, .integer, .unsigned, .double, .bigNumber, .string: true
        case .bool, .array, .object: false
        }
    }

    /// Finds what no request has.
    private static func check(_ object: Members, id: Value?) throws(ControlError) {
        for member in object where !members.contains(member.key) {
            let hint = NearMiss.suggestion(for: member.key, among: members)
            throw .invalid(
                "unknown member \(Quotation.of(member.key))"
                    + (hint.map { "; did you mean \(Quotation.of($0))?" } ?? "; remove it"))
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
