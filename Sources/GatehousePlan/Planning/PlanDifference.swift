// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehouseSDK
package import GatehouseSupport

/// What has to be done so that a host that runs one plan runs another, instance by instance.
///
/// Values only: nothing is done here, and the same difference is shown before anything happens.
package struct PlanDifference: Sendable {
    /// What becomes of an instance of the new plan.
    package enum Step: Equatable, Sendable {
        /// It goes on as it is, the same object.
        case keep
        /// It goes on, the same object, in another place of the configuration.
        case adapt([Part])
        /// Another object takes its place and its state.
        case replace(Cause)
        /// The instance starts, because there was none before.
        case start
    }

    /// A part of an entry that changes without a new object.
    package enum Part: String, CaseIterable, Sendable {
        /// The gate differs.
        case gate
        /// By which names it hears and emits, and what it may emit.
        case lift
        /// The place of the slice differs.
        case state
        /// What is kept of dropped actions differs.
        case keep
    }

    /// Why an instance is made anew.
    package enum Cause: Equatable, Sendable {
        /// The library has other bytes, or is another one.
        case library
        /// The settings differ.
        case settings
        /// It is granted other dependencies.
        case dependencies
        /// It runs elsewhere.
        case placement
        /// It is granted other rights.
        case grant
        /// Its process begins anew, because another instance there does, or comes, or goes.
        case members
        /// The instance had another id.
        case renamed
        /// Its library is in quarantine from here on, and it stands.
        case quarantine
        /// Its library is out of quarantine.
        case release
    }

    /// One instance of the new plan.
    package struct Change: Sendable {
        /// The instance as the new plan has it.
        package let planned: PlannedInstance
        /// The step that leads from the old plan to the new one.
        package let step: Step
        /// The same instance in the plan that runs; nil for one that starts.
        package let before: PlannedInstance?
        /// Whether others that go on overtake it in the chain.
        package internal(set) var isMoved = false
    }

    /// In the order of the new chain.
    package let changes: [Change]
    /// Those that only the plan that runs has, in its order.
    package let stopped: [PlannedInstance]
    /// What becomes of shadows, one line each; empty where all go on.
    package let shadows: [String]
    /// What the file says about the state at the start that it did not say before; nil for nothing.
    package let patch: Value?
    /// The keys about the host itself whose values differ and that it follows while it runs.
    package let settings: [String]
    /// What a host cannot change while it runs.
    package let obstacles: [Diagnostic]

    /// Compares the plan that runs with one that nothing keeps from starting.
    package init(from running: HostPlan, to next: HostPlan) {
        let old = running.instances
        let byID = Dictionary(old.map { ($0.id, $0) }) { first, _ in first }
        let succession = Succession(from: byID.keys, to: next.instances.map(\.entry))
        let own = next.instances.map { planned in
            let before = succession[planned.id].flatMap { byID[$0] }
            return Change(planned: planned, step: Self.step(from: before, to: planned), before: before)
        }
        changes = Self.moved(Self.joined(own, from: running), from: old)
        let goOn = Set(changes.compactMap { $0.before?.id })
        stopped = old.filter { !goOn.contains($0.id) }
        shadows = Self.shadows(from: running, to: next)
        patch = running.configuration.state.patch(to: next.configuration.state)
        settings = Self.settings(from: running.configuration, to: next.configuration)
        obstacles = Self.obstacles(from: running.configuration, to: next.configuration)
    }

    /// The instances for which there is another object, in the order of the new chain.
    package var begun: [PlannedInstance] {
        changes.filter { change in
            switch change.step {
            case .keep, .adapt: false
            case .replace, .start: true
            }
        }.map(\.planned)
    }

    /// Whether there is nothing to do.
    package var isEmpty: Bool {
        stopped.isEmpty && patch == nil && shadows.isEmpty && settings.isEmpty
            && changes.allSatisfy { $0.step == .keep && !$0.isMoved }
    }

    /// Says what becomes of shadows.
    private static func shadows(from running: HostPlan, to next: HostPlan) -> [String] {
        let old = Dictionary(running.shadows.map { ($0.configuration.id, $0) }) { first, _ in first }
        let ids = Set(next.shadows.map(\.configuration.id))
        return next.shadows.compactMap { shadow in
            let (id, instance) = (shadow.configuration.id, shadow.configuration.instance)
            guard let before = old[id] else { return "start \(id), a shadow of \(instance)" }
            return before.isSame(as: shadow) ? nil : "replace \(id), a shadow of \(instance)"
        }
            + running.shadows.map(\.configuration).filter { !ids.contains($0.id) }.map {
                "stop \($0.id), a shadow of \($0.instance)"
            }
    }

    /// What becomes of an instance.
    private static func step(from before: PlannedInstance?, to planned: PlannedInstance) -> Step {
        guard let before else { return .start }
        let (old, new) = (before.entry, planned.entry)
        if before.digest != planned.digest { return .replace(.library) }
        if (before.quarantine == nil) != (planned.quarantine == nil) {
            return .replace(planned.quarantine == nil ? .release : .quarantine)
        }
        if old.id != new.id { return .replace(.renamed) }
        if old.settings != new.settings { return .replace(.settings) }
        if planned.placement.isElsewhere(than: before.placement) { return .replace(.placement) }
        // In the host it has all rights.
        if old.grant != new.grant, planned.runsInWorker { return .replace(.grant) }
        if old.lift.dependencies != new.lift.dependencies { return .replace(.dependencies) }
        var parts: [Part] = []
        if old.gate != new.gate || old.onClose != new.onClose { parts.append(.gate) }
        if old.lift.input != new.lift.input || old.lift.output != new.lift.output || old.allow != new.allow {
            parts.append(.lift)
        }
        if old.slice != new.slice { parts.append(.state) }
        if old.keep != new.keep { parts.append(.keep) }
        return parts.isEmpty ? .keep : .adapt(parts)
    }

    /// Replaces those that go on in a worker with others that do not, or do so no longer: the members of a process are the same as long as
    /// that lives.
    private static func joined(_ changes: [Change], from running: HostPlan) -> [Change] {
        let old = Self.members(of: running.instances)
        let new = Self.members(of: changes.map(\.planned))
        var begun: Set<String> = []
        for (name, ids) in new where old[name] != ids { begun.insert(name) }
        for change in changes where change.planned.quarantine == nil {
            guard let name = change.planned.sharedWorker else { continue }
            switch change.step {
            case .keep, .adapt: break
            case .replace, .start: begun.insert(name)
            }
        }
        return changes.map { change in
            guard let name = change.planned.sharedWorker, begun.contains(name),
                change.planned.quarantine == nil
            else { return change }
            switch change.step {
            case .keep, .adapt:
                return Change(planned: change.planned, step: .replace(.members), before: change.before)
            case .replace, .start: return change
            }
        }
    }

    /// The ids of the instances that each shared worker runs, by its name.
    private static func members(of instances: [PlannedInstance]) -> [String: Set<String>] {
        instances.reduce(into: [:]) { members, planned in
            guard let name = planned.sharedWorker, planned.quarantine == nil else { return }
            members[name, default: []].insert(planned.id)
        }
    }

    /// Marks those that others overtake: all that go on but the longest row of them that keeps its order.
    private static func moved(_ changes: [Change], from old: [PlannedInstance]) -> [Change] {
        let places = Dictionary(old.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let row = changes.map { $0.before.flatMap { places[$0.id] } }
        // The end of the best row of each length so far, and for each element the one before it in its row.
        var ends: [Int] = []
        var previous: [Int: Int] = [:]
        for (index, place) in row.enumerated() {
            guard let place else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if row[ends[middle]] ?? 0 < place { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var inRow: Set<Int> = []
        var last = ends.last
        while let index = last {
            inRow.insert(index)
            last = previous[index]
        }
        return changes.enumerated().map { index, change in
            var change = change
            change.isMoved = change.before != nil && !inRow.contains(index)
            return change
        }
    }

    /// The keys about the host itself that it follows while it runs, and whose values differ.
    private static func settings(from running: HostConfiguration, to next: HostConfiguration) -> [String] {
        (running.log == next.log ? [] : ["log"]) + (running.traces == next.traces ? [] : ["traces"])
    }

    /// What a running host cannot take over, each at its place in the file.
    private static func obstacles(
        from running: HostConfiguration, to next: HostConfiguration
    ) -> [Diagnostic] {
        var changed: [[String]] = []
        if running.ingress != next.ingress { changed.append(["ingress"]) }
        if running.limits.drain != next.limits.drain { changed.append(["limits"]) }
        if running.stateFile != next.stateFile { changed.append(["stateFile"]) }
        if running.journal != next.journal { changed.append(["journal"]) }
        if running.cluster != next.cluster { changed.append(["cluster"]) }
        return changed.map { part in
            let sentence =
                "\"\(part.joined(separator: "\"/\""))\" cannot change while the host runs; restart it"
            return next.place.diagnostic(at: part, sentence)
        }
    }
}

extension PlanDifference: CustomStringConvertible {
    /// One line for each instance that does not simply go on; empty when there is nothing to do.
    package var description: String { lines.joined(separator: "\n") }

    /// The lines of the description.
    package var lines: [String] {
        changes.compactMap(\.line) + stopped.map { "stop \($0.id)" } + shadows
            + (patch.map { ["change the state: \($0.json())"] } ?? [])
            + (settings.isEmpty ? [] : ["change the host: \(settings.joined(separator: ", "))"])
    }

    /// The difference for programs.
    package var json: Value {
        .array(
            changes.filter { $0.step != .keep || $0.isMoved }.map(\.json)
                + stopped.map { ["id": .string($0.id), "step": "stop"] }
                + shadows.map { ["step": "shadow", "text": .string($0)] }
                + (patch.map { [["step": "state", "patch": $0]] } ?? [])
                + (settings.isEmpty
                    ? [] : [["step": "host", "parts": .array(settings.map(Value.string))]]))
    }
}

extension PlanDifference.Change {
    /// What is done, in one line; nil for nothing.
    fileprivate var line: String? {
        let id = planned.id
        switch step {
        case .keep: return isMoved ? "move \(id)" : nil
        case .adapt(let parts):
            return "change \(id): \(parts.map(\.rawValue).joined(separator: ", "))"
                + (isMoved ? ", place in the chain" : "")
        case .replace(let cause):
            guard isElsewhere else { return line(of: cause) }
            let direction = planned.placement.words(going: true)
            return cause == .placement
                ? "move \(id) \(direction)" : "\(line(of: cause)), and move it \(direction)"
        case .start: return "start \(id)"
        }
    }

    /// Whether it runs in another process than before.
    private var isElsewhere: Bool {
        before.map { planned.placement.isElsewhere(than: $0.placement) } ?? false
    }

    /// What is done for a cause, whatever else differs.
    private func line(of cause: PlanDifference.Cause) -> String {
        let id = planned.id
        switch cause {
        case .library:
            return "replace \(before?.id == id ? id : "\(before?.id ?? id) by \(id)"): \(versions)"
        case .settings: return "replace \(id): other settings"
        case .dependencies: return "replace \(id): other dependencies"
        case .placement: return "replace \(id): another placement"
        case .grant: return "replace \(id): other rights"
        case .members: return "replace \(id): another process of the worker \(planned.sharedWorker ?? "")"
        case .quarantine: return "put \(id) in quarantine"
        case .release: return "let \(id) out of quarantine"
        case .renamed: return "replace \(before?.id ?? id) by \(id)"
        }
    }

    /// The words that say how the library differs.
    private var versions: String {
        let (old, new) = (before?.manifest, planned.manifest)
        guard let old, old.id == new.id else { return "plugin \(new.id) in place of \(old?.id ?? "none")" }
        return old.version == new.version
            ? "new bytes of version \(new.version)" : "version \(old.version) by \(new.version)"
    }

    /// What is done, for programs.
    fileprivate var json: Value {
        var members: Members = ["id": .string(planned.id)]
        switch step {
        case .keep: members["step"] = "move"
        case .adapt(let parts):
            members["step"] = "change"
            members["parts"] = .array(parts.map { .string($0.rawValue) })
        case .replace(let cause):
            members["step"] = "replace"
            members["cause"] = .string("\(cause)")
            if let before, before.id != planned.id { members["was"] = .string(before.id) }
            if isElsewhere { members["placement"] = .string(planned.placement.place.rawValue) }
        case .start: members["step"] = "start"
        }
        if isMoved { members["moved"] = true }
        return .object(members)
    }
}
