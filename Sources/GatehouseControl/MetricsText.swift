// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSDK

/// A status in the text format 0.0.4 of Prometheus.
///
/// Its tables name the members of the status that `gatehouse ctl status --json` prints, from which the text of `status` and `top` are made
/// too. A family whose name ends with `_total` is a counter, as the format's conventions want it, and any other is a gauge.
struct MetricsText {
    /// Names with their values.
    private typealias Labels = [(String, String)]
    /// Families: the name of each, its meaning, and the place of its number in an object.
    private typealias Families = [(name: String, help: String, place: String)]

    /// The text written so far.
    private(set) var text = ""
    /// The labels of every sample.
    private let host: Labels
    /// The instances of the host, as the status has them.
    private let instances: [Value]

    /// Writes all samples of a status.
    ///
    /// - Parameter survey: the engine's view of the host's cluster; nil without one, and while the engine does not answer.
    init(_ status: ControlStatus, _ survey: ClusterSurvey? = nil) {
        let value = status.value
        host = [("host", status.name)]
        instances = value["instances"]?.arrayValue ?? []
        family("info", "The version of the host; always 1.", [([("version", status.version)], 1)])
        families(Self.run, of: value)
        family(
            "configuration_refused", "Whether the configuration was refused at the last reload.",
            [([], value["lastReload"]?["result"] == "refused" ? 1 : 0)])
        family(
            "degraded",
            "Whether the last good generation runs because the configuration was refused at the start.",
            [([], value["degraded"] == nil ? 0 : 1)])
        families(Self.store, of: value)
        family(
            "instance_deaths_total", "How often it has ended the host.",
            (value["crashes"]?["deaths"]?.objectValue ?? [:]).map {
                ([("instance", $0.key)], $0.value.doubleValue ?? 0)
            })
        families(Self.journal, of: value)
        if let account = status.cluster { cluster(account, value, survey) }
        for (name, help, place) in Self.instance {
            family(
                "instance_" + name, help,
                instances.map { (Self.labels(of: $0), Self.number(at: place, of: $0) ?? 0) })
        }
        workers()
        trust()
        shadows(status.shadows)
        stages()
        plugins()
        families(Self.clients, of: value)
        families(Self.spans, of: value)
    }

