// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK

/// One test case: the host's initial state, its input, and the expected results.
package struct TestCase: Sendable {
    /// The description of the case, unique in its file.
    package let name: String
    /// The state, gates and time at the start.
    let start: CaseStart
    /// Whether effects run, by instance.
    let effects: CaseEffects
    /// The steps in order; 1 or more.
    let steps: [CaseStep]
    /// The place of the case in the file.
    let place: ConfigurationPlace

    /// Whether the case says what the time is, at the start or by a step that advances the clock.
    var setsClock: Bool { start.clock != CaseStart().clock || steps.contains { $0.advance != nil } }

    /// The keys of a case, including those of a step, for a case of one step.
    enum Key: String, CaseIterable {
        case name, start, effects, steps
        case send, unheard, advance, expect, state, gates, reports

        /// Whether the key is one of a step's.
        var isOfStep: Bool { CaseStep.Key(rawValue: rawValue) != nil }
    }

    /// Reads a case; nil, with a report, if it is not an object or has no name.
    static func read(_ node: LocatedNode) -> TestCase? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let name = reader.required(.name) { $0.name() }
        let steps = readSteps(reader)
        if ![[node], reader[.steps]?.elements ?? []].joined().contains(where: looksAtSomething) {
            node.report(
                "the case expects nothing; add \"expect\", \"state\", \"gates\" or \"reports\"")
        }
        let read = TestCase(
            name: name ?? "",
            start: reader.value(.start, default: CaseStart(), CaseStart.read),
            effects: reader.value(.effects, default: CaseEffects(), CaseEffects.read),
            steps: steps ?? [], place: ConfigurationPlace(of: node))
        return name == nil ? nil : read
    }

    /// Whether a case or step has a key with an expectation, even if misspelled.
    private static func looksAtSomething(_ node: LocatedNode) -> Bool {
        let others: [Key] = [.name, .start, .effects, .steps, .send, .advance]
        return node.object?.members.contains { member in !others.map(\.rawValue).contains(member.key) }
            ?? true
    }

    /// Reads the steps, or the only one; nil, with a report, if they are not an array.
    private static func readSteps(_ reader: ObjectReader<Key>) -> [CaseStep]? {
        let own = Key.allCases.filter { $0.isOfStep && reader[$0] != nil }
        guard let steps = reader[.steps] else { return [CaseStep(of: reader.node)] }
        for key in own {
            reader[key]?.reportKey(
                "\"steps\" and \"\(key.rawValue)\" are both given; put it into a step of its own")
        }
        guard let elements = steps.elements else {
            return steps.fail(expected: "an array of objects", advice: "write [{ \"send\": … }, …]")
        }
        let read = elements.compactMap(CaseStep.read)
        return read.count == elements.count ? read : nil
    }
}

/// The initial conditions of a case's host.
struct CaseStart: Sendable {
    /// The patch merged over the state of the configuration (RFC 7396).
    var state: Value = .object(Members())
    /// The gate positions, by instance.
    var gates = LocatedChoices<GateConfiguration.Default>()
    /// The time, in seconds since 1970-01-01 00:00 UTC.
    var clock = 0.0

    /// The keys of `start`.
    private enum Key: String, CaseIterable {
        case state, gates, clock
    }

    /// Reads the value of `start`; nil, with a report, if it is not an object.
    static func read(_ node: LocatedNode) -> CaseStart? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        reader[.state]?.object?[ReservedNames.identifier]?.reportKey(
            LocatedNode.reservedSlice(ReservedNames.slice))
        return CaseStart(
            state: reader.value(.state, default: .object(Members())) { $0.plainObject() },
            gates: reader.value(.gates, default: .init(), LocatedChoices.read),
            clock: reader.value(.clock, default: 0) { $0.moment() })
    }
}

/// One of a few words for each instance id, as a file lists them.
struct LocatedChoices<Choice: RawRepresentable<String> & CaseIterable & Sendable>: Sendable {
    /// The choices, in the order of the file.
    var all: [(id: String, choice: Choice)] = []
    /// The place in the file; nil where there are none.
    var place: ConfigurationPlace?

    /// Reads an object of choices.
    static func read(_ node: LocatedNode) -> LocatedChoices? {
        guard let members = node.membersOnce()?.members else { return nil }
        let all = members.compactMap { member in
            member.choice().map { (id: member.key, choice: $0 as Choice) }
        }
        return LocatedChoices(all: all, place: ConfigurationPlace(of: node))
    }
}

/// Whether the effects of instances run in a case.
struct CaseEffects: Sendable {
    /// The ways in which a case treats effects.
    enum Kind: String, CaseIterable, Sendable {
        /// The effects run as in a real run.
        case real
        /// The effects are only counted.
        case stubbed
    }

    /// The kind for instances that are not named.
    var rest = Kind.real
    /// The kinds of instances that are named.
    var named = LocatedChoices<Kind>()

    /// Returns the kind for an instance.
    subscript(id: String) -> Kind { named.all.first { $0.id == id }?.choice ?? rest }

    /// Reads one kind for all, or an object with one for each instance.
    static func read(_ node: LocatedNode) -> CaseEffects? {
        guard case .object = node.value.content else { return node.choice().map { CaseEffects(rest: $0) } }
        return LocatedChoices.read(node).map { CaseEffects(named: $0) }
    }
}
