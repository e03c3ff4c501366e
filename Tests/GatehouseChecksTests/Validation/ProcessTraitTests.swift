// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import GatehouseChecks
@testable import GatehouseSupport

/// Properties of the process that no plugin may change.
@Suite(.timeLimit(.minutes(10))) struct ProcessTraitTests {
    /// The trait of a name.
    private func trait(_ name: String) throws -> ProcessTrait {
        try #require(ProcessTrait.all.first { $0.name == name })
    }

    @Test func `each change is a sentence, in the order of the parts, without addresses`() throws {
        let trait = try trait("signals")
        let before = [
            "SIGA": "its default", "SIGB": "a handler 17", "SIGC": "ignored", "SIGD": "a handler 5",
        ]
        let after = ["SIGA": "a handler 9", "SIGB": "a handler 18", "SIGC": "ignored", "SIGE": "a\u{1B}b"]
        #expect(
            trait.changes(from: before, to: after) == [
                "SIGA: expected its default, found a handler; leave signals to the host",
                "SIGB: expected a handler, found a handler; leave signals to the host",
                "SIGD: expected a handler, found none; leave signals to the host",
                #"SIGE: expected none, found a\u{1B}b; leave signals to the host"#,
            ])
        #expect(trait.changes(from: before, to: before) == [])
    }

    @Test func `all signals are looked at, and what is done at them and whether they are blocked`() throws {
        let actions = try trait("signals").read()
        #expect(actions.count == 64)
        #expect(actions[SignalName.of(SIGKILL)] == "its default")
        let mask = try trait("signal-mask").read()
        #expect(mask.count == 64 && mask[SignalName.of(SIGKILL)] == "not blocked")
    }

    @Test func `limits are those of the system, by their names`() throws {
        let limits = try trait("limits").read()
        #expect(limits.count == 16)
        for (name, number) in [("NOFILE", RLIMIT_NOFILE), ("STACK", RLIMIT_STACK), ("AS", RLIMIT_AS)] {
            var limit = rlimit()
            #expect(unsafe getrlimit(__rlimit_resource_t(number.rawValue), &limit) == 0)
            #expect(limits["RLIMIT_\(name)"] == "\(limit.rlim_cur) of \(limit.rlim_max)")
        }
    }

    @Test func `the environment is read with names and values, and standard descriptors with their files`()
        throws
    {
        #expect(try trait("environment").read()["PATH"] == SystemFile.variable("PATH"))
        let descriptors = try trait("standard-descriptors").read()
        #expect(descriptors.keys.sorted() == ["descriptor 0", "descriptor 1", "descriptor 2"])
        var status = stat()
        #expect(unsafe fstat(2, &status) == 0)
        #expect(descriptors["descriptor 2"] == "file \(status.st_dev):\(status.st_ino)")
    }

    @Test func `the folder and the rounding of this process are what they were when it began`() throws {
        #expect(try trait("folder").read() == ["the current folder": SystemFile.currentFolder])
        #expect(try trait("rounding").read() == ["numbers": "rounded to the nearest"])
    }
}
