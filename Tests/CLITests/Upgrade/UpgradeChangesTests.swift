// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// What is asked for, and what fails, in the midst of an upgrade.
@Suite(.timeLimit(.minutes(10))) struct UpgradeChangesTests {
    /// A line of a writer.
    private func line(_ number: Int) -> String {
        #"{"type":"ledger/enter","payload":{"writer":"w","number":\#(number)}}"#
    }

    /// Connects to the control socket of a host.
    private func control(_ host: UpgradedHost) throws -> LocalConnection {
        let status = try host.ctl("status").output
        #expect(!status.isEmpty)
        let folder = host.scene.folder("gatehouse")
        let name = try #require(FileSystem.names(in: folder).first { $0.hasSuffix(".sock") })
        return try LocalConnection(folder + "/" + name)
    }

    @Test(.enabled(if: Workshop.compiler != nil, "needs clang or gcc"))
    func `a host that is told to end while it stands still ends in the process that goes on`() throws {
        let host = try UpgradedHost()
        let writer = try LocalConnection(host.scene.folder("in.sock"))
        writer.write(line(1) + "\n")
        #expect(writer.readLine() == #"{"ok":1}"#)
        // The supervisor does not hear of it, and relays nothing.
        let outcome = try host.ctl("upgrade", host.program(doing: "kill(getppid(), SIGTERM);"))
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let end = try host.child.finish()
        #expect(end.exitCode == 0, "\(end.errors)")
        #expect(try LedgerPage(of: "w", in: JSONText.parse(end.output)).entered == [1...1])
        #expect(!end.errors.contains("it is restarted"), "\(end.errors)")
    }

    @Test(.enabled(if: Workshop.compiler != nil, "needs clang or gcc"), arguments: ["strict", "relaxed"])
    func `requests that come while the host stands still are told that nothing was done`(mode: String) throws
    {
        let host = try UpgradedHost { scene in
            try scene.folder.write(UpgradedHost.configuration(mode: mode), to: "plugins.json")
            return nil
        }
        let requests = [
            #""dispatch","params":{"actions":[\#(line(1))]}"#,
            #""gate","params":{"id":"ledger","position":"close"}"#,
            #""reload""#, #""state""#,
        ]
        let clients = try requests.map { _ in try control(host) }
        let (standing, go) = (host.scene.folder("standing"), host.scene.folder("go"))
        let program = try host.program(
            doing:
                #"fclose(fopen("\#(standing)", "w")); while (access("\#(go)", F_OK) != 0) { usleep(1000); }"#)
        let upgrade = try TestThread { [scene = host.scene] in
            try ChildProcess.run(
                arguments: ["ctl", "upgrade", program], in: scene.folder.path, environment: scene.environment)
        }
        while !FileSystem.exists(standing) { try host.child.takeWhatIsThere() }
        for (client, request) in zip(clients, requests) {
            client.write(#"{"jsonrpc":"2.0","id":1,"method":\#(request)}"# + "\n")
        }
        try host.scene.folder.write("", to: "go")
        let outcome = try upgrade.join()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        for (client, request) in zip(clients, requests) {
            let answer = try JSONText.parse(try #require(client.readLine(), "\(request)"))
            // On a slow machine it has waited too long for its turn by then.
            #expect(answer["error"]?["code"] == -32002, "\(request): \(answer)")
            #expect(
                answer["error"]?["message"]?.stringValue?.hasSuffix("; nothing was done, ask again") == true,
                "\(request): \(answer)")
        }
        let (state, errors) = try host.finish()
        #expect(state["ledger"]?["writers"]?["w"] == nil, "\(state)")
        #expect(!errors.contains("refused"), "\(errors)")
    }

    @Test func `where neither program can go on, the supervisor starts the host again`() throws {
        let host = try UpgradedHost()
        let writer = try LocalConnection(host.scene.folder("in.sock"))
        writer.write(line(1) + "\n")
        #expect(writer.readLine() == #"{"ok":1}"#)
        let configuration = host.scene.folder("plugins.json")
        let before = try FileSystem.read(configuration)
        let outcome = try host.ctl(
            "upgrade",
            FailingProgram.taking.write(into: host.scene.folder, doing: "echo '{' >\(configuration)"))
        #expect(outcome.exitCode != 0)
        try host.child.waitForErrors("neither program can go on, and this host ends\n")
        try host.child.waitForErrors("it is restarted")
        try FileSystem.write(before, to: configuration)
        while try host.ctl("status").exitCode != 0 {}
        let next = try LocalConnection(host.scene.folder("in.sock"))
        next.write(line(2) + "\n")
        #expect(next.readLine() == #"{"ok":1}"#)
        let (state, errors) = try host.finish()
        #expect(try LedgerPage(of: "w", in: state).entered == [1...2])
        #expect(
            errors.contains(
                "ended with code 78 before it was prepared; its messages say why; neither program can go on, and this host ends\n"
            ), "\(errors)")
    }

    @Test func `a reducer that fails in the new process leaves the host, whose reducer works, as it is`()
        throws
    {
        let host = try UpgradedHost(entries: #", { "id": "fatal" }"#, libraries: ["FatalPlugin"])
        let act = #"{"type":"fatal/act","payload":{"place":"reduce","deed":"armed-trap"}}"#
        #expect(try host.ctl("dispatch", act).exitCode == 0)
        try host.scene.folder.write("", to: "armed")
        let outcome = try host.ctl("upgrade")
        #expect(outcome.exitCode == 75)
        #expect(
            outcome.errors.contains(
                "ended with code 69 before it was prepared; its messages say why; this host goes on\n"),
            "\(outcome.errors)")
        let status = try JSONText.parse(host.ctl("status", "--json").output)
        #expect(status["instances"]?.arrayValue?.allSatisfy { $0["standing"] == nil } == true, "\(status)")
        FileSystem.remove(host.scene.folder("armed"))
        try host.upgrade()
        let errors = try host.finish().errors
        #expect(
            errors.contains("at action 1, when the journal was replayed\n"), "\(errors)")
        #expect(!errors.contains("quarantine"), "\(errors)")
    }

    @Test func `a place of a followed file that cannot be saved leaves the host as it is`() throws {
        let host = try UpgradedHost { scene in
            try scene.folder.write("", to: "lines")
            try scene.folder.write(
                UpgradedHost.configuration(ingress: #"{ "tail": "lines" }"#), to: "plugins.json")
            return nil
        }
        try FileSystem.append(line(1) + "\n", to: host.scene.folder("lines"))
        let places = host.scene.folder("data/host")
        while FileSystem.names(in: places).isEmpty { try host.child.takeWhatIsThere() }
        try FileSystem.rename(places, to: places + "-away")
        try FileSystem.write([], to: places)
        try FileSystem.append(line(2) + "\n", to: host.scene.folder("lines"))
        try wait(for: 2, in: host)
        let outcome = try host.ctl("upgrade")
        #expect(outcome.exitCode == 75)
        #expect(
            outcome.errors.hasPrefix(
                "gatehouse: lines: its read position cannot be saved in ./data/host/tail-")
                && outcome.errors.hasSuffix(
                    ": Not a directory; the next run may read lines again; this host goes on\n"),
            "\(outcome.errors)")
        FileSystem.remove(places)
        try FileSystem.rename(places + "-away", to: places)
        try host.upgrade()
        try FileSystem.append(line(3) + "\n", to: host.scene.folder("lines"))
        try wait(for: 3, in: host)
        let page = try LedgerPage(of: "w", in: host.finish().state)
        #expect(page.entered == [1...3])
        #expect(page.faults == [])
    }

    /// Waits until the host has entered the first numbers of the writer.
    private func wait(for last: Int, in host: UpgradedHost) throws {
        while true {
            let state = try JSONText.parse(host.ctl("state").output)
            guard state["ledger"]?["writers"]?["w"] != nil else { continue }
            if try LedgerPage(of: "w", in: state).entered == [1...last] { return }
        }
    }
}