    /// What the host has done.
    private static let run: Families = [
        ("uptime_seconds", "How long the host has been running.", "uptime"),
        ("generation", "The number of the generation.", "generation"),
    ]
    /// What its store has done, and what has ended it.
    private static let store: Families = [
        ("actions_total", "Actions processed, including those that instances emitted.", "actions"),
        ("actions_waiting", "Actions waiting to be processed.", "waiting"),
        ("effects_running", "Effects that are running.", "effects"),
        ("input_lines_total", "Lines of input, including blank ones.", "input/lines"),
        ("input_rejected_total", "Lines that are not valid actions.", "input/rejected"),
        ("outputs_cut_total", "Outputs dropped because one input led to too many.", "cutOutputs"),
        (
            "outputs_late_total", "Outputs dropped because a reload had removed their instances.",
            "lateOutputs"
        ),
        ("dead_letters", "Actions that were not carried out, and are stored.", "deadLetters"),
        (
            "dead_letters_forgotten_total",
            "Actions that were not carried out and were discarded for lack of room.", "forgottenLetters"
        ),
        ("restarts_total", "How often the supervisor has restarted the host.", "crashes/restarts"),
        ("quarantined", "Libraries that are in quarantine.", "crashes/quarantined"),
        ("set_aside", "Inputs that ended the host and are set aside.", "crashes/setAside"),
    ]
    /// What its journal keeps.
    private static let journal: Families = [
        (
            "journal_recorded_total", "Actions in the journal, including those of earlier runs.",
            "journal/recorded"
        ),
        ("journal_bytes", "Bytes of the journal's file and its log.", "journal/bytes"),
        (
            "journal_images_bytes", "Bytes of the libraries that are kept beside the journal.",
            "journal/images/bytes"
        ),
        (
            "journal_snapshot", "The number of the action after which the last snapshot was taken.",
            "journal/snapshot"
        ),
        (
            "journal_snapshot_age_seconds", "How long ago this run took its last snapshot.",
            "journal/snapshotAge"
        ),
    ]
    /// What a member of a cluster has done.
    private static let member: Families = [
        ("members", "Members present at the last renewal.", "members"),
        ("partitions", "Partitions of the cluster.", "partitions"),
        ("partitions_owned", "Partitions that the member owns.", "owned"),
        ("inputs_appended_total", "Actions that it has put into partitions.", "appended"),
        ("actions_taken_total", "Actions that it has taken from its partitions.", "taken"),
        ("outputs_total", "Outputs of its partitions for others.", "outputs"),
        ("duplicates_total", "Actions dropped because they had been taken before.", "duplicates"),
        ("checkpoints_total", "Checkpoints that it has written.", "checkpoints/count"),
        ("checkpoint_seconds_total", "How long its checkpoints took.", "checkpoints/seconds"),
        (
            "fenced_total", "Partitions that others had acquired while it still considered them its own.",
            "fenced"
        ),
        ("hand_overs_total", "Partitions that it has handed over.", "handOvers"),
        (
            "effects_taken_total", "Unfinished effects that it has taken over with partitions.",
            "effects/taken"
        ),
        (
            "effects_left_total", "Unfinished effects that begin again at the next owner of a partition.",
            "effects/again"
        ),
        (
            "effects_told_total", "Unfinished effects that the next owner of a partition reports to plugins.",
            "effects/told"
        ),
        (
            "effects_lost_total", "Unfinished effects of a partition that no checkpoint has.", "effects/lost"
        ),
    ]
    /// What an instance has done.
    private static let instance: Families = [
        ("gate_active", "Whether the gate is open.", "gate"),
        ("effects_running", "Effects that are running.", "effects"),
        ("actions_heard_total", "Actions that it heard.", "heard"),
        ("actions_emitted_total", "Actions that it emitted.", "emitted"),
        ("actions_stopped_total", "Actions that it stopped.", "stopped"),
        ("outputs_dropped_total", "Outputs that the gate dropped.", "dropped"),
        ("outputs_refused_total", "Outputs that it is not allowed to emit.", "refused"),
        ("misfits_total", "Data that cannot be decoded as its types.", "misfits"),
        ("failures_total", "Actions that it reports as failed.", "failures"),
        ("healthy", "Whether it reports that it is healthy.", "health"),
    ]
    /// How the worker of an instance stands.
    private static let worker: Families = [
        ("deaths_total", "How often the instance's worker has died.", "deaths"),
        ("orders_waiting", "Orders that its worker has not carried out.", "waiting"),
    ]
    /// What its process takes.
    private static let process: Families = [
        ("memory_bytes", "Memory of a worker's process.", "memory"),
        (
            "memory_peak_bytes", "The most memory that it has taken, where it has a control group.",
            "peak"
        ),
        ("cpu_seconds", "Processor time of a worker's process.", "seconds"),
    ]
    /// What was done with spans.
    private static let spans: Families = [
        ("spans_sent_total", "Spans of actions that the collector has taken.", "spans/sent"),
        ("spans_lost_total", "Spans of actions that were dropped.", "spans/lost"),
    ]
    /// Who is connected.
    private static let clients: Families = [
        ("control_clients", "Clients of the control socket.", "clients/connected"),
        ("control_watchers", "Clients that watch.", "clients/watching"),
        (
            "control_watchers_dropped_total", "Watchers disconnected because they did not read.",
            "clients/dropped"
        ),
    ]

    /// The number at a place of an object, 1 for the words that say that all is well, and 0 for others; nil without one.
    private static func number(at place: String, of object: Value) -> Double? {
        switch place.split(separator: "/").reduce(object, { $0?[String($1)] }) {
        case .string(let word): word == "active" || word == "ok" ? 1 : 0
        case let found: found?.doubleValue
        }
    }

    /// Writes families of one sample each; none where there is no number.
    private mutating func families(
        _ families: Families, of object: Value, prefix: String = "", _ labels: Labels = []
    ) {
        for (name, help, place) in families {
            family(prefix + name, help, Self.number(at: place, of: object).map { [(labels, $0)] } ?? [])
        }
    }

