// SPDX-License-Identifier: Apache-2.0

extension Value {
    /// Returns about how many bytes the value takes as JSON; stops counting at a limit.
    ///
    /// A value that occurs twice counts twice, as it would be written, although it is in memory once. Texts count without their
    /// escapes; numbers within 64 bits or `Double` count eight.
    ///
    /// - Complexity: O(size), and never more than O(limit).
    public func size(upTo limit: Int) -> Int {
        var size = 0
        // No recursion: some values are deeper than the stack.
        var pending = [self]
        while size < limit, let next = pending.popLast() {
            switch next {
            case .null, .bool: size += 4
            case .integer, .unsigned, .double: size += 8
            case .bigNumber(let text): size += text.utf8.count
            case .string(let text): size += text.utf8.count + 2
            case .array(let elements):
                size += 2 + elements.count
                if size < limit { pending += elements }
            case .object(let members):
                size += 2
                for (name, value) in members where size < limit {
                    size += name.utf8.count + 4
                    pending.append(value)
                }
            }
        }
        return max(0, min(size, limit))
    }
}
