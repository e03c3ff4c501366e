// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// A folder with a configuration, libraries and input, and the program run in it.
struct Scene {
    let folder: TemporaryFolder

    /// What the program finds in its environment: folders for the cache and for sockets that go with the scene.
    var environment: [String: String] {
        ["CACHE_DIRECTORY": folder("cache"), "XDG_RUNTIME_DIR": folder.path]
    }

    /// A folder with libraries in `plugins`, and a configuration.
    init(_ configuration: String, libraries: [String] = []) throws {
        folder = try TemporaryFolder()
        _ = try folder.makeFolder("plugins")
        for library in libraries { try addLibrary(library) }
        try folder.write(configuration, to: "plugins.json")
    }

    /// A counter that the configuration names, and nothing else.
    static func counter(_ members: String = "") throws -> Scene {
        try Scene(#"{ \#(members)"plugins": [{ "id": "counter" }] }"#, libraries: ["CounterPlugin"])
    }

    /// A till of version one that keeps a journal, has sold twice and been asked for a receipt.
    static func soldTill() throws -> Scene {
        let scene = try Scene(
            #"{ "name": "shop", "journal": { "directory": "journal" }, "plugins": [{ "id": "till" }] }"#,
            libraries: ["TillOnePlugin"])
        let outcome = try scene.run(
            ["--print", "none"],
            input: """
                {"type":"till/sold","payload":10}
                {"type":"till/sold","payload":200}
                {"type":"till/ask"}

                """)
        try #require(outcome.exitCode == 0, "\(outcome.errors)")
        return scene
    }

    /// Drops a built library into the plugin folder.
    func addLibrary(_ target: String, as name: String? = nil) throws {
        try folder.copyLibrary(target, as: "plugins/" + (name ?? "lib\(target).so"))
    }

    /// The path of the only image in the scene's store, or of the only one with a file name.
    func image(_ name: String? = nil) throws -> String {
        let images = FileSystem.names(in: folder("cache/images")).flatMap { digest in
            FileSystem.names(in: folder("cache/images/" + digest)).map { digest + "/" + $0 }
        }.filter { name == nil || $0.hasSuffix("/" + (name ?? "")) }
        try #require(images.count == 1, "\(images)")
        return folder("cache/images/" + images[0])
    }

    /// Runs `gatehouse run` with bytes on standard input.
    func run(_ arguments: [String] = [], input: [UInt8]) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: ["run"] + arguments, input: input, in: folder.path, environment: environment)
    }

    /// Runs `gatehouse run` with text on standard input.
    func run(_ arguments: [String] = [], input: String = "") throws -> ChildProcess.Outcome {
        try run(arguments, input: Array(input.utf8))
    }

    /// Starts `gatehouse run` and leaves its input open.
    func start(_ arguments: [String] = []) throws -> ChildProcess {
        try ChildProcess(
            BuiltProducts.program, ["run"] + arguments, in: folder.path, environment: environment,
            keeping: folder)
    }

    /// Runs a command without input.
    func call(_ arguments: String...) throws -> ChildProcess.Outcome {
        try ChildProcess.run(arguments: arguments, in: folder.path, environment: environment)
    }

    /// Runs a command without input; the dynamic loader tells on standard error which files it opens.
    func traced(_ arguments: [String]) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: arguments, in: folder.path,
            environment: environment.merging(["LD_DEBUG": "files"]) { $1 })
    }

    /// Runs a command without input; the dynamic loader tells on standard error which files it opens.
    func traced(_ argument: String) throws -> ChildProcess.Outcome { try traced([argument]) }
}
