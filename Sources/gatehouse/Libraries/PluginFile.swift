// SPDX-License-Identifier: Apache-2.0

internal import GatehouseChecks
internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// A file given to a command along with a library: settings, states or actions. What is wrong with it is reported.
struct PluginFile {
    /// The maximum size of a file in bytes; a device may have no end.
    private static let limit = 64 << 20

    /// The path, as given on the command line.
    let path: String

    /// Reads the bytes of the file.
    func bytes() throws(Ended) -> [UInt8] {
        do throws(SystemFile.ReadingError) {
            return try SystemFile.bytes(of: path, limit: Self.limit)
        } catch {
            throw Ended(.usage, "\(path): \(error)")
        }
    }

    /// Reads the lines of the file with their numbers.
    func lines() throws(Ended) -> [(Int, String)] {
        String(decoding: try bytes(), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .map { ($0.offset + 1, String($0.element)) }
    }

    /// Reads the settings in a file for a library's plugin; an empty object without a file.
    static func settings(in path: String?, for library: String) throws(Ended) -> Value {
        guard let path else { return .object(Members()) }
        return try PluginFile(path: path).settings(for: library)
    }

    /// Reads the settings in the file and checks them against the schema of a library's plugin.
    private func settings(for library: String) throws(Ended) -> Value {
        let bytes = try bytes()
        let value: Value
        do throws(JSONSyntaxError) {
            value = try JSONText.parse(bytes)
        } catch {
            throw Ended(.usage, "\(path):\(error.position.line):\(error.position.column): \(error.reason)")
        }
        guard value.objectValue != nil else {
            throw Ended(.usage, "\(path): expected an object such as {\"limit\":5}, found \(value.kindName)")
        }
        let note = try? LibraryInspection(path: library).verdict.note
        guard let schema = note?.manifest.settings,
            let violation = Schema(schema).violations(of: value, isPatch: true).first
        else { return value }
        let place = violation.pointer.tokens.isEmpty ? "" : " \(violation.pointer):"
        throw Ended(.usage, "\(path):\(place) \(violation.sentence)")
    }

    /// Parses a state from text of the file; `place` is where the text begins, for messages.
    func state(_ text: String, at place: String) throws(Ended) -> VersionedState {
        guard let object = try? JSONText.parse(text), let version = object["version"]?.intValue, version > 0,
            let state = object["state"], object.objectValue?.count == 2
        else {
            throw Ended(
                .usage,
                "\(place): expected an object such as {\"version\":1,\"state\":{}}, found something else")
        }
        return VersionedState(version: version, value: state)
    }
}
