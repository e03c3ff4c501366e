// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
internal import GatehouseSDK
package import GatehouseValue

/// What the operator wrote in `plugins.json`, checked, with every default filled in.
package struct HostConfiguration: Equatable, Sendable {
    /// What operators call the host; nil for the name of the file's folder.
    package var name: String?
    /// Whether clients can control the host; nil where it does not say.
    package var control: ControlConfiguration?
    /// The folder of the plugin libraries; a relative path starts at the configuration file's folder.
    package var directory = "plugins"
    /// What happens to a library in `directory` that no entry names.
    package var discovery = Discovery.activate
    /// Where instances run whose entries do not say it, and discovered ones.
    package var placement = PlacementPolicy()
    /// Whose signatures count; nil where libraries need none.
    package var trust: SigningPolicy?
    /// Where the images of accepted libraries are mapped from.
    package var images = ImagePlace.cache
    /// The plain state the store starts with; always an object, without the member `host`.
    package var state: Value = .object(Members())
    /// The file in which the state goes from one run to the next, nil for none; a relative path starts at the configuration
    /// file's folder.
    package var stateFile: String?
    /// The journal of what was accepted; nil for none.
    package var journal: JournalConfiguration?
    /// With whom the work is shared; nil for nobody.
    package var cluster: ClusterConfiguration?
    /// What comes in from outside, and its limits.
    package var ingress = IngressConfiguration()
    /// How much one input may lead to before it is cut, and how much may wait before input is not read.
    package var limits = LimitsConfiguration()
    /// What follows from crashes.
    package var supervise = SuperviseConfiguration()
    /// How the host writes its log.
    package var log = LogConfiguration()
    /// Where spans of actions go; nil for nowhere.
    package var traces: TracesConfiguration?
    /// The instances in chain order; their ids are unique.
    package var instances: [InstanceConfiguration] = []
    /// The shadows of instances, in order; their ids are unique among all entries.
    package var shadows: [ShadowConfiguration] = []
    /// Where the file's parts stand; nil for a configuration that was not read. Never makes configurations differ.
    @Incidental package var place: ConfigurationPlace? = nil
}

extension HostConfiguration {
    /// The configuration that an empty object in the file stands for, with another plugin folder.
    package init(directory: String = "plugins") { self.init(name: nil, directory: directory) }

    /// The path of the plugin folder, without needless dots.
    ///
    /// - Parameter base: the folder that relative paths start from.
    package func folder(from base: String) -> String { Self.path(directory, from: base) }

    /// The file in which the state goes from one run to the next; nil for none.
    package func stateFile(from base: String) -> StateFile? {
        stateFile.map { StateFile(path: Self.path($0, from: base)) }
    }

    /// The folder of the journal; nil for none.
    ///
    /// - Parameter base: the folder that relative paths start from.
    package func journalFolder(from base: String) -> String? {
        journal.map { Self.path($0.directory, from: base) }
    }

    /// A path that starts at a folder, unless it starts at the root.
    package static func path(_ path: String, from base: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        let parts = path.split(separator: "/").filter { $0 != "." }
        return ([base == "/" ? "" : base] + parts.map(String.init)).joined(separator: "/")
    }
}

/// What happens to a library in the plugin folder that no entry names.
package enum Discovery: String, CaseIterable, Sendable {
    /// It joins the end of the chain, in file-name order, with default settings, lift and gate.
    case activate
    /// It is checked and shown; none of its code runs.
    case list
    /// It is not looked at.
    case ignore
}

extension HostConfiguration {
    /// The keys of the whole file. `$schema` is for editors; any value of it is ignored.
    package enum Key: String, CaseIterable {
        case schema = "$schema"
        case name, control, directory, discovery, placement, trust, images, state, stateFile, journal,
            cluster,
            ingress,
            limits, supervise, log, traces
        case plugins
    }

