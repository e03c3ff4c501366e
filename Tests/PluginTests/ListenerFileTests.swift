// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// The file of a socket that is removed with it, and only that one.
@Suite(.timeLimit(.minutes(10))) struct ListenerFileTests {
    @Test func `only a socket at a path has a file`() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.sock")
        #expect(ListenerFile(at: path) == nil)
        #expect(ListenerFile(of: .port(host: "127.0.0.1", 0)) == nil)
        try folder.write("text", to: "a.sock")
        #expect(ListenerFile(at: path) == nil)
        FileSystem.remove(path)
        let socket = try ListeningAddress.path(path).open()
        defer { close(socket) }
        #expect(ListenerFile(of: .path(path))?.path == path)
        try FileSystem.link(folder("link"), to: path)
        #expect(ListenerFile(at: folder("link")) == nil)
    }

    @Test func `the file is removed, and what has come in its place is not`() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.sock")
        let socket = try ListeningAddress.path(path).open()
        defer { close(socket) }
        let file = try #require(ListenerFile(at: path))
        // The first one keeps its number while it is somewhere else.
        try FileSystem.rename(path, to: folder("moved"))
        let other = try ListeningAddress.path(path).open()
        defer { close(other) }
        file.remove()
        #expect(FileSystem.exists(path))
        try FileSystem.rename(folder("moved"), to: path)
        file.remove()
        #expect(!FileSystem.exists(path))
        file.remove()
    }
}
