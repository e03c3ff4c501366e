// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Answers `POST /hooks/<name>`: deliveries that are signed become actions, each once.
struct HooksRoute: Sendable {
    /// What the instance was made with.
    private let context: HTTP.Context
    /// The deliveries that came last.
    private let window: DeliveryWindow
    /// Takes what is wrong.
    private let complaints: Complaints
    /// The secrets of each hook.
    private let secrets: [String: [SecretFile]]
    /// Tells the instance of a delivery.
    private let emit: @Sendable (DispatchedAction<HTTP.Action>) -> Void

    /// The longest name of an event, and of a delivery.
    private static let longestName = 128

    /// A route of an instance.
    init(
        _ context: HTTP.Context, _ window: DeliveryWindow, _ complaints: Complaints,
        _ emit: @escaping @Sendable (DispatchedAction<HTTP.Action>) -> Void
    ) {
        self.context = context
        self.window = window
        self.complaints = complaints
        self.emit = emit
        secrets = context.settings.hooks.mapValues { $0.secretFiles.map(SecretFile.init) }
    }

    /// The files of all secrets, in the order of the names of their hooks.
    var secretFiles: [SecretFile] { secrets.sorted { $0.key < $1.key }.flatMap(\.value) }

    /// Looks at the signature of a body before anything else, and hands it to the host.
    func answer(_ request: HTTPRequest, _ name: String, _ body: [UInt8]) async -> HTTPResponse {
        guard let hook = context.settings.hooks[name] else {
            return .refusal(404, "there is no hook of this name; add it to \"hooks\" in the settings")
        }
        if let objection = objection(to: request, name, hook, body) { return objection }
        guard let ingress = context.ingress else {
            return ActionsRoute.notGranted("ingress", context.instance)
        }
        if let type = request.mediaType, type != "application/json", !type.hasSuffix("+json") {
            return .refusal(415, "expected application/json, found \(type); let the sender send JSON")
        }
        let (event, id) = (value(of: hook.eventHeader, in: request), value(of: hook.idHeader, in: request))
        for (value, header) in [(event, hook.eventHeader), (id, hook.idHeader)] where !header.isEmpty {
            guard let value, Self.isName(value) else {
                return .refusal(
                    400,
                    "expected a name of letters, digits, _, ., : and - as \(header), found \(value.map { Value.string($0).json() } ?? "none")"
                )
            }
        }
        let delivery = Delivery(
            type: hook.actionType(event: event, hook: name), hook: name, id: id, body: body)
        guard let id else { return await dispatch(delivery, to: ingress) }
        guard await window.claim(delivery.name) else { return answerKnown() }
        let answer = await dispatch(delivery, to: ingress)
        window.settle(delivery.name, isDispatched: answer.status == 200)
        if answer.status == 200 {
            emit(
                DispatchedAction(
                    .delivered(hook: name, id: id),
                    dispatcher: ActionSource(file: #file, function: #function, line: #line, info: nil)))
        }
        return answer
    }

    /// Why a request is not from who knows the secret, nil when it is.
    private func objection(
        to request: HTTPRequest, _ name: String, _ hook: Hook, _ body: [UInt8]
    ) -> HTTPResponse? {
        var known: [[UInt8]] = []
        for file in secrets[name] ?? [] {
            do throws(SecretFile.Failure) {
                known.append(try file.bytes())
            } catch {
                complaints.note(.signature, error.sentence)
            }
        }
        guard !known.isEmpty else {
            return .later("the secret of this hook cannot be read; its operator is told why")
        }
        guard let field = request[hook.signatureHeader.lowercased()] else {
            complaints.note(.signature, "\(request.client) sent to the hook \(name) without a signature")
            return .refusal(401, "expected a signature as \(hook.signatureHeader), found none")
        }
        guard Signature.isValid(field, of: body, for: hook, secrets: known) else {
            complaints.note(.signature, "\(request.client) sent to the hook \(name) with a wrong signature")
            return .refusal(
                401, "the signature in \(hook.signatureHeader) does not fit the body and the secret")
        }
        return nil
    }

    /// Hands a delivery to the host.
    private func dispatch(_ delivery: Delivery, to ingress: HostIngress) async -> HTTPResponse {
        do throws(HostIngress.Failure) {
            let receipt = try await ingress.dispatch(lines: delivery.line)
            if let refusal = receipt.refusals.first {
                return .refusal(422, delivery.explain(refusal))
            }
            if receipt.isCut || receipt.lines == 0 { return ActionsRoute.answer(.ended) }
            if receipt.duplicates > 0 { return answerKnown() }
            context.count("deliveries")
            return HTTPResponse(200, ["accepted": 1])
        } catch {
            return ActionsRoute.answer(error)
        }
    }

    /// What is said of a delivery that came before.
    private func answerKnown() -> HTTPResponse {
        context.count("duplicates")
        return HTTPResponse(200, ["accepted": 0, "duplicates": 1])
    }

    /// What stands in a header field; nil where the hook has none, or the request.
    private func value(of header: String, in request: HTTPRequest) -> String? {
        header.isEmpty ? nil : request[header.lowercased()]
    }

    /// Whether a text may be a part of a type, or name a delivery.
    private static func isName(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
                    UInt8(ascii: ":"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
