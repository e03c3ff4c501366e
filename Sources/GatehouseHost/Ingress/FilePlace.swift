// SPDX-License-Identifier: Apache-2.0

private import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// How far a file was read, as it is remembered from one run to the next.
struct FilePlace: Equatable {
    /// Which file it is, whatever it is called by now.
    var identity: SystemFile.Identity
    /// Bytes of the lines that are done with.
    var offset: Int
    /// How many lines these are.
    var lines: Int

    /// A place in a file.
    init(identity: SystemFile.Identity, offset: Int, lines: Int) {
        self.identity = identity
        self.offset = offset
        self.lines = lines
    }

    /// The place that a file holds; nil when there is none, or nothing that makes sense.
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

    /// Writes the place of a file into a file of its own, whole or not at all; the folders on the way are made.
    ///
    /// - Parameter followed: the path of the file whose place it is, for people.
    func write(to path: String, of followed: String) throws(SystemFailure) {
        // As texts, because not every reader of JSON has numbers of 64 bits.
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
