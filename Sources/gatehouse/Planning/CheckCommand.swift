// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// `gatehouse check`: reports whether the host would start with a configuration.
struct CheckCommand {
    /// The options of the command line.
    let options: PlanningOptions

    /// Reports every problem; loads nothing into this process.
    func run() -> ExitCode {
        guard var plan = options.file.plan(isStrict: options.isStrict) else {
            return .configuration
        }
        if options.rehearses {
            let images = ImageCache(
                folder: CacheFolder.current, trust: FileTrust(isStrict: options.isStrict))
            plan = Rehearsal(of: plan, images: images).result() ?? plan
        }
        plan = plan.reviewingSecrets()
        let code = plan.diagnostics.exitCode
        if options.isJSON {
            Results.write(plan.report, .pretty)
            return code
        }
        plan.diagnostics.write()
        guard code == .success else { return code }
        let count = plan.diagnostics.all.count
        var parts = [
            Counted.text(plan.instances.count, "instance"),
            Counted.text(plan.libraryCount, "library", plural: "libraries"),
        ]
        let waiting = plan.spares.count(where: \.asksForEntry)
        if waiting > 0, plan.configuration.discovery == .activate {
            parts.append("\(Counted.text(waiting, "library", plural: "libraries")) only with an entry")
        }
        if count > 0 { parts.append(Counted.text(count, "warning")) }
        StandardError.writeLine(
            "gatehouse: \(options.file.path): OK (\(parts.joined(separator: ", ")))"
        )
        StandardError.writeLine("gatehouse: \(plan.ending)")
        return code
    }
}
