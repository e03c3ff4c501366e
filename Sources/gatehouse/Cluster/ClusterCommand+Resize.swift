// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseMember
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

extension ClusterCommand {
    /// How long a resize says nothing of how far it is.
    private static let longestSilence = Duration.seconds(5)

    /// `gatehouse cluster resize`: repartitions a cluster with another number of partitions; reports the result, or what prevents it.
    func resize(
        _ file: ConfigurationFile, _ cluster: ClusterConfiguration, _ maintainer: any ClusterMaintainer,
        _ shape: ClusterShape
    ) throws(ClusterFailure) -> ExitCode {
        let isDry = options.has("--dry-run")
        let advice =
            cluster.partitions == partitions
            ? nil
            : "\(file.path) says \(Counted.text(cluster.partitions, "partition")); write \"partitions\": \(partitions) below \"cluster\" there for all members before they start"
        if let resizing = shape.resizing {
            StandardError.tell(
                "a resize from \(shape.partitions) to \(resizing) partitions was started and did not finish; \(isDry ? "the next resize starts it over" : "it is started over")"
            )
        } else if shape.partitions == partitions, !shape.isOld {
            StandardError.tell(
                "the cluster \(cluster.name) has \(Counted.text(partitions, "partition")) already")
            if let advice { StandardError.tell(advice) }
            return .success
        }
        let code = try divide(file, cluster, maintainer, shape, to: partitions)
        if !isDry, code == .success, let advice { StandardError.tell(advice) }
        return code
    }

    /// Divides a cluster among a number of partitions; reports the result, or what prevents it.
    ///
    /// - Parameter target: begins to fill the cluster that everything goes to; nil for the same one.
    func divide(
        _ file: ConfigurationFile, _ cluster: ClusterConfiguration, _ maintainer: any ClusterMaintainer,
        _ shape: ClusterShape, to partitions: Int,
        into target: (() throws(ClusterFailure) -> any ClusterMaintainer)? = nil
    ) throws(ClusterFailure) -> ExitCode {
        let isDry = options.has("--dry-run")
        let plan: HostPlan
        do throws(Ended) { plan = try file.plan() } catch { return error.code }
        guard !plan.diagnostics.isFailure else {
            plan.diagnostics.write()
            return plan.diagnostics.exitCode
        }
        let resize = try ClusterResize(
            maintainer, shape, to: partitions, cluster, plan, discarding: Set(options.list("--discard")),
            into: target)
        var told = ContinuousClock.now
        let end = try resize.run(isDry: isDry) { step, done, all in
            guard told.duration(to: .now) >= Self.longestSilence else { return }
            told = .now
            StandardError.tell("\(step.rawValue): \(done) of \(Counted.text(all, "partition"))")
        }
        return report(end, of: cluster)
    }

    /// Reports what has become of a resize.
    func report(_ end: ClusterResize.End, of cluster: ClusterConfiguration) -> ExitCode {
        switch end {
        case .busy(let members):
            return .givenUp.because(
                "the cluster \(cluster.name) is in use by \(members.map { Quotation.bare($0) }.joined(separator: ", ")); stop \(members.count == 1 ? "this member" : "all members") first"
            )
        case .refused(let problems):
            for problem in problems { StandardError.tell(problem) }
            return .badData
        case .done(let summary):
            for notice in summary.notices { StandardError.tell(notice) }
            Results.write(
                ResizeText.value(summary, isDry: options.has("--dry-run")),
                or: ResizeText.text(summary, of: cluster.name, isDry: options.has("--dry-run")),
                isJSON: options.isJSON)
            return .success
        }
    }
}

/// Formats the result of a resize, for people and for programs.
enum ResizeText {
    /// One line for the total, one for each instance with a state, one for waiting actions.
    static func text(_ summary: ClusterResize.Summary, of cluster: String, isDry: Bool) -> String {
        let width = summary.fates.map(\.instance.count).max() ?? 0
        var lines = [
            "cluster \(cluster): \(isDry ? "would go" : "went") from \(summary.old) to \(Counted.text(summary.new, "partition"))"
        ]
        lines += summary.fates.map { instance, fate in
            let words =
                switch fate {
                case .divided(let keys): "\(Counted.text(keys, "key")) divided"
                case .single: "stays in partition 0"
                case .kept: "stays in its partitions"
                case .discarded: "starts from scratch"
                }
            return "  \(instance.padded(to: width))  \(words)"
        }
        let repeated =
            summary.repeated > 0
            ? ", \(summary.repeated) dropped as duplicates" : ""
        lines.append("  \(Counted.text(summary.waiting, "action")) waiting\(repeated)")
        return lines.map { $0 + "\n" }.joined()
    }

    /// The same for programs.
    static func value(_ summary: ClusterResize.Summary, isDry: Bool) -> Value {
        let fates = summary.fates.map { instance, fate -> (String, Value) in
            switch fate {
            case .divided(let keys): (instance, ["keys": Value(keys)])
            case .single: (instance, "single")
            case .kept: (instance, "kept")
            case .discarded: (instance, "discarded")
            }
        }
        return [
            "from": Value(summary.old), "to": Value(summary.new), "done": .bool(!isDry),
            "instances": .object(Members(fates)), "waiting": Value(summary.waiting),
            "repeated": Value(summary.repeated), "notices": .array(summary.notices.map(Value.string)),
        ]
    }
}
