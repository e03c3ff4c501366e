// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// One step of a case: input for the host, then expectations, in this order.
struct CaseStep: Sendable {
    /// The keys of a step, in the order of processing.
    enum Key: String, CaseIterable {
        case send, unheard, advance, expect, state, gates, reports
    }

    /// The input, each element as the value of a line, with its pointer inside the step.
    let sends: [(value: LocatedValue, tokens: [String])]
    /// Whether nobody may hear the input; otherwise some instance must hear each action.
    let unheard: Bool
    /// How far to advance the clock; nil for not at all.
    let advance: Duration?
    /// The expected actions since the last look; nil for no look.
    let expect: OutputExpectation?
    /// The expected values at places of the state; null for nothing.
    let state: [(pointer: JSONPointer, value: Value)]
    /// The expected gate positions after the step.
    let gates: LocatedChoices<GateConfiguration.Default>
    /// A part of each reported line, in order; nil where there must be none.
    let reports: [String]?
    /// The place of the step in the file.
    let place: ConfigurationPlace

    /// Reads a step; nil, with a report, if it is not an object.
    static func read(_ node: LocatedNode) -> CaseStep? {
        ObjectReader<Key>(node).map { CaseStep(of: $0.node) }
    }

    /// Reads the keys of a step in an object whose other keys are already read.
    init(of node: LocatedNode) {
        let member = { (key: Key) in node.object?[key.rawValue] }
        sends = member(.send).map(Self.readSends) ?? []
        unheard = member(.unheard)?.bool() ?? false
        Self.checkOrder(node)
        advance = member(.advance).flatMap { $0.duration() }
        expect = member(.expect).flatMap(OutputExpectation.read)
        state = member(.state).flatMap(Self.readState) ?? []
        gates = member(.gates).flatMap(LocatedChoices.read) ?? LocatedChoices()
        reports = member(.reports).flatMap { $0.list { $0.name() } }
        place = ConfigurationPlace(of: node)
    }

    /// Reports an `advance` written before `send`: it reads as if the clock were advanced first.
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
        node.membersOnce()?.members.compactMap { $0.pointedValue() }
    }
}

extension LocatedNode {
    /// Reads a member whose key is a JSON Pointer; nil, with a report, if it is not one.
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
