// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// What the logger has to say about one action.
struct LogLine {
    /// The action heard.
    let action: AnyAction
    /// Who dispatched it.
    let source: ActionSource
    /// What it did to the host's state.
    let changes: [ValueChange]
    /// The shape of the line.
    let settings: Logger.Settings

    /// How many changes a line lists; the others are counted.
    private static let listedChanges = 20

    /// How many changes the line does not list.
    private var unlistedChanges: Int { max(0, changes.count - Self.listedChanges) }

    /// The longest text of a value, in bytes.
    private var limit: Int { Int(clamping: settings.maximumLength) }

    /// `type (error) from source with payload: place old -> new, …`, each part only when there is one.
    private var text: String {
        var line = action.type.name
        if action.isError { line += " (error)" }
        line += " from " + (source.info ?? "\(source.file):\(source.line)")
        if settings.payload, let payload = action.payload { line += " with " + payload.json().cut(to: limit) }
        let listed = changes.prefix(Self.listedChanges).map { change in
            let place = change.pointer.tokens.isEmpty ? "(whole)" : change.pointer.description
            return "\(place) \(text(of: change.old)) -> \(text(of: change.new))"
        }
        if !listed.isEmpty { line += ": " + listed.joined(separator: ", ") }
        if unlistedChanges > 0 { line += " and \(unlistedChanges) more" }
        return line.onOneLine
    }

    /// A value as JSON, or "none".
    private func text(of value: Value?) -> String {
        value.map { $0.json().cut(to: limit) } ?? "none"
    }

    /// The same facts as an object; a value that is too long becomes the beginning of its text.
    private var json: String {
        var place: Members = ["file": .string(source.file), "line": Value(source.line)]
        if !source.function.isEmpty { place["function"] = .string(source.function) }
        place["info"] = source.info.map { .string($0) }
        var line: Members = ["type": .string(action.type.name), "source": .object(place)]
        if action.isError { line["error"] = true }
        if settings.payload { line["payload"] = action.payload.map(short) }
        if !changes.isEmpty {
            line["changes"] = .array(
                changes.prefix(Self.listedChanges).map { change in
                    var members: Members = ["at": .string(change.pointer.description)]
                    members["from"] = change.old.map(short)
                    members["to"] = change.new.map(short)
                    return .object(members)
                })
        }
        if unlistedChanges > 0 { line["unlisted"] = Value(unlistedChanges) }
        return Value.object(line).json()
    }

    /// The value itself, or a string with the beginning of its text.
    private func short(_ value: Value) -> Value {
        let text = value.json()
        return text.utf8.count <= limit ? value : .string(text.cut(to: limit))
    }
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
