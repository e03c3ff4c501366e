// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseSupport

/// What a host and a child of another version tell each other before anything else.
@Suite(.timeLimit(.minutes(10))) struct ChildProtocolTests {
    /// How a program has ended that a host has started as its child.
    private func outcome(of program: String, request: [UInt8] = []) throws -> HostChild.Outcome {
        try HostChild(program, .work, request: request, images: [], tracesCalls: false)
            .follow(HostChild.Limits(time: .seconds(300)), stop: nil) { _ in true }
    }

    /// A program that is no Gatehouse: a script that finds where to tell in `$3`.
    private func script(_ lines: String, in folder: TemporaryFolder) throws -> String {
        try folder.write("#!/bin/sh\n\(lines)\n", to: "program")
        try #require(unsafe chmod(folder("program"), 0o755) == 0)
        return folder("program")
    }

    @Test
    func
        `a child tells the number of its protocol before anything else, and the line is none of its messages`()
        throws
    {
        #expect(ChildProtocol.greeting == "protocol 1")
        // No worker begins with an empty request.
        let outcome = try outcome(of: BuiltProducts.program)
        #expect(outcome.end == .exit(EX_DATAERR))
        #expect(outcome.lines == [])
        #expect(outcome.words == "")
    }

    @Test func `a host uses no program that speaks another protocol, and names both numbers`() throws {
        let folder = try TemporaryFolder()
        let outcome = try outcome(
            of: script(
                "echo protocol 2 > /proc/self/fd/$3; echo mapped > /proc/self/fd/$3; sleep 300", in: folder))
        #expect(outcome.end == .stranger(2))
        #expect(outcome.lines == [])
        #expect(
            outcome.end.text
                == "was not used: expected a program that speaks protocol 1 with its host, found protocol 2; use the program and the host of versions that share a protocol"
        )
    }

    @Test func `a program that names no protocol is not used either`() throws {
        let folder = try TemporaryFolder()
        let outcome = try outcome(of: script("echo mapped > /proc/self/fd/$3; sleep 300", in: folder))
        #expect(outcome.end == .stranger(nil))
        #expect(
            outcome.end.text
                == "was not used: expected a program that speaks protocol 1 with its host, found none that it names; use the program and the host of versions that share a protocol"
        )
    }

    @Test
    func `a child whose host speaks another protocol tells its own number, does nothing and names both`()
        throws
    {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        defer { close(ends[0]) }
        let child = try ChildProcess(
            BuiltProducts.program, ["child", "2", "3", "some", "words", "of", "later"], in: "/",
            handing: ends[1])
        close(ends[1])
        child.closeInput()
        let outcome = try child.finish()
        #expect(
            outcome.errors
                == "gatehouse: expected a host that speaks protocol 1 with its children, found protocol 2; use the program and the host of versions that share a protocol\n"
        )
        #expect(outcome.exitCode == 65)
        var line = [UInt8](repeating: 0, count: 100)
        let count = unsafe read(ends[0], &line, line.count)
        #expect(String(decoding: line.prefix(max(0, count)), as: UTF8.self) == "protocol 1\n")
    }

    @Test func `the command line of a child is the recorded one`() throws {
        let folder = try TemporaryFolder()
        let program = try script(
            #"echo "$@"; exec 2>/dev/null; echo protocol 1 > /proc/self/fd/$3; echo end > /proc/self/fd/$3"#,
            in: folder)
        let child = try HostChild(
            program, .work, request: [], images: [STDERR_FILENO],
            access: FileAccess(changing: ["/srv/data"], reading: ["/usr"]), tracesCalls: false)
        let outcome = child.follow(HostChild.Limits(time: .seconds(300)), stop: nil) { _ in true }
        #expect(outcome.end == .finished)
        let words = outcome.words.split(separator: " ").map(String.init)
        try #require(words.count >= 6, "\(words)")
        let descriptor = words[2]
        #expect(words[..<6] == ["child", "1", descriptor, "work", "\(getpid())", "\(descriptor),2"])
        // What confines it follows: the version of Landlock, what it may read, and what it may change; nothing where nothing does.
        guard case .confined(let landlock) = Confinement.level else {
            #expect(words[6...] == ["\n"] || words.count == 6)
            return
        }
        #expect(words[6...] == ["\(landlock)", "r/usr", "w/srv/data\n"])
    }
}
