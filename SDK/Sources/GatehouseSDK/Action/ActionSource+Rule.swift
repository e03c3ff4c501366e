// SPDX-License-Identifier: Apache-2.0

public import Gatehouse

extension ActionSource {
    /// Returns the source of an answer: this one, with a line about the instance's rule that answers appended.
    ///
    /// Of a long trail it keeps the first four lines and the last four.
    public func answered(by instance: String, rule: Int, to type: ActionType) -> ActionSource {
        var trail = info?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
        if trail.count >= 8 { trail = trail.prefix(4) + ["…"] + trail.suffix(3) }
        return with(info: (trail + ["\(type) by \(instance) /rules/\(rule)"]).joined(separator: "\n"))
    }
}
