// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// A value as somebody sees it who opens it step by step.
struct ShallowValue {
    /// The value; what stands deeper than was asked for is empty in it.
    let value: Value
    /// The places that are empty for this reason alone, in order.
    private(set) var cut: [JSONPointer] = []

    /// Takes so many levels of a value.
    ///
    /// - Parameters:
    ///   - depth: how many levels of objects and arrays are whole; nil for all of them.
    ///   - pointer: where the value is; put in front of every place.
    init(_ value: Value, depth: Int?, at pointer: JSONPointer) {
        guard let depth else {
            self.value = value
            return
        }
        var cut: [JSONPointer] = []
        var tokens = pointer.tokens
        self.value = Self.shallow(value, depth, &tokens, &cut)
        self.cut = cut
    }

    /// One step of the walk; no deeper than was asked for.
    private static func shallow(
        _ value: Value, _ depth: Int, _ tokens: inout [String], _ cut: inout [JSONPointer]
    ) -> Value {
        func child(_ token: String, _ value: Value) -> Value {
            tokens.append(token)
            defer { tokens.removeLast() }
            return shallow(value, depth - 1, &tokens, &cut)
        }
        switch value {
        case .object(let members) where depth > 0:
            return .object(Members(members.map { ($0.key, child($0.key, $0.value)) }))
        case .array(let elements) where depth > 0:
            return .array(elements.enumerated().map { child("\($0)", $1) })
        case .object(let members) where !members.isEmpty:
            cut.append(JSONPointer(tokens: tokens))
            return .object([:])
        case .array(let elements) where !elements.isEmpty:
            cut.append(JSONPointer(tokens: tokens))
            return .array([])
        default: return value
        }
    }

    /// Adds it to an answer: the `value`, and what is `cut` where anything is.
    func add(to members: inout Members) {
        members["value"] = value
        if !cut.isEmpty { members["cut"] = .array(cut.map { .string("\($0)") }) }
    }
}
