// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// `Service/gatehouse@.service`, its commands run as they stand there, with what systemd would set around them.
@Suite(.timeLimit(.minutes(10))) struct UnitTests {
    /// A unit file, and the folders of a machine on which it runs.
    private struct Machine {
        /// What stands in the unit, after each key.
        private let settings: [String: [String]]
        let folder: TemporaryFolder
        let manager: ServiceManager

        /// The instance after `@`.
        private static let instance = "orders"

        /// Reads the unit, and makes the folders that it asks for.
        init() throws {
            folder = try TemporaryFolder()
            for name in [
                "etc", "etc/orders", "run", "run/gatehouse", "var", "var/gatehouse", "var/gatehouse/orders",
                "cache", "cache/gatehouse", "usr", "usr/bin", "usr/lib", "usr/lib/gatehouse",
                "usr/lib/gatehouse/plugins",
            ] {
                _ = try folder.makeFolder(name)
            }
            try FileSystem.link(folder("usr/bin/gatehouse"), to: BuiltProducts.program)
            for name in ["Counter", "CrashReports", "Persistence"] {
                try folder.copyLibrary(name + "Plugin", as: "usr/lib/gatehouse/plugins/lib\(name)Plugin.so")
            }
            manager = try ServiceManager(in: folder)
            var settings: [String: [String]] = [:]
            for line in try GuidePage.text("Service/gatehouse@.service").split(separator: "\n") {
                guard !line.hasPrefix("#"), let end = line.firstIndex(of: "=") else { continue }
                settings[String(line[..<end]), default: []].append(String(line[line.index(after: end)...]))
            }
            self.settings = settings
            try configure()
        }

        /// The only value of a key, for this instance and machine.
        func value(_ key: String) throws -> String {
            let values = settings[key] ?? []
            try #require(values.count == 1, "\(key): \(values)")
            return here(values[0].replacing("%i", with: Self.instance))
        }

        /// Whether the unit has a key.
        func has(_ key: String) -> Bool { settings[key] != nil }

        /// A text with the folders of this machine.
        private func here(_ text: String) -> String {
            [
                ("@PREFIX@", "usr"), ("/usr/local", "usr"), ("/etc/gatehouse", "etc"), ("/run", "run"),
                ("/var/lib", "var"),
            ].reduce(text) { $0.replacing($1.0, with: folder($1.1)) }
        }

        /// Puts the example's configuration where the unit looks for it.
        func configure(_ change: (String) -> String = { $0 }) throws {
            try folder.write(
                here(change(try GuidePage.text("Examples/service/plugins.json"))),
                to: "etc/orders/plugins.json")
        }

        /// Runs the line that starts the service.
        func start() throws -> ChildProcess {
            let words = try value("ExecStart").split(separator: " ").map(String.init)
            let time = try #require(Int(value("WatchdogSec")))
            try #require(value("Type") == "notify")
            return try ChildProcess(
                words[0], Array(words.dropFirst()), in: "/",
                environment: [
                    "NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "\(time * 1_000_000)",
                    "RUNTIME_DIRECTORY": folder("run/" + value("RuntimeDirectory")),
                    "STATE_DIRECTORY": folder("var/" + value("StateDirectory")),
                    "CACHE_DIRECTORY": folder("cache/" + value("CacheDirectory")),
                ], keeping: folder)
        }

        /// Asks the host, where an operator finds it.
        func ctl(_ arguments: String...) throws -> String {
            try ChildProcess.run(
                arguments: ["ctl", "--socket", folder("run/gatehouse/orders.sock")] + arguments, in: "/"
            ).output
        }

        /// Waits until the manager is told something; gives what it was told before. What the host does by itself, signs of life
        /// and looks at files that have changed, may come in between.
        @discardableResult
        func waitUntilTold(_ message: String) throws -> [String] {
            var before: [String] = []
            while true {
                let next = try manager.next().replacing(/after \d+ ms/, with: "after N ms")
                if next == message { return before }
                before.append(next)
            }
        }
    }

    @Test func `the unit lets the host make control groups, and stops for no worker that the kernel ends`()
        throws
    {
        let machine = try Machine()
        #expect(try machine.value("Delegate") == "cpu memory pids")
        #expect(try machine.value("OOMPolicy") == "continue")
        #expect(!machine.has("ProtectControlGroups"))
    }

    @Test func `the unit starts, reloads and stops a host, which goes on from its state`() throws {
        let machine = try Machine()
        let child = try machine.start()
        try machine.waitUntilTold("READY=1\nSTATUS=running 3 instances")
        let socket = machine.folder("run/gatehouse/orders.in.sock")
        #expect(try FileSystem.mode(of: socket) & 0o777 == 0o660)
        let writer = try LocalConnection(socket)
        writer.write(#"{"type":"orders/increment"}"# + "\n")
        #expect(writer.readLine() == #"{"ok":1}"#)
        writer.write(
            #"{"type":"persistence/save","payload":{"collection":"c","id":"1","value":1}}"# + "\n")
        #expect(writer.readLine() == #"{"ok":2}"#)

        #expect(try machine.value("ExecReload") == "/bin/kill -HUP $MAINPID")
        try machine.configure {
            $0.replacing(#""id": "orders","#, with: #""id": "orders", "settings": { "step": 5 },"#)
        }
        child.signal(SIGHUP)
        let first = try machine.waitUntilTold(
            "READY=1\nSTATUS=generation 2 runs, after N ms: replace orders: other settings")
        #expect(first.last?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
        try machine.configure { $0.replacing(#""id": "orders","#, with: #""id": "orders", "setings": {},"#) }
        child.signal(SIGHUP)
        let second = try machine.waitUntilTold("READY=1\nSTATUS=the change is refused, generation 2 runs on")
        #expect(second.last?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
        writer.write(#"{"type":"orders/increment"}"# + "\n")
        #expect(writer.readLine() == #"{"ok":3}"#)
        #expect(try machine.ctl("state", "/orders/count") == "6\n")

        child.signal(SIGTERM)
        try machine.waitUntilTold("STOPPING=1")
        #expect(try child.finish().exitCode == 0)
        #expect(FileSystem.names(in: machine.folder("var/gatehouse/orders")) == ["data", "state.json"])
        #expect(FileSystem.names(in: machine.folder("etc/orders")) == ["plugins.json"])

        try machine.configure()
        let next = try machine.start()
        try machine.waitUntilTold("READY=1\nSTATUS=running 3 instances")
        #expect(try machine.ctl("state", "/orders/count") == "6\n")
        next.signal(SIGTERM)
        try machine.waitUntilTold("STOPPING=1")
        #expect(try next.finish().exitCode == 0)
    }

    @Test func `what another start would not heal ends with a code that the unit does not start again for`()
        throws
    {
        let machine = try Machine()
        try machine.configure { $0.replacing("libCounterPlugin.so", with: "libCountPlugin.so") }
        let codes = try machine.value("RestartPreventExitStatus").split(separator: " ").map { Int32($0) }
        #expect(codes == [64, 69, 76, 77, 78])
        #expect(try machine.start().finish().exitCode == 78)
        try machine.folder.write("no library", to: "usr/lib/gatehouse/plugins/libCountPlugin.so")
        #expect(try machine.start().finish().exitCode == 69)
        #expect(machine.manager.rest == [])
    }

    @Test(.enabled(if: Workshop.has("systemd-analyze"), "needs systemd-analyze"))
    func `systemd reads the unit, and what the guide puts beside it`() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeFolder("gatehouse@orders.service.d")
        let unit = try GuidePage.text("Service/gatehouse@.service")
            .replacing("@PREFIX@/bin/gatehouse", with: BuiltProducts.program)
            // Its user is made when it is installed.
            .replacing(/(User|Group)=gatehouse/) { "\($0.1)=root" }
        try folder.write(unit, to: "gatehouse@orders.service")
        let blocks = try GuidePage("Documentation/Operating.md").sessions.flatMap(\.blocks)
            .filter { $0.kind == "ini" }
        #expect(!blocks.isEmpty)
        for (number, block) in blocks.enumerated() {
            try folder.write(
                block.lines.joined(separator: "\n") + "\n", to: "gatehouse@orders.service.d/\(number).conf")
        }
        try folder.write(
            GuidePage.text("Service/notify-reload.conf"),
            to: "gatehouse@orders.service.d/notify-reload.conf")
        let sockets = try GuidePage("Documentation/Configuration.md").sessions.flatMap(\.blocks)
            .filter { $0.kind == "ini" }
        #expect(sockets.count == 1)
        try folder.write(sockets[0].lines.joined(separator: "\n") + "\n", to: "gatehouse@orders.socket")
        let outcome = try ChildProcess.run(
            "/usr/bin/env",
            arguments: [
                "systemd-analyze", "verify", "--man=no", folder("gatehouse@orders.service"),
                folder("gatehouse@orders.socket"),
            ], in: "/")
        // What is wrong with other units of this machine is not ours. Before 253 systemd knows no notify-reload.
        let complaints = outcome.errorLines.filter {
            $0.contains("gatehouse@") && !$0.hasSuffix("ignoring: notify-reload")
        }
        #expect(complaints == [])
    }

    @Test(
        .enabled(if: FileSystem.isRoot, "needs root"),
        .enabled(if: Workshop.has("systemd-sysusers") && Workshop.has("systemd-tmpfiles"), "needs systemd"))
    func `the user and the folders are made as the unit expects them`() throws {
        let folder = try TemporaryFolder()
        for name in ["etc", "run"] { _ = try folder.makeFolder(name) }
        try folder.write("root:x:0:0:root:/root:/bin/sh\n", to: "etc/passwd")
        try folder.write("root:x:0:\n", to: "etc/group")
        for (program, file) in [("systemd-sysusers", "sysusers.conf"), ("systemd-tmpfiles", "tmpfiles.conf")]
        {
            let outcome = try ChildProcess.run(
                "/usr/bin/env",
                arguments: [program] + (program == "systemd-tmpfiles" ? ["--create"] : [])
                    + ["--root=" + folder.path, GuidePage.path("Service/" + file)],
                in: "/")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
        }
        #expect(try folder.read("etc/passwd").contains("gatehouse:"))
        #expect(try FileSystem.mode(of: folder("etc/gatehouse")) == 0o755)
        #expect(try FileSystem.mode(of: folder("run/gatehouse")) == 0o755)
    }
}
