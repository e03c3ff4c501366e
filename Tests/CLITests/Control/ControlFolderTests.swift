// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// Where hosts have their sockets, and where they are looked for.
@Suite(.timeLimit(.minutes(10))) struct ControlFolderTests {
    /// A host that reads its input until that ends.
    private struct Running {
        /// The host's process.
        let process: ChildProcess
        /// Where it can be controlled.
        let socket: String

        /// Starts a host of a scene and waits until it can be controlled.
        ///
        /// - Parameter options: for `env`, after the environment that tests have.
        init(_ scene: Scene, _ name: String, _ options: [String] = [], environment: [String: String]) throws {
            process = try ChildProcess(
                "/usr/bin/env",
                options + [BuiltProducts.program, "run", "--control", "--name", name],
                in: scene.folder.path,
                environment: environment.merging(["CACHE_DIRECTORY": scene.folder("cache")]) { $1 },
                keeping: scene.folder)
            try process.waitForErrors("\n")
            let start = "gatehouse: \(name) can be controlled at "
            let line = String(process.errorsSoFar.prefix { $0 != "\n" })
            try #require(line.hasPrefix(start), "\(line)")
            socket = String(line.dropFirst(start.count))
        }

        /// Ends the host.
        func finish() throws {
            process.closeInput()
            #expect(try process.finish().exitCode == 0)
        }
    }

    @Test func `a host of the tester in its usual place is not seen by tests`() throws {
        let scene = try Scene.counter()
        let usual = ["--unset=GATEHOUSE_RUN_DIRECTORY"]
        let name = scene.folder.path.split(separator: "/").last?.lowercased() ?? ""
        let host = try Running(scene, name, usual, environment: [:])
        // The lock stays, and what stays would be the tester's.
        defer { FileSystem.remove(host.socket + ".lock") }
        let everywhere = try ChildProcess.run(
            "/usr/bin/env", arguments: usual + [BuiltProducts.program, "ctl", "hosts"])
        #expect(everywhere.output.contains("\(name)  \(host.socket)\n"))
        #expect(try scene.call("ctl", "hosts").output == "")
        #expect(try ChildProcess.run(arguments: ["ctl", "hosts"]).output == "")
        try host.finish()
    }

    @Test func `a host that ends takes its socket with it`() throws {
        let scene = try Scene.counter()
        let host = try Running(scene, "shop", environment: scene.environment)
        #expect(FileSystem.exists(host.socket))
        try host.finish()
        #expect(!FileSystem.exists(host.socket))
    }

    @Test func `a program without a place of its own has no socket in that of the tester`() throws {
        let scene = try Scene.counter()
        let outcome = try ChildProcess.run(
            arguments: ["run", "--control"], in: scene.folder.path,
            environment: ["CACHE_DIRECTORY": scene.folder("cache")])
        #expect(
            outcome.errors
                == "gatehouse: the control socket: /nonexistent/gatehouse-\(geteuid()): No such file or directory; name the control socket with \"control\": \"unix:PATH\", or do without it by --no-control\n"
        )
        #expect(outcome.exitCode == 78)
    }

    @Test func `a folder that the environment names stands for those of the machine`() throws {
        let scene = try Scene.counter()
        let place = try scene.folder.makeFolder("place")
        let here = ["GATEHOUSE_RUN_DIRECTORY": place]
        let lonely = try Running(scene, "lonely", environment: here)
        #expect(lonely.socket == place + "/gatehouse-\(geteuid())/lonely.sock")
        try FileSystem.makeFolder(place + "/user")
        try FileSystem.makeFolder(place + "/user/\(geteuid())")
        let session = try Running(scene, "session", environment: here)
        #expect(session.socket == place + "/user/\(geteuid())/gatehouse/session.sock")
        try FileSystem.makeFolder(place + "/gatehouse")
        let service = try Running(
            scene, "service",
            environment: ["RUNTIME_DIRECTORY": place + "/gatehouse", "GATEHOUSE_RUN_DIRECTORY": ""])
        #expect(service.socket == place + "/gatehouse/service.sock")
        let own = try Running(
            scene, "own", environment: here.merging(["XDG_RUNTIME_DIR": scene.folder.path]) { $1 })
        #expect(own.socket == scene.folder("gatehouse/own.sock"))
        let shared = [lonely, service, session].map(\.socket)
        let listed = "lonely   \(shared[0])\nservice  \(shared[1])\nsession  \(shared[2])\n"
        #expect(try ChildProcess.run(arguments: ["ctl", "hosts"], environment: here).output == listed)
        for host in [lonely, session, service, own] { try host.finish() }
    }
}
