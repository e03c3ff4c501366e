// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// An event that a child reports to the host during a check: one line each.
enum ValidationEvent: Equatable, Sendable {
    /// The next step, as the end of "it died …".
    case step(String)
    /// Actions that the plugin accepts.
    case examples([ExampleAction])
    /// The diagnostic.
    case diagnostic(CheckDiagnostic)
    /// The request is complete.
    case end

    /// The line, without its ending; contains no line feed.
    var line: String {
        switch self {
        case .step(let text): "step \(Value.string(text).json())"
        case .examples(let examples): "examples \(Value.array(examples.map(\.value)).json())"
        case .diagnostic(let diagnostic):
            "finding \(diagnostic.outcome.rawValue) \(Value.array(diagnostic.sentences.map(Value.string)).json())"
        case .end: HostChild.lastLine
        }
    }

    /// Reads a line; nil for one that no such child writes.
    init?(line: some StringProtocol) {
        let words = line.split(separator: " ", maxSplits: 1)
        let rest = words.count > 1 ? String(words[1]) : ""
        switch words.first {
        case "end" where words.count == 1: self = .end
        case "step":
            guard let text = (try? JSONText.parse(rest))?.stringValue else { return nil }
            self = .step(text)
        case "examples":
            guard let elements = (try? JSONText.parse(rest))?.arrayValue else { return nil }
            self = .examples(elements.compactMap(ExampleAction.init))
        case "finding":
            let parts = rest.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let outcome = CheckOutcome(rawValue: String(parts[0])),
                let sentences = (try? JSONText.parse(String(parts[1])))?.arrayValue
            else { return nil }
            self = .diagnostic(
                CheckDiagnostic(outcome: outcome, sentences: sentences.compactMap(\.stringValue)))
        default: return nil
        }
    }
}
