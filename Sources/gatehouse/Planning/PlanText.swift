// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// Formats a plan for people.
enum PlanText {
    /// The instances in chain order, then the libraries that are not used.
    static func list(_ plan: HostPlan) -> String {
        var blocks = plan.entries.map { entry in
            switch entry.outcome {
            case .accepted(let instance): block(instance, plan)
            case .refused(let refusal):
                "\(entry.id): refused\n" + row("library", [refusal.library ?? ""])
                    + row("because", refusal.sentences)
            case .missing(let reason): "\(entry.id): missing\n" + row("because", [reason])
            }
        }
        blocks += plan.shadows.map { shadow in
            "\(shadow.configuration.id): a shadow of \(shadow.configuration.instance)\n"
                + row("library", [shadow.libraryText])
        }
        blocks += plan.spares.map { spare in
            let note = spare.library.verdict.note
            let subject = note.map { "\($0.manifest.id) \($0.manifest.version)" }
            let title = "\(spare.library.fileName): \(spare.reasons.isEmpty ? "takes no part" : "refused")"
            return Quotation.bare(title) + "\n" + row("plugin", subject.map { [$0] } ?? ["not known"])
                + row("library", [spare.library.path])
                + row(
                    "because",
                    spare.asksForEntry
                        ? ["no entry names it, and its plugin.json says \"discovery\": \"never\""]
                        : spare.reasons.isEmpty
                            ? ["no entry names it, and \"discovery\" is \"list\""] : spare.reasons)
        }
        return blocks.isEmpty ? "no instances\n" : blocks.joined(separator: "\n")
    }

    /// The chain, then its routes.
    static func plan(_ plan: HostPlan, _ routes: [PlannedRoute]) -> String {
        guard !plan.instances.isEmpty else { return "no instances\n" }
        let ids = plan.instances.map(\.id)
        let width = (ids.map(\.count).max() ?? 0) + 1
        let chain = plan.instances.enumerated().map { index, instance in
            "  \(index + 1) \(instance.id.padded(to: width)) \(instance.manifest.id) \(instance.manifest.version), gate \(Quotation.bare(gate(instance, plan)))\(plan.configuration.cluster == nil ? "" : ", scope \(instance.scope.rawValue)")\(placement(instance).map { ", \($0)" } ?? "")\n"
        }
        return "chain\n" + chain.joined() + "\n" + self.routes(plan, routes)
    }

    /// Routes, each with the emitters and the hearers of the type.
    static func routes(_ plan: HostPlan, _ routes: [PlannedRoute]) -> String {
        routes.map { route in
            let width = (route.stops.map(\.instance.id.count).max() ?? 0) + 1
            let stops = route.stops.map { stop in
                var words: [String] = []
                if let local = stop.local, local != route.type { words.append("as \(local)") }
                if stop.intercepts { words.append("may change or stop it") }
                if stop.isControl { words.append("moves its gate") }
                if case .active = stop.instance.entry.gate {
                } else if stop.local != nil {
                    words.append("gate \(gate(stop.instance, plan))")
                }
                guard !words.isEmpty else { return "  \(stop.place) \(stop.instance.id)\n" }
                return
                    "  \(stop.place) \(stop.instance.id.padded(to: width)) \(Quotation.bare(words.joined(separator: ", ")))\n"
            }
            let senders =
                route.senders.isEmpty
                ? "" : "  emitted by \(route.senders.map(\.id).joined(separator: ", "))\n"
            let title = route.type == "*" ? "* (every other type)" : route.type
            return Quotation.bare(title) + "\n" + senders
                + (stops.isEmpty ? "  heard by nobody\n" : stops.joined())
        }.joined(separator: "\n")
    }

    /// The lines about one instance.
    private static func block(_ instance: PlannedInstance, _ plan: HostPlan) -> String {
        "\(instance.id): \(instance.manifest.id) \(instance.manifest.version)\n"
            + row("library", [instance.library?.path ?? "linked in"])
            + (instance.library?.endorsement.map { row("trust", [trust($0, instance)]) } ?? "")
            + row("gate", [gate(instance, plan)])
            + row(
                "hears",
                instance.heard.map { $0.global == $0.local ? $0.global : "\($0.global) as \($0.local)" })
            + row("emits", instance.emitted)
            + row(
                "slice",
                instance.slice.map { ["\($0)\(instance.keepsState == nil ? ", if it keeps state" : "")"] }
                    ?? [])
            + (plan.configuration.cluster == nil ? "" : row("scope", [instance.scope.rawValue]))
            + (placement(instance).map { row("runs", [$0 + beside(instance, plan)]) } ?? "")
            + (instance.runsInWorker ? rights(instance.entry.grant) : "")
            + (instance.manifest.permissions.isEmpty ? "" : row("asks for", instance.manifest.permissions))
    }

    /// Who vouches for a library, and whether its entry pins it.
    private static func trust(_ endorsement: Endorsement, _ instance: PlannedInstance) -> String {
        endorsement.words + (instance.entry.sha256 == nil ? "" : ", pinned")
    }

    /// What an instance in a worker is granted.
    private static func rights(_ grant: GrantConfiguration) -> String {
        [
            ("changes", grant.files.isEmpty ? [] : ["its folder for data"] + grant.files),
            ("reads", grant.read), ("reaches", grant.connections.map(\.place)),
            ("listens", grant.listeners.map { "at \($0.address)" }),
        ].filter { !$0.1.isEmpty }.map { row($0.0, $0.1) }.joined()
    }

    /// A name and its lines, one below the other.
    private static func row(_ name: String, _ lines: [String]) -> String {
        let lines = lines.isEmpty ? ["nothing"] : lines
        return lines.enumerated().map { index, line in
            "  \((index == 0 ? name : "").padded(to: 7)) \(Quotation.bare(line))\n"
        }.joined()
    }

    /// Whom an instance shares its process with, told after where it runs; empty for nobody.
    private static func beside(_ instance: PlannedInstance, _ plan: HostPlan) -> String {
        let others = plan.processMembers(with: instance).map(\.id).filter { $0 != instance.id }
        return others.isEmpty ? "" : ", with \(others.joined(separator: ", "))"
    }

    /// Where an instance runs; nil in the host where nothing decided that.
    private static func placement(_ instance: PlannedInstance) -> String? {
        instance.runsInWorker || instance.placement.reason != nil ? "\(instance.placement)" : nil
    }

    /// The action types that move a gate, and its position at the start.
    private static func gate(_ instance: PlannedInstance, _ plan: HostPlan) -> String {
        let start =
            plan.start(of: instance).map { "starts \($0.rawValue)" } ?? "starts as the plugin's state says"
        switch instance.entry.gate {
        case .active: return "active"
        case .bypass: return "bypass"
        case .action(let control, let at, _, _, _):
            return "moved by \(control)\(at.tokens.isEmpty ? "" : " at \(at)"), \(start)"
        case .state(let pointer): return "follows the state at \(pointer), \(start)"
        }
    }
}
