// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
package import GatehouseSDK

/// What a generation was, from which action on, and what its swap did to the state; as a journal keeps it.
///
/// A generation reduces the actions after `after`, up to the `after` of the next record. Records stand in the order in which their
/// generations ran, so one that reduced nothing is followed by one with the same number.
package struct GenerationRecord: Codable, Equatable, Sendable {
    /// Its number in the journal; 0 before it is written.
    package var id: Int64 = 0
    /// The number of the opening in which it ran.
    package let epoch: Int
    /// The number of the generation in that opening, from 1.
    package let number: Int
    /// The last action that an earlier generation reduced.
    package let after: UInt64
    /// When it began, in seconds since 1970.
    package let time: Double
    /// The plan by which it ran.
    package let plan: RecordedPlan
    /// What its swap did to the state of the generation before.
    package let change: GenerationChange

    /// A generation; its id is given when it is recorded.
    package init(
        id: Int64 = 0, epoch: Int, number: Int, after: UInt64, time: Double, plan: RecordedPlan,
        change: GenerationChange
    ) {
        self.id = id
        self.epoch = epoch
        self.number = number
        self.after = after
        self.time = time
        self.plan = plan
        self.change = change
    }

    /// The record as it is written, without what has a column of its own.
    package var value: Value { ["plan": plan.value, "change": change.value] }
}

extension GenerationRecord {
    /// Reads a record.
    ///
    /// - Throws: the member that no host writes.
    package init(id: Int64, epoch: Int, number: Int, after: UInt64, time: Double, _ value: Value)
        throws(CodingFailure)
    {
        guard let plan = value["plan"], let change = value["change"] else {
            throw CodingFailure(
                pointer: .whole, expected: "the members plan and change", found: value.kindName)
        }
        self.init(
            id: id, epoch: epoch, number: number, after: after, time: time, plan: try RecordedPlan(plan),
            change: try GenerationChange(change))
    }
}

/// What a swap did to the state: the part that cannot be found out again without running code.
package struct GenerationChange: Equatable, Sendable, ValueCodable {
    /// The states that instances had when the generation began, by id: of those whose state was made, migrated, renamed or brought
    /// back, or does not have all actions before. The others go on with what they had.
    package var made: [String: VersionedState] = [:]
    /// Those of these instances that had no state, by id: what the generation before has left for them is gone.
    package var stateless: Set<String> = []
    /// The positions of the gates when the generation began, by id; of none that follows the state.
    package var gates: [String: GateState] = [:]
    /// What was merged into the plain state (RFC 7396); nil for nothing.
    package var patch: Value?
    /// What no instance owned when the generation began, where it has come back because the next one failed at its start; nil where
    /// that follows from the rest.
    package var restored: PlainState?
    /// Where the slices of instances in quarantine stand that have come back, by id; the others stand where they did.
    package var standings: [String: Standing] = [:]

    /// A swap that changed nothing but what is given.
    package init(gates: [String: GateState] = [:], patch: Value? = nil) {
        self.gates = gates
        self.patch = patch
    }

    /// The change as it is written.
    package var value: Value {
        var members: Members = [
            "made": .object(
                Members(
                    made.sorted { $0.key < $1.key }.map {
                        ($0.key, ["version": Value($0.value.version), "state": $0.value.value])
                    })),
            "gates": .object(
                Members(gates.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value.word)) })),
        ]
        if !stateless.isEmpty { members["stateless"] = .array(stateless.sorted().map { .string($0) }) }
        members["patch"] = patch
        members["restored"] = restored?.value
        if !standings.isEmpty {
            members["standings"] = .object(
                Members(standings.sorted { $0.key < $1.key }.map { ($0.key, $0.value.value) }))
        }
        return .object(members)
    }

    /// Reads a change.
    ///
    /// - Throws: the member that no host writes.
    package init(_ value: Value) throws(CodingFailure) {
        guard case .object(let made) = value["made"], case .object(let gates) = value["gates"] else {
            throw CodingFailure(
                pointer: JSONPointer(tokens: ["change"]), expected: "the members made and gates",
                found: value.kindName)
        }
        for (id, state) in made {
            guard let version = state["version"]?.intValue, let content = state["state"] else {
                throw CodingFailure(
                    pointer: JSONPointer(tokens: ["change", "made", id]),
                    expected: "a state with its version",
                    found: state.kindName)
            }
            self.made[id] = VersionedState(version: version, value: content)
        }
        for (index, id) in (value["stateless"]?.arrayValue ?? []).enumerated() {
            guard let id = id.stringValue else {
                throw CodingFailure(
                    pointer: JSONPointer(tokens: ["change", "stateless", "\(index)"]),
                    expected: "the id of an instance", found: id.kindName)
            }
            stateless.insert(id)
        }
        for (id, position) in gates { self.gates[id] = GateState(active: position == "active") }
        patch = value["patch"]
        do throws(CodingFailure) {
            restored = try value["restored"].map { value throws(CodingFailure) in try PlainState(value) }
        } catch {
            throw CodingFailure(
                pointer: JSONPointer(tokens: ["change", "restored"] + error.pointer.tokens),
                expected: error.expected, found: error.found)
        }
        for (id, content) in value["standings"]?.objectValue ?? [:] {
            guard let standing = Standing(content) else {
                throw CodingFailure(
                    pointer: JSONPointer(tokens: ["change", "standings", id]),
                    expected: "where a slice stands", found: content.kindName)
            }
            standings[id] = standing
        }
    }
}
