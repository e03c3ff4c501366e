// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import SeededTesting

/// A configuration and its libraries, which are edited at random.
struct EditedPlan: Equatable {
    /// The ids that entries may have.
    static let ids = ["a", "b", "c", "d", "m", "t"]
    /// The files of libraries, each with the targets that may lie there.
    static let targets = [
        "libCount.so": ["CounterPlugin"], "libMigrant.so": ["MigrantOnePlugin", "MigrantTwoPlugin"],
        "libTill.so": ["TillOnePlugin", "TillTwoPlugin"], "libHolding.so": ["HoldingPlugin"],
    ]

    /// The entries in order.
    var entries: [EditedEntry]
    /// The target whose library lies at each file name; without those that are gone.
    var libraries: [String: String]
    /// What the file says about the state that one of the gates follows.
    var isOpen = true
    /// After how many actions the host takes a snapshot; the same in all edits of a host.
    let snapshotEvery: Int

    /// Two counters, one that adds up and a till.
    init(snapshotEvery: Int, using generator: inout SeededGenerator) {
        self.snapshotEvery = snapshotEvery
        entries = [("a", "Count"), ("b", "Count"), ("m", "Migrant"), ("t", "Till")].map {
            EditedEntry(id: $0, library: "lib\($1).so", isOptional: Bool.random(using: &generator))
        }
        libraries = Self.targets.compactMapValues(\.first)
    }

    /// The text of the configuration.
    var text: String {
        let value: Value = [
            "name": "s", "discovery": "ignore", "journal": ["snapshotEvery": Value(snapshotEvery)],
            "control": "unix:ctl",
            "ingress": ["listen": ["unix:in?ack"], "allow": ["*", "host/gate/*", "host/state/merge"]],
            "state": ["flags": ["open": .bool(isOpen)]], "plugins": .array(entries.map(\.value)),
        ]
        return value.json()
    }

    /// Changes one thing; gives the words for it.
    ///
    /// - Parameter isCode: whether only libraries, the order and the number of entries may be other ones.
    mutating func edit(codeAlone isCode: Bool = false, using generator: inout SeededGenerator) -> String {
        let free = Self.ids.filter { id in !entries.contains { $0.id == id } }
        let kind =
            isCode ? Int.random(in: 1..<7, using: &generator) : Int.random(in: 0..<11, using: &generator)
        if kind == 0 { return editState() }
        if kind < 4 { return editLibrary(isGone: kind == 1, using: &generator) }
        if kind == 4, let id = free.randomElement(using: &generator) {
            return addEntry(id, using: &generator)
        }
        guard let place = entries.indices.randomElement(using: &generator) else { return "leave it" }
        let id = entries[place].id
        switch kind {
        case 5:
            entries.remove(at: place)
            return "remove \(id)"
        case 6:
            entries.shuffle(using: &generator)
            return "order \(entries.map(\.id).joined(separator: " "))"
        case 7:
            guard let name = free.randomElement(using: &generator) else { return "leave \(id)" }
            entries[place].was = id
            entries[place].id = name
            // The file may have each former id once, and none that is an id.
            for other in entries.indices where other != place {
                if let was = entries[other].was, was == id || was == name { entries[other].was = nil }
            }
            return "rename \(id) to \(name)"
        case 8:
            entries[place].gate = EditedEntry.gates.randomElement(using: &generator) ?? nil
            return "gate of \(id): \(entries[place].gate?.json() ?? "none")"
        case 9 where entries[place].library == "libCount.so":
            entries[place].settings = [
                "start": Value(Int.random(in: 0..<5, using: &generator)),
                "step": Value(Int.random(in: 1..<10, using: &generator)),
            ]
            return "settings of \(id): \(entries[place].settings?.json() ?? "")"
        default:
            entries[place].input = [nil, "x/", "y/"].randomElement(using: &generator) ?? nil
            entries[place].slice = [nil, "/deep/\(id)", "/deep/one"].randomElement(using: &generator) ?? nil
            return "lift of \(id): \(entries[place].input ?? "-"), \(entries[place].slice ?? "-")"
        }
    }

    /// Adds an instance that fails at its start; gives the words for it.
    mutating func addFailing(using generator: inout SeededGenerator) -> String {
        let place = Int.random(in: 0...entries.count, using: &generator)
        let entry = EditedEntry(
            id: "f", library: "libHolding.so", isOptional: false, settings: ["file": "no/such/folder"])
        entries.insert(entry, at: place)
        return "add f at \(place), which fails"
    }

    // MARK: - Implementation details

    /// Says the other thing about the state.
    private mutating func editState() -> String {
        isOpen.toggle()
        return "flag: \(isOpen)"
    }

    /// Puts another library at a file name, or none.
    private mutating func editLibrary(isGone: Bool, using generator: inout SeededGenerator) -> String {
        let files = Self.targets.keys.filter { $0 != "libHolding.so" }
        let file = files.sorted().randomElement(using: &generator) ?? ""
        let others = Self.targets[file]?.filter { $0 != libraries[file] } ?? []
        libraries[file] = isGone ? nil : others.randomElement(using: &generator) ?? libraries[file]
        return "\(file): \(libraries[file] ?? "gone")"
    }

    /// Adds an entry somewhere.
    private mutating func addEntry(_ id: String, using generator: inout SeededGenerator) -> String {
        let library =
            switch id {
            case "m": "libMigrant.so"
            case "t": "libTill.so"
            default: "libCount.so"
            }
        let place = Int.random(in: 0...entries.count, using: &generator)
        entries.insert(
            EditedEntry(id: id, library: library, isOptional: Bool.random(using: &generator)), at: place)
        for other in entries.indices where entries[other].was == id { entries[other].was = nil }
        return "add \(id) at \(place)"
    }
}
