// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A folder that is gone when this is; others may look into it, so that a host takes plugins from it.
final class TemporaryFolder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(
            path: "gatehouse-benchmarks-\(UUID().uuidString)")
        path = url.path
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and gives its path.
    func write(_ text: String, to name: String) throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: file))
        return file
    }
}
