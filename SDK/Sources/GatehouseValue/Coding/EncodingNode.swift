// SPDX-License-Identifier: Apache-2.0

/// A value under construction, shared by an encoder and the containers it gave out.
///
/// Not `Sendable`: lives on one thread during one encoding.
final class EncodingNode {
    /// What has been encoded so far.
    var content = Content.nothing
    /// Where the value will be.
    let path: EncodingPath
    /// Whether the keys are those of an enum case with one associated value without label.
    var isSingleUnlabelled = false

    /// What a node holds.
    enum Content {
        /// Nothing was encoded; becomes an empty object.
        case nothing
        /// A finished value.
        case value(Value)
        /// Members in the order of encoding.
        case object([(key: String, slot: Slot)])
        /// Elements in the order of encoding.
        case array([Slot])
    }

    /// A part of a container.
    enum Slot {
        /// Finished.
        case value(Value)
        /// A nested container that may still grow.
        case node(EncodingNode)

        /// The part as it is.
        var value: Value {
            switch self {
            case .value(let value): value
            case .node(let node): node.value
            }
        }
    }

    /// Starts with nothing.
    init(path: EncodingPath) { self.path = path }

    /// The value as it is.
    var value: Value {
        switch content {
        case .nothing: .object(Members())
        case .value(let value): value
        case .object(let slots): .object(Members(slots.lazy.map { ($0.key, $0.slot.value) }))
        case .array(let slots): .array(slots.map(\.value))
        }
    }

    /// Adds a member; turns the node into an object when it is none.
    func append(_ slot: Slot, forKey key: String) {
        guard case .object(var slots) = content else {
            content = .object([(key, slot)])
            return
        }
        content = .nothing
        slots.append((key, slot))
        content = .object(slots)
    }

    /// Adds an element; turns the node into an array when it is none.
    func append(_ slot: Slot) {
        guard case .array(var slots) = content else {
            content = .array([slot])
            return
        }
        content = .nothing
        slots.append(slot)
        content = .array(slots)
    }

    /// Makes the node an object; keeps the members when it is one, as a superclass and its subclass share it.
    func beginObject() {
        if case .object = content { return }
        content = .object([])
    }

    /// Makes the node an array; keeps the elements when it is one.
    func beginArray() {
        if case .array = content { return }
        content = .array([])
    }

    /// The number of elements.
    var count: Int {
        if case .array(let slots) = content { slots.count } else { 0 }
    }

    /// The value of another encodable value, one step further in.
    func encode<Source: Encodable>(_ source: Source, at step: @autoclosure () -> CodingStep) throws -> Value {
        if Source.self == Value.self, let value = source as? Value { return value }
        let node = EncodingNode(path: path.appending(step()))
        guard node.path.depth <= JSONText.maximumDepth else {
            throw node.path.refusal(
                of: source, expected: "at most \(JSONText.maximumDepth) containers inside each other",
                found: "more")
        }
        try source.encode(to: ValueEncoder(node: node))
        return node.value
    }

    /// The value of a finite number.
    func encode(_ number: Double, at step: @autoclosure () -> CodingStep? = nil) throws -> Value {
        guard number.isFinite else {
            let place = step().map { path.appending($0) } ?? path
            throw place.refusal(of: number, expected: "a finite number", found: "\(number)")
        }
        return .double(number)
    }

    /// The value of a finite number, as the double with the same shortest text: 0.1 and not 0.10000000149011612.
    func encode(_ number: Float, at step: @autoclosure () -> CodingStep? = nil) throws -> Value {
        let exact = Double(number)
        guard let short = Double(number.description), Float(short) == number else {
            return try encode(exact, at: step())
        }
        return try encode(short, at: step())
    }
}
