// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSDK

extension ValidationCheck {
    /// Checks on an operator's expectations of a gate.
    package static let gate: [ValidationCheck] = [
        running("gate/closed", "Its state is unchanged while its gate is closed.") {
            host throws(CheckDiagnostic) in
            host.exercise()
            host.moveGate(open: false)
            let before = try host.state()
            host.sendAll()
            host.pause(.milliseconds(100))
            let after = try host.state()
            return .fail(
                "expected the state \(before?.json() ?? "none") while its gate is closed, found \(after?.json() ?? "none"); let the reducer alone change it",
                unless: after == before)
        },
        running("gate/silence", "It stops emitting while its gate is closed.") { host in
            host.sendAll()
            host.moveGate(open: false)
            host.pause(.milliseconds(50))
            let before = host.host.counts.droppedOutputs
            host.pause(.milliseconds(300))
            let dropped = host.host.counts.droppedOutputs - before
            return .warn(
                "expected silence after its gate was closed, found \(dropped) actions in 300 ms, which were dropped; end in gateChanged what emits, or leave it to effects",
                unless: dropped == 0)
        },
        running(
            "gate/often", "It takes actions after its gate was closed and opened often.", records: false
        ) { host in
            let examples = host.subject.examples
            let end = ContinuousClock.now.advanced(by: .seconds(4))
            for _ in 0..<50 where ContinuousClock.now < end {
                host.moveGate(open: false)
                host.moveGate(open: true)
                for action in examples.prefix(3) { host.send(action) }
            }
            host.rest()
            // Actions that its interceptor stops count as heard.
            let heard = { host.instance.account.heard + host.instance.stoppedActions }
            let before = heard()
            let refusals = examples.compactMap { host.decodingFailure(sending: $0) }
            return .fail(
                "expected it to take actions after its gate was opened, found \(refusals.last.map { "a refusal, " + Subject.sentence($0) } ?? "that it hears none")",
                unless: examples.isEmpty || refusals.isEmpty && heard() > before)
        },
    ]
}
