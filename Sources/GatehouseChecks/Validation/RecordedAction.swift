// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
package import GatehouseRuntime
package import GatehouseSDK

/// An action that an author recorded, under the plugin's local name.
package struct RecordedAction: Equatable, Sendable {
    /// The local type.
    package let type: String
    /// The payload; nil for none.
    package let payload: Value?

    /// Reads a line of a recording: an action as a host takes it, whose type is the plugin's own name or has a prefix
    /// that ends in a slash, such as the id of an instance.
    ///
    /// - Returns: nil for a blank line.
    /// - Throws: why the line is not an action.
    package init?(line: String, number: Int, hearing manifest: PluginManifest?) throws(ActionRejection) {
        var parser = ActionParser()
        let bytes = Array(line.utf8) + [UInt8](repeating: 0, count: LineReader.padding)
        let outcome = unsafe bytes.withUnsafeBytes { buffer in
            unsafe parser.parse(
                InputLine(
                    bytes: UnsafeRawBufferPointer(rebasing: buffer[..<(buffer.count - LineReader.padding)]),
                    number: number))
        }
        switch outcome {
        case .blank: return nil
        case .rejected(let rejection): throw rejection
        case .action(let action), .hostAction(let action):
            let name = action.type.name
            let patterns = (manifest?.consumes ?? []).compactMap { TypePattern($0) }
            let rest = name.lastIndex(of: "/").map { String(name[name.index(after: $0)...]) }
            let isOwn = patterns.contains { $0.covers(name) }
            type = isOwn ? name : rest ?? name
            payload = action.payload
        }
    }
}

/// A state written by an earlier version of a plugin.
package struct RecordedState: Equatable, Sendable {
    /// The version of its format; 1 or more.
    package let version: Int
    /// The state.
    package let value: Value

    /// Reads a line of a recording, such as `{"version":1,"state":{"total":3}}`; nil for anything else.
    package init?(line: String) {
        guard let object = try? JSONText.parse(line), let version = object["version"]?.intValue, version > 0,
            let state = object["state"], object.objectValue?.count == 2
        else { return nil }
        self.version = version
        value = state
    }
}
