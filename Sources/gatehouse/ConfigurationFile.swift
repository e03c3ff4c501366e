// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseSupport
private import Glibc

/// The input of a command: a configuration file, or a folder of plugins without one.
///
/// Also knows the folder that relative paths start from.
struct ConfigurationFile: Sendable {
    /// The maximum size of a configuration in bytes; a device may have no end.
    private static let limit = 64 << 20

    /// The path of the file, or of the folder of plugins, as given on the command line.
    let path: String
    /// Whether there is no file, and the path is the folder of plugins.
    var isFolder = false

    /// The folder that contains the file; the current one without a file.
    var folder: String {
        guard !isFolder, let slash = path.lastIndex(of: "/") else { return "." }
        let folder = String(path[..<slash])
        return folder.isEmpty ? "/" : folder
    }

    /// The name of the folder that the configuration describes, independent of the path to it.
    var folderName: String {
        let place = isFolder ? path : folder
        guard let whole = unsafe realpath(place, nil) else { return "" }
        defer { unsafe free(whole) }
        return unsafe String(cString: whole).split(separator: "/").last.map(String.init) ?? ""
    }

    /// Reads the file, or reports why it cannot be read.
    func read() throws(Ended) -> ConfigurationOutcome {
        do {
            return try outcome()
        } catch {
            throw Ended(.configuration, "\(path): \(error); name the configuration with --config")
        }
    }

    /// Reads the file as far as what it says can be told, or reports what is wrong with it.
    func readable() throws(Ended) -> HostConfiguration {
        let outcome = try read()
        if let configuration = outcome.readable { return configuration }
        outcome.diagnostics.write()
        throw Ended(code: .configuration)
    }

    /// Reads the file again; returns a failure to read it as an outcome.
    func readAgain() -> ConfigurationOutcome {
        do {
            return try outcome()
        } catch {
            return ConfigurationOutcome(failing: "\(path): \(error)")
        }
    }

    /// Parses the file; for a folder, returns the configuration it implies.
    private func outcome() throws(SystemFile.ReadingError) -> ConfigurationOutcome {
        if isFolder { return ConfigurationOutcome(of: HostConfiguration(directory: path)) }
        return ConfigurationParser.parse(try SystemFile.bytes(of: path, limit: Self.limit), file: path)
    }

    /// Reads the file and judges its configuration, or reports why it cannot be read.
    ///
    /// - Parameter library: a library that replaces those with its plugin id; nil for none.
    func plan(isStrict: Bool = false, with library: String? = nil) throws(Ended) -> HostPlan {
        Planner(trust: FileTrust(isStrict: isStrict), baseDirectory: folder).plan(try read(), with: library)
    }
}
