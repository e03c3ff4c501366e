// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Synchronization
import Testing

/// Inputs that are being read, or are just coming, while another process goes on for their host.
@Suite(.timeLimit(.minutes(10))) struct UpgradeInputsTests {
    /// A line of a writer.
    private func line(_ number: Int, by writer: String = "w") -> String {
        #"{"type":"ledger/enter","payload":{"writer":"\#(writer)","number":\#(number)}}"#
    }

    /// A host that reads files and pipes alone.
    private func host(
        mode: String, _ arguments: [String] = [], prepare: (Scene) throws -> Void = { _ in }
    ) throws -> UpgradedHost {
        try UpgradedHost(["--supervise"] + arguments) { scene in
            try scene.folder.write(UpgradedHost.configuration(mode: mode, ingress: "{}"), to: "plugins.json")
            try prepare(scene)
            return nil
        }
    }

    /// Waits until the host has entered the first numbers of a writer.
    private func wait(for numbers: ClosedRange<Int>, by writer: String = "w", in host: UpgradedHost) throws {
        while true {
            let state = try JSONText.parse(host.ctl("state").output)
            guard state["ledger"]?["writers"]?[writer] != nil else { continue }
            if try LedgerPage(of: writer, in: state).entered == [numbers] { return }
        }
    }

    @Test(arguments: ["strict", "relaxed"])
    func `a pipe goes on at the same byte, until it ends`(mode: String) throws {
        let host = try host(mode: mode)
        host.child.write(line(1) + "\n" + line(2) + "\n" + line(3).prefix(20))
        try wait(for: 1...2, in: host)
        let first = try host.upgrade()
        host.child.write(line(3).dropFirst(20) + "\n?\n")
        try wait(for: 1...3, in: host)
        #expect(try host.upgrade() != first)
        host.child.write(line(4))
        host.child.closeInput()
        let outcome = try host.child.finish()
        // One line is none.
        #expect(outcome.errors.contains("standard input:4:1: expected"), "\(outcome.errors)")
        let page = try LedgerPage(of: "w", in: try JSONText.parse(outcome.output))
        #expect(page.entered == [1...4])
        #expect(page.answered == [1...4])
        #expect(page.faults == [])
    }

    @Test(arguments: ["strict", "relaxed"])
    func `files are read on, and those at their end are not read again`(mode: String) throws {
        let count = 20_000
        let host = try host(mode: mode, ["--input", "short", "--input", "long", "--input", "-"]) { scene in
            try scene.folder.write(line(1, by: "short") + "\n", to: "short")
            try scene.folder.write(
                (1...count).map { line($0, by: "long") }.joined(separator: "\n"), to: "long")
        }
        try wait(for: 1...1, by: "short", in: host)
        // The new processes do not need its name.
        FileSystem.remove(host.scene.folder("long"))
        try host.upgrade()
        try host.upgrade()
        host.child.write(line(1) + "\n")
        host.child.closeInput()
        let state = try JSONText.parse(try host.child.finish().output)
        for (writer, last) in [("short", 1), ("long", count), ("w", 1)] {
            let page = try LedgerPage(of: writer, in: state)
            #expect(page.entered == [1...last])
            #expect(page.faults == [])
        }
    }

    @Test func `a program that does not know how to read a pipe on gets no host that reads one`() throws {
        let host = try host(mode: "strict")
        host.child.write(line(1) + "\n" + line(2).prefix(20))
        try wait(for: 1...1, in: host)
        let program = try FailingProgram.standing.write(into: host.scene.folder)
        let outcome = try host.ctl("upgrade", program)
        #expect(outcome.exitCode == 75)
        #expect(
            outcome.errors.contains(
                "\(program) is older, and does not go on with files or pipes that are read to their ends; this host goes on\n"
            ), "\(outcome.errors)")
        host.child.write(line(2).dropFirst(20) + "\n")
        host.child.closeInput()
        let state = try JSONText.parse(try host.child.finish().output)
        #expect(try LedgerPage(of: "w", in: state).entered == [1...2])
    }

    @Test func `whoever connects meanwhile is served by one of the processes`() throws {
        let host = try UpgradedHost()
        let path = host.scene.folder("in.sock")
        let visitors = try Visitors(path, line(1))
        for _ in 0..<3 { try host.upgrade() }
        let (count, failures) = visitors.finish()
        #expect(count > 0)
        #expect(failures == [])
        _ = try host.finish()
    }
}

/// A thread that connects, writes a line, waits for the answer and goes, again and again.
private final class Visitors: Sendable {
    /// What has come of it.
    private let state = Mutex<(isOver: Bool, served: Int, failures: [String])>((false, 0, []))
    /// The thread.
    private let thread = Mutex<TestWriter?>(nil)

    /// Begins.
    init(_ path: String, _ line: String) throws {
        let thread = try TestWriter { [self] in
            while !state.withLock({ $0.isOver }) {
                let answer: String?
                do {
                    let connection = try LocalConnection(path)
                    connection.write(line + "\n")
                    answer = connection.readLine()
                } catch {
                    answer = "\(error)"
                }
                state.withLock { state in
                    if answer == #"{"ok":1}"# {
                        state.served += 1
                    } else {
                        state.failures.append(answer ?? "nothing")
                    }
                }
            }
        }
        self.thread.withLock { $0 = thread }
    }

    /// Ends; returns how many were served, and what the others got.
    func finish() -> (served: Int, failures: [String]) {
        state.withLock { $0.isOver = true }
        thread.withLock { $0 }?.join()
        return state.withLock { ($0.served, $0.failures) }
    }
}
