// SPDX-License-Identifier: Apache-2.0

/// A library that takes no part, and every reason.
public struct PluginRefusal: Error, Equatable, Sendable {
    /// The library, as messages show it.
    public let path: String
    /// The instance that asked for it; nil for a library that was only found in the folder.
    public let instance: String?
    /// Why, one sentence each.
    public let reasons: [String]
}

extension PluginRefusal: CustomStringConvertible {
    public var description: String {
        let subject = instance.map { "\(path): refused for the instance \($0)" } ?? "\(path): refused"
        guard reasons.count > 1 else { return subject + ": " + (reasons.first ?? "no reason was given") }
        return subject + ":" + reasons.map { "\n  - " + $0 }.joined()
    }
}
