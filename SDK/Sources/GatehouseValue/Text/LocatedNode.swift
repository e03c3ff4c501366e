// SPDX-License-Identifier: Apache-2.0

/// One value of a text on a reader's way through it: where it stands, and where what is wrong with it is noted.
///
/// All readers of texts whose mistakes are explained go this way; the words are their own. Belongs to one reading.
public struct LocatedNode {
    /// The value as read.
    public let value: LocatedValue
    /// Its place in the text.
    public let path: LocatedPath
    /// Where its key begins; nil for an element and for the whole text.
    public let keyPosition: TextPosition?
    /// Takes what is wrong with it.
    public let log: LocatedLog

    /// Starts the way at a value; `path` is what stands before the keys in messages.
    public init(_ value: LocatedValue, path: LocatedPath = .whole, log: LocatedLog) {
        self.init(value, path: path, keyPosition: nil, log: log)
    }

    /// Starts the way at a whole text; nil, with a report, if it is not JSON. Comments may stand wherever white space may
    /// if `allowsComments`.
    public init?(parsing text: [UInt8], allowsComments: Bool = false, log: LocatedLog) {
        do {
            self.init(
                allowsComments
                    ? try JSONText.parseLocatedWithComments(text) : try JSONText.parseLocated(text),
                log: log)
        } catch {
            log.report("\(error.reason)", at: error.position, path: .whole)
            return nil
        }
    }

    /// A value reached by a step.
    init(_ value: LocatedValue, path: LocatedPath, keyPosition: TextPosition?, log: LocatedLog) {
        self.value = value
        self.path = path
        self.keyPosition = keyPosition
        self.log = log
    }

    /// The key that leads to the value, without quotes and escapes; empty for an element and for the whole text.
    public var key: String {
        if case .key(let key) = path.steps.last { key } else { "" }
    }

    /// The elements in order; nil for a value that is no array.
    public var elements: [LocatedNode]? {
        guard case .array(let elements) = value.content else { return nil }
        return elements.enumerated().map { index, element in
            LocatedNode(element, path: path.appending(.index(index)), keyPosition: nil, log: log)
        }
    }

    /// The members; nil for a value that is no object.
    public var object: LocatedObject? { LocatedObject(self) }

    // MARK: - Problems

    /// Notes a problem with the value; `words` say it without the place.
    public func report(_ words: String, isWarning: Bool = false) {
        log.report(words, at: value.position, path: path, isWarning: isWarning)
    }

    /// Notes a problem with the key; of a value without one, with the value.
    public func reportKey(_ words: String) {
        log.report(words, at: keyPosition ?? value.position, path: path)
    }

    /// Notes that something else was expected; `found` is what is there instead, nil for the value's kind.
    public func report(expected: String, found: String? = nil, advice: String) {
        report("expected \(expected), found \(found ?? value.kindName); \(advice)")
    }

    /// Notes a problem with the value and gives up on it.
    public func fail<Result>(_ words: String) -> Result? {
        report(words)
        return nil
    }
}