    /// Reads the whole file; nil, with a report, if it is no object.
    package static func read(_ node: LocatedNode) -> HostConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let defaults = HostConfiguration()
        let entries = reader[.plugins].flatMap(readEntries)
        if let shadow = entries?.shadows.first {
            checkPast(of: shadow, reader)
        }
        return HostConfiguration(
            name: reader[.name]?.hostName(),
            control: reader[.control].flatMap(ControlConfiguration.read),
            directory: reader.value(.directory, default: defaults.directory) { $0.folder() },
            discovery: reader.value(.discovery, default: defaults.discovery) { $0.choice() },
            placement: reader.value(.placement, default: defaults.placement, PlacementPolicy.read),
            trust: reader[.trust].flatMap(SigningPolicy.read),
            images: reader.value(.images, default: defaults.images) { $0.choice() },
            state: reader.value(.state, default: defaults.state, readState),
            stateFile: reader[.stateFile]?.folder(),
            journal: readJournal(reader),
            cluster: readCluster(reader),
            ingress: reader.value(.ingress, default: defaults.ingress, IngressConfiguration.read),
            limits: reader.value(.limits, default: defaults.limits, LimitsConfiguration.read),
            supervise: reader.value(.supervise, default: defaults.supervise, SuperviseConfiguration.read),
            log: reader.value(.log, default: defaults.log, LogConfiguration.read),
            traces: readTraces(reader),
            instances: entries?.instances ?? [],
            shadows: entries?.shadows.map(\.shadow) ?? [],
            place: ConfigurationPlace(of: node))
    }

    /// Reads what is said of the journal, beside which nothing else keeps the state.
    private static func readJournal(_ reader: ObjectReader<Key>) -> JournalConfiguration? {
        if reader[.journal] != nil, let stateFile = reader[.stateFile] {
            stateFile.reportKey(
                "\"stateFile\" and \"journal\" both keep the state; remove one of them, and with \"journal\" the state is recovered from there"
            )
        }
        return reader[.journal].flatMap(JournalConfiguration.read)
    }

    /// Reads what is said of traces, which follow actions through one host.
    private static func readTraces(_ reader: ObjectReader<Key>) -> TracesConfiguration? {
        if reader[.cluster] != nil {
            reader[.traces]?.reportKey(
                "\"traces\" follow actions through one host, and \"cluster\" shares them among several; remove one of them"
            )
        }
        return reader[.traces].flatMap(TracesConfiguration.read)
    }

    /// Reads what is said of the cluster, which keeps the state instead of this host.
    private static func readCluster(_ reader: ObjectReader<Key>) -> ClusterConfiguration? {
        if reader[.cluster] != nil {
            reader[.journal]?.reportKey(
                "\"journal\" and \"cluster\" both keep what was accepted; remove one of them, in a cluster its engine does"
            )
            reader[.stateFile]?.reportKey(
                "\"stateFile\" and \"cluster\" both keep the state; remove one of them, in a cluster its engine does"
            )
        }
        return reader[.cluster].flatMap(ClusterConfiguration.read)
    }

    /// Reads the initial state, which must leave the host's slice alone.
    private static func readState(_ node: LocatedNode) -> Value? {
        guard let state = node.plainObject() else { return nil }
        node.object?[ReservedNames.identifier]?.reportKey(LocatedNode.reservedSlice(ReservedNames.slice))
        return state
    }

    /// The entries of a file.
    private typealias Entries = (
        instances: [InstanceConfiguration], shadows: [(shadow: ShadowConfiguration, node: LocatedNode)]
    )

    /// Reads the entries and compares them with each other; those without a usable id are left out.
    private static func readEntries(_ node: LocatedNode) -> Entries? {
        guard let elements = node.elements else {
            return node.fail(expected: "an array of objects", advice: "write [{ \"id\": \"…\" }]")
        }
        var rules = InstanceRules()
        let read = elements.filter { !ShadowConfiguration.isShadow($0) }.compactMap { element in
            InstanceConfiguration.read(element).map { (instance: $0, node: element) }
        }
        for (instance, node) in read { rules.check(instance, node) }
        let ids = Set(read.map(\.instance.id))
        var successors: [String: String] = [:]
        for (instance, node) in read {
            InstanceRules.checkFormerID(of: instance, node, among: ids, &successors)
        }
        let shadows = elements.filter(ShadowConfiguration.isShadow).compactMap { element in
            ShadowConfiguration.read(element, among: read.map(\.instance.id)).map {
                (shadow: $0, node: element)
            }
        }
        for (shadow, node) in shadows { rules.check(InstanceConfiguration(id: shadow.id), node) }
        return (read.map(\.instance), shadows)
    }

    /// Refuses shadows where nothing records what instances hear.
    private static func checkPast(
        of entry: (shadow: ShadowConfiguration, node: LocatedNode), _ reader: ObjectReader<Key>
    ) {
        let key = entry.node.object?[ShadowConfiguration.Key.shadow.rawValue]
        if reader[.cluster] != nil {
            key?.reportKey(
                "a member of a cluster has no journal from which a shadow could hear; remove the entry")
        } else if reader[.journal] == nil {
            key?.reportKey(
                "a shadow hears what the journal records, and there is none; add \"journal\", or remove the entry"
            )
        }
    }
}
