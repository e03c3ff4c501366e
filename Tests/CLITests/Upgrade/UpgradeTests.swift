// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// Another process goes on for a running host.
@Suite(.timeLimit(.minutes(10))) struct UpgradeTests {
    /// A line of a writer.
    private func line(_ number: Int, by writer: String = "w") -> String {
        #"{"type":"ledger/enter","payload":{"writer":"\#(writer)","number":\#(number)}}"#
    }

    // MARK: - What goes over

    @Test(arguments: ["host", "worker"])
    func `a connection goes on at the same byte, and its lines are counted on`(placement: String) throws {
        let host = try UpgradedHost(placement: placement)
        let writer = try LocalConnection(host.scene.folder("in.sock"))
        writer.write(line(1) + "\n" + line(2) + "\n" + line(3).prefix(20))
        while writer.readLine() != #"{"ok":2}"# {}
        let first = try host.upgrade()
        writer.write(line(3).dropFirst(20) + "\n")
        #expect(writer.readLine() == #"{"ok":3}"#)
        writer.write("?\n" + line(4) + "\n")
        #expect(writer.readLine()?.hasSuffix(#","rejected":1}"#) == true)
        let second = try host.upgrade()
        #expect(second != first)
        writer.write(line(5) + "\n")
        while let answer = writer.readLine(), answer != #"{"ok":6,"rejected":1}"# {
            #expect(answer == #"{"ok":5,"rejected":1}"#)
        }
        let (state, errors) = try host.finish()
        let page = try LedgerPage(of: "w", in: state)
        #expect(page.entered == [1...5])
        #expect(page.answered == [1...5])
        #expect(page.faults == [])
        #expect(errors.contains("in.sock#1:4:1: expected"), "\(errors)")
        #expect(errors.contains("gatehouse: process \(second) goes on for the host (process \(first))\n"))
    }

    @Test(arguments: ["host", "worker"])
    func `an effect goes on in each process under its key, until it ends in one of them`(
        placement: String
    ) throws {
        let host = try UpgradedHost(
            entries: #", { "id": "courier", "placement": "\#(placement)" }"#, libraries: ["CourierPlugin"],
            ["--supervise", "--print", "actions"])
        let send = #"{"type":"courier/send","payload":{"id":"a","parts":2}}"#
        #expect(try host.ctl("dispatch", send).exitCode == 0)
        try host.child.waitForOutput(#""part":2,"key":"#)
        try host.upgrade()
        for part in 1...2 {
            try host.child.waitForOutput(#""attempt":\#(part + 1)}"#)
            let arrive = #"{"type":"courier/arrive","payload":{"id":"a","part":\#(part)}}"#
            #expect(try host.ctl("dispatch", arrive).exitCode == 0)
            try host.child.waitForOutput(#""courier/arrived","payload":{"id":"a","part":\#(part)}"#)
            if part == 1 { try host.upgrade() }
        }
        while try host.ctl("effects").output != "no effect of an action is under way\n" {}
        let told = try host.scene.call("history", "--json", "--type", "courier/begun").output
            .split(separator: "\n").map { try JSONText.parse(String($0)) }
        #expect(told.map { $0["action"]?["payload"]?["attempt"] } == [1, 1, 2, 2, 3])
        #expect(Set(told.map { $0["action"]?["payload"]?["key"] }).count == 1)
        #expect(told.allSatisfy { $0["cause"] == ["kind": "effect", "of": 1] }, "\(told)")
        host.child.signal(SIGTERM)
        #expect(try host.child.finish().exitCode == 0)
    }

    // MARK: - Programs that fail

    @Test(arguments: FailingProgram.allCases)
    func `where a program fails, the host goes on, and says why`(program: FailingProgram) throws {
        let host = try UpgradedHost()
        let writer = try LocalConnection(host.scene.folder("in.sock"))
        writer.write(line(1) + "\n")
        #expect(writer.readLine() == #"{"ok":1}"#)
        let outcome = try host.ctl("upgrade", try program.write(into: host.scene.folder))
        let words = outcome.errors + outcome.output
        if program == .taking {
            // The journal was the other program's, so this one has started once more.
            #expect(outcome.exitCode == 0)
            #expect(words.contains("goes on for the host, with 1 connection; inputs waited"), "\(words)")
        } else {
            #expect(outcome.exitCode == 75)
            #expect(words.contains(program.end + "; its messages say why; this host goes on\n"), "\(words)")
        }
        writer.write(line(2) + "\n")
        #expect(writer.readLine() == #"{"ok":2}"#)
        let (state, errors) = try host.finish()
        #expect(try LedgerPage(of: "w", in: state).entered == [1...2])
        if program == .taking {
            #expect(errors.contains(program.end + "; its messages say why; this program starts once more\n"))
        }
    }

    @Test(.enabled(if: Workshop.compiler != nil, "needs clang or gcc"))
    func `where the end of the journal cannot be read, the host goes on`() throws {
        let host = try UpgradedHost()
        let writer = try LocalConnection(host.scene.folder("in.sock"))
        writer.write(line(1) + "\n")
        #expect(writer.readLine() == #"{"ok":1}"#)
        // Everybody may write to the journal from the moment on in which the new process hears that the host stands still.
        let journal = host.scene.folder("journal/journal.sqlite")
        let outcome = try host.ctl(
            "upgrade", host.program(doing: #"chmod("\#(journal)", 0666);"#))
        #expect(
            outcome.errors.hasSuffix(
                "ended with code 74 before it was ready; its messages say why; this host goes on\n"),
            "\(outcome.errors)")
        #expect(outcome.exitCode == 75)
        try FileSystem.setMode(0o600, of: journal)
        writer.write(line(2) + "\n")
        #expect(writer.readLine() == #"{"ok":2}"#)
        let (state, errors) = try host.finish()
        #expect(try LedgerPage(of: "w", in: state).entered == [1...2])
        #expect(
            errors.contains("\(journal): everybody may write to it (mode 666)"), "\(errors)")
    }

    @Test func `a configuration that the new process refuses leaves the host as it is`() throws {
        let host = try UpgradedHost()
        try host.scene.folder.write("{", to: "plugins.json")
        let outcome = try host.ctl("upgrade")
        #expect(outcome.exitCode == 75)
        #expect(
            outcome.errors.contains(
                "ended with code 78 before it was prepared; its messages say why; this host goes on\n"))
        try host.scene.folder.write(UpgradedHost.configuration(journal: "elsewhere"), to: "plugins.json")
        #expect(try host.ctl("upgrade").exitCode == 75)
        let writer = try LocalConnection(host.scene.folder("in.sock"))
        writer.write(line(1) + "\n")
        #expect(writer.readLine() == #"{"ok":1}"#)
        let errors = try host.finish().errors
        #expect(
            errors.contains(
                "gatehouse: the running host has its journal in ./journal, and the configuration names ./elsewhere; stop the host to move its journal\n"
            ), "\(errors)")
    }

    @Test func `a socket that the new process cannot open leaves those of the host as they are`() throws {
        let host = try UpgradedHost()
        try host.scene.folder.write("no socket", to: "taken")
        try host.scene.folder.write(
            UpgradedHost.configuration().replacing(
                #""unix:in.sock?ack""#, with: #""unix:in.sock?ack", "unix:taken""#), to: "plugins.json")
        let outcome = try host.ctl("upgrade")
        #expect(outcome.exitCode == 75)
        #expect(outcome.errors.contains("ended with code 64 before it was ready; its messages say why"))
        let writer = try LocalConnection(host.scene.folder("in.sock"))
        writer.write(line(1) + "\n")
        #expect(writer.readLine() == #"{"ok":1}"#)
        let errors = try host.finish().errors
        #expect(
            errors.contains("taken: expected nothing or the socket of a host that has ended"), "\(errors)")
    }

    // MARK: - Who may

    @Test func `a host that cannot be upgraded says why`() throws {
        let alone = try UpgradedHost([])
        #expect(
            try alone.ctl("upgrade").errors
                == "gatehouse: nobody would watch the new process; run the host under a service manager, or with --supervise\n"
        )
        let forgetful = try ControlledHost(#""ingress": { "listen": ["unix:in.sock"] }, "#, ["--supervise"])
        #expect(
            try forgetful.ctl("upgrade").errors
                == "gatehouse: a host without a journal cannot hand over its state; name one in plugins.json, or start the host again\n"
        )
        let member = try ControlledHost(
            #""ingress": { "listen": ["unix:in.sock"] }, "cluster": { "engine": "local", "name": "shop", "partitions": 2, "key": { "eu/*": "/by" } }, "#,
            ["--supervise"])
        #expect(
            try member.ctl("upgrade").errors
                == "gatehouse: the partitions are in this process's memory and end with it; keep them in a file, with \"engine\": \"local:partitions.db\", or start the host again\n"
        )
        #expect(
            try UpgradedHost().ctl("upgrade", "/nowhere").errors
                == "gatehouse: /nowhere cannot be executed: No such file or directory; this host goes on\n")
    }

    // MARK: - Service managers

    @Test func `a service manager is told which process it watches from here on`() throws {
        let folder = try TemporaryFolder()
        let manager = try ServiceManager(in: folder)
        let host = try UpgradedHost([], environment: ["NOTIFY_SOCKET": manager.address])
        let next = try host.upgrade()
        var messages: [String] = []
        while messages.last != "MAINPID=\(next)" { messages.append(try manager.next()) }
        #expect(messages.contains { $0.hasPrefix("READY=1\n") })
        #expect(!messages.contains { $0.contains("STOPPING") })
        kill(pid_t(next), SIGTERM)
        let outcome = try host.child.finish()
        #expect(outcome.exitCode == 0)
        #expect(try JSONText.parse(outcome.output)["ledger"] != nil)
    }

    @Test
    func
        `SIGHUP upgrades a host and its supervisor where another program is installed, and reloads otherwise`()
        throws
    {
        var installed = ""
        let host = try UpgradedHost { scene in
            installed = try Self.install(in: scene)
            return installed
        }
        host.child.signal(SIGHUP)
        try host.child.waitForErrors("gatehouse: nothing has changed, generation 1 runs on")
        try Self.replace(installed)
        host.child.signal(SIGHUP)
        try host.child.waitForErrors("supervises the host (process")
        let writer = try LocalConnection(host.scene.folder("in.sock"))
        writer.write(line(1) + "\n")
        #expect(writer.readLine() == #"{"ok":1}"#)
        // The supervisor has kept the number of its process, and what it has to know about its host.
        let process = try #require(JSONText.parse(host.ctl("status", "--json").output)["pid"]?.intValue)
        kill(pid_t(process), SIGKILL)
        try host.child.waitForErrors("(process \(process)) died by SIGKILL")
        writer.write(line(2) + "\n")
        let again = try LocalConnection(host.scene.folder("in.sock"))
        again.write(line(2) + "\n")
        #expect(again.readLine() == #"{"ok":1}"#)
        #expect(try LedgerPage(of: "w", in: host.finish().state).entered == [1...2])
    }

    @Test func `the process that goes on tells how often the host was restarted before it`() throws {
        let host = try UpgradedHost()
        kill(pid_t(try host.upgrade()), SIGKILL)
        try host.child.waitForErrors("it is restarted")
        while try host.ctl("status").exitCode != 0 {}
        try host.upgrade()
        let metrics = try host.ctl("metrics").output
        #expect(metrics.contains("gatehouse_restarts_total{host=\"shop\"} 1\n"), "\(metrics)")
        _ = try host.finish()
    }

    @Test func `a process that goes on ends with its supervisor, too`() throws {
        let host = try UpgradedHost()
        try host.upgrade()
        host.child.signal(SIGKILL)
        // The words end with the last process that has standard error.
        #expect(try host.child.finish().errors.contains("ended early by signal 15"))
    }

    /// Copies the program into a scene, beside links to its libraries; returns its path.
    private static func install(in scene: Scene) throws -> String {
        let folder = scene.folder("program")
        try FileSystem.makeFolder(folder)
        let built = BuiltProducts.program.split(separator: "/").dropLast().joined(separator: "/")
        for name in FileSystem.names(in: "/" + built) where name.hasSuffix(".so") {
            try FileSystem.link("\(folder)/\(name)", to: "/\(built)/\(name)")
        }
        let path = folder + "/gatehouse"
        try FileSystem.write(FileSystem.read(BuiltProducts.program), to: path, mode: 0o755)
        return path
    }

    /// Replaces a program by another file, as packages do.
    private static func replace(_ path: String) throws {
        try FileSystem.write(FileSystem.read(BuiltProducts.program), to: path + ".new", mode: 0o755)
        try FileSystem.rename(path + ".new", to: path)
    }
}
