// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Answers requests that only look: state, numbers, and health.
struct ViewRoutes: Sendable {
    /// The context of the instance.
    let context: HTTP.Context

    /// Returns the state at a JSON Pointer, which follows `/state` in the path.
    func state(at pointer: String) async -> HTTPResponse {
        await ask("state", ["pointer": .string(pointer)]) { answer in
            answer["value"].map { HTTPResponse(200, $0) }
                ?? .refusal(404, "there is nothing at \(Value.string(pointer).json())")
        }
    }

    /// Returns the numbers of the host in Prometheus format.
    func metrics() async -> HTTPResponse {
        await ask("metrics", [:]) { answer in
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

    /// Asks the host; answers a failure in the words of the protocol.
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
