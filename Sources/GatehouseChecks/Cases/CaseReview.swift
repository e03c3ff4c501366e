// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// Compares the cases of a file with the plan of their configuration, before any of them runs.
struct CaseReview {
    /// The plan of the configuration.
    private let plan: HostPlan
    /// The problems so far.
    private(set) var diagnostics: [Diagnostic] = []

    /// Compares all cases of a file with a runnable plan.
    init(of file: CaseFile, with plan: HostPlan) {
        self.plan = plan
        for tested in file.cases {
            lookAtStart(tested.start.gates)
            lookForInstances(tested.effects.named)
            for step in tested.steps {
                lookForInstances(step.gates)
                for send in step.sends { lookAt(send, in: step.place) }
            }
        }
    }

    /// Checks the initial gate positions.
    private mutating func lookAtStart(_ gates: LocatedChoices<GateConfiguration.Default>) {
        guard let place = gates.place else { return }
        lookForInstances(gates)
        for (id, _) in gates.all {
            guard let entry = plan.instances.first(where: { $0.id == id })?.entry,
                case .state(let pointer) = entry.gate
            else { continue }
            diagnostics.append(
                place.diagnostic(
                    at: [id], isKey: true,
                    "the gate of \(id) follows the state at \(pointer); set that in \"state\" instead"))
        }
    }

    /// Reports ids that no instance has.
    private mutating func lookForInstances(_ choices: LocatedChoices<some Any>) {
        guard let place = choices.place else { return }
        let known = plan.instances.map(\.id)
        for (id, _) in choices.all where !known.contains(id) {
            let advice =
                NearMiss.suggestion(for: id, among: known).map { "did you mean \(Quotation.of($0))?" }
                ?? (known.isEmpty
                    ? "there are none" : "the instances are \(known.joined(separator: ", "))")
            diagnostics.append(
                place.diagnostic(
                    at: [id], isKey: true,
                    "expected the id of an instance, found \(Quotation.of(id)); \(advice)"))
        }
    }

    /// Reports why a sent value is not a line of input.
    private mutating func lookAt(
        _ send: (value: LocatedValue, tokens: [String]), in place: ConfigurationPlace
    ) {
        do throws(ActionRejection) {
            if let wrap = plan.configuration.ingress.wrap {
                _ = try LocatedAction(send.value, line: 1, wrap: wrap)
            } else {
                _ = try LocatedAction(send.value, line: 1)
            }
        } catch {
            let position = TextPosition(
                line: error.line, column: error.column, offset: send.value.position.offset)
            diagnostics.append(
                Diagnostic(
                    .error,
                    at: Diagnostic.Place(
                        file: place.file, position: position,
                        pointer: JSONPointer(tokens: place.pointer.tokens + send.tokens)),
                    "\(error.reason)"))
        }
    }
}
