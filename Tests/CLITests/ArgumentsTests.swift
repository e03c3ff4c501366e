// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Command lines that make no sense, each with what is said about it; nothing is done.
@Suite(.timeLimit(.minutes(10))) struct ArgumentsTests {
    @Test(arguments: [
        (
            ["rum"],
            "unknown command \"rum\", did you mean \"run\"?; commands: run, check, list, plan, pin, add, outdated, test, inspect, validate, probe, sign, index, new, sdk, ctl, cluster, history, state, replay, backup, restore, version, help"
        ),
        (
            ["fly"],
            "unknown command \"fly\"; commands: run, check, list, plan, pin, add, outdated, test, inspect, validate, probe, sign, index, new, sdk, ctl, cluster, history, state, replay, backup, restore, version, help"
        ),
        (
            ["run", "--confg", "x"],
            "unknown option \"--confg\", did you mean \"--config\"?; see gatehouse help run"
        ),
        (["run", "--print"], "--print needs a value: state, actions, none"),
        (["run", "--config"], "--config needs a value: a configuration file"),
        (["run", "--input="], "--input needs a value: a file, or - for standard input"),
        (
            ["run", "--print", "stat"],
            "--print: expected state, actions or none, found \"stat\", did you mean \"state\"?"
        ),
        (["run", "--print=all"], "--print: expected state, actions or none, found \"all\""),
        (["run", "--print=all=none"], "--print: expected state, actions or none, found \"all=none\""),
        (["run", "--strict=yes"], "--strict takes no value, found \"yes\""),
        (["run", "--strict", "--strict"], "--strict is given twice; give it once"),
        (["run", "input.ndjson"], "unexpected argument \"input.ndjson\"; see gatehouse help run"),
        (["check", "plugins.json"], "unexpected argument \"plugins.json\"; see gatehouse help check"),
        (
            ["check", "--jsno"],
            "unknown option \"--jsno\", did you mean \"--json\"?; see gatehouse help check"
        ),
        (["list", "--strict"], "unknown option \"--strict\"; see gatehouse help list"),
        (["plan", "a", "b"], "unexpected argument \"b\"; see gatehouse help plan"),
        (["plan", "--json", "--graph"], "--json and --graph are both given; give one of them"),
        (["plan", "--graph", "a"], "unexpected argument \"a\"; see gatehouse help plan"),
        (
            ["list", "--config", "a", "--plugins", "b"],
            "--config and --plugins are both given; give one of them"
        ),
        (["run", "--plugins="], "--plugins needs a value: a folder of plugin libraries"),
        (["inspect"], "inspect needs a library file; see gatehouse help inspect"),
        (["inspect", "a.so", "b.so"], "unexpected argument \"b.so\"; see gatehouse help inspect"),
        (
            ["inspect", "a.so", "--jsno"],
            "unknown option \"--jsno\", did you mean \"--json\"?; see gatehouse help inspect"
        ),
        (
            ["test", "--limit", "soon"],
            "--limit: expected a number of seconds from 0 to 86400, found \"soon\""
        ),
        (["test", "--strict"], "unknown option \"--strict\"; see gatehouse help test"),
        (["version", "now"], "unexpected argument \"now\"; see gatehouse help version"),
        (
            ["help", "rum"],
            "unknown command \"rum\", did you mean \"run\"?; commands: run, check, list, plan, pin, add, outdated, test, inspect, validate, probe, sign, index, new, sdk, ctl, cluster, history, state, replay, backup, restore, version, help"
        ),
    ])
    func `a command line that makes no sense is explained and exits with 64`(
        arguments: [String], message: String
    ) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.errors == "gatehouse: \(message)\n")
        #expect(outcome.output == "")
        #expect(outcome.exitCode == 64)
    }

    @Test(arguments: [
        ["--config=plugins.json", "--input=-", "--print=none"], ["--config", "plugins.json", "--input", "-"],
    ])
    func `values stand after a space or an equals sign`(arguments: [String]) throws {
        let outcome = try Scene.counter().run(arguments)
        #expect(outcome.errors == "gatehouse: 0 lines, 0 actions, 0 rejected\n")
        #expect(outcome.exitCode == 0)
    }
}
