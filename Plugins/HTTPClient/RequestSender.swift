// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// Turns payloads into requests, sends them, retries, and reports the outcome.
///
/// Callable from any thread.
final class RequestSender: Sendable {
    /// The actions of the plugin.
    typealias Action = HTTPClient.Action

    /// The instance and its settings.
    private let context: HTTPClient.Context
    /// The order of the requests.
    private let queue: RequestQueue
    /// Sends them.
    private let client: CurlClient
    /// Given when the run ends: no retries from then on.
    private let stopped = StopSignal()
    /// Numbers requests without a key from the host.
    private let unnamed = Atomic<UInt64>(0)

    /// Creates a sender without sending anything.
    init(_ context: HTTPClient.Context) {
        self.context = context
        queue = RequestQueue(concurrency: context.settings.concurrency, limit: context.settings.queue)
        client = CurlClient(network: context.network)
    }

    /// Reports obstacles to sending to the operator.
    func review() {
        let settings = context.settings
        guard settings.url.value != nil else { return }
        if context.clock == nil, settings.attempts > 1 {
            context.log(
                .warning, #"nothing will be tried again: grant "clock" in "lift"/"dependencies""#)
        }
        do throws(RequestRefusal) {
            _ = try secrets()
        } catch {
            context.health(.failing(error.message))
        }
    }

    /// Ends all pauses, and lets waiting requests check whether another run begins them; requests under way continue while the
    /// host waits.
    func stop() {
        stopped.give()
        queue.wake()
    }

    /// Gives up everything; a later request starts again.
    func close() { client.close() }

    /// Returns the effect that sends one payload; called in the drain, in the intended order of the requests.
    ///
    /// - Parameter traceparent: the span that the request follows from, for the service; nil for none.
    func effect(
        for payload: Value?, key: String?, traceparent: String?
    ) -> Effect<HTTPClient.Context, Action> {
        guard let ticket = queue.ticket() else {
            return .just(
                failure(
                    of: payload, .queueFull,
                    "the queue of \(context.settings.queue) waiting requests is full; raise \"queue\" or \"concurrency\", or send less",
                    attempts: 0))
        }
        context.gauge("queue", Double(queue.waiting))
        return .run { [self] output in
            // Twice, because the end of the run wakes all waiting requests: one that has not begun by then begins elsewhere,
            // unless nobody would begin it.
            for _ in 1...2 {
                await ticket.turn()
                if Task.isCancelled || stopped.isGiven && output.leave() { return }
            }
            let answer = await answer(to: payload, key: key, traceparent: traceparent, output)
            // Free the place before the answer is processed, which may lead to the next request.
            _ = consume ticket
            context.gauge("queue", Double(queue.waiting))
            if let answer { await output.emit(answer) }
        }.finishing
    }

    /// Sends one payload until it is accepted or given up; returns nil when the task was cancelled.
    private func answer(
        to payload: Value?, key: String?, traceparent: String?, _ output: EffectOutput<Action>
    ) async -> Action? {
        let settings = context.settings
        let name = key ?? "\(context.instance)/\(unnamed.add(1, ordering: .relaxed).newValue)"
        var pauses = RetryPause(first: settings.pause, maximum: settings.maximumPause, key: name)
        var attempt = 0
        while true {
            attempt += 1
            let outcome: AttemptOutcome
            do throws(RequestRefusal) {
                outcome = await send(try request(for: payload, key: key, traceparent: traceparent))
            } catch {
                return failure(of: payload, error.reason, error.message, attempts: attempt - 1)
            }
            if Task.isCancelled { return nil }
            context.count("attempts")
            switch outcome {
            case .taken(let response):
                context.count("succeeded")
                context.health(.ok)
                return .succeeded(
                    id: payload?[settings.id], status: response.status, body: body(of: response),
                    cut: response.isCut ? true : nil, attempts: attempt)
            case .refused(let reason, let message, let response, let requested):
                let last = { [self] in
                    failure(of: payload, reason, message, response: response, attempts: attempt)
                }
                guard let requested, attempt < settings.attempts, let clock = context.clock else {
                    if requested != nil { context.health(.failing(message)) }
                    return last()
                }
                guard requested <= RetryPause.longestRequest else { return last() }
                if stopped.isGiven { return output.leave() ? nil : last() }
                let seconds = pauses.pause(after: attempt, requested: requested)
                context.log(
                    .debug,
                    "\(message); attempt \(attempt + 1) of \(settings.attempts) follows in \((seconds * 10).rounded() / 10) s"
                )
                await stopped.pause(.seconds(seconds), clock)
                if Task.isCancelled { return nil }
                if stopped.isGiven {
                    if output.leave() { return nil }
                    return failure(
                        of: payload, .stopped,
                        "given up after attempt \(attempt) because the run ends: \(message)",
                        response: response, attempts: attempt)
                }
            }
        }
    }

    // MARK: - One attempt

    /// The outcome of one attempt.
    private enum AttemptOutcome {
        /// The service has accepted the request.
        case taken(HTTPResponse)
        /// It has not; `again` is nil where a retry makes no sense, else the seconds that the service asks to wait.
        case refused(HTTPClient.Reason, String, HTTPResponse?, again: Double?)
    }

    /// Sends a request, and follows redirects as far as the settings allow.
    private func send(_ request: HTTPRequest) async -> AttemptOutcome {
        var request = request
        var redirects = 0
        while true {
            let response: HTTPResponse
            do throws(HTTPFailure) {
                response = try await client.perform(request)
            } catch {
                let reason: HTTPClient.Reason = error.isTimeout ? .timeout : .connection
                let message = "no answer: \(error.words)"
                if error.isLasting { context.health(.failing(message)) }
                return .refused(reason, message, nil, again: error.isLasting ? nil : 0)
            }
            switch response.status {
            case 200..<300: return .taken(response)
            case 301, 302, 303, 307, 308:
                guard let next = location(of: response, after: redirects, request) else {
                    return .refused(
                        .redirect,
                        "the answer \(response.status) is a redirect and is not followed; set \"url\" to its place, or raise \"redirects\"",
                        response, again: nil)
                }
                redirects += 1
                request.url = next
            case 408, 425, 429, 500, 502, 503, 504:
                let requested = RetryPause.requested(
                    by: response.retryAfter, at: context.clock?.unixTime() ?? 0)
                return .refused(
                    .status, "the service answers \(response.status)", response, again: requested ?? 0)
            default:
                return .refused(.status, "the service answers \(response.status)", response, again: nil)
            }
        }
    }

    /// Returns the target of a redirect that may be followed: to the same service, with the same method.
    private func location(
        of response: HTTPResponse, after redirects: Int, _ request: HTTPRequest
    ) -> String? {
        let keepsMethod = [307, 308].contains(response.status) || ["GET", "HEAD"].contains(request.method)
        guard redirects < context.settings.redirects, keepsMethod, let location = response.location,
            context.settings.url.value?.hasSameOrigin(location) == true
        else { return nil }
        return location
    }

    /// Reads the secrets for the headers.
    private func secrets() throws(RequestRefusal) -> [String: String] {
        let used = Set(context.settings.headers.values.flatMap(\.secrets))
        var secrets: [String: String] = [:]
        for (name, path) in context.settings.secrets.sorted(by: { $0.key < $1.key }) where used.contains(name)
        {
            secrets[name] = try SecretFile.read(name, path)
        }
        return secrets
    }

    /// Returns the request for a payload.
    private func request(
        for payload: Value?, key: String?, traceparent: String?
    ) throws(RequestRefusal) -> HTTPRequest {
        let settings = context.settings
        guard let url = settings.url.value else {
            throw RequestRefusal(reason: .noURL, message: #"there is no URL to send to; set "url""#)
        }
        let secrets = try secrets()
        var headers: [(name: String, value: String)] = []
        for (name, template) in settings.headers.sorted(by: { $0.key < $1.key }) {
            headers.append((name, try template.filled(name, from: payload, secrets: secrets)))
        }
        func add(_ name: String, _ value: String) {
            guard !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) else { return }
            headers.append((name, value))
        }
        if let key { add("Idempotency-Key", key) }
        if let traceparent { add("traceparent", traceparent) }
        var body: [UInt8]?
        if settings.method.hasBody {
            guard let part = (payload ?? .null)[settings.body] else {
                throw RequestRefusal(
                    reason: .payload,
                    message: "the body needs something at \(settings.body), found nothing")
            }
            add("Content-Type", "application/json")
            body = Array(part.json().utf8)
        }
        return HTTPRequest(
            method: settings.method.rawValue, url: try url.filled(from: payload), host: url.host,
            port: url.port, headers: headers, body: body, timeout: Int(settings.timeout * 1_000),
            connectTimeout: Int(settings.connectTimeout * 1_000),
            maximumResponse: settings.maximumResponse)
    }

    // MARK: - Answers

    /// Reports that something was not sent or not accepted.
    private func failure(
        of payload: Value?, _ reason: HTTPClient.Reason, _ message: String,
        response: HTTPResponse? = nil, attempts: Int
    ) -> Action {
        context.count("failed")
        context.failed(
            Action.send(payload), attempts == 0 ? message : "\(message); attempts: \(attempts)")
        return .failed(
            id: payload?[context.settings.id], reason: reason, message: message, status: response?.status,
            body: response.flatMap(body), attempts: attempts)
    }

    /// Returns the body of an answer: its JSON value, or the text; nil for none.
    private func body(of response: HTTPResponse) -> Value? {
        guard !response.body.isEmpty else { return nil }
        let type = (response.contentType ?? "").prefix { $0 != ";" }.lowercased()
        let isJSON = type.hasSuffix("/json") || type.hasSuffix("+json")
        if isJSON, !response.isCut, let value = try? JSONText.parse(response.body) { return value }
        return .string(String(decoding: response.body, as: UTF8.self))
    }
}
