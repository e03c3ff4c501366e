// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Answers requests that only look: state, numbers, and how the host is.
struct ViewRoutes: Sendable {
    /// What the instance was made with.
    private let context: HTTP.Context

    /// Routes of an instance.
    init(_ context: HTTP.Context) { self.context = context }

    /// The state at a JSON Pointer, which follows `/state` in the path.
    func state(at pointer: String) async -> HTTPResponse {
        await ask("state", ["pointer": .string(pointer)]) { answer in
            answer["value"].map { HTTPResponse(200, $0) }
                ?? .refusal(404, "there is nothing at \(Value.string(pointer).json())")
        }
    }

    /// The numbers of the host, as Prometheus reads them.
    func metrics() async -> HTTPResponse {
        await ask("metrics", [:]) { answer in
            HTTPResponse(
                200, type: "text/plain; version=0.0.4; charset=utf-8", Array((answer.stringValue ?? "").utf8))
        }
    }

    /// Whether the process lives: it answers.
    func health() -> HTTPResponse { HTTPResponse(200, ["status": "ok"]) }

    /// Whether the host does what it is asked for, and takes actions from here.
    func ready(_ gate: GateState) async -> HTTPResponse {
        var reasons: [String] = []
        if gate != .active { reasons.append("the gate of the instance \(context.instance) is closed") }
        if context.ingress == nil {
            reasons.append("the instance \(context.instance) is not granted \"ingress\"")
        }
        var failing: [Value] = []
        if let control = context.control {
            do throws(HostControl.Failure) {
                let status = try await control.request("status")
                failing = (status["instances"]?.arrayValue ?? [])
                    .filter { $0["health"] == "failing" }.compactMap { $0["id"] }
            } catch {
                reasons.append(error.message)
            }
        }
        let answer: Value = [
            "ready": .bool(reasons.isEmpty), "reasons": .array(reasons.map { .string($0) }),
            "failing": .array(failing),
        ]
        return reasons.isEmpty ? HTTPResponse(200, answer) : HTTPResponse(503, answer, [("Retry-After", "1")])
    }

    /// Asks the host, and says in the words of the protocol why that came to nothing.
    private func ask(
        _ method: String, _ parameters: Value, _ answer: (Value) -> HTTPResponse
    ) async -> HTTPResponse {
        guard let control = context.control else {
            return ActionsRoute.notGranted("control", context.instance)
        }
        do throws(HostControl.Failure) {
            return answer(try await control.request(method, parameters))
        } catch {
            return error.code == -32602
                ? .refusal(400, error.message) : .later(error.message)
        }
    }
}
