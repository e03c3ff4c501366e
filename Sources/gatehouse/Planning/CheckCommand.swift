// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// `gatehouse check`: reports whether the host would start with a configuration.
struct CheckCommand: ParsedCommand {
    /// The parsed command line.
    let options: OptionReader

    /// Reports every problem; loads nothing into this process.
    func run() throws(Ended) -> ExitCode {
        let isStrict = options.has("--strict")
        var plan = try options.file.plan(isStrict: isStrict)
        if options.has("--rehearse") {
            let images = ImageCache(folder: CacheFolder.current, trust: FileTrust(isStrict: isStrict))
            plan = Rehearsal(of: plan, images: images).result() ?? plan
        }
        plan = plan.reviewingSecrets()
        let code = plan.diagnostics.exitCode
        if options.isJSON {
            var report = plan.report
            if case .object(var members) = report {
                members["children"] = Confinement.level.value
                members["workers"] = WorkerLimits.expected
                report = .object(members)
            }
            Results.write(report, .pretty)
            return code
        }
        plan.diagnostics.write()
        guard code == .success else { return code }
        let count = plan.diagnostics.all.count
        var parts = [
            Counted.text(plan.instances.count, "instance"),
            Counted.text(plan.libraryCount, "library", plural: "libraries"),
        ]
        if !plan.shadows.isEmpty { parts.insert(Counted.text(plan.shadows.count, "shadow"), at: 1) }
        let waiting = plan.spares.count(where: \.asksForEntry)
        if waiting > 0, plan.configuration.discovery == .activate {
            parts.append("\(Counted.text(waiting, "library", plural: "libraries")) only with an entry")
        }
        if count > 0 { parts.append(Counted.text(count, "warning")) }
        StandardError.tell("\(options.file.path): OK (\(parts.joined(separator: ", ")))")
        for sentence in plan.placements { StandardError.tell(sentence) }
        StandardError.tell("\(plan.ending)")
        if let reason = Confinement.level.reason { StandardError.tell("children: \(reason)") }
        if plan.instances.contains(where: \.runsInWorker) {
            let expected = WorkerLimits.expected
            if let objection = WorkerLimits.objection(to: plan.configuration.limits, where: expected) {
                StandardError.tell("warning: workers would be refused here: \(objection)")
            } else {
                StandardError.tell("workers: \(WorkerLimits.words(expected))")
            }
        }
        return code
    }
}
