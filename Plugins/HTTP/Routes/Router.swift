// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// Routes requests.
final class Router: Sendable {
    /// The context of the instance.
    private let context: HTTP.Context
    /// Decides who may ask for what.
    private let entrance: Guard
    /// Answers requests for actions.
    private let actions: ActionsRoute
    /// Answers webhooks.
    private let hooks: HooksRoute
    /// Answers requests that only look.
    private let views: ViewRoutes
    /// Answers requests of the control protocol.
    private let control: ControlRoute
    /// Serves events.
    private let events: EventHub
    /// Serves the console; made, and its files compressed, at the first request that no other route answers.
    private static let console = ConsoleRoute(ConsoleFiles.all)
    /// The gate of the instance.
    private let gateState = Mutex(GateState.active)

    /// Creates the routes of an instance.
    init(
        _ context: HTTP.Context, _ window: DeliveryWindow, _ throttledLog: ThrottledLog,
        _ emit: @escaping @Sendable (DispatchedAction<HTTP.Action>) -> Void
    ) {
        self.context = context
        entrance = Guard(context, throttledLog)
        actions = ActionsRoute(context: context)
        hooks = HooksRoute(context, window, throttledLog, emit)
        views = ViewRoutes(context)
        control = ControlRoute(context: context, entrance: entrance)
        events = EventHub(context)
    }

    /// The gate of the instance.
    var gate: GateState {
        get { gateState.withLock { $0 } }
        set { gateState.withLock { $0 = newValue } }
    }

    /// The problem of the first unreadable secret file, as a sentence for the operator; nil if all can be read.
    var secretProblem: String? {
        for file in hooks.secretFiles + (entrance.token.map { [$0] } ?? []) {
            do throws(SecretFile.Failure) {
                _ = try file.bytes()
            } catch {
                return error.sentence
            }
        }
        return nil
    }

    /// Called once in a round of the server.
    func tick() { events.tick() }

    /// Ends all feeds.
    func stop() { events.stop() }

    /// Decides about a request after its header.
    @Sendable func judge(_ request: HTTPRequest) -> HTTPVerdict {
        context.count("requests")
        let parts = request.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        let first = parts.count > 1 ? String(parts[1]) : ""
        let rest = parts.count > 2 ? String(parts[2]) : nil
        // Senders of webhooks call the server by any outside name. Their protection against other sites' pages in a browser
        // is the signature, which no page can make.
        let isHook = first == "hooks" && rest != nil
        if !isHook, let objection = entrance.objection(to: request) { return .answer(objection) }
        if let coding = request["content-encoding"], coding != "identity" {
            return .answer(.refusal(415, "expected a body that is not compressed, found \(coding)"))
        }
        switch (first, rest) {
        case ("actions", nil): return changing(request) { [actions] in await actions.answer(request, $0) }
        case ("hooks", let name?):
            if request.method == "POST", let objection = hooks.objection(toHeaderOf: request, name) {
                return .answer(objection)
            }
            return posted(request) { [hooks] in await hooks.answer(request, name, $0) }
        case ("control", nil):
            return posted(request, atMost: 64 << 20) { [control] in await control.answer(request, $0) }
        case ("events", nil): return looking(request) { [events] in await events.answer(request) }
        case ("state", _):
            let pointer = String(request.path.dropFirst("/state".count))
            return looking(request) { [views] in await views.state(at: pointer) }
        case ("metrics", nil): return looking(request) { [views] in await views.metrics() }
        case ("health", nil): return got(request) { [views] in views.health() }
        case ("ready", nil):
            let gate = gate
            return got(request) { [views] in await views.ready(gate) }
        default:
            if let answer = Self.console.answer(request) { return got(request) { answer } }
            return .answer(
                .refusal(
                    404,
                    "there is no \(request.path); there are /actions, /hooks/NAME, /control, /events, /state, /metrics, /health and /ready"
                ))
        }
    }

    // MARK: - Kinds of requests

    /// Reads without a token.
    private func got(
        _ request: HTTPRequest, _ answer: @escaping @Sendable () async -> HTTPResponse
    ) -> HTTPVerdict {
        guard ["GET", "HEAD"].contains(request.method) else { return wrongMethod(request, "GET, HEAD") }
        return .read(atMost: 0) { _ in await answer() }
    }

    /// Reads, for clients that may look.
    private func looking(
        _ request: HTTPRequest, _ answer: @escaping @Sendable () async -> HTTPResponse
    ) -> HTTPVerdict {
        if let objection = entrance.objection(toLookBy: request) { return .answer(objection) }
        return got(request, answer)
    }

    /// Takes a body from anybody; the answering function decides.
    private func posted(
        _ request: HTTPRequest, atMost most: Int = .max,
        _ answer: @escaping @Sendable ([UInt8]) async -> HTTPResponse
    ) -> HTTPVerdict {
        guard request.method == "POST" else { return wrongMethod(request, "POST") }
        return .read(atMost: min(most, context.settings.maximumBody), then: answer)
    }

    /// Takes a body from clients that may change something.
    private func changing(
        _ request: HTTPRequest, _ answer: @escaping @Sendable ([UInt8]) async -> HTTPResponse
    ) -> HTTPVerdict {
        if request.method == "POST", let objection = entrance.objection(toChangeBy: request) {
            return .answer(objection)
        }
        return posted(request, answer)
    }

    /// Refuses a method that the path does not accept.
    private func wrongMethod(_ request: HTTPRequest, _ allowed: String) -> HTTPVerdict {
        .answer(
            .refusal(
                405, "expected \(allowed) for \(request.path), found \(request.method)",
                [("Allow", allowed)]))
    }
}
