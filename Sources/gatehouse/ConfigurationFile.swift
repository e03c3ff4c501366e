// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost

/// The configuration as a file: its text, and the folder that its relative paths start from.
struct ConfigurationFile {
    /// As given on the command line.
    let path: String

    /// The folder it is in.
    var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        let folder = String(path[..<slash])
        return folder.isEmpty ? "/" : folder
    }

    /// Reads the file; nil, after saying so, when it cannot be read.
    func read() -> ConfigurationOutcome? {
        guard let bytes = FileBytes.read(path) else {
            StandardError.writeLine(
                "gatehouse: \(path): \(FileBytes.lastError); name the configuration with --config")
            return nil
        }
        return ConfigurationParser.parse(bytes, file: path)
    }

    /// Reads the file and judges what it asks for; nil, after saying so, when it cannot be read.
    func plan(isStrict: Bool = false) -> HostPlan? {
        read().map { Planner(trust: FileTrust(isStrict: isStrict), baseDirectory: folder).plan($0) }
    }
}
