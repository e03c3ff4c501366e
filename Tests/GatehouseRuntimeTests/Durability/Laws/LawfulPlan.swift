// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import SeededTesting

@testable import GatehousePlan
@testable import GatehouseRuntime

/// A random configuration of counters and couriers.
struct LawfulPlan: CustomStringConvertible {
    /// An entry of it.
    private struct Entry {
        /// Its id.
        var id: String
        /// Whether it is a courier, which has effects; otherwise a counter, which has state.
        let isCourier: Bool
        /// Its other keys, with their values as text.
        var members: [String: String] = [:]

        /// An entry with random keys.
        init(_ id: String, inWorkers isInWorkers: Bool, by random: inout SeededGenerator) {
            (self.id, isCourier) = (id, Bool.random(using: &random))
            for _ in 0..<2 { change(inWorkers: isInWorkers, by: &random) }
        }

        /// Changes one of its keys, or none.
        mutating func change(inWorkers isInWorkers: Bool, by random: inout SeededGenerator) {
            switch Int.random(in: 0..<(isInWorkers ? 6 : 4), using: &random) {
            case 0:
                let number = Int.random(in: 1..<9, using: &random)
                members["settings"] = isCourier ? #"{ "street": "\#(number)" }"# : #"{ "step": \#(number) }"#
            case 1: members["gate"] = Self.gates.randomElement(using: &random) ?? nil
            // An effect that has begun by a name which its instance does not hear any more cannot begin again.
            case 2 where !isCourier:
                let isLifted = Bool.random(using: &random)
                members["lift"] =
                    isLifted
                    ? #"{ "input": { "tick": "increment", "\#(id)/*": "*" }, "state": "/places/\#(id)" }"#
                    : nil
            case 4, 5: members["placement"] = Bool.random(using: &random) ? #""worker""# : nil
            default: break
            }
        }

        /// The gates; nil for none.
        private static let gates: [String?] = [
            #""active""#, #""bypass""#, #"{ "state": "/open" }"#, #"{ "control": { "type": "turn" } }"#,
            #"{ "control": { "type": "turn" }, "default": "bypass", "onClose": "keep" }"#, nil,
        ]

        /// The entry as JSON.
        var text: String {
            let library = isCourier ? "libCourierPlugin.so" : "libCounterPlugin.so"
            let more = members.sorted { $0.key < $1.key }.map { #", "\#($0.key)": \#($0.value)"# }
            return #"{ "id": "\#(id)", "library": "\#(library)"\#(more.joined()) }"#
        }
    }

    /// The entries in their order.
    private var all: [Entry] = []
    /// What it says about the state.
    private var state: [String: Int] = [:]
    /// Why instances are in quarantine, by id.
    private(set) var quarantine: [String: String] = [:]

    /// Whether instances run in workers, too.
    private let isInWorkers: Bool

    /// A configuration with some instances.
    init(inWorkers isInWorkers: Bool, by random: inout SeededGenerator) {
        self.isInWorkers = isInWorkers
        for number in 0..<Int.random(in: 1...4, using: &random) {
            all.append(Entry("i\(number)", inWorkers: isInWorkers, by: &random))
        }
    }

    /// The entries as JSON, with commas between them.
    var entries: String { all.map(\.text).joined(separator: ", ") }

    /// The other keys, each with a comma after it.
    var more: String {
        let members = state.sorted { $0.key < $1.key }.map { #""\#($0.key)": \#($0.value)"# }
        // Workers are killed more often than any rule has it.
        return (members.isEmpty ? "" : #""state": { \#(members.joined(separator: ", ")) }, "#)
            + (isInWorkers ? #""supervise": { "crashes": 100, "deaths": 100, "pause": 0 }, "# : "")
    }

    var description: String { "\(more)\(entries) without \(quarantine.keys.sorted())" }

    /// One that may follow: instances come, go, move, change and are renamed, and libraries go into quarantine and out of it.
    func next(by random: inout SeededGenerator) -> LawfulPlan {
        var next = self
        for index in next.all.indices { next.all[index].members["was"] = nil }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: next.all.indices, using: &random)
            let id = "i\(Int.random(in: 0..<6, using: &random))"
            let isNew = !next.all.contains { $0.id == id }
            switch Int.random(in: 0..<7, using: &random) {
            case 0:
                guard next.all.count > 1 else { continue }
                let removed = next.all.remove(at: place)
                if isNew { next.all[0].members["was"] = #""\#(removed.id)""# }
            case 1: if isNew { next.all.append(Entry(id, inWorkers: isInWorkers, by: &random)) }
            case 2:
                guard isNew else { continue }
                next.all[place].members["was"] = #""\#(next.all[place].id)""#
                next.all[place].id = id
            case 3: next.all.shuffle(using: &random)
            case 4:
                let key = "n\(Int.random(in: 0..<3, using: &random))"
                next.state[key] = Int.random(in: 0..<9, using: &random)
            case 5:
                let id = next.all[place].id
                next.quarantine[id] = next.quarantine[id] == nil ? "it has ended the host too often" : nil
            default: next.all[place].change(inWorkers: isInWorkers, by: &random)
            }
        }
        return next
    }

    /// An action that some of it hears.
    ///
    /// - Parameter deliveries: how many were sent before.
    func action(numbered deliveries: inout Int, by random: inout SeededGenerator) -> AnyAction {
        let entry = all[Int.random(in: all.indices, using: &random)]
        let (isSo, number) = (Bool.random(using: &random), Int.random(in: 0..<9, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return AnyAction("tick")
        case 1: return AnyAction("turn", payload: .bool(isSo))
        case 2: return AnyAction(HostActions.mergeState, payload: ["open": .bool(isSo)])
        case 3: return AnyAction(HostActions.mergeState, payload: ["n1": Value(number)])
        case 4:
            return AnyAction(isSo ? HostActions.openGate : HostActions.closeGate, payload: .string(entry.id))
        default:
            guard entry.isCourier else { return AnyAction(ActionType("\(entry.id)/increment")) }
            if isSo, deliveries > 0 {
                let delivery = Int.random(in: 1...deliveries, using: &random)
                return AnyAction(
                    ActionType("\(entry.id)/arrive"),
                    payload: ["id": .string("d\(delivery)"), "part": Value(number % 3 + 1)])
            }
            deliveries += 1
            return AnyAction(
                ActionType("\(entry.id)/send"),
                payload: ["id": .string("d\(deliveries)"), "parts": Value(number % 3 + 1)])
        }
    }
}
