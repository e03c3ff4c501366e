// SPDX-License-Identifier: Apache-2.0

package import GatehouseCluster
package import GatehouseManifest
internal import GatehouseSupport
package import GatehouseValue

/// The key `cluster`: with whom the host shares the work, and which action goes where.
package struct ClusterConfiguration: Equatable, Sendable {
    /// The address of the engine as it is written; a relative path of a socket starts at the configuration file's folder.
    package var engine: String
    /// The path of the file that has the password of the engine, as it is written; nil where none is asked for.
    var password: String?
    /// What encryption takes, where the address of the engine asks for it.
    var tls: ClusterTLSConfiguration = .init()
    /// How the Sentinels that the address names let members in; nil where they ask for nothing.
    var sentinels: Login?
    /// What the cluster is called: members with the same engine and name share the work.
    package var name: String
    /// Into how many partitions the work is divided; the same for all members.
    package var partitions: Int = 64
    /// How many replicas of the engine must have what it confirms.
    package var replicas: Int = 0
    /// Where the keys of actions are.
    package var keys: [KeyPlace] = []
    /// How long the others take a member for alive that does not say so.
    package var lease: Duration = .seconds(5)
    /// How many seconds the name that a writer gives an input is known; 0 for not at all.
    package var deduplicate: Int = 600
    /// How many seconds an action stays in the engine after it came, at least; without it, what a checkpoint has processed soon goes.
    package var history: Int = 0
    /// Whether members may work beside others whose plugins differ.
    package var mixedPlugins: MixedPlugins = .allow
    /// How the states of instances are divided, by id; for a resize.
    package var splits: [String: Split] = [:]

    /// The range that `partitions` may have.
    package static let partitionsRange = 1...4_096

    /// Where the key of an action is, for some types.
    package struct KeyPlace: Equatable, Sendable {
        /// The types.
        package let types: TypePattern
        /// The place in the payload; empty for the whole.
        package let place: JSONPointer
    }

    /// How the state of an instance is divided; what is at none of these places must be the same in all partitions.
    package struct Split: Equatable, Sendable {
        /// Where objects are whose members belong to the keys that are their names.
        package let keys: [JSONPointer]
        /// Where numbers are of which the cluster has their sum.
        package let sums: [JSONPointer]

        /// Places, none of them inside another one.
        package init(keys: [JSONPointer], sums: [JSONPointer] = []) {
            self.keys = keys
            self.sums = sums
        }
    }

    /// A user, and the path of the file that has the password, as it is written.
    struct Login: Equatable, Sendable {
        /// The user; nil for the one named default.
        let user: String?
        /// The path.
        let password: String
    }

    /// Whether members may work beside others whose plugins differ.
    package enum MixedPlugins: String, CaseIterable, Sendable {
        /// They may, and it is told.
        case allow
        /// A host that differs from all members in libraries, settings, lifts or gates cannot join.
        case refuse
    }

    /// Where the engine is; nil only for a text that no file was read with.
    ///
    /// - Parameter base: the folder that relative paths start from.
    package func place(from base: String) -> ClusterPlace? {
        if engine == Self.local { return .memory }
        if let path = Self.localPath(engine) { return .file(HostConfiguration.path(path, from: base)) }
        guard var address = RedisAddress(engine) else { return nil }
        if case .unix(let path) = address.place {
            address.place = .unix(path: HostConfiguration.path(path, from: base))
        }
        return .redis(
            RedisAccess(
                address, password: password.map { AccessFile($0, from: base) }, tls: tls.access(from: base),
                sentinels: sentinels.map {
                    .init(user: $0.user, password: AccessFile($0.password, from: base))
                }
            ))
    }

    /// An engine in the memory of the host; with a colon and a path, in a file.
    private static let local = "local"

    /// Returns the path of an engine in a file; nil for any other, and for one without a path.
    private static func localPath(_ engine: String) -> String? {
        guard engine.hasPrefix(local + ":") else { return nil }
        let path = engine.dropFirst(local.utf8.count + 1)
        return path.isEmpty ? nil : String(path)
    }

    /// Whether an engine is in the host itself.
    private static func isLocal(_ engine: String) -> Bool { engine == local || localPath(engine) != nil }

    /// Where the key of a type is: at the place for its full name, or else for the longest pattern; nil for none.
    ///
    /// Linear in the number of keys: ask once per type and keep the answer.
    package func keyPlace(for type: String) -> KeyPlace? {
        let rank = { (key: KeyPlace) in (key.types.isOpen ? 0 : 1, key.types.stem.utf8.count) }
        return keys.filter { $0.types.covers(type) }.max { rank($0) < rank($1) }
    }
}

