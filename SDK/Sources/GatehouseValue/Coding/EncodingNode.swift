// SPDX-License-Identifier: Apache-2.0

/// A value under construction, shared by an encoder and its containers.
///
/// Not `Sendable`: lives on one thread during one encoding.
final class EncodingNode {
    /// The forms that a node can take.
    enum Form {
        /// Nothing was encoded; becomes an empty object.
        case nothing
        /// The finished value in `single`.
        case single
        /// The members in `members`.
        case object
        /// The elements in `elements`.
        case array
    }

    /// Determined by the first encoded part; a later single value replaces a container.
    @safe @exclusivity(unchecked) private(set) var form = Form.nothing
    /// A value that is no container of this node's own.
    @safe @exclusivity(unchecked) private var single = Value.null
    /// Members in the order of encoding; of a repeated name the last value counts.
    @safe @exclusivity(unchecked) private(set) var members = Members()
    /// Elements in the order of encoding.
    @safe @exclusivity(unchecked) private var elements: [Value] = []
    /// Nested containers that may still grow; null holds their places until the value is requested.
    @safe @exclusivity(unchecked) private(set) var growing: [(step: CodingStep, node: EncodingNode)] = []
    /// The place of the value.
    let path: EncodingPath
    /// Whether the keys are those of an enum case with one associated value without label.
    @safe @exclusivity(unchecked) var isSingleUnlabelled = false

    /// Creates an empty node.
    init(path: EncodingPath) { self.path = path }

    /// The current value.
    var value: Value {
        switch form {
        case .nothing: return .object(Members())
        case .single: return single
        case .object:
            for (step, node) in growing { members[step.stringValue] = node.value }
            return .object(members)
        case .array:
            for (step, node) in growing { elements[step.intValue ?? 0] = node.value }
            return .array(elements)
        }
    }

    /// The number of elements.
    var count: Int { elements.count }

    /// Makes the node a finished value.
    func set(_ value: Value) {
        form = .single
        single = value
    }

    /// Makes the node an empty container, unless it is one of that kind already: a superclass and its subclass share members.
    func begin(_ container: Form) {
        guard form != container else { return }
        form = container
        members = Members()
        elements = []
        growing = []
    }

    /// Adds a member to an object.
    func append(_ value: Value, forKey key: String) {
        begin(.object)
        if !growing.isEmpty { growing.removeAll { ExactText($0.step.stringValue) == ExactText(key) } }
        members[key] = value
    }

    /// Adds an element to an array.
    func append(_ value: Value) {
        begin(.array)
        elements.append(value)
    }

    /// Adds a member that can still grow.
    func appendNode(forKey step: CodingStep) -> EncodingNode {
        append(.null, forKey: step.stringValue)
        return grow(step)
    }

    /// Adds an element that can still grow.
    func appendNode() -> EncodingNode {
        let step = CodingStep(intValue: count)
        append(.null)
        return grow(step)
    }

    /// Encodes another value, one step further in.
    func encode<Source: Encodable>(_ source: Source, at step: @autoclosure () -> CodingStep) throws -> Value {
        if Source.self == Value.self, let value = source as? Value { return value }
        let node = EncodingNode(path: path.appending(step()))
        guard node.path.depth <= JSONText.maximumDepth else {
            throw node.path.refusal(
                of: source, expected: "at most \(JSONText.maximumDepth) containers inside each other",
                found: "more")
        }
        return try node.value(of: source)
    }

    /// Encodes a value into this node, which must be empty.
    func value<Source: Encodable>(of source: Source) throws -> Value {
        try source.encode(to: ValueEncoder(node: self))
        guard form != .single, let other = FoundationForm.of(Source.self) else { return value }
        do throws(FoundationForm.Misfit) {
            set(try other.value(of: value))
        } catch {
            throw path.refusal(of: source, expected: error.expected, found: "\(source)")
        }
        return single
    }

    /// Encodes a scalar: anything but a number that is not finite.
    func scalar<Plain: PlainValue>(
        _ source: Plain, at step: @autoclosure () -> CodingStep? = nil
    ) throws -> Value {
        if let value = source.plain { return value }
        let place = step().map { path.appending($0) } ?? path
        throw place.refusal(of: source, expected: "a finite number", found: "\(source)")
    }

    // MARK: - Implementation details

    /// Creates a node for the place that was added last.
    private func grow(_ step: CodingStep) -> EncodingNode {
        let node = EncodingNode(path: path.appending(step))
        growing.append((step, node))
        return node
    }
}
