// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Legal values that few people think of.
enum OddValues {
    /// One value of each kind, including empty ones.
    static let kinds: [Value] = [
        .null, true, false, 0, 1, 0.5, "", "example", .array([]), .array([1]), .array([.array([])]),
        .object(Members()), ["example": 1],
    ]

    /// Numbers at the limits of types, and beyond.
    static let numbers: [Value] = [
        0, -1, .integer(.max), .integer(.min), .unsigned(.max), .integer(Int64(Int32.max) + 1),
        .double(-0.0), .double(0.1), .double(-0.5), .double(1e19), .double(.greatestFiniteMagnitude),
        .double(-.greatestFiniteMagnitude), .double(.leastNonzeroMagnitude),
        .bigNumber("123456789012345678901234567890"), .bigNumber("1e999"), .bigNumber("-1e999"),
    ]

    /// Whether a value is not a number, or fits Int64 if it is whole.
    static func fitsUsualTypes(_ value: Value) -> Bool {
        switch value {
        case .unsigned, .bigNumber: false
        case .double(let number): abs(number) < 9e18
        default: true
        }
    }

    /// Texts that trip up programs.
    static let texts: [String] = [
        "", " ", "\n", "\u{0}", "\u{FEFF}", "\u{1B}[2J", "\u{202E}abc", "e\u{301}",
        "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
        "\u{E9}\u{4E2D}\u{1F600}", "null", "NaN", "-1", "1e999", "99999999999999999999", "../../etc/passwd",
        "/", "~2", "%s%n",
        "'; DROP TABLE example; --", "$(id)", "{}", "host/gate/open", "*",
    ]

    /// Large values.
    static var large: [Value] {
        [
            .string(String(repeating: "x", count: 1 << 20)),
            .array((0..<10_000).map { .integer(Int64($0)) }),
            .object(Members((0..<10_000).map { ("member\($0)", Value.integer(Int64($0))) })),
        ]
    }

    /// Containers nested as deep as a host accepts.
    static var deep: [Value] {
        let depth = JSONText.maximumDepth - 8
        return [
            (0..<depth).reduce(Value.null) { inner, _ in .array([inner]) },
            (0..<depth).reduce(Value.null) { inner, _ in ["example": inner] },
        ]
    }

    /// Returns the places of all leaves of a value, and of the containers too if requested.
    static func places(in value: Value, containers: Bool = false) -> [JSONPointer] {
        var found: [JSONPointer] = []
        func visit(_ value: Value, _ pointer: JSONPointer) {
            switch value {
            case .array(let elements):
                if containers || elements.isEmpty { found.append(pointer) }
                for (index, element) in elements.enumerated() {
                    visit(element, pointer.appending("\(index)"))
                }
            case .object(let members):
                if containers || members.isEmpty { found.append(pointer) }
                for (key, member) in members { visit(member, pointer.appending(key)) }
            default: found.append(pointer)
            }
        }
        visit(value, .whole)
        return found
    }

    /// Returns a value with one place replaced.
    static func replacing(_ pointer: JSONPointer, in value: Value, by other: Value?) -> Value? {
        if pointer.tokens.isEmpty { return other }
        var changed = value
        return changed.set(other, at: pointer) ? changed : nil
    }

    /// Returns a random value.
    static func random(_ generator: inout some RandomNumberGenerator, depth: Int = 3) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
        case 0: .null
        case 1: .bool(.random(using: &generator))
        case 2: .integer(.random(in: .min ... .max, using: &generator))
        case 3: .double(.random(in: -1e9...1e9, using: &generator))
        case 4: numbers.randomElement(using: &generator) ?? 0
        case 5: .string(texts.randomElement(using: &generator) ?? "")
        case 6:
            .array(
                (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
                    random(&generator, depth: depth - 1)
                })
        default:
            .object(
                Members(
                    (0..<Int.random(in: 0..<4, using: &generator)).map { index in
                        ("member\(index)", random(&generator, depth: depth - 1))
                    }))
        }
    }
}

/// A reproducible random number generator; the algorithm is SplitMix64.
struct SeededNumbers: RandomNumberGenerator {
    /// The position in the sequence.
    private var state: UInt64

    /// Starts the sequence of a seed.
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
