// SPDX-License-Identifier: Apache-2.0

package import GatehouseValue

/// A value cut to a number of levels, for readers that open it step by step.
package struct ShallowValue {
    /// The value; anything deeper than requested is empty.
    let value: Value
    /// The places emptied by the cut, in order.
    private(set) var cut: [JSONPointer] = []

    /// Cuts a value to a number of levels.
    ///
    /// - Parameters:
    ///   - depth: how many levels of objects and arrays to keep whole; nil for all of them.
    ///   - pointer: where the value is; prefixed to every place.
    package init(_ value: Value, depth: Int?, at pointer: JSONPointer) {
        guard let depth else {
            self.value = value
            return
        }
        var cut: [JSONPointer] = []
        var tokens = pointer.tokens
        self.value = Self.shallow(value, depth, &tokens, &cut)
        self.cut = cut
    }

    /// Performs one step of the walk, no deeper than requested.
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

    /// Adds the `value` to an answer, and the places `cut` if any.
    package func add(to members: inout Members) {
        members["value"] = value
        if !cut.isEmpty { members["cut"] = .array(cut.map { .string("\($0)") }) }
    }
}
