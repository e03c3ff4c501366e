// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Each check that runs code finds what it looks for, in a library that has nothing else wrong.
@Suite(.timeLimit(.minutes(10))) struct ValidateDefectsTests {
    /// A defect, the check that finds it, and what that says.
    struct Case: Sendable, CustomTestStringConvertible {
        let defect: String
        let check: String
        let outcome: String
        /// The whole sentence, or, after `…`, the beginning of one that has numbers in it.
        let sentence: String
        var target = "DefectivePlugin"

        var testDescription: String { "\(check) \(defect)" }
    }

    /// A case of the fixture.
    private static func defect(_ defect: String, _ check: String, _ outcome: String, _ sentence: String)
        -> Case
    {
        Case(defect: defect, check: check, outcome: outcome, sentence: sentence)
    }

    static let cases: [Case] = [
        // Loading, making, starting, ending.
        defect(
            "load/trap", "lifecycle/load", "crash",
            "it died by SIGILL while it was loaded, in code that runs before its entry; correct the plugin"),
        defect(
            "load/exit", "lifecycle/load", "crash",
            "it called exit(3) while it was loaded, in code that runs before its entry; do not end the process; leave that to the host"
        ),
        defect(
            "load/allocate", "lifecycle/load", "crash",
            "it took more than 512 MiB of memory while it was loaded, in code that runs before its entry; bound what the plugin keeps"
        ),
        Case(
            defect: "", check: "lifecycle/load", outcome: "fail",
            sentence: "its entry refused: it never works on Fridays", target: "RefusingEntryPlugin"),
        defect("load/sleep", "lifecycle/load-time", "warn", "expected less than 1 s, found 1…"),
        defect(
            "make/trap", "lifecycle/make", "crash",
            "it died by SIGILL while its parts were made with the settings {}; correct the plugin"),
        defect(
            "start/trap", "lifecycle/start", "crash",
            "it died by SIGILL when it was started; correct the plugin"),
        defect(
            "start/exit", "lifecycle/start", "crash",
            "it called exit(3) when it was started; do not end the process; leave that to the host"),
        defect(
            "stopping/allocate", "lifecycle/start", "crash",
            "it took more than 512 MiB of memory while it was stopped; bound what the plugin keeps"),
        defect("start/sleep", "lifecycle/start-time", "warn", "expected less than 1 s, found 1…"),
        defect(
            "again", "lifecycle/restart", "fail",
            "expected it to start a second time as it did before, found that it says \"the port is taken\"; give back in stopping what start takes"
        ),
        defect(
            "state/shared", "lifecycle/side-by-side", "fail",
            "expected the state {\"count\":4,\"token\":4} as without another instance, found {\"count\":4,\"token\":12} after that one had heard actions; keep no variables outside of instances"
        ),
        defect(
            "start/descriptor", "lifecycle/create-destroy", "fail",
            "expected nothing kept after 100 instances, found 100 descriptors; give back in stopping what start takes"
        ),
        defect(
            "start/thread", "lifecycle/create-destroy", "fail",
            "expected nothing kept after 100 instances, found 1…"),
        defect(
            "effect/unfinished", "lifecycle/stop", "fail",
            "expected it to be finished 2 s after it was asked to stop, found 1 of its effects running; end them when they are cancelled"
        ),
        defect(
            "late", "lifecycle/late-output", "fail",
            "expected no actions from an instance that has gone, found …"),

        // What the manifest says.
        Case(
            defect: "", check: "manifest/cases", outcome: "fail",
            sentence:
                "plugin.json declares \"helo\", which the plugin's Action does not have as a case; correct \"consumes\" and \"emits\"",
            target: "UnknownCasePlugin"),
        Case(
            defect: "", check: "manifest/intercept", outcome: "fail",
            sentence:
                "it intercepts actions, but its plugin.json does not say so; add \"intercept\" to \"permissions\" there and rebuild it",
            target: "SilentInterceptorPlugin"),

        // Settings.
        defect(
            "settings/default", "settings/defaults", "fail",
            "expected {\"rate\":1} to be taken, as the schema says, found a refusal, /mode: expected quick or slow, found \"fast\"; correct the default there, or the plugin's Settings"
        ),
        defect(
            "settings/range", "settings/schema", "fail",
            "expected {\"rate\":9223372036854775807} to be taken, as the schema says, found a refusal, /rate: expected at most 100, found more; let the schema refuse it too"
        ),
        defect(
            "settings/trap", "settings/odd-values", "crash",
            "it died by SIGILL while its parts were made with the settings {\"rate\":-1}; correct the plugin"),
        Case(
            defect: "", check: "settings/keys", outcome: "fail",
            sentence:
                "plugin.json describes the setting \"secnds\", which the plugin's Settings does not have; correct \"settings\"",
            target: "MisdescribedPlugin"),

        // State.
        defect(
            "version", "state/version", "fail", "its stateVersion: expected 1 or more, found 0; begin with 1"),
        defect("state/first", "state/first", "warn", "expected two instances with the same state, found …"),
        defect(
            "state/lossy", "state/round-trip", "fail",
            "expected the state {\"count\":4,\"token\":0} to come back as it is, found {\"count\":0,\"token\":0}; correct the State type"
        ),
        Case(
            defect: "", check: "state/round-trip", outcome: "fail",
            sentence:
                "expected a state that can be written as JSON, found a refusal, /ratio: expected a finite number, found nan; correct the State type",
            target: "ProbePlugin"),
        defect(
            "state/refused", "state/round-trip", "fail",
            "expected the state to come back from {\"count\":4,\"token\":0}, found a refusal, expected no count, found 4; correct the State type"
        ),
        defect(
            "state/trap", "state/odd-values", "crash",
            "it died by SIGILL while the state {\"count\":-1,\"token\":0} was read; correct the plugin"),
        defect(
            "migrate/trap", "state/migrate", "crash",
            "it died by SIGILL in migrate, with {\"count\":0,\"token\":0} of version 1; correct the plugin"),
        defect(
            "migrate/refuse", "state/migrate", "warn",
            "expected migrate to take over some state of version 1, found that it refuses all that were tried; look at it with a state that this version wrote"
        ),
        defect("state/random", "state/replay", "fail", "expected the state {\"count\":4,\"token\":…"),

        // Actions.
        defect(
            "payload/unknown", "actions/examples", "warn",
            "weigh: expected to find a payload that it takes, found none after 200 attempts, the last with …"),
        defect(
            "act/trap", "actions/examples", "crash",
            "it died by SIGILL when it heard act with {\"amount\":1,\"label\":\"example\"}; correct the plugin"
        ),
        defect(
            "act/allocate", "actions/examples", "crash",
            "it took more than 512 MiB of memory when it heard act with {\"amount\":1,\"label\":\"example\"}; bound what the plugin keeps"
        ),
        defect(
            "payload/null", "actions/missing-payload", "crash",
            "it died by SIGILL when it heard weigh with null; correct the plugin"),
        defect(
            "payload/kinds", "actions/other-kinds", "crash",
            "it died by SIGILL when it heard weigh with {\"grams\":true,\"label\":\"example\"}; correct the plugin"
        ),
        defect(
            "payload/numbers", "actions/extreme-numbers", "crash",
            "it died by SIGILL when it heard act with {\"amount\":9223372036854775807,\"label\":\"example\"}; correct the plugin"
        ),
        defect(
            "payload/texts", "actions/odd-texts", "crash",
            "it died by SIGILL when it heard act with {\"amount\":1,\"label\":\"\"}; correct the plugin"),
        defect(
            "payload/large", "actions/large-payloads", "crash",
            "it died by SIGILL when it heard act with an object of 1048599 bytes; correct the plugin"),
        defect(
            "payload/deep", "actions/deep-payloads", "crash",
            "it died by SIGILL when it heard note with an array of 1012 bytes; correct the plugin"),
        defect(
            "payload/members", "actions/missing-members", "crash",
            "it died by SIGILL when it heard weigh with {\"label\":\"example\"}; correct the plugin"),
        defect(
            "payload/further", "actions/further-members", "warn",
            "weigh: expected a further member to be ignored, found a refusal, expected no other members, found one; senders may add members at any time"
        ),
        defect(
            "payload/random", "actions/random", "crash",
            "it died by SIGILL when it heard note with {\"member0\":…"),
        Case(
            defect: "mark", check: "actions/marks", outcome: "crash",
            sentence:
                "it died by SIGILL when it heard example/happened with \"error\":true; correct the plugin",
            target: "EavesdropperPlugin"),
        Case(
            defect: "type", check: "actions/unknown", outcome: "crash",
            sentence: "it died by SIGILL when it heard unknown; correct the plugin",
            target: "EavesdropperPlugin"),

        // Effects and gates.
        defect(
            "effect/undeclared", "effects/declared", "fail",
            "expected only names of \"emits\", found that it emits defective/secret; add it to plugin.json, or do not emit it"
        ),
        defect(
            "effect/nan", "effects/wire-form", "fail",
            "defective/done: expected a payload that JSON can hold, found one that it cannot: /done/amount: expected a finite number, found nan; correct the plugin's Action"
        ),
        defect(
            "effect/endless", "effects/endless", "fail",
            "expected an end, found that act leads to more than 1,000 actions in a row; do not emit what the plugin answers itself"
        ),
        defect(
            "effect/stubborn", "effects/cancel", "fail",
            "expected nothing of it 2 s after its effects were cancelled, found that something still holds what it emits through; let effects look at Task.isCancelled, or set output.onCancel"
        ),
        defect(
            "effect/stubborn", "effects/pool", "fail",
            "expected effects that wait without a thread, found that defective_wait at CDefective.c:…"
        ),
        defect(
            "effect/blocking", "effects/pool", "fail",
            "expected effects that wait without a thread, found that defective_wait_for_news at CDefective.c:…"
        ),
        defect(
            "effect/queue", "effects/pool", "fail",
            "expected effects that wait without a thread, found that defective_wait_for_news at CDefective.c:…"
        ),
        // A thread of its own may wait.
        defect("act/thread", "effects/pool", "pass", ""),
        defect(
            "effect/random", "effects/same-twice", "warn",
            "expected the same actions twice, found defective/done …"),
        defect(
            "gate/trap", "gate/closed", "crash", "it died by SIGILL when its gate closed; correct the plugin"),
        defect("late", "gate/silence", "warn", "expected silence after its gate was closed, found …"),
        defect("gates", "gate/often", "crash", "it died by SIGILL when its gate closed; correct the plugin"),

        // What it takes of the machine.
        defect(
            "load/hog", "resources/load-memory", "warn",
            "expected less than 32 MiB, found 6…"),
        defect("act/nap", "resources/blocking", "warn", "act: expected it to return within 20 ms, found …"),
        defect("act/doze", "resources/blocking", "fail", "act: expected it to return within 20 ms, found …"),
        defect("start/spin", "resources/idle", "warn", "expected no activity while nothing happens, found …"),
        defect("act/leak", "resources/memory", "warn", "expected no memory kept for an action, found …"),
        defect(
            "act/descriptor", "resources/descriptors", "fail",
            "expected no more descriptors after 1000 actions, found 250 more; close what it opens"),
        defect(
            "act/thread", "resources/threads", "fail", "expected no more threads after 1000 actions, found 2…"
        ),

        // What belongs to the process.
        defect(
            "start/print", "process/standard-output", "fail",
            "expected nothing on standard output, where results belong, found \"from a plugin\\n\"; use context.log"
        ),
        defect(
            "start/warn", "process/standard-error", "warn",
            "expected nothing on standard error, found \"from a plugin\\n\"; use context.log"),
        defect(
            "start/fork", "process/children", "fail",
            "expected no processes when it has stopped, found 1; end in stopping what the plugin starts, and wait for it"
        ),
        defect(
            "start/daemon", "process/children", "fail",
            "expected no processes when it has stopped, found 1; end in stopping what the plugin starts, and wait for it"
        ),
        defect(
            "start/file", "process/files", "fail",
            "expected no files in the current folder, found \"left.txt\"; use context.dataDirectory"),
        defect(
            "start/signal", "process/signals", "fail",
            "SIGUSR1: expected its default, found a handler; leave signals to the host"),
        defect(
            "start/mask", "process/signal-mask", "fail",
            "SIGUSR2: expected not blocked, found blocked; block signals on threads of its own only"),
        defect(
            "start/environment", "process/environment", "fail",
            "DEFECTIVE: expected none, found yes; take what the plugin needs as settings"),
        defect("start/umask", "process/umask", "fail", "umask: expected …"),
        defect("start/folder", "process/folder", "fail", "the current folder: expected …"),
        defect(
            "start/locale", "process/locale", "fail",
            "the locale: expected C, found C.UTF-8; use the functions that take a locale"),
        defect("start/limits", "process/limits", "fail", "RLIMIT_NOFILE: expected …"),
        defect(
            "start/close", "process/standard-descriptors", "fail", "descriptor 0: expected file …"),
        defect(
            "start/round", "process/rounding", "fail",
            "numbers: expected rounded to the nearest, found rounded otherwise; set it back before it returns"
        ),
        // In a worker.
        defect(
            "worker/answers", "worker/answers", "fail",
            "expected as output 1 in a worker what it emits in the host, defective/done…"),
        defect(
            "worker/trap", "worker/answers", "fail",
            "expected it to live in a worker as it does in the host, found that its worker died by SIGILL at action…"
        ),
        defect(
            "effect/random", "worker/answers", "skip",
            "its answers differ from run to run, so that they cannot be compared"),
        defect(
            "effect/unfinished", "worker/answers", "skip",
            "it lives in a worker, but its effects do not end by themselves, so that its answers cannot be compared"
        ),
    ]

    @Test(arguments: cases)
    func `a defect is found by its check`(_ one: Case) throws {
        var plugin = ValidatedPlugin.defective(one.defect)
        if one.target != "DefectivePlugin" {
            plugin = ValidatedPlugin(target: one.target, environment: ["DEFECT": one.defect])
        }
        let outcome = try plugin.validate(only: one.check, arguments: ["--json"])
        let report = try JSONReport(outcome.output)
        let result = try #require(report.checks.first { $0.name == one.check })
        #expect(result.outcome == one.outcome)
        let first = result.sentences.first ?? ""
        if one.sentence.hasSuffix("…") {
            #expect(first.hasPrefix(one.sentence.dropLast()), "\(first)")
        } else {
            #expect(first == one.sentence)
        }
        #expect(outcome.exitCode == (["fail", "crash"].contains(one.outcome) ? 69 : 0))
        #expect(outcome.errors == "")
    }

    /// Checks that only an edit of bytes, or a recording, can fail; those on bytes alone have tests of the host.
    private static let elsewhere: Set<String> = ["state/declared", "actions/recorded"]

    @Test func `every check that runs code is seen to find something`() throws {
        let outcome = try ChildProcess.run(arguments: ["validate", "--list"])
        let names = outcome.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
            .map(String.init).filter { !$0.hasPrefix("library/") }
        let onBytes: Set = [
            "manifest/summary", "manifest/actions", "manifest/settings", "manifest/unknown-settings",
            "manifest/coding", "manifest/state",
        ]
        let found = Set(Self.cases.map(\.check)).union(Self.elsewhere).union(onBytes)
        #expect(Set(names) == found)
        #expect(names.count >= 45)
    }
}
