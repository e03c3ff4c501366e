// SPDX-License-Identifier: Apache-2.0

private import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// The position in a file, stored from one run to the next.
struct FilePlace: Equatable {
    /// The identity of the file, whatever its name is now.
    var identity: SystemFile.Identity
    /// The number of bytes in finished lines.
    var offset: Int
    /// The number of finished lines.
    var lines: Int

    /// Creates a place in a file.
    init(identity: SystemFile.Identity, offset: Int, lines: Int) {
        self.identity = identity
        self.offset = offset
        self.lines = lines
    }

    /// Reads a stored place; nil when there is none, or it is invalid.
    init?(in path: String) {
        guard let bytes = try? SystemFile.bytes(of: path, limit: 1 << 16),
            let value = try? JSONText.parse(bytes),
            let device = value["device"]?.stringValue.flatMap({ UInt64($0) }),
            let inode = value["inode"]?.stringValue.flatMap({ UInt64($0) }),
            let offset = value["offset"]?.intValue, let lines = value["lines"]?.intValue,
            offset >= 0, lines >= 0
        else { return nil }
        self.init(
            identity: SystemFile.Identity(device: dev_t(device), number: ino_t(inode)), offset: offset,
            lines: lines)
    }

    /// Stores the place of a file in a separate file, atomically, creating folders as needed.
    ///
    /// - Parameter followed: the path of the followed file, for people.
    func write(to path: String, of followed: String) throws(SystemFailure) {
        // As texts, because not every JSON reader has 64-bit numbers.
        let value: Value = [
            "file": .string(followed), "device": .string("\(identity.device)"),
            "inode": .string("\(identity.number)"), "offset": .integer(Int64(offset)),
            "lines": .integer(Int64(lines)),
        ]
        let (folder, _) = SystemFile.parts(of: path)
        let parent = SystemFile.parts(of: folder).folder
        for folder in [parent, folder] { try SystemFile.makeFolder(folder) }
        try SystemFile.replace(path, with: Array((value.json() + "\n").utf8), isLasting: false)
    }
}
