// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// What a child of the host is to find out about a plugin.
struct ValidationJob: Sendable {
    /// The name of the check.
    var check = ""
    /// Where the loader finds the library.
    let path: String
    /// What messages call it.
    let name: String
    /// What it says about itself.
    let note: PluginNote
    /// What random payloads are made from.
    let seed: UInt64
    /// A folder that goes with the check: the current one of the process is `work` in it, that for data `data`.
    var folder = ""
    /// Actions that the plugin takes, as far as they are known yet.
    var examples: [ExampleAction] = []
    /// Lines of actions that the author has recorded, under the plugin's local names.
    var input: [ExampleAction] = []
    /// Names of fields and cases in the library; names of members of payloads are among them.
    var words: [String] = []
    /// States that earlier versions have written.
    var states: [VersionedState] = []
    /// The settings of instances, an object, where a check does not try others.
    var settings = Value.object(Members())
    /// Whether each action's effects are waited for, so that what ends the process is known from what it came of.
    var isPatient = false

    /// The job as a child reads it.
    var bytes: [UInt8] {
        let value: Value = [
            "check": .string(check), "path": .string(path), "name": .string(name), "note": note.value,
            "seed": Value(seed), "folder": .string(folder), "examples": .array(examples.map(\.value)),
            "input": .array(input.map(\.value)),
            "words": .array(words.map(Value.string)),
            "states": .array(
                states.map { ["version": .integer(Int64($0.version)), "state": $0.value] }),
            "settings": settings, "patient": .bool(isPatient),
        ]
        return Array(value.json().utf8)
    }

    /// A job that is the same for all checks, but for what they are given later.
    init(path: String, name: String, note: PluginNote, seed: UInt64, input: [ExampleAction]) {
        self.path = path
        self.name = name
        self.note = note
        self.seed = seed
        self.input = input
    }

    /// Reads a job; nil for what no host writes.
    init?(bytes: [UInt8]) {
        guard let value = try? JSONText.parse(bytes), let check = value["check"]?.stringValue,
            let path = value["path"]?.stringValue, let name = value["name"]?.stringValue,
            let note = value["note"], let note = try? PluginNote(parsing: Array(note.json().utf8)),
            let seed = value["seed"]?.unsignedValue, let folder = value["folder"]?.stringValue,
            let examples = value["examples"]?.arrayValue, let input = value["input"]?.arrayValue,
            let states = value["states"]?.arrayValue, let settings = value["settings"]
        else { return nil }
        self.init(
            path: path, name: name, note: note, seed: seed, input: input.compactMap(ExampleAction.init))
        self.check = check
        self.folder = folder
        self.examples = examples.compactMap(ExampleAction.init)
        words = value["words"]?.arrayValue?.compactMap(\.stringValue) ?? []
        self.states = states.compactMap { element in
            guard let version = element["version"]?.intValue, let state = element["state"] else { return nil }
            return VersionedState(version: version, value: state)
        }
        self.settings = settings
        isPatient = value["patient"]?.boolValue == true
    }
}

/// An action under the plugin's local name.
struct ExampleAction: Equatable, Sendable {
    /// The local type.
    let type: String
    /// The payload; nil for none.
    var payload: Value?

    /// An action.
    init(_ type: String, payload: Value? = nil) {
        self.type = type
        self.payload = payload
    }

    /// Reads what `value` gives; nil for anything else.
    init?(_ value: Value) {
        guard let type = value["type"]?.stringValue else { return nil }
        self.init(type, payload: value["payload"])
    }

    /// The action as JSON.
    var value: Value {
        var members: Members = ["type": .string(type)]
        members["payload"] = payload
        return .object(members)
    }
}

extension Value {
    /// The number, where it is a whole one that is not negative.
    fileprivate var unsignedValue: UInt64? {
        switch self {
        case .integer(let number): UInt64(exactly: number)
        case .unsigned(let number): number
        default: nil
        }
    }
}
