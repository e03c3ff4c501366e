// SPDX-License-Identifier: Apache-2.0

extension Tape {
    /// Returns the steps from one value down to another inside it; only errors need them.
    func steps(from origin: Int, to target: Int) -> [any CodingKey] {
        var steps: [any CodingKey] = []
        var place = origin
        descent: while place < target {
            let isObject = tag(at: place) == TapeTag.object
            guard isObject || tag(at: place) == TapeTag.array else { return steps }
            let last = closing(of: place)
            var child = place + 1
            var position = 0
            while child < last {
                let value = isObject ? child + 1 : child
                let end = end(of: value)
                if target < end {
                    steps.append(
                        isObject ? CodingStep(stringValue: text(at: child)) : CodingStep(intValue: position))
                    place = value
                    continue descent
                }
                child = end
                position += 1
            }
            return steps
        }
        return steps
    }
}
