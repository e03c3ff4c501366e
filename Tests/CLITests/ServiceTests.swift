// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// What the service manager is told, on the built program, by a socket that stands for systemd's.
@Suite(.timeLimit(.minutes(10))) struct ServiceTests {
    /// Starts a host that tells a manager; it reads until its input is closed.
    private func start(
        _ scene: Scene, _ manager: ServiceManager, _ variables: [String: String] = [:]
    ) throws -> ChildProcess {
        try ChildProcess(
            BuiltProducts.program, ["run", "--print", "none"], in: scene.folder.path,
            environment: scene.environment.merging(["NOTIFY_SOCKET": manager.address]) { $1 }
                .merging(variables) { $1 },
            keeping: scene.folder)
    }

    @Test(arguments: [false, true])
    func `a host says that it is ready, and at the end of its input that it is stopping`(
        isAbstract: Bool
    ) throws {
        let scene = try Scene.counter()
        let manager = try ServiceManager(in: scene.folder, isAbstract: isAbstract)
        let child = try start(scene, manager)
        #expect(try manager.next() == "READY=1\nSTATUS=running 1 instance")
        child.closeInput()
        let outcome = try child.finish()
        #expect(try manager.next() == "STOPPING=1")
        #expect(outcome.errors == "gatehouse: 0 lines, 0 actions, 0 rejected\n")
        #expect(outcome.exitCode == 0)
    }

    @Test func `a host that is asked to end says once that it is stopping`() throws {
        let scene = try Scene.counter()
        let manager = try ServiceManager(in: scene.folder)
        let child = try start(scene, manager)
        _ = try manager.next()
        child.signal(SIGTERM)
        #expect(try manager.next() == "STOPPING=1")
        #expect(try child.finish().exitCode == 0)
        #expect(manager.rest == [])
    }

    @Test func `a reload is told with the time at which it began, and that it is over`() throws {
        let scene = try Scene.counter()
        let manager = try ServiceManager(in: scene.folder)
        let child = try start(scene, manager)
        _ = try manager.next()
        var before = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &before)
        child.signal(SIGHUP)
        let lines = try manager.next().split(separator: "\n")
        #expect(lines.first == "RELOADING=1")
        let time = try #require(lines.last?.split(separator: "=").last.flatMap { Int($0) })
        #expect(lines.last?.hasPrefix("MONOTONIC_USEC=") == true)
        #expect(time >= before.tv_sec * 1_000_000 + before.tv_nsec / 1_000)
        #expect(try manager.next().hasPrefix("READY=1\nSTATUS="))
        child.closeInput()
        #expect(try child.finish().exitCode == 0)
    }

    @Test func `what became of a reload stays when a file is touched without being changed`() throws {
        let scene = try Scene.counter(#""ingress": { "listen": ["unix:in.sock"] }, "#)
        let manager = try ServiceManager(in: scene.folder)
        let child = try start(scene, manager)
        _ = try manager.next()
        for end in [
            "READY=1\nSTATUS=generation 2 runs, after N ms: replace counter: other settings", "READY=1",
        ] {
            // Whole at once, so that nobody sees half of it.
            try scene.folder.write(
                #"{ "ingress": { "listen": ["unix:in.sock"] }, "plugins": [{ "id": "counter", "settings": { "step": 5 } }] }"#,
                to: "next.json")
            try FileSystem.rename(scene.folder("next.json"), to: scene.folder("plugins.json"))
            #expect(try manager.next().hasPrefix("RELOADING=1\n"))
            #expect(try manager.next().replacing(/after \d+ ms/, with: "after N ms") == end)
        }
        child.signal(SIGTERM)
        #expect(try child.finish().errorLines.filter { $0.contains("generation") }.count == 1)
    }

    @Test func `a watchdog hears twice in its time that the host is alive`() throws {
        let scene = try Scene.counter()
        let manager = try ServiceManager(in: scene.folder)
        let child = try start(scene, manager, ["WATCHDOG_USEC": "200000"])
        var heard: [String] = []
        while heard.filter({ $0 == "WATCHDOG=1" }).count < 4 { heard.append(try manager.next()) }
        #expect(heard.count == 5 && heard.contains("READY=1\nSTATUS=running 1 instance"))
        child.closeInput()
        _ = try child.finish()
    }

    @Test func `a watchdog that is meant for another process hears nothing`() throws {
        let scene = try Scene.counter()
        let manager = try ServiceManager(in: scene.folder)
        let child = try start(scene, manager, ["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"])
        _ = try manager.next()
        child.closeInput()
        _ = try child.finish()
        #expect(manager.rest == ["STOPPING=1"])
    }

    @Test func `a manager that cannot be told is told about once, and the host runs`() throws {
        let scene = try Scene.counter()
        let outcome = try ChildProcess.run(
            arguments: ["run", "--print", "none"], input: Array("{\"type\":\"counter/increment\"}\n".utf8),
            in: scene.folder.path,
            environment: scene.environment.merging(["NOTIFY_SOCKET": "/nowhere/notify"]) { $1 })
        #expect(
            outcome.errorLines == [
                "gatehouse: warning: the service manager cannot be told of the host: NOTIFY_SOCKET=/nowhere/notify: No such file or directory",
                "gatehouse: 1 line, 1 action, 0 rejected",
            ])
        #expect(outcome.exitCode == 0)
    }

    @Test func `data of a service is kept where the manager says`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "persistence" }] }"#, libraries: ["PersistencePlugin"])
        let folder = try scene.folder.makeFolder("state")
        let line = #"{"type":"persistence/save","payload":{"collection":"c","id":"1","value":1}}"# + "\n"
        let outcome = try ChildProcess.run(
            arguments: ["run", "--print", "none"], input: Array(line.utf8), in: scene.folder.path,
            environment: scene.environment.merging(["STATE_DIRECTORY": folder + ":/nowhere"]) { $1 })
        #expect(outcome.exitCode == 0)
        #expect(FileSystem.names(in: folder + "/data") == ["persistence"])
        #expect(!FileSystem.names(in: scene.folder.path).contains("data"))
    }
}
