// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// A host with a journal and a ledger, for which other processes go on while writers are connected.
final class UpgradedHost {
    let scene: Scene
    /// The supervisor, or the first host where there is none.
    let child: ChildProcess
    /// How many processes have gone on so far.
    private var upgrades = 0

    /// Starts a host, and waits until writers can connect.
    ///
    /// - Parameters:
    ///   - placement: where the ledger runs.
    ///   - entries: more entries, each with a comma before it.
    ///   - members: more members of the configuration, each with a comma after it.
    ///   - program: the program to start; nil for the built one.
    init(
        placement: String = "host", entries: String = "", members: String = "", libraries: [String] = [],
        _ arguments: [String] = ["--supervise"], environment: [String: String] = [:],
        prepare: (Scene) throws -> String? = { _ in nil }
    ) throws {
        scene = try Scene(
            Self.configuration(placement: placement, entries: entries, members: members),
            libraries: ["LedgerPlugin"] + libraries)
        let program = try prepare(scene)
        child = try ChildProcess(
            program ?? BuiltProducts.program, ["run", "--control"] + arguments, in: scene.folder.path,
            limit: .seconds(3_600), environment: scene.environment.merging(environment) { $1 },
            keeping: scene.folder)
        try child.waitForErrors("shop can be controlled at")
    }

    /// The text of a configuration.
    static func configuration(
        placement: String = "host", entries: String = "", members: String = "", journal: String = "journal",
        mode: String = "strict", ingress: String = #"{ "listen": ["unix:in.sock?ack"] }"#
    ) -> String {
        """
        { "name": "shop", \(members)"journal": { "mode": "\(mode)", "directory": "\(journal)" },
          "ingress": \(ingress),
          "plugins": [{ "id": "ledger", "placement": "\(placement)" }\(entries)] }
        """
    }

    /// Runs `gatehouse ctl`.
    func ctl(_ arguments: String...) throws -> ChildProcess.Outcome {
        // A host whose words nobody reads waits with them.
        defer { try? child.takeWhatIsThere() }
        return try ChildProcess.run(
            arguments: ["ctl"] + arguments, in: scene.folder.path, environment: scene.environment)
    }

    /// Lets another process go on, and returns its number.
    @discardableResult
    func upgrade(_ program: String? = nil) throws -> Int {
        let arguments = ["ctl", "upgrade", "--json"] + [program].compactMap { $0 }
        let outcome = try ChildProcess.run(
            arguments: arguments, in: scene.folder.path, environment: scene.environment)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        upgrades += 1
        return try #require(JSONText.parse(outcome.output)["process"]?.intValue)
    }

    /// Writes a program that is the built one, and does something in C when it hears that the host stands still; returns its path.
    func program(doing deed: String) throws -> String {
        let source = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <signal.h>
            #include <stdio.h>
            #include <string.h>
            #include <sys/socket.h>
            #include <sys/stat.h>
            #include <unistd.h>
            ssize_t recvmsg(int descriptor, struct msghdr *message, int flags) {
                ssize_t (*next)(int, struct msghdr *, int) = dlsym(RTLD_NEXT, "recvmsg");
                ssize_t count = next(descriptor, message, flags);
                if (count > 0 && memmem(message->msg_iov->iov_base, count, "still", 5)) { \(deed) }
                return count;
            }
            """
        #expect(try Workshop.build("libpreloaded.so", of: source, in: scene.folder, []) == nil)
        let script = """
            #!/bin/sh
            LD_PRELOAD=\(scene.folder("libpreloaded.so")) exec \(BuiltProducts.program) "$@"

            """
        let program = scene.folder("program")
        try FileSystem.write(Array(script.utf8), to: program, mode: 0o755)
        return program
    }

    /// The number of the process that answers.
    func process() throws -> Int {
        try #require(JSONText.parse(ctl("status", "--json").output)["pid"]?.intValue)
    }

    /// Waits until the system knows nothing more of a process; returns whether that came.
    func waitUntilGone(_ process: Int) throws -> Bool {
        let end = ContinuousClock.now + .seconds(240)
        while FileSystem.exists("/proc/\(process)") {
            guard ContinuousClock.now < end else { return false }
            // A supervisor looks for what has ended when it wakes, some seconds later at most.
            _ = try ctl("status")
        }
        return true
    }

    /// Ends the host; returns its state, and what all processes have said.
    func finish() throws -> (state: Value, errors: String) {
        child.signal(SIGTERM)
        let outcome = try child.finish()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        return (try JSONText.parse(outcome.output), outcome.errors)
    }
}
