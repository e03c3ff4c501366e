// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import Testing

/// What an author is told while a plugin is built, by the tool that the build calls.
@Suite(.timeLimit(.minutes(10))) struct BuildMistakesTests {
    /// Calls the tool as the build does, for a plugin with this source.
    ///
    /// - Parameter compiler: the C compiler whose version the tool compares with its own; `-` for none.
    private func embed(
        _ source: String, compiler: String = "-"
    ) throws -> (folder: TemporaryFolder, ChildProcess.Outcome) {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            { "id": "tally", "version": "1.0.0", "summary": "Tallies", "principal": "Tally", "consumes": ["add"] }
            """, to: "plugin.json")
        try folder.write(source, to: "Tally.swift")
        let words = [
            "embed", BuiltProducts.sdk, compiler, folder("Entry.swift"), "unseen", folder("plugin.json"),
            "TallyPlugin", folder("Tally.swift"),
        ]
        return (folder, try ChildProcess.run(BuiltProducts.manifestTool, arguments: words, in: folder.path))
    }

    /// What the tool says, with the source's path shortened; the build then fails, and nothing is generated.
    private func errors(_ source: String) throws -> String {
        let (folder, outcome) = try embed(source)
        #expect(outcome.exitCode == 1)
        #expect(outcome.output == "")
        #expect(throws: (any Error).self) { try FileSystem.read(folder("Entry.swift")) }
        return outcome.errors.replacing(folder.path + "/", with: "")
    }

    /// A plugin without mistakes.
    private let tally = """
        struct Tally: Plugin {
            enum Action: PluginAction { case add }
            static func middleware() -> Reader { .doNothing() }
        }
        """

    /// A program that says of itself that it is a C compiler of this version.
    private func compiler(_ version: String, in folder: TemporaryFolder) throws -> String {
        try FileSystem.write(
            Array("#!/bin/sh\necho 'Vendor clang version \(version)'\n".utf8), to: folder("it's clang"),
            mode: 0o755)
        return folder("it's clang")
    }

    @Test func `the toolchain that the tool was built with`() throws {
        let outside = try TemporaryFolder()
        let (folder, outcome) = try embed(tally, compiler: try compiler(compilerIdentity(), in: outside))
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 0)
        #expect(try folder.read("Entry.swift").contains("GatehousePrincipal"))
    }

    @Test(arguments: [("21.0.0 (elsewhere)", "21.0.0 (elsewhere)"), ("", "nothing")])
    func `another toolchain, whose plugins the host would refuse`(version: String, found: String) throws {
        let outside = try TemporaryFolder()
        let path = try compiler(version, in: outside)
        let (folder, outcome) = try embed(tally, compiler: path)
        #expect(
            outcome.errors
                == "\(path): error: expected the toolchain of the host, whose compiler is \(compilerIdentity()), found \(found); build with the host's toolchain, since it refuses what others build\n"
        )
        #expect(outcome.exitCode == 1)
        #expect(throws: (any Error).self) { try FileSystem.read(folder("Entry.swift")) }
    }

    @Test func `a call that no build makes, as of a build tool plugin of another SDK`() throws {
        let outcome = try ChildProcess.run(
            BuiltProducts.manifestTool,
            arguments: ["embed", BuiltProducts.sdk, "-", "Entry.swift", "plugin.json", "A", "A.swift"])
        #expect(
            outcome.errors
                == "error: expected stamp or skeleton SDK COMPILER OUTPUT, or embed SDK COMPILER OUTPUT seen|unseen PLUGIN.JSON MODULE SOURCE…; the build calls this tool\n"
        )
        #expect(outcome.exitCode == 1)
    }

    @Test func `sources of the SDK that are not there`() throws {
        let folder = try TemporaryFolder()
        let outcome = try ChildProcess.run(
            BuiltProducts.manifestTool, arguments: ["stamp", folder.path, "-", folder("Identity.swift")])
        #expect(
            outcome.errors
                == "\(folder("Sources")): error: expected the sources of the SDK, cannot list them: No such file or directory; build against a complete SDK\n"
        )
        #expect(outcome.exitCode == 1)
    }

    @Test func `files that the tool cannot read, write or put anywhere`() throws {
        let (folder, _) = try embed(tally)
        func stamp(_ output: String) throws -> String {
            try ChildProcess.run(
                BuiltProducts.manifestTool, arguments: ["stamp", BuiltProducts.sdk, "-", folder(output)]
            ).errors
        }
        #expect(
            try stamp("absent/Identity.swift")
                == "\(folder("absent/Identity.swift")): error: cannot write it: No such file or directory; check the folder, its mode and its space\n"
        )
        _ = try folder.makeFolder("Identity.swift")
        #expect(
            try stamp("Identity.swift")
                == "\(folder("Identity.swift")): error: cannot write it: Is a directory; check the folder, its mode and its space\n"
        )
        let read = try ChildProcess.run(
            BuiltProducts.manifestTool,
            arguments: [
                "embed", BuiltProducts.sdk, "-", folder("Entry.swift"), "seen", folder("manifest.json"), "A",
                folder("Tally.swift"),
            ])
        #expect(
            read.errors
                == "\(folder("manifest.json")): error: expected a readable file, cannot read it: No such file or directory; check the path and its mode\n"
        )
        let skeleton = try ChildProcess.run(
            BuiltProducts.manifestTool,
            arguments: ["skeleton", BuiltProducts.sdk, "-", folder("Tally.swift") + "/SDK"])
        #expect(
            skeleton.errors
                == "\(folder("Tally.swift/SDK")): error: cannot make the folder: Not a directory; check the folders above it\n"
        )
        // What was written beside is gone.
        #expect(
            FileSystem.names(in: folder.path).sorted() == [
                "Entry.swift", "Identity.swift", "Tally.swift", "plugin.json",
            ])
    }

    @Test func `an output that would be the same stays untouched, so that nothing is compiled again`() throws
    {
        let folder = try TemporaryFolder()
        let words = ["stamp", BuiltProducts.sdk, "-", folder("Identity.swift")]
        #expect(try ChildProcess.run(BuiltProducts.manifestTool, arguments: words).exitCode == 0)
        let first = try FileSystem.identity(of: folder("Identity.swift"))
        #expect(try ChildProcess.run(BuiltProducts.manifestTool, arguments: words).exitCode == 0)
        #expect(try FileSystem.identity(of: folder("Identity.swift")) == first)
        try folder.write("// Something else.", to: "Identity.swift")
        #expect(try ChildProcess.run(BuiltProducts.manifestTool, arguments: words).exitCode == 0)
        #expect(try FileSystem.identity(of: folder("Identity.swift")) != first)
        #expect(try folder.read("Identity.swift").contains("SDKIdentity"))
    }

    @Test func `an interceptor of a type that says only Plugin`() throws {
        #expect(
            try errors(
                """
                struct Tally: Plugin {
                    enum Action: PluginAction { case add }
                    static func middleware() -> Reader { .doNothing() }
                    static func interceptor(_ context: Context) -> AnyInterceptor<Action, State> { .identity }
                }
                """)
                == "Tally.swift:4:17: error: expected Tally to adopt InterceptingPlugin, found Plugin alone, so that nothing calls its interceptor; adopt it\n"
        )
    }

    @Test func `a behavior of a type that says only Plugin`() throws {
        #expect(
            try errors(
                """
                struct Tally: Plugin {
                    enum Action: PluginAction { case add }
                    static func middleware() -> Reader { .doNothing() }
                    static func behavior(_ settings: Settings) -> Behavior<Action, State, Context> { .identity }
                }
                """)
                == "Tally.swift:4:17: error: expected Tally to adopt BehaviorPlugin, found Plugin alone, so that nothing calls its behavior; adopt it\n"
        )
    }

    @Test func `a middleware beside a behavior`() throws {
        #expect(
            try errors(
                """
                struct Tally: BehaviorPlugin {
                    enum Action: PluginAction { case add }
                    static func behavior(_ settings: Settings) -> Behavior<Action, State, Context> { .identity }
                    static func middleware() -> Reader { .doNothing() }
                }
                """)
                == "Tally.swift:4:17: error: expected behavior alone in a type that adopts BehaviorPlugin, found middleware, which nothing calls; move it into the behavior, or adopt Plugin\n"
        )
    }

    @Test func `a reducer with the time of a type that says only Plugin`() throws {
        #expect(
            try errors(
                """
                struct Tally: Plugin {
                    enum Action: PluginAction { case add }
                    struct State: Codable, Sendable { var last: Double? }
                    static func initialState(_ settings: Settings) -> State { State() }
                    static func reducer(_ settings: Settings) -> Reducer<Action, State> { .identity }
                    static func reducer(_ settings: Settings, now: ActionTime) -> Reducer<Action, State> {
                        .reduce { _, state in state.last = now() }
                    }
                    static func middleware() -> Reader { .doNothing() }
                }
                """)
                == "Tally.swift:6:17: error: expected Tally to adopt TimedPlugin, found Plugin alone, so that nothing calls its reducer; adopt it\n"
        )
    }

    @Test func `settings that are misspelled`() throws {
        #expect(
            try errors(
                """
                struct Tally: Plugin {
                    enum Action: PluginAction { case add }
                    struct Setings: PluginSettings { var step = 1 }
                    static func middleware() -> Reader { .doNothing() }
                }
                """)
                == "Tally.swift:3:12: error: expected Settings, found Setings, which does not receive the settings of an operator; rename it\n"
        )
    }

    @Test func `a state that is misspelled, and so its initial value`() throws {
        #expect(
            try errors(
                """
                struct Tally: Plugin {
                    enum Action: PluginAction { case add }
                    struct Sate: Codable, Sendable { var count = 0 }
                    static func initalState(_ settings: Settings) -> Sate { Sate() }
                    static func reducer(_ settings: Settings) -> Reducer<Action, Sate> {
                        .reduce { _, state in state.count += 1 }
                    }
                    static func middleware() -> Reader { .doNothing() }
                }
                """) == """
                    Tally.swift:3:12: error: expected State, found Sate; without a type of that name nothing calls reducer, so rename it
                    Tally.swift:4:17: error: expected initialState, found initalState, which nothing calls; rename it

                    """)
    }

    @Test func `an initial state that is misspelled as a variable`() throws {
        #expect(
            try errors(
                """
                struct Tally: Plugin {
                    enum Action: PluginAction { case add }
                    struct State: Codable, Sendable { var count = 0 }
                    static var initalState: State { State() }
                    static func middleware() -> Reader { .doNothing() }
                }
                """)
                == "Tally.swift:4:16: error: expected initialState, found initalState, which nothing calls; rename it\n"
        )
    }

    @Test func `actions that are a struct`() throws {
        #expect(
            try errors(
                """
                struct Tally: Plugin {
                    struct Action: PluginAction { var add = 1 }
                    static func middleware() -> Reader { .doNothing() }
                }
                """)
                == "Tally.swift:2:12: error: expected an enum, whose cases are the types of actions, found a struct; write enum Action, or AnyAction to hear everything\n"
        )
    }

    @Test func `actions with type parameters`() throws {
        #expect(
            try errors(
                """
                struct Tally: Plugin {
                    enum Action<Number: Codable & Sendable>: PluginAction { case add(Number) }
                    static func middleware() -> Reader { .doNothing() }
                }
                """)
                == "Tally.swift:2:10: error: expected Action without type parameters, found some, which a host could not fill in; write out the types that its cases carry\n"
        )
    }

    @Test func `a principal that is misspelled`() throws {
        #expect(
            try errors(
                """
                struct Taly: Plugin {
                    enum Action: PluginAction { case add }
                    static func middleware() -> Reader { .doNothing() }
                }
                """)
                == #"plugin.json:1:73: error: expected as principal a type of this target that adopts Plugin, found "Tally"; did you mean "Taly"?"#
                + "\n")
    }

    @Test func `a principal that is no plugin`() throws {
        #expect(
            try errors(
                """
                enum Tally {
                    enum Action: PluginAction { case add }
                    static func middleware() -> Reader { .doNothing() }
                }
                """)
                == "Tally.swift:1:6: error: expected Tally, the principal in plugin.json, to adopt Plugin, found an enum that does not; write enum Tally: Plugin\n"
        )
    }

    @Test func `the core imported in place of the SDK`() throws {
        #expect(
            try errors(
                """
                import FoundationEssentials
                import Gatehouse

                struct Tally: Plugin {
                    enum Action: PluginAction { case add }
                    static func middleware() -> Reader { .doNothing() }
                }
                """)
                == "Tally.swift:2:8: error: expected import GatehouseSDK, found import Gatehouse, which is the part of it without Plugin; import GatehouseSDK alone\n"
        )
    }

    @Test func `library evolution fails the build of the target, by the compiler and at the manifest`() throws
    {
        let (folder, outcome) = try embed(
            """
            struct Tally: Plugin {
                enum Action: PluginAction { case add }
                static func middleware() -> Reader { .doNothing() }
            }
            """)
        #expect(outcome.exitCode == 0)
        let compiled = try ChildProcess.run(
            "/usr/bin/env",
            arguments: [
                "swiftc", "-typecheck", "-parse-as-library", "-enable-library-evolution", "Entry.swift",
            ],
            in: folder.path)
        #expect(
            compiled.errors.contains(
                "plugin.json:1:8: error: expected a target without library evolution, found -enable-library-evolution; remove it from the target's swiftSettings, because host and plugins share memory layouts"
            ))
    }

    @Test func `a plugin without a mistake gets its entry`() throws {
        let (folder, outcome) = try embed(
            """
            struct Tally: Plugin {
                enum Action: PluginAction { case add }
                static func middleware() -> Reader { .doNothing() }
            }
            """)
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 0)
        let text = String(decoding: try FileSystem.read(folder("Entry.swift")), as: UTF8.self)
        #expect(text.contains("@c(gatehouse_plugin_v1_TallyPlugin)\n"))
    }
}
