// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport

/// Looks for what cannot be, or likely is not meant, where instances are in different stores of a cluster.
struct ClusterReview {
    /// Those that take part, in chain order.
    private let instances: [PlannedInstance]
    /// What is wrong, and what is likely not meant.
    private(set) var diagnostics: [Diagnostic] = []

    /// Looks at everything, once.
    init(of instances: [PlannedInstance], in cluster: ClusterConfiguration) {
        self.instances = instances
        for instance in instances {
            if instance.scope == .host { checkHearing(of: instance) }
            checkGate(of: instance, isDivided: cluster.partitions > 1)
        }
    }

    /// What an instance in front of the partitions hears: others there, and the host.
    private mutating func checkHearing(of instance: PlannedInstance) {
        let missed = instance.names.heard.map(\.global).filter { !$0.isForHost && !isEmittedInFront($0) }
        guard !missed.isEmpty else { return }
        tell(
            .warning, instance, [],
            "in a cluster it hears only what instances of scope \"host\" emit, and none of them emits \(Quotation.choice(of: missed.map(\.description))); let it hear something else, or remove it"
        )
    }

    /// Whether an instance in front of the partitions declares to emit all types of a pattern.
    private func isEmittedInFront(_ pattern: TypePattern) -> Bool {
        instances.contains { instance in
            instance.scope == .host && instance.names.emitted.contains { $0.intersection(pattern) == pattern }
        }
    }

    /// A gate that is moved by what is in another store, or in one of several.
    private mutating func checkGate(of instance: PlannedInstance, isDivided: Bool) {
        switch instance.entry.gate {
        case .active, .bypass: return
        case .state(let pointer):
            let owner = instances.first { $0.slice?.contains(pointer) == true && $0.scope != instance.scope }
            guard let owner else { return }
            tell(
                .error, instance, ["gate", "state"],
                "at \(pointer) is the slice of \(owner.id), whose plugin has the scope \"\(owner.scope.rawValue)\" while that of \(instance.id) has the scope \"\(instance.scope.rawValue)\", so that they are in different stores of the cluster; let an action move the gate"
            )
        case .action(let control, _, _, _, _):
            let type = TypePattern(stem: control, isOpen: false)
            switch instance.scope {
            case .host where !isEmittedInFront(type):
                tell(
                    .warning, instance, ["gate", "control"],
                    "in a cluster an instance of scope \"host\" hears only what others of this scope emit, and none of them emits \(Quotation.of(control)), so that only gatehouse ctl gate moves the gate"
                )
            case .partition where isDivided:
                tell(
                    .warning, instance, ["gate", "control"],
                    "in a cluster \(Quotation.of(control)) comes to one partition, and moves the gate there alone, because each partition has a gate of its own"
                )
            case .host, .partition, .cluster: return
            }
        }
    }

    /// Notes something about an instance, with its place where there is one.
    private mutating func tell(
        _ severity: Diagnostic.Severity, _ instance: PlannedInstance, _ part: [String], _ sentence: String
    ) {
        diagnostics.append(instance.diagnostic(severity, at: part, sentence))
    }
}
