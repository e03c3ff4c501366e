// SPDX-License-Identifier: Apache-2.0

/// Turns the parts of a pattern into steps.
struct TextPatternBuilder {
    /// The steps so far.
    private(set) var steps: [TextPattern.Step] = []
    /// The number of added parts, counting repeated ones each time.
    private var additions = 0

    /// The most parts; more make no useful pattern, but a slow one.
    static let limit = 20_000

    /// Appends the steps of a part.
    mutating func add(_ node: TextPatternNode) throws(TextPatternError) {
        additions += 1
        guard additions < Self.limit else { throw .tooLarge }
        switch node {
        case .take(let set): steps.append(.take(set))
        case .begin: steps.append(.begin)
        case .end: steps.append(.end)
        case .sequence(let parts): for part in parts { try add(part) }
        case .choice(let parts): try add(parts[...])
        case .repetition(let part, let least, let most):
            for _ in 0..<least { try add(part) }
            guard let most else { return try addLoop(part) }
            for _ in least..<max(least, most) { try addOption(part) }
        }
    }

    /// Appends a part that may be left out.
    private mutating func addOption(_ part: TextPatternNode) throws(TextPatternError) {
        let split = reserve()
        try add(part)
        steps[split] = .split(split + 1, steps.count)
    }

    /// Appends a part that may come any number of times.
    private mutating func addLoop(_ part: TextPatternNode) throws(TextPatternError) {
        let split = reserve()
        try add(part)
        steps.append(.jump(split))
        steps[split] = .split(split + 1, steps.count)
    }

    /// Appends the parts of a choice.
    private mutating func add(_ parts: ArraySlice<TextPatternNode>) throws(TextPatternError) {
        guard let first = parts.first else { return }
        guard parts.count > 1 else { return try add(first) }
        let split = reserve()
        try add(first)
        let jump = reserve()
        steps[split] = .split(split + 1, steps.count)
        try add(parts.dropFirst())
        steps[jump] = .jump(steps.count)
    }

    /// Appends a step that is filled in later.
    private mutating func reserve() -> Int {
        steps.append(.jump(0))
        return steps.count - 1
    }
}
