// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct RunPathEntryTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A folder that a plugin names.
    private func entry(_ text: String, isStrict: Bool = false) -> RunPathEntry {
        RunPathEntry(
            text, origin: LibraryOrigin(folder: "/srv/plugins", isPlugin: true), loaded: .host,
            trust: FileTrust(isStrict: isStrict))
    }

    @Test(arguments: [
        ("$ORIGIN", "/srv/plugins"), ("${ORIGIN}", "/srv/plugins"), ("$ORIGIN/", "/srv/plugins/"),
        ("$ORIGIN/lib", "/srv/plugins/lib"), ("${ORIGIN}/./a/b", "/srv/plugins/./a/b"),
    ])
    func `the word for the library's own folder means the plugin folder`(text: String, path: String) {
        #expect(entry(text).finding == .origin)
        #expect(entry(text).folder == path)
        #expect(!entry(text).isRefused)
    }

    @Test(arguments: [
        "$ORIGIN/..", "$ORIGIN/../root/tmp", "${ORIGIN}/../cwd", "$ORIGIN/lib/../../x", "$ORIGIN/a/..",
    ])
    func `nothing leads out of the plugin folder`(text: String) {
        #expect(entry(text).finding == .outside)
        #expect(entry(text).folder == nil)
        #expect(entry(text).isRefused)
    }

    @Test(arguments: [
        "/$ORIGIN/../tmp", "/opt/$LIB", "$LIB/x", "$PLATFORM", "/opt/${PLATFORM}", "$ORIGINS/lib",
        "$ORIGIN/$LIB",
        "$ORIGIN$LIB", "x$ORIGIN",
    ])
    func `no other word with a dollar sign is followed`(text: String) {
        #expect(entry(text).finding == .token)
        #expect(entry(text).folder == nil)
        #expect(entry(text).isRefused)
    }

    @Test(arguments: ["", "lib", "./lib", ".."])
    func `what does not begin at the root depends on where the host is started`(text: String) {
        #expect(entry(text).finding == .relative)
        #expect(entry(text).isRefused)
    }

    @Test(arguments: [
        "/proc/self/cwd", "/proc/self/root/usr/lib", "//proc/./1/fd", "/usr/../proc/self/cwd", "/dev/fd",
    ])
    func `a folder that is another one in each process is refused`(text: String) {
        #expect(entry(text).finding == .process)
        #expect(entry(text).isRefused)
    }

    @Test(arguments: ["/usr/lib", "/usr//./lib/"])
    func `a folder of the system is trusted however it is written`(text: String) {
        #expect(entry(text).finding == .trusted)
    }

    @Test func `any other folder is looked into, and somebody may wonder about it`() throws {
        for text in [folder.path, folder("none/below"), folder.path + "/../" + folder.path.dropFirst(5)] {
            #expect(entry(text).finding == .elsewhere)
            #expect(entry(text).folder == text)
        }
    }

    @Test func `where others may write, or may make what is not there, nothing is taken from`() throws {
        let open = try folder.makeFolder("open")
        try FileSystem.setMode(0o777, of: open)
        _ = try folder.makeFolder("open/below")
        try FileSystem.link(folder("link"), to: "open/below")
        for text in [open, folder("open/below"), folder("open/none"), folder("link"), open + "/../open"] {
            #expect(entry(text).finding == .writable(path: open), "\(text)")
        }
        #expect(entry("/tmp/gatehouse-none").finding == .writable(path: "/tmp"))
        #expect(entry("/tmp").finding == .writable(path: "/tmp"))
    }

    @Test func `where the group may write is refused when strict`() throws {
        let shared = try folder.makeFolder("shared")
        try FileSystem.setMode(0o775, of: shared)
        #expect(entry(shared).finding == .elsewhere)
        #expect(entry(shared, isStrict: true).finding == .writable(path: shared))
    }

    @Test(arguments: ["glibc-hwcaps/x86-64-v2", "tls", "haswell/avx512_1"])
    func `folders for some processors are judged like the one they are in`(name: String) throws {
        let parts = name.split(separator: "/").map(String.init)
        _ = try folder.makeFolder(parts[0])
        if parts.count > 1 { _ = try folder.makeFolder(name) }
        #expect(entry(folder.path).finding == .elsewhere)
        try FileSystem.setMode(0o777, of: folder(name))
        #expect(entry(folder.path).finding == .writable(path: folder(name)))
    }

    @Test(.enabled(if: Stranger.canOwn, "needs root, to give files to another user"))
    func `a folder of another user is refused, wherever it stands on the way`() throws {
        let foreign = try folder.makeFolder("foreign")
        _ = try folder.makeFolder("foreign/lib")
        try Stranger.own(foreign)
        #expect(entry(folder("foreign/lib")).finding == .writable(path: foreign))
        try FileSystem.link(folder("link"), to: "/usr/lib")
        try Stranger.own(folder("link"))
        #expect(entry(folder("link")).finding == .writable(path: folder("link")))
    }
}
