// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK

/// A request to a child to check a plugin.
struct ValidationRequest: Sendable {
    /// The name of the check.
    var check = ""
    /// The path at which the loader finds the library.
    let path: String
    /// The library's name in messages.
    let name: String
    /// The library's note.
    let note: PluginNote
    /// The seed of random payloads.
    let seed: UInt64
    /// A folder removed with the check: `work` in it is the process's current folder, `data` the one for data.
    var folder = ""
    /// The known actions that the plugin accepts.
    var examples: [ExampleAction] = []
    /// The actions that the author recorded, under the plugin's local names.
    var input: [ExampleAction] = []
    /// Names of fields and cases in the library; names of members of payloads are among them.
    var words: [String] = []
    /// States that earlier versions wrote.
    var states: [VersionedState] = []
    /// The settings of instances, an object, unless a check tries others.
    var settings = Value.object(Members())
    /// Whether to wait for each action's effects, so that a crash can be attributed to an action.
    var isPatient = false

    /// The request as a child reads it.
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

    /// Creates the common part of the jobs of all checks.
    init(path: String, name: String, note: PluginNote, seed: UInt64, input: [ExampleAction]) {
        self.path = path
        self.name = name
        self.note = note
        self.seed = seed
        self.input = input
    }

    /// Reads a request; nil for anything a host does not write.
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

    /// Creates an action.
    init(_ type: String, payload: Value? = nil) {
        self.type = type
        self.payload = payload
    }

    /// Reads the form written by `value`; nil for anything else.
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
    /// The number, if it is whole and not negative.
    fileprivate var unsignedValue: UInt64? {
        switch self {
        case .integer(let number): UInt64(exactly: number)
        case .unsigned(let number): number
        default: nil
        }
    }
}
