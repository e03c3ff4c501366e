// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
internal import GatehouseLibrary
internal import GatehouseSupport
private import Glibc

/// What a command works on: a configuration file, or a folder of plugins without one.
///
/// Knows also the folder that relative paths start from.
struct ConfigurationFile: Sendable {
    /// The most bytes that a configuration may have; a device may have no end.
    private static let limit = 64 << 20

    /// As given on the command line: the file, or the folder of plugins.
    let path: String
    /// Whether there is no file, and the path is the folder of plugins.
    let isFolder: Bool

    /// The folder of plugins where one is given, otherwise the file.
    init(path: String, plugins: String?) {
        self.path = plugins ?? path
        isFolder = plugins != nil
    }

    /// The folder that a file is in; without a file the current one.
    var folder: String {
        guard !isFolder, let slash = path.lastIndex(of: "/") else { return "." }
        let folder = String(path[..<slash])
        return folder.isEmpty ? "/" : folder
    }

    /// What the folder that the configuration describes is called, whatever the path to it.
    var folderName: String {
        let place = isFolder ? path : folder
        guard let whole = unsafe realpath(place, nil) else { return "" }
        defer { unsafe free(whole) }
        return unsafe String(cString: whole).split(separator: "/").last.map(String.init) ?? ""
    }

    /// Reads the file; nil, after saying so, when it cannot be read.
    func read() -> ConfigurationOutcome? {
        do {
            return try outcome()
        } catch {
            StandardError.writeLine("gatehouse: \(path): \(error); name the configuration with --config")
            return nil
        }
    }

    /// Reads the file once more; one that cannot be read is something to say like any other.
    func readAgain() -> ConfigurationOutcome {
        do {
            return try outcome()
        } catch {
            return ConfigurationOutcome(failing: "\(path): \(error)")
        }
    }

    /// What the file says; of a folder, what it stands for.
    private func outcome() throws(SystemFile.ReadingError) -> ConfigurationOutcome {
        if isFolder { return ConfigurationOutcome(of: HostConfiguration(directory: path)) }
        return ConfigurationParser.parse(try SystemFile.bytes(of: path, limit: Self.limit), file: path)
    }

    /// Reads the file and judges what it asks for; nil, after saying so, when it cannot be read.
    ///
    /// - Parameter library: a library to be used in the place of those with its plugin id; nil for none.
    func plan(isStrict: Bool = false, with library: String? = nil) -> HostPlan? {
        read().map {
            Planner(trust: FileTrust(isStrict: isStrict), baseDirectory: folder).plan($0, with: library)
        }
    }
}
