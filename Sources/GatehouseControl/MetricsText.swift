// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseRuntime
internal import GatehouseSDK

/// A status in the text format 0.0.4 of Prometheus.
///
/// A family whose name ends with `_total` is a counter, as the format's conventions want it, and any other is a gauge.
struct MetricsText {
    /// Names with their values.
    private typealias Labels = [(String, String)]

    /// The text written so far.
    private(set) var text = ""
    /// The labels of every sample.
    private let host: Labels
    /// The instances of the host.
    private let instances: [InstanceStatus]

    /// Writes all samples of a status.
    ///
    /// - Parameter survey: the engine's view of the host's cluster; nil without one, and while the engine does not answer.
    init(_ status: ControlStatus, _ survey: ClusterSurvey? = nil) {
        let (store, crashes, journal, clients) = (
            status.store, status.crashes, status.store.journal, status.clients
        )
        host = [("host", status.name)]
        instances = store.instances
        number("info", "The version of the host; always 1.", 1, [("version", status.version)])
        time("uptime_seconds", "How long the host has been running.", status.uptime)
        number("generation", "The number of the generation.", store.generation)
        number(
            "configuration_refused", "Whether the configuration was refused at the last reload.",
            store.lastReload?["result"] == "refused" ? 1 : 0)
        number(
            "degraded",
            "Whether the last good generation runs because the configuration was refused at the start.",
            store.degraded == nil ? 0 : 1)
        number(
            "actions_total", "Actions processed, including those that instances emitted.", store.actions)
        number("actions_waiting", "Actions waiting to be processed.", store.waiting)
        number("effects_running", "Effects that are running.", store.effects)
        number("input_lines_total", "Lines of input, including blank ones.", status.lines)
        number("input_rejected_total", "Lines that are not valid actions.", status.rejected)
        number("outputs_cut_total", "Outputs dropped because one input led to too many.", store.cutOutputs)
        number(
            "outputs_late_total", "Outputs dropped because a reload had removed their instances.",
            store.lateOutputs)
        number("dead_letters", "Actions that were not carried out, and are stored.", store.deadLetters)
        number(
            "dead_letters_forgotten_total",
            "Actions that were not carried out and were discarded for lack of room.", store.forgottenLetters)
        number("restarts_total", "How often the supervisor has restarted the host.", crashes?.restarts)
        number("quarantined", "Libraries that are in quarantine.", crashes?.quarantined)
        number("set_aside", "Inputs that ended the host and are set aside.", crashes?.setAside)
        family(
            "instance_deaths_total", "How often it has ended the host.",
            (crashes?.deaths ?? [:]).sorted { $0.key < $1.key }
                .map { ([("instance", $0.key)], Double($0.value)) })
        number(
            "journal_recorded_total", "Actions in the journal, including those of earlier runs.",
            journal?.recorded)
        number("journal_bytes", "Bytes of the journal's file and its log.", journal?.bytes)
        number(
            "journal_images_bytes", "Bytes of the libraries that are kept beside the journal.",
            journal?.imageBytes)
        number(
            "journal_snapshot", "The number of the action after which the last snapshot was taken.",
            journal?.snapshot)
        time(
            "journal_snapshot_age_seconds", "How long ago this run took its last snapshot.",
            journal?.snapshotAge)
        if let account = status.cluster { cluster(account, survey) }
        counts("gate_active", "Whether the gate is open.") { $0.gate == .active ? 1 : 0 }
        counts("effects_running", "Effects that are running.", \.counts.effects)
        counts("actions_heard_total", "Actions that it heard.", \.counts.account.heard)
        counts("actions_emitted_total", "Actions that it emitted.", \.counts.emitted)
        counts("actions_stopped_total", "Actions that it stopped.", \.counts.stopped)
        counts("outputs_dropped_total", "Outputs that the gate dropped.", \.counts.dropped)
        counts("outputs_refused_total", "Outputs that it is not allowed to emit.", \.counts.refused)
        counts("misfits_total", "Data that cannot be decoded as its types.", \.counts.misfits)
        counts("failures_total", "Actions that it reports as failed.", \.counts.failures)
        counts("healthy", "Whether it reports that it is healthy.") { $0.counts.health == .ok ? 1 : 0 }
        stages()
        plugins()
        number("control_clients", "Clients of the control socket.", clients?.connected)
        number("control_watchers", "Clients that watch.", clients?.watching)
        number(
            "control_watchers_dropped_total", "Watchers disconnected because they did not read.",
            clients?.dropped)
    }

