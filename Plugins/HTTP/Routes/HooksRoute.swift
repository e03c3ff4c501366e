// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Answers `POST /hooks/<name>`: signed deliveries become actions, each once.
struct HooksRoute: Sendable {
    /// The context of the instance.
    private let context: HTTP.Context
    /// The latest deliveries.
    private let window: DeliveryWindow
    /// Collects refusals.
    private let throttledLog: ThrottledLog
    /// The secrets of each hook.
    private let secrets: [String: [SecretFile]]
    /// Reports a delivery to the instance.
    private let emit: @Sendable (DispatchedAction<HTTP.Action>) -> Void

    /// Creates the route of an instance.
    init(
        _ context: HTTP.Context, _ window: DeliveryWindow, _ throttledLog: ThrottledLog,
        _ emit: @escaping @Sendable (DispatchedAction<HTTP.Action>) -> Void
    ) {
        self.context = context
        self.window = window
        self.throttledLog = throttledLog
        self.emit = emit
        secrets = context.settings.hooks.mapValues { $0.secretFiles.map(SecretFile.init) }
    }

    /// The files of all secrets, in the order of their hooks' names.
    var secretFiles: [SecretFile] { secrets.sorted { $0.key < $1.key }.flatMap(\.value) }

    /// Returns why a request is refused without its body, nil where the body decides.
    func objection(toHeaderOf request: HTTPRequest, _ name: String) -> HTTPResponse? {
        guard let hook = context.settings.hooks[name] else { return Self.unknown }
        return objection(to: request, name, hook, nil)
    }

    /// The answer for an unknown hook.
    private static let unknown = HTTPResponse.refusal(
        404, "there is no hook of this name; add it to \"hooks\" in the settings")

    /// Checks the signature of a body before anything else, and hands it to the host.
    func answer(_ request: HTTPRequest, _ name: String, _ body: [UInt8]) async -> HTTPResponse {
        guard let hook = context.settings.hooks[name] else { return Self.unknown }
        if let objection = objection(to: request, name, hook, body) { return objection }
        guard let ingress = context.ingress else {
            return ActionsRoute.notGranted("ingress", context.instance)
        }
        do throws(HTTPResponse) {
            var delivery = try HookReader(hook: hook, name: name).read(request, body)
            delivery.traceparent = TracedLines(of: request)?.header
            let answer = await take(delivery, from: request.client, for: hook, ingress)
            // Slack shows the answer to a command to its sender, and expects nothing where there is nothing to show.
            return hook.form == .slack && answer.status == 200
                ? HTTPResponse(200, fields: [], []) : answer
        } catch {
            return error
        }
    }

    /// Hands a delivery to the host if its type is allowed and it has not come before.
    private func take(
        _ delivery: Delivery, from client: String, for hook: Hook, _ ingress: HostIngress
    ) async -> HTTPResponse {
        guard hook.admits(delivery.type) else {
            context.count("refused_type")
            return .refusal(
                403,
                "the hook \(delivery.hook) does not let \(delivery.type) in; add it to \"allow\" of the hook, or let the sender leave it out"
            )
        }
        guard let id = delivery.id else { return await dispatch(delivery, to: ingress) }
        let digest = hook.tellsBodies ? delivery.digest : nil
        let body = digest.map { delivery.hook + $0 }
        switch await window.claim(delivery.name, body: body) {
        case .new: break
        case .known: return answerKnown()
        case .sameBody:
            throttledLog.note(
                .replay,
                "\(client) sent to the hook \(delivery.hook) a body that had come before under another id")
            return .refusal(
                409,
                "this body has come before under another id, which the signature does not cover; redeliver it under its own id, or set \"sameBody\" of the hook to \"accept\" if its sender repeats bodies"
            )
        }
        let answer = await dispatch(delivery, to: ingress)
        window.settle(delivery.name, body: body, isDispatched: answer.status == 200)
        if answer.status == 200 {
            emit(
                DispatchedAction(
                    .delivered(hook: delivery.hook, id: id, body: digest),
                    dispatcher: ActionSource(file: #file, function: #function, line: #line, info: nil)))
        }
        return answer
    }

    /// Returns why the sender does not prove that it knows the secret, or nil; without a body, judges the header.
    private func objection(
        to request: HTTPRequest, _ name: String, _ hook: Hook, _ body: [UInt8]?
    ) -> HTTPResponse? {
        var known: [[UInt8]] = []
        for file in secrets[name] ?? [] {
            do throws(SecretFile.Failure) {
                known.append(try file.bytes())
            } catch {
                throttledLog.note(.signature, error.sentence)
            }
        }
        guard !known.isEmpty else {
            return .later("the secret of this hook cannot be read; the host's log has the reason")
        }
        let now = context.clock?.unixTime()
        guard now != nil || !HookProof.needsClock(hook, secrets: known) else {
            return ActionsRoute.notGranted("clock", context.instance)
        }
        let failure: HookProof.Failure?
        if let body {
            do throws(HookProof.Failure) {
                try HookProof(request: request, body: body, now: now).check(hook, secrets: known)
                failure = nil
            } catch {
                failure = error
            }
        } else {
            failure = HookProof.objection(toHeaderOf: request, now: now, hook, secrets: known)
        }
        return failure.map { failure in
            throttledLog.note(.signature, "\(request.client) sent to the hook \(name) \(failure.account)")
            return failure == .uselessSecret ? .later(failure.sentence) : .refusal(401, failure.sentence)
        }
    }

    /// Hands a delivery to the host.
    private func dispatch(_ delivery: Delivery, to ingress: HostIngress) async -> HTTPResponse {
        do throws(HostIngress.Failure) {
            let receipt = try await ingress.dispatch(lines: delivery.line)
            if let refusal = receipt.refusals.first { return .refusal(422, delivery.explain(refusal)) }
            if receipt.isCut || receipt.lines == 0 { return ActionsRoute.answer(.ended) }
            if receipt.duplicates > 0 { return answerKnown() }
            context.count("deliveries")
            return HTTPResponse(200, ["accepted": 1])
        } catch {
            return ActionsRoute.answer(error)
        }
    }

    /// Returns the answer to a delivery that came before.
    private func answerKnown() -> HTTPResponse {
        context.count("duplicates")
        return HTTPResponse(200, ["accepted": 0, "duplicates": 1])
    }
}
