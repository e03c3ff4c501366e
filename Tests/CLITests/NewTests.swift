// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// `gatehouse new` as somebody meets it who wants a plugin; `Scripts/check-new` builds what it makes.
@Suite(.timeLimit(.minutes(10))) struct NewTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func new(_ arguments: String..., path: String? = nil) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: ["new"] + arguments, in: folder.path,
            environment: ["CACHE_DIRECTORY": folder("cache"), "PATH": path ?? "/usr/bin"])
    }

    /// The host as it finds itself, without links.
    private var program: String {
        get throws {
            let path = try ChildProcess.run("/usr/bin/realpath", arguments: [BuiltProducts.program]).output
            return String(path.dropLast())
        }
    }

    /// The paths of all files in the folder, sorted.
    private func files(_ name: String) -> [String] {
        FileSystem.names(in: folder(name)).flatMap { entry in
            let inside = files(name + "/" + entry)
            return inside.isEmpty ? [name + "/" + entry] : inside
        }.sorted()
    }

    @Test func `a package is made, and what to do with it is told`() throws {
        let outcome = try new("RateLimiter")
        #expect(
            outcome.output == """
                RateLimiter: the package of a plugin with the id rate-limiter

                  cd RateLimiter
                  export GATEHOUSE='\(try program)'
                  make test   build it, and run its tests and the cases of its configuration
                  make run    run sample.ndjson through it

                """)
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 0)
        #expect(
            files("RateLimiter")
                == [
                    ".github/workflows/test.yml", ".gitignore", ".sourcekit-lsp/config.json", "Makefile",
                    "Package.swift", "README.md", "Sources/RateLimiter/RateLimiter.swift",
                    "Sources/RateLimiter/plugin.json", "Tests/RateLimiterTests/RateLimiterTests.swift", "ci",
                    "plugins.json", "plugins.test.json", "sample.ndjson",
                ].map { "RateLimiter/" + $0 })
        #expect(files(".").count == 13)
    }

    @Test(arguments: ["effect", "reducer", "interceptor", "observer", "c", "rust"])
    func `no word of a template is left over`(template: String) throws {
        #expect(try new("Foo", "--template", template).exitCode == 0)
        for file in files("Foo") {
            let text = try folder.read(file)
            for word in ["@PRINT@", "@PACKAGES@", "PluginName", "plugin-id", "plugin_id"] {
                #expect(!text.contains(word), "\(file)")
            }
        }
        #expect(files("Foo").contains("Foo/.gitignore"))
    }

    @Test func `the smallest plugin has at most 20 lines`() throws {
        #expect(try new("Foo").exitCode == 0)
        let text = try folder.read("Foo/Sources/Foo/Foo.swift")
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 20)
    }

    @Test(arguments: ["effect", "reducer", "interceptor", "observer", "c", "rust"])
    func `no path of this machine is in a package`(template: String) throws {
        #expect(try new("Foo", "--template", template, "--sdk", BuiltProducts.sdk).exitCode == 0)
        for file in files("Foo") {
            let text = try folder.read(file)
            for path in [BuiltProducts.sdk, try program, BuiltProducts.folder, folder.path, "/home/"] {
                #expect(!text.contains(path), "\(file)")
            }
        }
    }

    @Test func `a host that the shell finds need not be named`() throws {
        let bin = try folder.makeFolder("bin")
        try FileSystem.link(bin + "/gatehouse", to: BuiltProducts.program)
        #expect(try !new("Foo", path: bin).output.contains("export"))
    }

    @Test func `an SDK that was named is to be named to the Makefile too`() throws {
        try FileSystem.link(folder("it's"), to: BuiltProducts.sdk)
        let outcome = try new("Foo", "--sdk", "it's")
        #expect(outcome.output.contains("\n  export GATEHOUSE_SDK='\(BuiltProducts.sdk)'\n  make test"))
    }

    @Test func `an empty folder is filled, and nothing else is touched`() throws {
        _ = try folder.makeFolder("Foo")
        #expect(try new("Foo").exitCode == 0)
        try folder.write("mine", to: "Foo/README.md")
        try folder.write("file", to: "Bar")
        for name in ["Foo", "Bar"] {
            let outcome = try new(name)
            #expect(outcome.output == "")
            #expect(
                outcome.errors
                    == "gatehouse: \(name): expected nothing of this name, or an empty folder, found something else; choose another name, or remove it\n"
            )
            #expect(outcome.exitCode == 64)
        }
        #expect(try folder.read("Foo/README.md") == "mine")
        #expect(try folder.read("Bar") == "file")
        #expect(FileSystem.names(in: folder.path).sorted() == ["Bar", "Foo"])
    }

    @Test(
        arguments: [
            (
                ["rate-limiter"], 64,
                "expected the name of a Swift type such as RateLimiter, with an upper-case letter first, followed by letters and digits, found \"rate-limiter\"; did you mean \"RateLimiter\"?"
            ),
            (
                ["State"], 64,
                "a module or type that plugins use is called State; choose another name, such as MyState"
            ),
            ([], 64, "new needs the name of a plugin, such as RateLimiter; see gatehouse help new"),
            (
                ["Foo", "--template", "efect"], 64,
                "--template: expected effect, reducer, interceptor, observer, c or rust, found \"efect\", did you mean \"effect\"?"
            ),
            (
                ["Foo", "--sdk", "nowhere"], 69,
                "nowhere: expected a folder with the sources of the SDK, found no Package.swift and Sources/GatehouseSDK in it; name the folder SDK of the sources that this host was built from"
            ),
        ] as [([String], Int32, String)])
    func `what cannot be made is told, and nothing is left behind`(
        arguments: [String], code: Int32, words: String
    ) throws {
        let outcome = try ChildProcess.run(arguments: ["new"] + arguments, in: folder.path)
        #expect(outcome.output == "")
        #expect(outcome.errors == "gatehouse: \(words)\n")
        #expect(outcome.exitCode == code)
        #expect(FileSystem.names(in: folder.path) == [])
    }

    @Test func `an SDK without templates is told`() throws {
        let sdk = try folder.makeFolder("SDK")
        let real = try String(ChildProcess.run(arguments: ["sdk"]).output.dropLast())
        for name in ["Package.swift", "Sources"] {
            try FileSystem.link(sdk + "/" + name, to: real + "/" + name)
        }
        let outcome = try new("Foo", "--sdk", "SDK")
        #expect(
            outcome.errors
                == "gatehouse: \(sdk)/Templates/common: expected the files of a template, found none; name a complete SDK\n"
        )
        #expect(outcome.exitCode == 69)
    }

    @Test func `a folder that nobody may write to gets no package`() throws {
        let outcome = try ChildProcess.run(arguments: ["new", "Foo"], in: "/proc")
        #expect(outcome.errors == "gatehouse: Foo: cannot make the package: No such file or directory\n")
        #expect(outcome.exitCode == 70)
    }

    @Test func `a program without sources says where it has looked`() throws {
        let program = folder("lib/gatehouse/gatehouse")
        _ = try folder.makeFolder("lib")
        _ = try folder.makeFolder("lib/gatehouse")
        try FileSystem.write(try FileSystem.read(BuiltProducts.program), to: program, mode: 0o755)
        try folder.copyLibrary("GatehouseSDK", as: "lib/gatehouse/libGatehouseSDK.so")
        for arguments in [["sdk"], ["sdk", "--json"], ["sdk", "--environment"], ["new", "Foo"]] {
            let outcome = try ChildProcess.run(program, arguments: arguments, in: folder.path)
            #expect(outcome.output == "")
            #expect(
                outcome.errors
                    == "gatehouse: expected the sources of the SDK in \(folder("share/gatehouse/SDK")), found none; install the package gatehouse-sdk, run make install, or name their folder in GATEHOUSE_SDK\n"
            )
            #expect(outcome.exitCode == 69)
        }
    }

    @Test func `sdk prints the folder of this host alone, and for programs what it is too`() throws {
        let outcome = try ChildProcess.run(arguments: ["sdk"])
        let path = outcome.output.dropLast()
        #expect(path.hasPrefix("/"))
        #expect(path.hasSuffix("/SDK"))
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 0)
        let version = try ChildProcess.run(arguments: ["version"]).output.split(separator: "\n").map {
            String($0.split(separator: " ", maxSplits: 1)[1])
        }
        #expect(
            try ChildProcess.run(arguments: ["sdk", "--json"]).output == """
                {
                  "path": "\(path)",
                  "version": "\(version[0])",
                  "fingerprint": "\(version[2])",
                  "sources": "\(version[3])",
                  "configuration": "\(version[7])"
                }

                """)
    }

    /// What `sdk --environment` gives a shell that evaluates it, one variable a line, without what tests give all programs.
    private func environment(_ variables: [String: String]) throws -> [String] {
        let script =
            "words=$(\"$0\" sdk --environment) && eval \"$words\" && env | grep ^GATEHOUSE_ | grep -v -e ^GATEHOUSE_RUN_ -e ^GATEHOUSE_CHILD_ | LC_ALL=C sort"
        return try ChildProcess.run(
            "/bin/sh", arguments: ["-c", script, BuiltProducts.program], in: folder.path,
            environment: variables
        ).output.split(separator: "\n").map(String.init)
    }

    @Test func `a shell gets all that a build of a plugin must be told`() throws {
        let version = try ChildProcess.run(arguments: ["version"]).output
        let configuration = version.hasSuffix("configuration debug\n") ? "debug" : "release"
        let name = BuiltProducts.sdk.dropFirst().map { $0 == "/" ? "-" : "\($0)" }.joined()
        let lines = try environment(["CACHE_DIRECTORY": folder("it's a cache")])
        #expect(
            lines == [
                "GATEHOUSE_CONFIGURATION=\(configuration)",
                "GATEHOUSE_MANIFEST_TOOL=\(try program.dropLast("gatehouse".count))manifest-tool-tool",
                "GATEHOUSE_SCRATCH=\(folder("it's a cache"))/build/\(name)",
                "GATEHOUSE_SDK=\(BuiltProducts.sdk)",
            ])
    }

    @Test func `a folder for builds that the environment names stays, unless it depends on where one is`()
        throws
    {
        for (named, found) in [("/a b", "/a b"), ("a", folder.path + "/.build")] {
            let lines = try environment(["GATEHOUSE_SCRATCH": named])
            #expect(lines.contains("GATEHOUSE_SCRATCH=\(found)"))
        }
    }

    @Test func `an SDK that the environment names is taken, if it is that of this host`() throws {
        try FileSystem.link(folder("link"), to: BuiltProducts.sdk)
        let found = try ChildProcess.run(
            arguments: ["sdk"], in: folder.path, environment: ["GATEHOUSE_SDK": "link"])
        #expect(found.output == BuiltProducts.sdk + "\n")
        let none = try ChildProcess.run(
            arguments: ["sdk"], in: folder.path, environment: ["GATEHOUSE_SDK": "nowhere"])
        #expect(none.errors.hasPrefix("gatehouse: nowhere: expected a folder with the sources of the SDK"))
        #expect(none.exitCode == 69)
    }
}
