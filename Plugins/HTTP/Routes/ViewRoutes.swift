// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Answers requests that only look: state, numbers, and health.
struct ViewRoutes: Sendable {
    /// The context of the instance.
    private let context: HTTP.Context
    /// Asks for the numbers of the host; nil without `control`, as is the next.
    private let numbers: SharedQuestion?
    /// Asks for the status of the host.
    private let status: SharedQuestion?

    /// The answers of an instance.
    init(_ context: HTTP.Context) {
        self.context = context
        numbers = context.control.map { SharedQuestion("metrics", to: $0) }
        status = context.control.map { SharedQuestion("status", to: $0) }
    }

    /// Returns the state at a JSON Pointer, which follows `/state` in the path.
    func state(at pointer: String) async -> HTTPResponse {
        guard let control = context.control else { return notGranted }
        do throws(HostControl.Failure) {
            let answer = try await control.request("state", ["pointer": .string(pointer)])
            return answer["value"].map { HTTPResponse(200, $0) }
                ?? .refusal(404, "there is nothing at \(Value.string(pointer).json())")
        } catch {
            return Self.refusal(error)
        }
    }

    /// Returns the numbers of the host in Prometheus format.
    func metrics() async -> HTTPResponse {
        switch await numbers?.answer() {
        case nil: notGranted
        case .failure(let failure): Self.refusal(failure)
        case .success(let answer):
            HTTPResponse(
                200, type: "text/plain; version=0.0.4; charset=utf-8", Array((answer.stringValue ?? "").utf8))
        }
    }

    /// Shows that the process lives.
    func health() -> HTTPResponse { HTTPResponse(200, ["status": "ok"]) }

    /// Returns whether the host answers requests, and accepts actions from here.
    func ready(_ gate: GateState) async -> HTTPResponse {
        var reasons: [String] = []
        if gate != .active { reasons.append("the gate of the instance \(context.instance) is closed") }
        if context.ingress == nil {
            reasons.append("the instance \(context.instance) is not granted \"ingress\"")
        }
        var failing: [Value] = []
        switch await status?.answer() {
        case nil: break
        case .failure(let failure): reasons.append(failure.message)
        case .success(let status):
            failing = (status["instances"]?.arrayValue ?? [])
                .filter { $0["health"] == "failing" }.compactMap { $0["id"] }
            reasons += (status["cluster"]?["obstacles"]?.arrayValue ?? []).compactMap(\.stringValue)
        }
        let answer: Value = [
            "ready": .bool(reasons.isEmpty), "reasons": .array(reasons.map { .string($0) }),
            "failing": .array(failing),
        ]
        return reasons.isEmpty ? HTTPResponse(200, answer) : HTTPResponse(503, answer, [("Retry-After", "1")])
    }

    /// The answer of an instance that may not ask the host.
    private var notGranted: HTTPResponse { ActionsRoute.notGranted("control", context.instance) }

    /// The answer to a failure, in the words of the protocol.
    private static func refusal(_ failure: HostControl.Failure) -> HTTPResponse {
        failure.code == -32602 ? .refusal(400, failure.message) : .later(failure.message)
    }
}
