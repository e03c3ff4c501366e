// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Where no image can be stored: it is told once, and images are mapped from memory.
@Suite(.timeLimit(.minutes(10))) struct UnusableStoreTests {
    private let increment = #"{"type":"counter/increment"}"# + "\n"
    private let state = "{\n  \"counter\": {\n    \"count\": 1\n  }\n}\n"
    private let summary = "gatehouse: 1 line, 1 action, 0 rejected"

    /// Runs with variables of one's own.
    private func run(
        _ environment: [String: String], in scene: Scene, _ arguments: [String] = []
    ) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: ["run"] + arguments, input: Array(increment.utf8), in: scene.folder.path,
            environment: environment)
    }

    /// The warning of a run that maps from memory.
    private func warning(_ obstacle: String) -> String {
        "gatehouse: warning: plugins are mapped from memory, where backtraces and debuggers do not find them: "
            + obstacle
            + "; correct that, name another folder in CACHE_DIRECTORY, or write \"images\": \"memory\""
    }

    @Test func `a file where the folder should be is told, and images are mapped from memory`() throws {
        let scene = try Scene.counter()
        try scene.folder.write("", to: "cache")
        let outcome = try scene.run(input: increment)
        #expect(outcome.output == state)
        #expect(
            outcome.errorLines == [
                warning("\(scene.folder("cache")): expected a folder, found something else"), summary,
            ])
        #expect(outcome.exitCode == 0)
    }

    @Test func `a folder that cannot be made is told once, however many plugins there are`() throws {
        let scene = try Scene("{}", libraries: ["CounterPlugin", "ProbePlugin"])
        let outcome = try run(["CACHE_DIRECTORY": "/proc/self/gatehouse"], in: scene)
        #expect(
            outcome.errorLines == [
                warning("/proc/self/gatehouse: mkdir failed: No such file or directory"), summary,
            ])
    }

    @Test func `a folder below one that everybody may write to is not used`() throws {
        let scene = try Scene.counter()
        try FileSystem.setMode(0o777, of: try scene.folder.makeFolder("open"))
        let outcome = try run(["CACHE_DIRECTORY": scene.folder("open/cache")], in: scene)
        #expect(
            outcome.errorLines == [
                warning(
                    "\(scene.folder("open")): everybody may write to it (mode 777); take that away with chmod o-w"
                ), summary,
            ])
        #expect(FileSystem.names(in: scene.folder("open/cache")) == [])
    }

    @Test func `a folder below one that its group may write to is warned of, with strict not used`() throws {
        let scene = try Scene.counter()
        let folder = try scene.folder.makeFolder("shared")
        try FileSystem.setMode(0o775, of: folder)
        let environment = ["CACHE_DIRECTORY": folder + "/cache"]
        #expect(
            try run(environment, in: scene, ["--strict"]).errorLines == [
                warning(
                    "\(folder): its group may write to it (mode 775), refused with --strict; take that away with chmod g-w"
                ), summary,
            ])
        #expect(
            try run(environment, in: scene).errorLines == [
                "gatehouse: warning: \(folder): its group may write to it (mode 775); take that away with chmod g-w",
                summary,
            ])
    }

    @Test
    func `a link on the way to the store leads to where its folders are judged, one in it is not followed`()
        throws
    {
        let scene = try Scene.counter()
        _ = try scene.folder.makeFolder("real")
        try FileSystem.link(scene.folder("cache"), to: "real")
        #expect(try scene.run(input: increment).errors == summary + "\n")
        FileSystem.removeFolder(scene.folder("real/images"))
        try FileSystem.link(scene.folder("real/images"), to: scene.folder("plugins"))
        #expect(
            try scene.run(input: increment).errorLines == [
                warning("\(scene.folder("real/images")): expected a folder, found something else"), summary,
            ])
    }

    @Test(.enabled(if: FileSystem.isRoot, "giving files away takes root"))
    func `a folder of the store that belongs to another user is not used`() throws {
        let scene = try Scene.counter()
        #expect(try scene.run(input: increment).errors == summary + "\n")
        let image = try scene.image()
        let folder = String(image.prefix(upTo: try #require(image.lastIndex(of: "/"))))
        try FileSystem.setOwner(12_345, of: folder)
        #expect(
            try scene.run(input: increment).errorLines == [
                warning("\(folder): belongs to user 12345, expected the user of this process"), summary,
            ])
    }

    @Test func `a path that the loader would expand is told`() throws {
        let scene = try Scene.counter()
        let outcome = try run(["CACHE_DIRECTORY": scene.folder("$LIB")], in: scene)
        #expect(
            outcome.errorLines == [
                warning(
                    "\(scene.folder("$LIB"))/images: the dynamic loader would replace what follows the \"$\""
                ), summary,
            ])
    }

    /// Whether this user may mount file systems in a view of its own.
    private static let canMount =
        (try? ChildProcess.run(
            "/bin/sh", arguments: ["-c", "unshare --mount mount -t tmpfs none /mnt"]))?.exitCode == 0

    /// Runs with a file system of its own as the cache folder.
    private func run(mounting options: String, in scene: Scene) throws -> ChildProcess.Outcome {
        let cache = try scene.folder.makeFolder("cache")
        let words = #"mount -t tmpfs -o "$1" none "$2" && exec "$0" run"#
        return try ChildProcess.run(
            "/usr/bin/unshare",
            arguments: ["--mount", "/bin/sh", "-c", words, BuiltProducts.program, options, cache],
            input: Array(increment.utf8), in: scene.folder.path, environment: scene.environment)
    }

    @Test(.enabled(if: canMount, "mounting takes root"))
    func `a file system that maps no code is told`() throws {
        let scene = try Scene.counter()
        let outcome = try run(mounting: "mode=700,noexec", in: scene)
        #expect(outcome.output == state)
        let folder = try #require(
            outcome.errors.split(separator: ": ").first { $0.hasPrefix("/") }, "\(outcome.errors)")
        #expect(folder.hasPrefix(scene.folder("cache/images/")))
        #expect(
            outcome.errorLines == [
                warning(
                    "\(folder): code may not be mapped from there (Operation not permitted), as on a file system that is mounted noexec"
                ), summary,
            ])
    }

    @Test(.enabled(if: canMount, "mounting takes root"))
    func `a full disk and one that takes no writing are told`() throws {
        let full = try Scene.counter()
        let outcome = try run(mounting: "mode=700,size=16k", in: full)
        #expect(outcome.output == state)
        #expect(
            outcome.errors.hasSuffix(
                ".new: sendfile failed: No space left on device; correct that, name another folder in CACHE_DIRECTORY, or write \"images\": \"memory\"\n"
                    + summary + "\n"))
        let readOnly = try Scene.counter()
        #expect(
            try run(mounting: "mode=700,ro", in: readOnly).errorLines == [
                warning("\(readOnly.folder("cache"))/images: mkdir failed: Read-only file system"), summary,
            ])
    }
}
