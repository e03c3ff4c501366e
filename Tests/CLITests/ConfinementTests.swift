// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// What code in a child of the host can reach: the fixture tries one thing after the other, and says how it was turned away.
@Suite(.timeLimit(.minutes(10))) struct ConfinementTests {
    /// A folder that no child may change, with what the fixture goes for.
    private let outside: TemporaryFolder
    /// The sockets in it.
    private let sockets: [Int32]

    init() throws {
        outside = try TemporaryFolder()
        try outside.write("precious", to: "victim")
        _ = try outside.makeFolder("empty")
        sockets = try [("open", SOCK_STREAM), ("datagrams", SOCK_DGRAM)].map { [outside] name, kind in
            try Self.listen(at: outside(name), kind)
        }
    }

    /// Listens at a path, as another service of the machine does.
    private static func listen(at path: String, _ kind: __socket_type) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(kind.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
        if kind == SOCK_STREAM { try #require(Glibc.listen(descriptor, 8) == 0) }
        return descriptor
    }

    /// The errors with which the system turns something away.
    private static let refusals: Set = ["EPERM", "EACCES", "ENOSYS", "EXDEV"]

    /// The names of the deeds, which stand in the fixture's source.
    ///
    /// - Parameter kind: `SEALED` for those that only a worker must not do, `GRANTED` for those with a socket that the host has made.
    private static func deeds(_ kind: String = "DEED") throws -> [String] {
        try GuidePage.text("Tests/Fixtures/ForeignEscaping/ForeignEscaping.c")
            .matches(of: /(DEED|SEALED|GRANTED)\(([a-z0-9_]+)\)[,]/).filter { $0.1 == kind }
            .map { String($0.2) }.filter { $0 != "name" }
    }

    /// Lets a host rehearse an instance for each deed; returns what it says.
    private func rehearse(_ deeds: [String], _ confinement: String? = nil) throws -> ChildProcess.Outcome {
        let entries = deeds.map {
            """
            { "id": "\($0.replacing("_", with: "-"))", "library": "libForeignEscaping.so",
              "settings": { "deed": "\($0)", "folder": "\(outside.path)" } }
            """
        }
        let scene = try Scene(
            #"{ "discovery": "ignore", "plugins": [\#(entries.joined(separator: ", "))] }"#,
            libraries: ["ForeignEscaping"])
        let extra = confinement.map { ["GATEHOUSE_CONFINEMENT": $0] } ?? [:]
        return try ChildProcess.run(
            arguments: ["run"], in: scene.folder.path,
            environment: scene.environment.merging(extra) { $1 })
    }

    /// The error with which each deed was turned away.
    private func errors(in outcome: ChildProcess.Outcome) -> [String: String] {
        Dictionary(
            outcome.errors.matches(of: /([a-z0-9_]+) was turned away with ([A-Z0-9]+)/).map {
                (String($0.1), String($0.2))
            }
        ) { first, _ in first }
    }

    @Test(arguments: [nil, "2"])
    func
        `nothing of what a plugin tries gets through, with the Landlock of this kernel and with its version 2`(
            confinement: String?
        ) throws
    {
        let deeds = try Self.deeds()
        #expect(deeds.count >= 80)
        let outcome = try rehearse(deeds, confinement)
        let errors = errors(in: outcome)
        for deed in deeds {
            let error = errors[deed]
            #expect(error.map(Self.refusals.contains) == true, "\(deed): \(error ?? "got through")")
        }
        #expect(!outcome.errors.contains("got through"), "\(outcome.errors)")
        #expect(FileSystem.names(in: outside.path).sorted() == ["datagrams", "empty", "open", "victim"])
        #expect(try FileSystem.read(outside("victim")) == Array("precious".utf8))
    }

    @Test(arguments: [nil, "2"])
    func `nothing of that gets through in a worker either, while it processes actions`(confinement: String?)
        throws
    {
        let deeds = try Self.deeds() + Self.deeds("SEALED")
        #expect(deeds.count >= 90)
        let scene = try Scene(
            """
            { "discovery": "ignore", "plugins": [
              { "id": "escaping", "library": "libForeignEscaping.so", "placement": "worker",
                "settings": { "folder": "\(outside.path)" } }
            ] }
            """, libraries: ["ForeignEscaping"])
        let extra = confinement.map { ["GATEHOUSE_CONFINEMENT": $0] } ?? [:]
        let lines = deeds.map { #"{"type":"escaping/hear","payload":"\#($0)"}"# + "\n" }
        let outcome = try ChildProcess.run(
            arguments: ["run"], input: Array(lines.joined().utf8), in: scene.folder.path,
            environment: scene.environment.merging(extra) { $1 })
        let errors = errors(in: outcome)
        for deed in deeds {
            let error = errors[deed]
            #expect(error.map(Self.refusals.contains) == true, "\(deed): \(error ?? "got through")")
        }
        #expect(!outcome.errors.contains("got through"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("its worker"), "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
        #expect(FileSystem.names(in: outside.path).sorted() == ["datagrams", "empty", "open", "victim"])
        #expect(try FileSystem.read(outside("victim")) == Array("precious".utf8))
    }

    /// Lets a worker that may listen try some deeds with its socket, at which clients wait; returns what the host says.
    private func listen(
        _ deeds: [String], _ confinement: [String: String] = [:]
    ) throws -> (errors: [String: String], all: String, port: Int) {
        let port = try LocalPort.free()
        let host = try LiveHost(
            """
            { "discovery": "ignore", "plugins": [
              { "id": "escaping", "library": "libForeignEscaping.so", "placement": "worker",
                "grant": { "network": ["listen:127.0.0.1:\(port)"] }, "settings": { "port": "\(port)" } }
            ] }
            """, libraries: ["ForeignEscaping"], environment: confinement)
        let clients = try deeds.filter { $0.hasPrefix("client_") }.map { _ in try LocalConnection(port: port)
        }
        for deed in deeds { host.write(#"{"type":"escaping/hear","payload":"\#(deed)"}"#) }
        try host.child.waitForErrors { errors in
            deeds.allSatisfy {
                errors.contains($0 + " was turned away") || errors.contains($0 + " got through")
            }
        }
        // What was spoiled is made anew for whoever asks next, and the last deed did no harm to it.
        #expect(LocalPort.isHeld(port))
        for client in clients { client.close() }
        host.child.signal(SIGTERM)
        let outcome = try host.child.finish()
        return (errors(in: outcome), outcome.errors, port)
    }

    @Test func `a worker that may listen does nothing else with its socket, nor with a client's`() throws {
        let deeds = try Self.deeds("GRANTED")
        #expect(deeds.count >= 15)
        let (errors, all, _) = try listen(deeds)
        for deed in deeds {
            let isRefused = errors[deed].map(Self.refusals.contains) == true
            // A message for somebody goes nowhere over a socket that was to have a connection.
            #expect(
                deed == "listener_sends" ? errors[deed] == "EPIPE" : isRefused,
                "\(deed): \(errors[deed] ?? all)")
        }
        #expect(!all.contains("got through"), "\(all)")
        #expect(!all.contains("its worker"), "\(all)")
        let free = try listen(["listener_listens_longer"], ["GATEHOUSE_CONFINEMENT": "off"])
        #expect(free.all.contains("listener_listens_longer got through"), "\(free.all)")
    }

    @Test func `a worker reads what it is granted, and changes it no more than before`() throws {
        let scene = try Scene(
            """
            { "discovery": "ignore", "plugins": [
              { "id": "escaping", "library": "libForeignEscaping.so", "placement": "worker",
                "grant": { "read": ["\(outside("victim"))"] }, "settings": { "folder": "\(outside.path)" } }
            ] }
            """, libraries: ["ForeignEscaping"])
        let deeds = ["read_file", "list_folder", "write_file", "change_mode"]
        let lines = deeds.map { #"{"type":"escaping/hear","payload":"\#($0)"}"# + "\n" }
        let outcome = try scene.run(["--print", "none"], input: lines.joined())
        #expect(outcome.errors.contains("read_file got through"), "\(outcome.errors)")
        for deed in deeds.dropFirst() {
            #expect(outcome.errors.contains("\(deed) was turned away with"), "\(outcome.errors)")
        }
    }

    @Test func `a library that is to run in a worker is rehearsed with the rights of one`() throws {
        let scene = try Scene(
            """
            { "discovery": "ignore", "plugins": [
              { "id": "escaping", "library": "libForeignEscaping.so", "placement": "worker",
                "settings": { "deed": "read_file", "folder": "\(outside.path)" } }
            ] }
            """, libraries: ["ForeignEscaping"])
        let outcome = try scene.run([], input: "")
        #expect(outcome.errors.contains("read_file was turned away with EACCES"), "\(outcome.errors)")
        #expect(try rehearse(["read_file"]).errors.contains("read_file got through"))
    }

    /// A configuration with a journal, for a plugin that keeps in its state what came of a deed.
    private func keeping(_ placement: String, reading read: [String] = []) -> String {
        let grant = read.isEmpty ? "" : #""grant": { "read": ["\#(read.joined(separator: "\", \""))"] }, "#
        return """
            { "discovery": "ignore", "journal": { "directory": "journal" }, "plugins": [
              { "id": "escaping", "library": "libForeignEscaping.so", "placement": "\(placement)", \(grant)
                "settings": { "folder": "\(outside.path)" } }
            ] }
            """
    }

    /// Actions for such a plugin.
    private static let kept = ["write_file", "read_file", "list_folder"].map {
        #"{"type":"escaping/keep","payload":"\#($0)"}"# + "\n"
    }.joined()

    @Test(arguments: [("worker", "was turned away with EACCES"), ("host", "got through")])
    func `a child that reduces the past reads what the workers of its plugins may`(
        placement: String, outcome: String
    ) throws {
        let scene = try Scene(keeping(placement), libraries: ["ForeignEscaping"])
        #expect(try scene.run(["--print", "none"], input: Self.kept).exitCode == 0)
        for (number, words) in [
            (1, "write_file was turned away with EACCES"), (2, "read_file \(outcome)"),
            (3, "list_folder \(outcome)"),
        ] {
            let state = try scene.call("state", "--at", "\(number)", "/escaping")
            #expect(state.output == "\"\(words)\"\n", "\(state.errors)")
        }
    }

    @Test func `both sides of a trial have the rights of the workers that run and that are to come`() throws {
        let scene = try Scene(keeping("worker"), libraries: ["ForeignEscaping"])
        #expect(try scene.run(["--print", "none"], input: Self.kept).exitCode == 0)
        let host = try LiveHost(scene, ["--control", "--print", "none"])
        // What each deed came to is in the state: neither side gets further than the other.
        try scene.folder.write(keeping("worker", reading: [outside.path]), to: "plugins.json")
        let outcome = try scene.call("ctl", "reload", "--rehearse-with-history", "100", "--strict").output
        #expect(outcome.hasPrefix("generation 2 runs"), "\(outcome)")
        host.child.closeInput()
        _ = try host.child.finish()
    }

    @Test func `without a confinement the same deeds get through`() throws {
        let outcome = try rehearse(["create_file", "udp", "signal_parent"], "off")
        #expect(errors(in: outcome) == [:])
        for deed in ["create_file", "udp", "signal_parent"] {
            #expect(outcome.errors.contains("\(deed) got through"), "\(outcome.errors)")
        }
        #expect(FileSystem.names(in: outside.path).contains("new"))
    }

    @Test(arguments: ["1", "OFF"])
    func `a setting that asks for too little or for nothing is a reason to run no child, which is told`(
        setting: String
    ) throws {
        let outcome = try rehearse(["create_file"], setting)
        #expect(
            outcome.errors.contains(
                "plugins are not loaded, because no child process can be started: GATEHOUSE_CONFINEMENT: expected off or a version of Landlock from 2 on, found \"\(setting)\""
            ), "\(outcome.errors)")
        #expect(!FileSystem.names(in: outside.path).contains("new"))
    }

    @Test func `a child that cannot be started is a reason to load nothing, too`() throws {
        let scene = try Scene.counter()
        let outcome = try ChildProcess.run(
            arguments: ["run"], in: scene.folder.path,
            environment: scene.environment.merging(["TMPDIR": "/nonexistent"]) { $1 })
        #expect(
            outcome.errors.contains(
                "plugins are not loaded, because no child process can be started: mkdtemp /nonexistent: No such file or directory"
            ), "\(outcome.errors)")
    }

    @Test
    func `a child sees of the environment what the operator names, and without a confinement all of it`()
        throws
    {
        // The fixture ends the process in which it is loaded when the variable says so.
        for (setting, isRefused) in [
            ("GATEHOUSE_CHILD_ENVIRONMENT=", false), ("GATEHOUSE_CHILD_ENVIRONMENT=A,RESTLESS", true),
            ("GATEHOUSE_CONFINEMENT=off", true),
        ] {
            let scene = try Scene(#"{ "plugins": [{ "id": "restless" }] }"#, libraries: ["RestlessPlugin"])
            let outcome = try ChildProcess.run(
                "/usr/bin/env",
                arguments: ["RESTLESS=exit", setting, BuiltProducts.program, "check", "--rehearse"],
                in: scene.folder.path, environment: scene.environment)
            #expect(
                outcome.errors.contains("in a rehearsal it called exit(0)") == isRefused,
                "\(setting): \(outcome.errors)")
            #expect(
                outcome.errors.contains("OK (1 instance, 1 library)") != isRefused,
                "\(setting): \(outcome.errors)")
        }
    }
}
