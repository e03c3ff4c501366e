// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehouseSDK

/// The state of a host apart from it, as it goes from one run to the next: plain values, the slices with their versions, gates that
/// were moved.
package struct SavedState: Equatable, Sendable, ValueCodable {
    /// The state that one instance leaves to the next run.
    package struct Entry: Equatable, Sendable {
        /// The id of its plugin.
        package let plugin: String
        /// The digest of the library that has written it; nil for a plugin that was linked in, and where nobody has noted it.
        package var digest: String?
        /// The place at which the slice was.
        package let pointer: JSONPointer
        /// Its state; nil for a plugin without.
        package var state: VersionedState?
        /// What the configuration said about its gate.
        package let gate: String
        /// Where its gate stood; nil for one that follows the state.
        package let position: GateState?
        /// Where its slice stands, because its library is in quarantine; nil for one that runs.
        package var standing: Standing?

        /// An instance as a run leaves it.
        package init(
            plugin: String, digest: String? = nil, pointer: JSONPointer, state: VersionedState? = nil,
            gate: String, position: GateState?, standing: Standing? = nil
        ) {
            self.plugin = plugin
            self.digest = digest
            self.pointer = pointer
            self.state = state
            self.gate = gate
            self.position = position
            self.standing = standing
        }
    }

    /// What the configuration said about the state when the run began.
    package let configured: Value
    /// What no instance owned, with what absent plugins had left.
    package let plain: Value
    /// What is known of values in it that were slices.
    package let kept: [JSONPointer: KeptSlice]
    /// What the instances left, by id.
    package let entries: [String: Entry]

    /// A state from its parts.
    package init(configured: Value, plain: Value, kept: [JSONPointer: KeptSlice], entries: [String: Entry]) {
        self.configured = configured
        self.plain = plain
        self.kept = kept
        self.entries = entries
    }

    /// The plain state that a run begins with whose configuration says something about the state.
    ///
    /// What it says otherwise than before counts; everything else is as it was left.
    package func plain(for configuration: HostConfiguration) -> Value {
        var plain = plain
        if let patch = configured.patch(to: configuration.state) { plain.merge(patch) }
        return plain
    }
}

extension SavedState {
    /// The same without what the instances left.
    package var withoutEntries: SavedState {
        SavedState(configured: configured, plain: plain, kept: kept, entries: [:])
    }

    /// The version of the form in which states are written.
    private static let form = 1

    /// The state as it is written.
    package var value: Value {
        var members: Members = ["form": Value(Self.form), "configured": configured]
        let left = PlainState(plain: plain, kept: kept).value
        (members["plain"], members["kept"]) = (left["plain"], left["kept"])
        members["instances"] = .object(Members(entries.sorted { $0.key < $1.key }.map { ($0, $1.value) }))
        return .object(members)
    }

    /// Reads a state.
    ///
    /// - Throws: the member that is not as it is written, and what was expected there.
    package init(_ value: Value) throws(CodingFailure) {
        guard case .integer(let form) = value["form"], form == Self.form else {
            throw CodingFailure(
                pointer: JSONPointer(tokens: ["form"]), expected: "the number \(Self.form)",
                found: value["form"]?.quoted ?? "nothing")
        }
        guard let configured = value["configured"], value["plain"] != nil,
            case .object = value["kept"], case .object(let instances) = value["instances"]
        else {
            throw CodingFailure(
                pointer: .whole, expected: "the members configured, plain, kept and instances",
                found: value.kindName)
        }
        self.configured = configured
        let left = try PlainState(value)
        (plain, kept) = (left.plain, left.kept)
        var entries: [String: Entry] = [:]
        for (id, entry) in instances {
            guard let read = Entry(entry) else { throw Self.failure(at: ["instances", id], entry) }
            entries[id] = read
        }
        self.entries = entries
    }

    /// A part that no host writes.
    private static func failure(at path: [String], _ value: Value) -> CodingFailure {
        CodingFailure(
            pointer: JSONPointer(tokens: path), expected: "what a host writes there", found: value.kindName)
    }
}

extension SavedState.Entry {
    /// The entry as it is written.
    package var value: Value {
        var members: Members = [
            "plugin": .string(plugin), "slice": .string("\(pointer)"), "gate": .string(gate),
        ]
        if let digest { members["digest"] = .string(digest) }
        if let position { members["position"] = .string(position.word) }
        if let standing { members["standing"] = standing.value }
        if let state {
            members["version"] = Value(state.version)
            members["state"] = state.value
        }
        return .object(members)
    }

    /// Reads an entry; nil for what no host writes.
    fileprivate init?(_ value: Value) {
        guard case .string(let plugin) = value["plugin"], case .string(let slice) = value["slice"],
            let pointer = try? JSONPointer(slice), case .string(let gate) = value["gate"]
        else { return nil }
        var state: VersionedState?
        if case .integer(let version) = value["version"], let content = value["state"] {
            state = VersionedState(version: Int(version), value: content)
        }
        var digest: String?
        if case .string(let text) = value["digest"] { digest = text }
        var standing: Standing?
        if let content = value["standing"] {
            guard let read = Standing(content) else { return nil }
            standing = read
        }
        self.init(
            plugin: plugin, digest: digest, pointer: pointer, state: state, gate: gate,
            position: value["position"].map { GateState(active: $0 == "active") }, standing: standing)
    }
}
