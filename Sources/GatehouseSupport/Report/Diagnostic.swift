// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// One thing that an operator should know before the host starts: a mistake, a refused library, advice.
package struct Diagnostic: Error, Equatable, Sendable {
    /// The consequences that a diagnostic can have.
    package enum Severity: String, Sendable {
        /// The host does not start.
        case error
        /// The host starts; something is left out, or likely means something else than intended.
        case warning
        /// Only a start can decide, because a manifest does not say enough.
        case doubt
    }

    /// A place in the configuration file.
    package struct Place: Equatable, Sendable {
        /// The file's name as messages show it.
        package let file: String
        /// The beginning of the offending text.
        package let position: TextPosition
        /// The offending part, empty for the whole; names a key even if it is unknown.
        package let pointer: JSONPointer

        /// Creates a place in a file that messages show by this name.
        package init(file: String, position: TextPosition, pointer: JSONPointer) {
            self.file = file
            self.position = position
            self.pointer = pointer
        }
    }

    /// The consequence of the diagnostic.
    package let severity: Severity
    /// The place in the file; nil for a diagnostic without one.
    package let place: Place?
    /// The library that is left out because of it, as messages show it.
    package let library: String?
    /// The affected instance; nil for a library that was only found in the folder.
    package private(set) var instance: String?
    /// Each sentence says what was expected, what was found and what to do; a refused library has one for each
    /// reason.
    package let sentences: [String]

    /// Creates a diagnostic about a place of the file, or about something without a place.
    package init(_ severity: Severity, at place: Place? = nil, instance: String? = nil, _ sentence: String) {
        self.severity = severity
        self.place = place
        library = nil
        self.instance = instance
        sentences = [sentence]
    }

    /// Creates a diagnostic about a library that is left out, with every reason.
    package init(
        _ severity: Severity, refusing library: String, for instance: String?, because reasons: [String]
    ) {
        self.severity = severity
        place = nil
        self.library = library
        self.instance = instance
        sentences = reasons
    }

    /// The same about another instance.
    package func about(_ instance: String) -> Diagnostic {
        var diagnostic = self
        diagnostic.instance = instance
        return diagnostic
    }

    /// A folder all of whose libraries are refused; separate diagnostics give the reasons for each.
    package static func nothingLeft(of count: Int, in folder: String) -> Diagnostic {
        Diagnostic(
            .error, refusing: folder, for: nil,
            because: [count == 1 ? "its only library is refused" : "all \(count) libraries in it are refused"]
        )
    }

    /// The sentences without place and subject.
    package var sentence: String { sentences.joined(separator: "\n") }
}

extension Diagnostic: CustomStringConvertible {
    /// One line: file, line, column, `warning` if it is one, the pointer unless it is the whole, the sentence.
    ///
    /// Several reasons of a library have one line each.
    package var description: String {
        if let place {
            let warning = severity == .error ? "" : "warning: "
            // Escaped as in a JSON string, so that a line feed in a key does not end the line.
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
