// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// How `ctl try` follows a trial, in a host that something stands in for.
@Suite(.timeLimit(.minutes(10))) struct TriedCandidateTests {
    @Test(.enabled(if: Workshop.compiler != nil, "needs clang or gcc"))
    func `a trial may take any time from one answer to the next`() throws {
        let folder = try TemporaryFolder()
        // Where the client waits for a limited time, that is over at once.
        let source = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <poll.h>
            int poll(struct pollfd *watched, nfds_t count, int limit) {
                int (*next)(struct pollfd *, nfds_t, int) = dlsym(RTLD_NEXT, "poll");
                return limit < 0 ? next(watched, count, limit) : 0;
            }
            """
        #expect(try Workshop.build("libpreloaded.so", of: source, in: folder, []) == nil)
        let host = try StandIn(
            "try", "next.json", in: folder, environment: ["LD_PRELOAD": folder("libpreloaded.so")])
        host.answer(1, #"{"stage":"running","digest":"0123456789abcdef","version":1}"#)
        #expect(host.waitForRequest("trial"))
        host.answer(
            2,
            #"{"stage":"tried","digest":"0123456789abcdef","text":"nothing differs\n","outcome":{"same":true}}"#
        )
        let outcome = try host.finish()
        #expect(
            outcome.output
                == "nothing differs\ngatehouse ctl swap 0123456789ab puts it in the place of what runs\n",
            "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }
}
