// SPDX-License-Identifier: Apache-2.0

/// The place of a value under construction: a chain from the inside outwards, shared by neighbours.
indirect enum EncodingPath {
    /// The whole value.
    case whole
    /// One step further in; the depth is the number of steps.
    case step(EncodingPath, CodingStep, depth: Int)

    /// The number of steps.
    var depth: Int {
        if case .step(_, _, let depth) = self { depth } else { 0 }
    }

    /// Returns the path one step further in.
    func appending(_ step: CodingStep) -> EncodingPath { .step(self, step, depth: depth + 1) }

    /// The steps from the whole inwards.
    var steps: [any CodingKey] {
        var steps: [any CodingKey] = []
        var path = self
        while case .step(let outer, let step, _) = path {
            steps.append(step)
            path = outer
        }
        return steps.reversed()
    }

    /// Returns the error for a value that cannot be encoded at this place.
    func refusal(of value: Any, expected: String, found: String) -> EncodingError {
        let failure = CodingFailure(pointer: JSONPointer(steps), expected: expected, found: found)
        return .invalidValue(
            value,
            .init(
                codingPath: steps, debugDescription: "expected \(expected), found \(found)",
                underlyingError: failure))
    }
}
