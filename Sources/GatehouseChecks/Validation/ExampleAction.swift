// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
internal import GatehousePlan
package import GatehouseRuntime
package import GatehouseSDK

/// An action under the plugin's local name.
package struct ExampleAction: Equatable, Sendable, ValueCodable {
    /// The local type.
    let type: String
    /// The payload; nil for none.
    var payload: Value?

    /// Creates an action.
    init(_ type: String, payload: Value? = nil) {
        self.type = type
        self.payload = payload
    }

    /// Reads the form written by `value`.
    package init(_ value: Value) throws(CodingFailure) {
        guard let type = value["type"]?.stringValue else {
            throw CodingFailure(pointer: .whole, expected: "an action", found: value.kindName)
        }
        self.init(type, payload: value["payload"])
    }

    /// Reads a line of a recording: an action as a host takes it, whose type is the plugin's own name or has a prefix
    /// that ends in a slash, such as the id of an instance.
    ///
    /// - Returns: nil for a blank line.
    /// - Throws: why the line is not an action.
    package init?(line: String, number: Int, hearing manifest: PluginManifest?) throws(ActionRejection) {
        var parser = ActionParser()
        switch parser.parse(line: line, number: number) {
        case .blank, .refused: return nil
        case .rejected(let rejection): throw rejection
        case .action(let action), .hostAction(let action):
            let name = action.type.name
            let patterns = (manifest?.consumes ?? []).compactMap { TypePattern($0) }
            let rest = name.lastIndex(of: "/").map { String(name[name.index(after: $0)...]) }
            let isOwn = patterns.contains { $0.covers(name) }
            self.init(isOwn ? name : rest ?? name, payload: action.payload)
        }
    }

    /// The action as JSON.
    package var value: Value {
        var members: Members = ["type": .string(type)]
        members["payload"] = payload
        return .object(members)
    }
}

extension ActionParser {
    /// Parses a line as a host does.
    mutating func parse(line: String, number: Int) -> ActionLineOutcome {
        let bytes = Array(line.utf8) + [UInt8](repeating: 0, count: LineReader.padding)
        return unsafe bytes.withUnsafeBytes { buffer in
            let text = unsafe UnsafeRawBufferPointer(rebasing: buffer.dropLast(LineReader.padding))
            return parse(unsafe InputLine(bytes: text, number: number))
        }
    }
}
