// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseRuntime
internal import GatehouseSDK

/// A status in the text format 0.0.4 of Prometheus.
struct MetricsText {
    /// The text written so far.
    private(set) var text = ""
    /// The labels of every sample except those of instances.
    private let host: [(String, String)]

    /// Writes all samples of a status.
    ///
    /// - Parameter survey: the engine's view of the host's cluster; nil without one, and while the engine does not answer.
    init(_ status: ControlStatus, _ survey: ClusterSurvey? = nil) {
        host = [("host", status.name)]
        family("info", "gauge", "The version of the host; always 1.", [([("version", status.version)], 1)])
        family(
            "uptime_seconds", "gauge", "How long the host has been running.",
            [([], status.uptime / .seconds(1))])
        number("generation", "gauge", "The number of the generation.", status.generation)
        number(
            "configuration_refused", "gauge",
            "Whether the configuration was refused at the last reload.",
            status.lastReload?["result"] == "refused" ? 1 : 0)
        number(
            "degraded", "gauge",
            "Whether the last good generation runs because the configuration was refused at the start.",
            status.degraded == nil ? 0 : 1)
        number(
            "actions_total", "counter", "Actions processed, including those that instances emitted.",
            status.actions)
        number("actions_waiting", "gauge", "Actions waiting to be processed.", status.waiting)
        number("effects_running", "gauge", "Effects that are running.", status.effects)
        number("input_lines_total", "counter", "Lines of input, including blank ones.", status.lines)
        number("input_rejected_total", "counter", "Lines that are not valid actions.", status.rejected)
        number(
            "outputs_cut_total", "counter", "Outputs dropped because one input led to too many.",
            status.cutOutputs)
        number(
            "outputs_late_total", "counter",
            "Outputs dropped because a reload had removed their instances.",
            status.lateOutputs)
        number(
            "dead_letters", "gauge", "Actions that were not carried out, and are stored.", status.deadLetters)
        number(
            "dead_letters_forgotten_total", "counter",
            "Actions that were not carried out and were discarded for lack of room.",
            status.forgottenLetters)
        if let crashes = status.crashes {
            if let restarts = crashes.restarts {
                number(
                    "restarts_total", "counter", "How often the supervisor has restarted the host.",
                    restarts)
            }
            number("quarantined", "gauge", "Libraries that are in quarantine.", crashes.quarantined)
            number("set_aside", "gauge", "Inputs that ended the host and are set aside.", crashes.setAside)
            family(
                "instance_deaths_total", "counter", "How often it has ended the host.",
                crashes.deaths.sorted { $0.key < $1.key }.map { ([("instance", $0.key)], Double($0.value)) })
        }
        if let journal = status.journal {
            number(
                "journal_recorded_total", "counter",
                "Actions in the journal, including those of earlier runs.",
                Int(clamping: journal.recorded))
            number("journal_bytes", "gauge", "Bytes of the journal's file and its log.", journal.bytes)
            number(
                "journal_images_bytes", "gauge", "Bytes of the libraries that are kept beside the journal.",
                journal.imageBytes)
            if let snapshot = journal.snapshot {
                number(
                    "journal_snapshot", "gauge",
                    "The number of the action after which the last snapshot was taken.",
                    Int(clamping: snapshot))
            }
            if let age = journal.snapshotAge {
                family(
                    "journal_snapshot_age_seconds", "gauge", "How long ago this run took its last snapshot.",
                    [([], age / .seconds(1))])
            }
        }
        if let account = status.cluster { cluster(account, survey) }
        instances(status, "gate_active", "gauge", "Whether the gate is open.") { $0.gate == .active ? 1 : 0 }
        counts(status, "effects_running", "gauge", "Effects that are running.", \.effects)
        counts(status, "actions_heard_total", "counter", "Actions that it heard.", \.heard)
        counts(status, "actions_emitted_total", "counter", "Actions that it emitted.", \.emitted)
        counts(status, "actions_stopped_total", "counter", "Actions that it stopped.", \.stopped)
        counts(status, "outputs_dropped_total", "counter", "Outputs that the gate dropped.", \.dropped)
        counts(
            status, "outputs_refused_total", "counter", "Outputs that it is not allowed to emit.", \.refused)
        counts(status, "misfits_total", "counter", "Data that cannot be decoded as its types.", \.misfits)
        counts(status, "failures_total", "counter", "Actions that it reports as failed.", \.failures)
        instances(status, "healthy", "gauge", "Whether it reports that it is healthy.") {
            $0.counts.health == .ok ? 1 : 0
        }
        stages(status)
        numbers(status)
        guard let clients = status.clients else { return }
        number("control_clients", "gauge", "Clients of the control socket.", clients.connected)
        number("control_watchers", "gauge", "Clients that watch.", clients.watching)
        number(
            "control_watchers_dropped_total", "counter", "Watchers disconnected because they did not read.",
            clients.dropped)
    }

