// SPDX-License-Identifier: Apache-2.0

/// The members of a JSON object: unique names, in the order in which they were first set.
///
/// Looking up a name is a short walk in a small object and a hash lookup in a large one. Equality ignores the
/// order.
public struct Members: Sendable {
    /// A name and its value.
    public typealias Element = (key: String, value: Value)

    /// The members in order.
    private var elements: [Element] = []
    /// The index of each name in `elements`; nil while a walk is quicker.
    private var places: [ExactText: Int]?

    /// The largest count to search by walking.
    private static let walkLimit = 16

    /// Creates an object without members.
    public init() {}

    /// Takes the pairs in order; a repeated name keeps its first place and its last value.
    public init(_ pairs: some Sequence<(String, Value)>) {
        elements.reserveCapacity(pairs.underestimatedCount)
        for (key, value) in pairs { self[key] = value }
    }

    /// Takes members with distinct names, unchecked.
    init(distinct members: [Element]) {
        elements = members
        if elements.count > Self.walkLimit { indexPlaces() }
    }

    /// The value of a name; setting nil removes the member (O(n)), setting a new name appends it.
    public subscript(key: String) -> Value? {
        get { place(of: key).map { elements[$0].value } }
        set {
            switch (place(of: key), newValue) {
            case (let place?, let value?): elements[place].value = value
            case (let place?, nil): remove(at: place)
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    /// The names in order.
    public var keys: [String] { elements.map(\.key) }

    /// Changes a member in place, starting from null when it is absent, without copying its content.
    mutating func update<Result>(_ key: String, _ body: (inout Value) -> Result) -> Result {
        let place: Int
        if let found = self.place(of: key) {
            place = found
        } else {
            place = elements.count
            append(key, .null)
        }
        return body(&elements[place].value)
    }

    /// Makes room for this many members in all.
    mutating func reserveCapacity(_ count: Int) { elements.reserveCapacity(count) }

    // MARK: - Implementation details

    /// Returns the index of a name in `elements`.
    private func place(of key: String) -> Int? {
        let wanted = ExactText(key)
        if let places { return places[wanted] }
        // In a build for debugging, a closure for each member takes longer than everything else here.
        for place in elements.indices where ExactText(elements[place].key) == wanted { return place }
        return nil
    }

    /// Adds a member whose name must be absent.
    private mutating func append(_ key: String, _ value: Value) {
        elements.append((key, value))
        if places != nil {
            places?[ExactText(key)] = elements.count - 1
        } else if elements.count > Self.walkLimit {
            indexPlaces()
        }
    }

    /// Removes a member and renumbers those after it.
    private mutating func remove(at place: Int) {
        elements.remove(at: place)
        places = nil
        if elements.count > Self.walkLimit { indexPlaces() }
    }

    /// Builds the lookup table.
    private mutating func indexPlaces() {
        var table: [ExactText: Int] = Dictionary(minimumCapacity: elements.count * 2)
        for (place, element) in elements.enumerated() { table[ExactText(element.key)] = place }
        places = table
    }
}

extension Members: RandomAccessCollection {
    /// The position of the first member, always 0.
    public var startIndex: Int { 0 }

    /// The number of members.
    public var endIndex: Int { elements.count }

    /// The member at an index, which must be within the bounds.
    public subscript(position: Int) -> Element { elements[position] }
}

extension Members: ExpressibleByDictionaryLiteral {
    /// Takes the pairs as written; a repeated name keeps its first place and its last value.
    public init(dictionaryLiteral pairs: (String, Value)...) { self.init(pairs) }
}

extension Members: Hashable {
    /// Returns whether both have the same names with equal values, in any order.
    public static func == (left: Members, right: Members) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }

    /// Adds up the members' hashes, since their order must not matter.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for (key, value) in elements {
            var one = Hasher()
            one.combine(key)
            one.combine(value)
            sum &+= one.finalize()
        }
        hasher.combine(elements.count)
        hasher.combine(sum)
    }
}
