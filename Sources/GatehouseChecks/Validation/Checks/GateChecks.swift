// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSDK

extension ValidationCheck {
    /// Checks on an operator's expectations of a gate.
    package static let gate: [ValidationCheck] = [
        ValidationCheck(
            "gate/closed", "Its state is unchanged while its gate is closed.", after: "actions/examples"
        ) {
            subject throws(CheckDiagnostic) in
            let host = try subject.host()
            for action in subject.recording { host.send(action) }
            host.rest()
            host.moveGate(open: false)
            let before = try host.state()
            for action in subject.recording { host.send(action) }
            host.pause(.milliseconds(100))
            let after = try host.state()
            return after == before
                ? .pass
                : .fail(
                    "expected the state \(before?.json() ?? "none") while its gate is closed, found \(after?.json() ?? "none"); let the reducer alone change it"
                )
        },
        ValidationCheck(
            "gate/silence", "It stops emitting while its gate is closed.", after: "actions/examples"
        ) {
            subject throws(CheckDiagnostic) in
            let host = try subject.host()
            for action in subject.recording { host.send(action) }
            host.moveGate(open: false)
            host.pause(.milliseconds(50))
            let before = host.host.counts.droppedOutputs
            host.pause(.milliseconds(300))
            let dropped = host.host.counts.droppedOutputs - before
            return dropped == 0
                ? .pass
                : .warn(
                    "expected silence after its gate was closed, found \(dropped) actions in 300 ms, which were dropped; end in gateChanged what emits, or leave it to effects"
                )
        },
        ValidationCheck(
            "gate/often", "It takes actions after its gate was closed and opened often.",
            after: "actions/examples"
        ) { subject throws(CheckDiagnostic) in
            let host = try subject.host(records: false)
            let end = ContinuousClock.now.advanced(by: .seconds(4))
            for _ in 0..<50 where ContinuousClock.now < end {
                host.moveGate(open: false)
                host.moveGate(open: true)
                for action in subject.examples.prefix(3) { host.send(action) }
            }
            host.rest()
            // Actions that its interceptor stops count as heard.
            let heard = { host.instance.account.heard + host.instance.stoppedActions }
            let before = heard()
            let refusals = subject.examples.compactMap { host.decodingFailure(sending: $0) }
            guard !refusals.isEmpty || heard() == before, !subject.examples.isEmpty else { return .pass }
            return .fail(
                "expected it to take actions after its gate was opened, found \(refusals.last.map { "a refusal, " + Subject.sentence($0) } ?? "that it hears none")"
            )
        },
    ]
}