    /// Writes the samples of a member's cluster.
    private mutating func cluster(_ account: ClusterAccount, _ survey: ClusterSurvey?) {
        func number(_ name: String, _ kind: String, _ help: String, _ number: Double) {
            family("cluster_" + name, kind, help, [([("cluster", account.name)], number)])
        }
        func number(_ name: String, _ kind: String, _ help: String, _ count: Int) {
            number(name, kind, help, Double(count))
        }
        number(
            "engine_up", "gauge", "Whether the engine answers.",
            survey == nil || account.trouble != nil ? 0 : 1)
        number("members", "gauge", "Members present at the last renewal.", account.members)
        number("partitions", "gauge", "Partitions of the cluster.", account.partitions)
        number("partitions_owned", "gauge", "Partitions that the member owns.", account.owned)
        number(
            "inputs_appended_total", "counter", "Actions that it has put into partitions.", account.appended)
        number(
            "actions_taken_total", "counter", "Actions that it has taken from its partitions.", account.taken)
        number("outputs_total", "counter", "Outputs of its partitions for others.", account.outputs)
        number(
            "duplicates_total", "counter", "Actions dropped because they had been taken before.",
            account.duplicates)
        number("checkpoints_total", "counter", "Checkpoints that it has written.", account.checkpoints)
        number(
            "checkpoint_seconds_total", "counter", "How long its checkpoints took.",
            account.checkpointTime / .seconds(1))
        number(
            "fenced_total", "counter",
            "Partitions that others had acquired while it still considered them its own.",
            account.fenced)
        number("hand_overs_total", "counter", "Partitions that it has handed over.", account.handOvers)
        guard let survey else { return }
        number("dead_letters", "gauge", "Actions that the cluster has set aside.", survey.dead)
        let owned = survey.partitions.enumerated().filter { $1.title.owner == account.member }
        func each(_ name: String, _ help: String, _ number: (ClusterSurvey.Partition) -> Double) {
            family(
                "cluster_partition_" + name, "gauge", help,
                owned.map { ([("cluster", account.name), ("partition", "\($0)")], number($1)) })
        }
        each("lag", "Actions that are not in a checkpoint, of the partitions that the member owns.") {
            Double($0.lag)
        }
        each("waiting_seconds", "How long the oldest of them has been waiting.") {
            ($0.waiting ?? .zero) / .seconds(1)
        }
    }

    /// Writes a family with one sample.
    private mutating func number(_ name: String, _ kind: String, _ help: String, _ number: Int) {
        family(name, kind, help, [([], Double(number))])
    }

    /// Writes a family with a sample for each instance.
    private mutating func instances(
        _ status: ControlStatus, _ name: String, _ kind: String, _ help: String,
        _ number: (InstanceStatus) -> Int
    ) {
        family(
            "instance_" + name, kind, help,
            status.instances.map { (Self.labels(of: $0), Double(number($0))) })
    }

    /// Writes a family with one of the counts of each instance.
    private mutating func counts(
        _ status: ControlStatus, _ name: String, _ kind: String, _ help: String,
        _ count: KeyPath<InstanceCounts, Int>
    ) {
        instances(status, name, kind, help) { $0.counts[keyPath: count] }
    }

    /// Writes the durations of timed actions.
    private mutating func stages(_ status: ControlStatus) {
        let stages: [(String, KeyPath<InstanceCounts, StageTime>)] = [
            ("handle", \.handling), ("reduce", \.reducing), ("io", \.answering),
        ]
        func samples(_ number: (StageTime) -> Double) -> [([(String, String)], Double)] {
            status.instances.flatMap { instance in
                stages.map { name, time in
                    (
                        Self.labels(of: instance) + [("stage", name)],
                        number(instance.counts[keyPath: time])
                    )
                }
            }
        }
        family(
            "instance_time_seconds_total", "counter", "Time in its stages, of the actions that were timed.",
            samples { Double($0.nanoseconds) / 1e9 })
        family(
            "instance_timed_total", "counter", "How often its stages were timed.",
            samples { Double($0.samples) })
    }

    /// Writes the plugins' own counters and measurements, under their names.
    private mutating func numbers(_ status: ControlStatus) {
        var counts: [([(String, String)], Double)] = []
        var gauges: [([(String, String)], Double)] = []
        var seconds: [([(String, String)], Double)] = []
        var timed: [([(String, String)], Double)] = []
        for instance in status.instances {
            for (name, number) in instance.counts.numbers.sorted(by: { $0.key < $1.key }) {
                let labels = Self.labels(of: instance) + [("name", name)]
                switch number {
                case .count(let count): counts.append((labels, Double(count)))
                case .gauge(let gauge): gauges.append((labels, gauge))
                case .time(let count, let total):
                    seconds.append((labels, total / .seconds(1)))
                    timed.append((labels, Double(count)))
                }
            }
        }
        family("plugin_count_total", "counter", "What plugins count.", counts)
        family("plugin_gauge", "gauge", "What plugins measure.", gauges)
        family("plugin_time_seconds_total", "counter", "Time measured by plugins, in total.", seconds)
        family("plugin_timed_total", "counter", "How often plugins measured it.", timed)
    }

    /// Returns the labels of an instance.
    private static func labels(of instance: InstanceStatus) -> [(String, String)] {
        [("instance", instance.id), ("plugin", instance.plugin)]
    }

    /// Writes a family; nothing where it has no samples.
    private mutating func family(
        _ name: String, _ kind: String, _ help: String, _ samples: [(labels: [(String, String)], Double)]
    ) {
        guard !samples.isEmpty else { return }
        let name = "gatehouse_" + name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
        for (labels, number) in samples {
            let all = (host + labels).map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
            text += "\(name){\(all)} \(Self.text(number))\n"
        }
    }

    /// Formats a number, without a fraction where it is whole.
    private static func text(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }

    /// Escapes a label's value.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
