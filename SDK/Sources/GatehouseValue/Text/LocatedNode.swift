// SPDX-License-Identifier: Apache-2.0

/// One value of a text during its reading: its place, and the log for its problems.
///
/// All readers with messages for people use it; the words are their own. Belongs to one reading.
public struct LocatedNode {
    /// The value as read.
    public let value: LocatedValue
    /// Its place in the text.
    public let path: LocatedPath
    /// The position of its key; nil for an element and for the whole text.
    public internal(set) var keyPosition: TextPosition?
    /// Collects its problems.
    public let log: LocatedLog

    /// Starts at a value; `path` precedes the keys in messages.
    public init(_ value: LocatedValue, path: LocatedPath = .whole, log: LocatedLog) {
        self.value = value
        self.path = path
        self.log = log
    }

    /// Starts at a whole text; nil, with a report, if it is not JSON. With `allowsComments`, comments count as white
    /// space.
    public init?(parsing text: [UInt8], allowsComments: Bool = false, log: LocatedLog) {
        do {
            self.init(try JSONText.parseLocated(text, allowsComments: allowsComments), log: log)
        } catch {
            log.report("\(error.reason)", at: error.position, path: .whole)
            return nil
        }
    }

    /// The key of the value, without quotes and escapes; empty for an element and for the whole text.
    public var key: String {
        if case .key(let key) = path.steps.last { key } else { "" }
    }

    /// The elements in order; nil for a value that is no array.
    public var elements: [LocatedNode]? {
        guard case .array(let elements) = value.content else { return nil }
        return elements.enumerated().map { index, element in
            LocatedNode(element, path: path.appending(.index(index)), log: log)
        }
    }

    /// The members; nil for a value that is no object.
    public var object: LocatedObject? { LocatedObject(self) }

    // MARK: - Problems

    /// Reports a problem with the value; `words` describe it without the place.
    public func report(_ words: String, isWarning: Bool = false) {
        log.report(words, at: value.position, path: path, isWarning: isWarning)
    }

    /// Reports a problem with the key; without one, with the value.
    public func reportKey(_ words: String) {
        log.report(words, at: keyPosition ?? value.position, path: path)
    }

    /// Reports an unexpected value; `found` describes it, nil for the value's kind.
    public func report(expected: String, found: String? = nil, advice: String) {
        report("expected \(expected), found \(found ?? value.kindName); \(advice)")
    }

    /// Reports a problem with the value and returns nil.
    public func fail<Result>(_ words: String) -> Result? {
        report(words)
        return nil
    }
}