extension ClusterConfiguration {
    /// The keys of the object.
    package enum Key: String, CaseIterable {
        case engine, password, tls, sentinels, replicas, name, partitions, key, lease, deduplicate, history,
            mixedPlugins, split
    }

    /// Reads the value of `cluster`; nil, with a report, if it is no object or lacks what it cannot do without.
    package static func read(_ node: LocatedNode) -> ClusterConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let engine = reader.required(.engine, readEngine)
        let name = reader.required(.name) { $0.hostName() }
        var password: String?
        var tls: ClusterTLSConfiguration?
        var sentinels: Login?
        let isPasswordRead = reader.read(.password, into: &password) { $0.filePath() }
        let isTLSRead = reader.read(.tls, into: &tls, ClusterTLSConfiguration.read)
        let isLoginRead = reader.read(.sentinels, into: &sentinels, readLogin)
        var cluster = ClusterConfiguration(
            engine: engine ?? "", password: password, tls: tls ?? .init(), sentinels: sentinels,
            name: name ?? "")
        reader.set(&cluster.partitions, to: .partitions) { $0.integer(in: partitionsRange) }
        reader.set(&cluster.replicas, to: .replicas) { $0.integer(in: 0...9) }
        reader.set(&cluster.keys, to: .key, readKeys)
        reader.set(&cluster.lease, to: .lease) { $0.integer(in: 1...60).map { .seconds($0) } }
        reader.set(&cluster.deduplicate, to: .deduplicate) { $0.integer(in: 0...604_800) }
        reader.set(&cluster.history, to: .history) { $0.integer(in: 0...604_800) }
        reader.set(&cluster.mixedPlugins, to: .mixedPlugins) { $0.choice() }
        reader.set(&cluster.splits, to: .split, readSplits)
        let isReachable =
            engine.map {
                isLocal($0) ? fitsLocal(reader) : RedisAddress($0).map { fits(reader, $0) } ?? false
            }
            ?? false
        return isReachable && name != nil && isPasswordRead && isTLSRead && isLoginRead
            ? cluster : nil
    }

    /// Whether nothing is given that only a server takes; reports say what is.
    private static func fitsLocal(_ reader: ObjectReader<Key>) -> Bool {
        let given: [Key] = [.password, .tls, .sentinels, .replicas].filter { reader[$0] != nil }
        for key in given {
            reader[key]?.reportKey(
                "\"\(key.rawValue)\" is given, and \"engine\" is no server but the host itself; remove it")
        }
        return given.isEmpty
    }

    /// Whether what is needed to come to the engine fits its address; a report says why not.
    private static func fits(_ reader: ObjectReader<Key>, _ address: RedisAddress) -> Bool {
        var fits = true
        if let user = address.user, reader[.password] == nil {
            fits = false
            reader[.engine]?.report(
                "the user \(Quotation.of(user)) needs a password; write it into a file, and name that by \"password\""
            )
        }
        if !address.isEncrypted, let tls = reader[.tls] {
            fits = false
            tls.reportKey("\"tls\" is given, and \"engine\" is not encrypted; begin that with \"rediss://\"")
        }
        if case .sentinels = address.place { return fits }
        if let sentinels = reader[.sentinels] {
            fits = false
            sentinels.reportKey(
                "\"sentinels\" is given, and \"engine\" names none; begin that with \"redis-sentinel://\"")
        }
        return fits
    }

    /// The keys of a login.
    private enum LoginKey: String, CaseIterable {
        case user, password
    }

    /// Reads how Sentinels let members in.
    private static func readLogin(_ node: LocatedNode) -> Login? {
        guard let reader = ObjectReader<LoginKey>(node) else { return nil }
        var user: String?
        let isUserRead = reader.read(.user, into: &user) { node in
            node.text("the name of a user", advice: "write one, or remove \"user\"") {
                !$0.isEmpty && !$0.contains { $0.isWhitespace }
            }
        }
        guard let password = reader.required(.password, { $0.filePath() }), isUserRead else { return nil }
        return Login(user: user, password: password)
    }

    /// Reads the address of the engine.
    private static func readEngine(_ node: LocatedNode) -> String? {
        guard let text = node.string() else { return nil }
        if isLocal(text) || RedisAddress(text) != nil { return text }
        // What was found is not repeated then.
        if RedisAddress.hasPassword(text) {
            return node.fail(
                "expected an address without a password; write the password into a file, and name that by \"password\""
            )
        }
        return node.fail(
            expected:
                "the address of a Redis, \"redis+unix:\" with a path or \"redis://\" or \"rediss://\" with a host, or \"local:\" with the path of a file, or \"local\"",
            advice:
                "write \"redis://127.0.0.1:6379\" for a Redis on this machine, or \"local:partitions.db\" to do without one"
        )
    }

    /// Reads where the keys of actions are; the lines that are wrong are left out.
    private static func readKeys(_ node: LocatedNode) -> [KeyPlace]? {
        node.membersOnce()?.members.compactMap { member in
            guard let types = TypePattern(member.key) else {
                member.reportKey(
                    member.key.isEmpty ? LocatedNode.emptyName : LocatedNode.invalidPattern(member.key))
                return nil
            }
            guard !types.isForHost else {
                member.reportKey(
                    "types below \"host/\" stay in their host and have no key, found \(Quotation.of(member.key)); remove it"
                )
                return nil
            }
            return member.jsonPointer().map { KeyPlace(types: types, place: $0) }
        }
    }

    /// Reads which parts of states belong to keys; the lines that are wrong are left out.
    private static func readSplits(_ node: LocatedNode) -> [String: Split]? {
        guard let object = node.membersOnce() else { return nil }
        var splits: [String: Split] = [:]
        for member in object.members {
            var all: [JSONPointer] = []
            guard member.object != nil else {
                splits[member.key] = Split(keys: readPlaces(member, besides: &all))
                continue
            }
            guard let reader = ObjectReader<SplitKey>(member) else { continue }
            let keys = reader.value(.keys, default: []) { readPlaces($0, besides: &all) }
            let sums = reader.value(.sums, default: []) { readPlaces($0, besides: &all) }
            splits[member.key] = Split(keys: keys, sums: sums)
        }
        return splits
    }

    /// The keys of a split that is an object.
    private enum SplitKey: String, CaseIterable {
        case keys, sums
    }

    /// Reads a place or an array of them, all outside of each other and of those that came before.
    private static func readPlaces(_ node: LocatedNode, besides all: inout [JSONPointer]) -> [JSONPointer] {
        var places: [JSONPointer] = []
        for node in node.elements ?? [node] {
            guard let place = node.jsonPointer() else { continue }
            if let other = all.first(where: { $0.contains(place) || place.contains($0) }) {
                node.report(
                    "expected a place outside of \(Quotation.of("\(other)")), found \(Quotation.of("\(place)")); name one of them"
                )
            }
            places.append(place)
            all.append(place)
        }
        return places
    }
}
