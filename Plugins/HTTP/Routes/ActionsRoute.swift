// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Answers `POST /actions`: lines of actions, or one action on several lines.
struct ActionsRoute: Sendable {
    /// The context of the instance.
    let context: HTTP.Context

    /// Hands a body to the host, and reports the outcome of each line.
    func answer(_ request: HTTPRequest, _ body: [UInt8]) async -> HTTPResponse {
        guard let ingress = context.ingress else { return Self.notGranted("ingress", context.instance) }
        let isOne = request.mediaType == "application/json"
        do throws(HostIngress.Failure) {
            let lines = isOne ? Self.oneLine(body) : body
            let receipt = try await ingress.dispatch(
                lines: TracedLines(of: request)?.adding(to: lines) ?? lines, objection: objection)
            context.count("actions", by: receipt.accepted)
            return Self.answer(receipt, of: isOne ? body : nil)
        } catch {
            return Self.answer(error)
        }
    }

    /// Objects to types that may not come in this way; nil if all may.
    private var objection: HostIngress.Objection? {
        let allow = context.settings.allow
        if allow.contains(.all) { return nil }
        return { [instance = context.instance] type in
            allow.contains { $0.matches(type) }
                ? nil
                : "POST /actions of \(instance) does not let it in; add it to \"allow\" of its settings, or send it in another way"
        }
    }

    /// Joins the lines of a text. A line feed is either white space there, or as wrong as the return that replaces it.
    static func oneLine(_ body: [UInt8]) -> [UInt8] {
        body.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: "\r") : $0 }
    }

    /// Returns the answer to a receipt: 200 when nothing was refused.
    ///
    /// - Parameter body: the one action that was handed over on one line; the answer gives places in its own lines.
    static func answer(_ receipt: HostIngress.Receipt, of body: [UInt8]? = nil) -> HTTPResponse {
        var members: Members = ["accepted": Value(receipt.accepted)]
        if receipt.duplicates > 0 { members["duplicates"] = Value(receipt.duplicates) }
        if receipt.refused > 0 {
            members["refused"] = Value(receipt.refused)
            members["refusals"] = .array(receipt.refusals.map { Self.refusal($0, of: body) })
        }
        guard receipt.isCut else { return HTTPResponse(receipt.refused > 0 ? 422 : 200, .object(members)) }
        members["error"] = .string(
            "the host ended before it had read all lines; send the lines after \(receipt.lines) again")
        members["lines"] = Value(receipt.lines)
        return HTTPResponse(503, .object(members), [("Retry-After", "1")])
    }

    /// Describes a line that was not accepted.
    private static func refusal(_ refusal: HostIngress.Receipt.Refusal, of body: [UInt8]?) -> Value {
        var members: Members = ["line": Value(refusal.line)]
        if let column = refusal.column {
            let place = body.map { BodyPlace(ofScalar: column, in: $0) }
            if let place { members["line"] = Value(place.line) }
            members["column"] = Value(place?.column ?? column)
        }
        members["reason"] = .string(refusal.reason)
        return .object(members)
    }

    /// Returns the answer where nothing was accepted.
    static func answer(_ failure: HostIngress.Failure) -> HTTPResponse {
        switch failure {
        case .refused(let reason): .later(reason)
        case .ended: .later("the host ends; try again")
        }
    }

    /// Returns the answer for a dependency that is not granted.
    static func notGranted(_ name: String, _ instance: String) -> HTTPResponse {
        .refusal(
            403,
            "the instance \(instance) is not granted \"\(name)\"; list it in \"lift\"/\"dependencies\"")
    }
}
