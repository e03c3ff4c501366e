// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// One step of a case: what the host is given, and what is then looked at, in this order.
struct CaseStep: Sendable {
    /// The keys of a step, in the order in which they are done.
    enum Key: String, CaseIterable {
        case send, unheard, advance, expect, state, gates, reports
    }

    /// What input brings, each as the value of a line, with its pointer inside the step.
    let sends: [(value: LocatedValue, tokens: [String])]
    /// Whether nobody is to hear what is sent; otherwise each action is to be heard by some instance.
    let unheard: Bool
    /// How far the clock is moved; nil for not at all.
    let advance: Duration?
    /// What instances have emitted since the last look; nil for no look.
    let expect: OutputExpectation?
    /// What is at places of the state; null for nothing.
    let state: [(pointer: JSONPointer, value: Value)]
    /// The gate positions that are expected after the step.
    let gates: LocatedGates
    /// A part of each line that is reported, in order; nil where there is to be none.
    let reports: [String]?
    /// The place of the step in the file.
    let place: ConfigurationPlace

    /// Reads a step; nil, with a report, if it is no object.
    static func read(_ node: LocatedNode) -> CaseStep? {
        ObjectReader<Key>(node).map { CaseStep(of: $0.node) }
    }

    /// Reads the keys of a step in an object whose other keys were looked at.
    init(of node: LocatedNode) {
        let member = { (key: Key) in node.object?[key.rawValue] }
        sends = member(.send).map(Self.readSends) ?? []
        unheard = member(.unheard)?.bool() ?? false
        Self.checkOrder(node)
        advance = member(.advance).flatMap { $0.duration() }
        expect = member(.expect).flatMap(OutputExpectation.read)
        state = member(.state).flatMap(Self.readState) ?? []
        gates = member(.gates).flatMap(LocatedGates.read) ?? LocatedGates()
        reports = member(.reports).flatMap { $0.list { $0.name() } }
        place = ConfigurationPlace(of: node)
    }

    /// Reports a clock that is moved where it stands ahead of what is sent: it reads as if it were moved first.
    private static func checkOrder(_ node: LocatedNode) {
        let keys = node.object?.members.map(\.key) ?? []
        guard let advance = keys.firstIndex(of: Key.advance.rawValue),
            let send = keys.firstIndex(of: Key.send.rawValue), advance < send
        else { return }
        node.object?[Key.advance.rawValue]?.reportKey(
            "a step sends before it moves the clock; write \"advance\" after \"send\", or in a step of its own before"
        )
    }

    /// Reads one line, or several in an array.
    private static func readSends(_ node: LocatedNode) -> [(value: LocatedValue, tokens: [String])] {
        guard let elements = node.elements else {
            _ = node.anything()
            return [(node.value, [Key.send.rawValue])]
        }
        return elements.enumerated().map { index, element in
            (element.value, [Key.send.rawValue, String(index)])
        }
    }

    /// Reads an object whose keys are pointers.
    private static func readState(_ node: LocatedNode) -> [(pointer: JSONPointer, value: Value)]? {
        node.membersOnce()?.members.compactMap { member in
            member.pointedValue()
        }
    }
}

extension LocatedNode {
    /// A member whose key is a JSON Pointer; nil, with a report, if it is none.
    func pointedValue() -> (pointer: JSONPointer, value: Value)? {
        guard let pointer = try? JSONPointer(key) else {
            reportKey(
                "expected a JSON Pointer such as \"/orders/eu\" as the key, found \(Quotation.of(key)); begin it with \"/\""
            )
            return nil
        }
        return (pointer, anything())
    }
}
