// SPDX-License-Identifier: Apache-2.0

/// A version by the rules of Semantic Versioning 2.0.0.
public struct SemanticVersion: Hashable, Sendable {
    /// Raised by incompatible changes.
    public let major: Int
    /// The second number, raised by additions.
    public let minor: Int
    /// The third number, raised by corrections.
    public let patch: Int
    /// The dot-separated identifiers after the hyphen; empty for a release.
    public let prerelease: [String]
    /// The dot-separated identifiers after the plus sign; they do not count for precedence.
    public let build: [String]

    /// Reads a version; nil for other text.
    ///
    /// Numbers have no leading zeros and fit in an `Int`.
    public init?(_ text: String) {
        let (precedence, build) = Self.split(text, at: "+")
        let (core, prerelease) = Self.split(precedence, at: "-")
        let numbers = core.split(separator: ".", omittingEmptySubsequences: false).map(Self.number)
        guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], let patch = numbers[2],
            let prerelease = Self.identifiers(prerelease, areNumbersPlain: true),
            let build = Self.identifiers(build, areNumbersPlain: false)
        else { return nil }
        self.major = major
        self.minor = minor
        self.patch = patch
        self.prerelease = prerelease
        self.build = build
    }

    /// Cuts at the first separator; the second part is nil without one.
    private static func split(
        _ text: some StringProtocol, at separator: Character
    ) -> (Substring, Substring?) {
        let parts = text.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
        return (Substring(parts[0]), parts.count > 1 ? Substring(parts[1]) : nil)
    }

    /// Returns whether a text has nothing but ASCII digits.
    private static func isDigits(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Reads a number of ASCII digits without leading zeros.
    private static func number(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, isDigits(text), text.utf8.count == 1 || text.utf8.first != 0x30
        else { return nil }
        return Int(text)
    }

    /// Reads identifiers of ASCII letters, digits and hyphens; nil if one is empty or spelled otherwise.
    private static func identifiers(_ text: Substring?, areNumbersPlain: Bool) -> [String]? {
        guard let text else { return [] }
        var identifiers: [String] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            let isSpelledRight = part.unicodeScalars.allSatisfy {
                $0 == "-" || $0 != "_" && ScalarSet.wordCharacters.contains($0)
            }
            guard !part.isEmpty, isSpelledRight else { return nil }
            if areNumbersPlain, isDigits(part), part.utf8.count > 1, part.utf8.first == 0x30 { return nil }
            identifiers.append(String(part))
        }
        return identifiers
    }
}

extension SemanticVersion: CustomStringConvertible {
    /// The version as written.
    public var description: String {
        "\(major).\(minor).\(patch)"
            + (prerelease.isEmpty ? "" : "-" + prerelease.joined(separator: "."))
            + (build.isEmpty ? "" : "+" + build.joined(separator: "."))
    }
}

extension SemanticVersion: Comparable {
    /// Orders by precedence; versions of equal precedence by the text of their build identifiers.
    ///
    /// The standard leaves the latter undefined; this makes the order total and agree with `==`.
    public static func < (left: SemanticVersion, right: SemanticVersion) -> Bool {
        let leftCore = (left.major, left.minor, left.patch)
        let rightCore = (right.major, right.minor, right.patch)
        if leftCore != rightCore { return leftCore < rightCore }
        if left.prerelease != right.prerelease {
            // A release comes after its own prereleases.
            if left.prerelease.isEmpty || right.prerelease.isEmpty { return !left.prerelease.isEmpty }
            return left.prerelease.lexicographicallyPrecedes(right.prerelease, by: precedes)
        }
        return left.build.lexicographicallyPrecedes(right.build)
    }

    /// Compares two prerelease identifiers: numbers by value and before words, words by their ASCII text.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        let isNumber = isDigits(left)
        guard isNumber == isDigits(right) else { return isNumber }
        // Without leading zeros the longer number is the greater one, of any length.
        return isNumber ? (left.utf8.count, left) < (right.utf8.count, right) : left < right
    }
}
