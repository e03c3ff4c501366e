// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The logger's line about one action.
struct LogLine {
    /// The action.
    let action: AnyAction
    /// The file, line or instance that dispatched the action.
    let source: ActionSource
    /// Its changes of the host's state.
    let changes: [ValueDifference]
    /// The shape of the line.
    let settings: Logger.Settings

    /// The most changes that a line lists; further ones are counted.
    private static let listedChanges = 20

    /// The number of changes that the line does not list.
    private var unlistedChanges: Int { max(0, changes.count - Self.listedChanges) }

    /// The longest text of a value, in bytes.
    private var limit: Int { Int(clamping: settings.maximumLength) }

    /// `type (error) from source with payload: place old -> new, …`, each part only if there is one.
    private var text: String {
        var line = action.type.name
        if action.isError { line += " (error)" }
        line += " from " + (source.info ?? "\(source.file):\(source.line)")
        if settings.payload, let payload = action.payloadJSON() { line += " with " + payload.cut(to: limit) }
        let listed = changes.prefix(Self.listedChanges).map { change in
            let place = change.pointer.tokens.isEmpty ? "(whole)" : change.pointer.description
            return "\(place) \(text(of: change.old)) -> \(text(of: change.new))"
        }
        if !listed.isEmpty { line += ": " + listed.joined(separator: ", ") }
        if unlistedChanges > 0 { line += " and \(unlistedChanges) more" }
        return line.onOneLine
    }

    /// Returns a value as JSON, or "none".
    private func text(of value: Value?) -> String { value.map { $0.json().cut(to: limit) } ?? "none" }

    /// The same facts as an object; a value that is too long becomes the beginning of its text.
    private var json: String {
        var line = #"{"type":"# + quoted(action.type.name)
        line += #","source":{"file":"# + quoted(source.file) + #","line":\#(source.line)"#
        if !source.function.isEmpty { line += #","function":"# + quoted(source.function) }
        if let info = source.info { line += #","info":"# + quoted(info) }
        line += "}"
        if action.isError { line += #","error":true"# }
        if settings.payload, let payload = action.payloadJSON() { line += #","payload":"# + short(payload) }
        if !changes.isEmpty {
            let listed = changes.prefix(Self.listedChanges).map { change in
                var members = #"{"at":"# + quoted(change.pointer.description)
                if let old = change.old { members += #","from":"# + short(old.json()) }
                if let new = change.new { members += #","to":"# + short(new.json()) }
                return members + "}"
            }
            line += #","changes":["# + listed.joined(separator: ",") + "]"
        }
        if unlistedChanges > 0 { line += #","unlisted":\#(unlistedChanges)"# }
        return line + "}"
    }

    /// Returns a value's text itself, or a string with its beginning.
    private func short(_ json: String) -> String {
        json.utf8.count <= limit ? json : quoted(json.cut(to: limit))
    }

    /// Returns text as a JSON string.
    private func quoted(_ text: String) -> String { Value.string(text).json() }
}

extension LogLine: CustomStringConvertible {
    /// The line in the format of the settings, without line breaks.
    var description: String {
        switch settings.format {
        case .text: text
        case .json: json
        }
    }
}