    /// Writes the samples of a member's cluster.
    private mutating func cluster(_ account: ClusterAccount, _ survey: ClusterSurvey?) {
        let cluster = [("cluster", account.name)]
        func number(_ name: String, _ help: String, _ number: Int?) {
            self.number("cluster_" + name, help, number, cluster)
        }
        number("engine_up", "Whether the engine answers.", survey == nil || account.trouble != nil ? 0 : 1)
        number("members", "Members present at the last renewal.", account.members)
        number("partitions", "Partitions of the cluster.", account.partitions)
        number("partitions_owned", "Partitions that the member owns.", account.owned)
        number("inputs_appended_total", "Actions that it has put into partitions.", account.appended)
        number("actions_taken_total", "Actions that it has taken from its partitions.", account.taken)
        number("outputs_total", "Outputs of its partitions for others.", account.outputs)
        number(
            "duplicates_total", "Actions dropped because they had been taken before.", account.duplicates)
        number("checkpoints_total", "Checkpoints that it has written.", account.checkpoints)
        time(
            "cluster_checkpoint_seconds_total", "How long its checkpoints took.", account.checkpointTime,
            cluster)
        number(
            "fenced_total", "Partitions that others had acquired while it still considered them its own.",
            account.fenced)
        number("hand_overs_total", "Partitions that it has handed over.", account.handOvers)
        number("dead_letters", "Actions that the cluster has set aside.", survey?.dead)
        let owned = (survey?.partitions ?? []).enumerated().filter { $1.title.owner == account.member }
        func each(_ name: String, _ help: String, _ number: (ClusterSurvey.Partition) -> Double) {
            family(
                "cluster_partition_" + name, help,
                owned.map { (cluster + [("partition", "\($0)")], number($1)) })
        }
        each("lag", "Actions that are not in a checkpoint, of the partitions that the member owns.") {
            Double($0.lag)
        }
        each("waiting_seconds", "How long the oldest of them has been waiting.") {
            ($0.waiting ?? .zero) / .seconds(1)
        }
    }

    /// Writes a family with one sample; nothing without a number.
    private mutating func number(
        _ name: String, _ help: String, _ number: (some BinaryInteger)?, _ labels: Labels = []
    ) {
        family(name, help, number.map { [(labels, Double($0))] } ?? [])
    }

    /// Writes a family with one sample, in seconds; nothing without a time.
    private mutating func time(_ name: String, _ help: String, _ time: Duration?, _ labels: Labels = []) {
        family(name, help, time.map { [(labels, $0 / .seconds(1))] } ?? [])
    }

    /// Writes a family with a sample for each instance.
    private mutating func counts(_ name: String, _ help: String, _ count: (InstanceStatus) -> Int) {
        family("instance_" + name, help, instances.map { (Self.labels(of: $0), Double(count($0))) })
    }

    /// Writes the durations of timed actions.
    private mutating func stages() {
        func samples(_ number: (StageTime) -> Double) -> [(Labels, Double)] {
            instances.flatMap { instance in
                let counts = instance.counts
                return [
                    ("handle", counts.account.handling), ("reduce", counts.account.reducing),
                    ("io", counts.account.answering),
                ]
                .map { (Self.labels(of: instance) + [("stage", $0)], number($1)) }
            }
        }
        family(
            "instance_time_seconds_total", "Time in its stages, of the actions that were timed.",
            samples { Double($0.nanoseconds) / 1e9 })
        family(
            "instance_timed_total", "How often its stages were timed.", samples { Double($0.samples) })
    }

    /// Writes the plugins' own counters and measurements, under their names.
    private mutating func plugins() {
        var (counts, gauges) = ([(Labels, Double)](), [(Labels, Double)]())
        var (seconds, timed) = (counts, counts)
        for instance in instances {
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
        family("plugin_count_total", "What plugins count.", counts)
        family("plugin_gauge", "What plugins measure.", gauges)
        family("plugin_time_seconds_total", "Time measured by plugins, in total.", seconds)
        family("plugin_timed_total", "How often plugins measured it.", timed)
    }

    /// Returns the labels of an instance.
    private static func labels(of instance: InstanceStatus) -> Labels {
        [("instance", instance.id), ("plugin", instance.plugin)]
    }

    /// Writes a family; nothing where it has no samples.
    private mutating func family(_ name: String, _ help: String, _ samples: [(Labels, Double)]) {
        guard !samples.isEmpty else { return }
        let kind = name.hasSuffix("_total") ? "counter" : "gauge"
        let name = "gatehouse_" + name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
        for (labels, number) in samples {
            let all = (host + labels).map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
            text += "\(name){\(all)} \(Int(exactly: number).map(String.init) ?? "\(number)")\n"
        }
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