    /// Writes the samples of a member's cluster.
    private mutating func cluster(_ account: ClusterAccount, _ status: Value, _ survey: ClusterSurvey?) {
        let cluster = [("cluster", account.name)]
        family(
            "cluster_engine_up", "Whether the engine answers, and takes what the member sends.",
            [(cluster, survey == nil || account.trouble != nil ? 0 : 1)])
        family(
            "cluster_ready", "Whether the member does its share.",
            [(cluster, survey == nil || !account.obstacles.isEmpty ? 0 : 1)])
        families(Self.member, of: status["cluster"] ?? [:], prefix: "cluster_", cluster)
        family(
            "cluster_dead_letters", "Actions that the cluster has set aside.",
            survey.map { [(cluster, Double($0.dead))] } ?? [])
        if let server = account.server { engine(server, survey?.server, cluster) }
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

    /// Writes who vouches for the libraries of instances, where somebody has to.
    private mutating func trust() {
        let members = instances.compactMap { instance in instance["trust"].map { (instance, trust: $0) } }
        family(
            "instance_vouched",
            "Whether a key, a pin or the host itself vouches for the library of an instance.",
            members.map { (Self.labels(of: $0), $1["by"] == "nobody" && $1["pinned"] != true ? 0 : 1) })
        family(
            "instance_signed_serial",
            "The serial of the signature of an instance's library, by the name of the key.",
            members.compactMap { instance, trust in
                guard let name = trust["name"]?.stringValue, let serial = trust["serial"]?.doubleValue else {
                    return nil
                }
                return (Self.labels(of: instance) + [("key", name)], serial)
            })
    }

    /// Writes which server a member writes to, and how its replicas stand; these only while it answers.
    private mutating func engine(
        _ server: ClusterServer, _ found: ClusterSurvey.Server?, _ cluster: Labels
    ) {
        family(
            "cluster_engine_info", "The server that the member writes to, or did last; always 1.",
            [(cluster + [("address", server.address)], 1)])
        family(
            "cluster_engine_seconds", "How long the member has used this server.",
            [(cluster, server.since.duration(to: .now) / .seconds(1))])
        family(
            "cluster_replicas_needed", "Replicas of the server that must have what it confirms.",
            [(cluster, Double(server.replicas))])
        family(
            "cluster_replicas", "Replicas of the server that get each write.",
            found.map { [(cluster, Double($0.replicas.count(where: \.isOnline)))] } ?? [])
        family(
            "cluster_replica_behind_bytes", "How much of what was written a replica has not confirmed.",
            (found?.replicas ?? []).map { (cluster + [("replica", $0.address)], Double($0.behind)) })
    }

    /// Writes how workers stand, and what their processes take: once for each process, under the name of a worker that instances share.
    private mutating func workers() {
        let members = instances.compactMap { instance in instance["worker"].map { (instance, worker: $0) } }
        for (name, help, place) in Self.worker {
            family(
                "worker_" + name, help,
                members.map { (Self.labels(of: $0), Self.number(at: place, of: $1) ?? 0) })
        }
        var told: Set<Double> = []
        let processes = members.filter { _, worker in
            worker["pid"]?.doubleValue.map { told.insert($0).inserted } ?? false
        }
        for (name, help, place) in Self.process {
            family(
                "worker_" + name, help,
                processes.compactMap { instance, worker in
                    let shared = instance["placement"]?.stringValue?.split(separator: ":").dropFirst().first
                    return Self.number(at: place, of: worker).map {
                        (shared.map { [("worker", String($0))] } ?? Self.labels(of: instance), $0)
                    }
                })
        }
    }

    /// Writes how shadows agree.
    private mutating func shadows(_ shadows: [ShadowStatus]) {
        let labels = { (shadow: ShadowStatus) in [("shadow", shadow.id), ("instance", shadow.instance)] }
        family(
            "shadow_hearing", "Whether a shadow hears what its instance hears.",
            shadows.map { (labels($0), $0.stage == .hearing ? 1 : 0) })
        family(
            "shadow_heard_total", "Actions that a shadow and its instance heard.",
            shadows.map { (labels($0), Double($0.heard)) })
        family(
            "shadow_differing_total", "Those of them whose outputs or effects differed.",
            shadows.map { (labels($0), Double($0.differing)) })
    }

    /// Writes the durations of timed actions.
    private mutating func stages() {
        func samples(_ member: String) -> [(Labels, Double)] {
            instances.flatMap { instance in
                ["handle", "reduce", "io"].map { stage in
                    (
                        Self.labels(of: instance) + [("stage", stage)],
                        Self.number(at: "time/\(stage)/\(member)", of: instance) ?? 0
                    )
                }
            }
        }
        family(
            "instance_time_seconds_total", "Time in its stages, of the actions that were timed.",
            samples("nanoseconds").map { ($0, $1 / 1e9) })
        family("instance_timed_total", "How often its stages were timed.", samples("samples"))
    }

    /// Writes the plugins' own counters and measurements, under their names.
    private mutating func plugins() {
        func samples(_ kind: String, _ member: String? = nil) -> [(Labels, Double)] {
            instances.flatMap { instance in
                (instance[kind]?.objectValue ?? [:]).map { name, number in
                    (
                        Self.labels(of: instance) + [("name", name)],
                        (member.map { number[$0] } ?? number)?.doubleValue ?? 0
                    )
                }
            }
        }
        family("plugin_count_total", "What plugins count.", samples("counts"))
        family("plugin_gauge", "What plugins measure.", samples("gauges"))
        family(
            "plugin_time_seconds_total", "Time measured by plugins, in total.", samples("times", "seconds"))
        family("plugin_timed_total", "How often plugins measured it.", samples("times", "count"))
    }

    /// Returns the labels of an instance.
    private static func labels(of instance: Value) -> Labels {
        [("instance", "id"), ("plugin", "plugin")].map { ($0, instance[$1]?.stringValue ?? "") }
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
