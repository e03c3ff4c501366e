// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK

/// One thing that an operator should know before the host starts: a mistake, a refused library, an advice.
public struct Finding: Error, Equatable, Sendable {
    /// The consequences that a finding can have.
    public enum Severity: String, Sendable {
        /// The host does not start.
        case error
        /// The host starts; something is left out, or likely says something else than was meant.
        case warning
        /// Only a start can settle it, because a manifest does not tell enough.
        case doubt
    }

    /// A place in the configuration file.
    public struct Place: Equatable, Sendable {
        /// The file's name as messages show it.
        public let file: String
        /// The beginning of the offending text.
        public let position: TextPosition
        /// The offending part, empty for the whole; names a key even if it is unknown.
        public let pointer: JSONPointer

        /// A place in a file that messages show by this name.
        package init(file: String, position: TextPosition, pointer: JSONPointer) {
            self.file = file
            self.position = position
            self.pointer = pointer
        }
    }

    /// The consequence of the finding.
    public let severity: Severity
    /// Where it stands; nil for what no part of the file says.
    public let place: Place?
    /// The library that takes no part because of it, as messages show it.
    public let library: String?
    /// The instance that it is about; nil for a library that was only found in the folder.
    public let instance: String?
    /// What was expected, what was found and what to do; of a refused library each reason.
    public let sentences: [String]

    /// What to say about a place of the file, or about nothing that has one.
    public init(_ severity: Severity, at place: Place? = nil, instance: String? = nil, _ sentence: String) {
        self.severity = severity
        self.place = place
        library = nil
        self.instance = instance
        sentences = [sentence]
    }

    /// A library that takes no part, and every reason.
    public init(
        _ severity: Severity, refusing library: String, for instance: String?, because reasons: [String]
    ) {
        self.severity = severity
        place = nil
        self.library = library
        self.instance = instance
        sentences = reasons
    }

    /// A folder without a library that could take part, although it has some; why each is refused is told besides.
    package static func nothingLeft(of count: Int, in folder: String) -> Finding {
        Finding(
            .error, refusing: folder, for: nil,
            because: [count == 1 ? "its only library is refused" : "all \(count) libraries in it are refused"]
        )
    }

    /// The sentences without place and subject.
    public var sentence: String { sentences.joined(separator: "\n") }
}

extension Finding: CustomStringConvertible {
    /// One line: file, line, column, `warning` if it is one, the pointer unless it is the whole, the sentence.
    ///
    /// A library's reasons stand on lines of their own if there are several.
    public var description: String {
        if let place {
            let warning = severity == .error ? "" : "warning: "
            // As in a JSON string, so that a line feed in a key does not end the line.
            let pointer = Value.string("\(place.pointer)").json().dropFirst().dropLast()
            return
                "\(place.file):\(place.position): \(warning)\(pointer)\(pointer.isEmpty ? "" : ": ")\(sentence)"
        }
        guard let library else { return (instance.map { $0 + ": " } ?? "") + sentence }
        let subject = library + ": refused" + (instance.map { " for the instance " + $0 } ?? "")
        guard sentences.count > 1 else { return subject + ": " + (sentences.first ?? "no reason was given") }
        return subject + ":" + sentences.map { "\n  - " + $0 }.joined()
    }
}
