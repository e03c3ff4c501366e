// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

@Suite("What gatehouse ctl changes", .timeLimit(.minutes(10)))
struct ControlChangesTests {
    @Test func `a gate is closed and opened again`() throws {
        let host = try ControlledHost()
        #expect(try host.ctl("close", "eu").output == "eu: the gate was active, and is bypass\n")
        #expect(try host.ctl("close", "eu").output == "eu: the gate was bypass, and is bypass\n")
        _ = try host.ctl("dispatch", "eu/increment")
        #expect(try host.ctl("state", "/orders/eu/count").output == "0\n")
        #expect(
            try host.ctl("gate", "eu", "open", "--json").output
                == "{\n  \"id\": \"eu\",\n  \"gate\": \"active\",\n  \"was\": \"bypass\"\n}\n")
        _ = try host.ctl("dispatch", "eu/increment")
        #expect(try host.ctl("state", "/orders/eu/count").output == "1\n")
    }

    @Test func `a gate that cannot be moved so is told with what to do`() throws {
        let host = try ControlledHost()
        let unknown = try host.ctl("close", "ue")
        #expect(
            unknown.errors
                == "gatehouse: expected the id of an instance, found \"ue\"; did you mean \"eu\"?\n")
        #expect(unknown.exitCode == 64)
        let strange = try host.ctl("open", "warehouse")
        #expect(
            strange.errors
                == "gatehouse: expected the id of an instance, found \"warehouse\"; the instances are eu, us\n"
        )
        let following = try host.ctl("close", "us")
        #expect(
            following.errors
                == "gatehouse: the gate of us follows the state at /features/us; change it with host/state/merge\n"
        )
        #expect(following.exitCode == 64)
        #expect(
            try host.ctl("dispatch", "host/state/merge", #"{"features":{"us":false}}"#).output
                == "1 action dispatched\n")
        #expect(try host.status()["instances"]?[1]?["gate"] == "bypass")
    }

    @Test func `an action is processed when its command ends`() throws {
        let host = try ControlledHost()
        #expect(try host.ctl("dispatch", "eu/increment", #"{"by":4}"#).output == "1 action dispatched\n")
        #expect(try host.ctl("state", "/orders/eu/count").output == "4\n")
        #expect(
            try host.ctl("dispatch", "--json", "eu/increment").output
                == "{\n  \"dispatched\": 1,\n  \"reported\": 0\n}\n")
        #expect(try host.finish().output.contains("\"count\": 5"))
    }

    @Test func `an action may be written whole`() throws {
        let host = try ControlledHost()
        #expect(
            try host.ctl("dispatch", #"{"type":"eu/increment","payload":{"by":4}}"#).output
                == "1 action dispatched\n")
        let typeless = try host.ctl("dispatch", #"{"type":5}"#)
        #expect(typeless.errors == "gatehouse: expected a string that is not empty, found an integer\n")
        #expect(typeless.exitCode == 64)
        let torn = try host.ctl("dispatch", #"{"type":"#)
        #expect(
            torn.errors
                == "gatehouse: the action: column 9: expected a value, found the end of the text; write JSON, a text in double quotes\n"
        )
        #expect(torn.exitCode == 64)
        #expect(try host.ctl("state", "/orders/eu/count").output == "4\n")
        #expect(
            try host.ctl("dispatch", #"{"type":"a"}"#, "1").errors
                == "gatehouse: unexpected argument \"1\"; see gatehouse help ctl\n")
        _ = try host.finish()
    }

    @Test func `a payload that does not fit is told on both sides`() throws {
        let host = try ControlledHost()
        let misfit = try host.ctl("dispatch", "eu/increment", #"{"by":"x"}"#)
        #expect(
            misfit.output
                == "1 action dispatched; the host reported bad data meanwhile, see its standard error\n")
        #expect(misfit.exitCode == 65)
        let broken = try host.ctl("dispatch", "eu/increment", "{by:1}")
        #expect(
            broken.errors
                == "gatehouse: the payload: column 2: expected a member name in double quotes, found 'b'; write JSON, a text in double quotes\n"
        )
        #expect(broken.exitCode == 64)
        #expect(
            try host.finish().errorLines[1]
                == "control:1: eu/increment for eu: the payload does not fit: /by: expected an integer, found a string"
        )
    }

    @Test func `the lines of standard input are dispatched one after the other`() throws {
        let host = try ControlledHost()
        let lines = String(repeating: #"{"type":"eu/increment"}"# + "\n\n", count: 100)
        #expect(try host.ctl("dispatch", "-", input: lines).output == "100 actions dispatched\n")
        #expect(try host.ctl("state", "/orders/eu/count").output == "100\n")
        let bad = try host.ctl(
            "dispatch", "-", input: #"{"type":"eu/increment"}"# + "\n" + #"{"tipe":"eu/increment"}"# + "\n")
        #expect(
            bad.errors
                == "gatehouse: standard input:2: /params/action/tipe: expected only the members type, payload, error and meta, found \"tipe\"; did you mean \"type\"?; 1 action dispatched before\n"
        )
        #expect(bad.exitCode == 65)
        let broken = try host.ctl("dispatch", "-", input: "{\n")
        #expect(
            broken.errors
                == "gatehouse: standard input:1:2: expected a member name in double quotes, found the end of the text; 0 actions dispatched before\n"
        )
    }

    @Test func `of lines that are sent together, those before the first that is refused are dispatched`()
        throws
    {
        let host = try ControlledHost()
        let good = #"{"type":"eu/increment"}"# + "\n"
        let lines = String(repeating: good, count: 299)
        let refused = try host.ctl(
            "dispatch", "-", input: lines + #"{"type":""}"# + "\n" + String(repeating: good, count: 300))
        #expect(
            refused.errors
                == "gatehouse: standard input:300: /params/action/type: expected a string that is not empty, found an empty string; 299 actions dispatched before\n"
        )
        #expect(refused.exitCode == 65)
        #expect(try host.ctl("state", "/orders/eu/count").output == "299\n")
        let broken = try host.ctl("dispatch", "-", input: lines + "[1,\n" + good)
        #expect(broken.errors.hasPrefix("gatehouse: standard input:300:4: "), "\(broken.errors)")
        #expect(broken.errors.hasSuffix("; 299 actions dispatched before\n"), "\(broken.errors)")
        // The last line needs no end, and lines may end as elsewhere.
        let last = try host.ctl(
            "dispatch", "-", input: #"{"type":"eu/increment"}"# + "\r\n" + #"{"type":"eu/increment"}"#)
        #expect(last.output == "2 actions dispatched\n")
        #expect(try host.ctl("state", "/orders/eu/count").output == "600\n")
    }

    @Test func `a place without a value is no error of the host`() throws {
        let host = try ControlledHost()
        let nothing = try host.ctl("state", "/orders/apac")
        #expect(nothing.errors == "gatehouse: the state has nothing at /orders/apac\n")
        #expect(nothing.exitCode == 65)
        let wrong = try host.ctl("state", "orders")
        #expect(
            wrong.errors == "gatehouse: expected a JSON Pointer such as \"/orders/eu\", found \"orders\"\n")
        #expect(wrong.exitCode == 64)
    }

    @Test func `a reload is planned, refused when it was broken, and done`() throws {
        let host = try ControlledHost()
        #expect(try host.ctl("plan").output == "a reload would change nothing\n")
        #expect(try host.ctl("reload").output == "nothing has changed, generation 1 runs on\n")
        try host.scene.folder.write("{", to: "plugins.json")
        let refused = try host.ctl("reload")
        #expect(
            refused.output
                == "plugins.json:1:2: expected a member name in double quotes, found the end of the text\nthe change is refused, generation 1 runs on\n"
        )
        #expect(refused.exitCode == 78)
        #expect(try host.status()["lastReload"]?["result"] == "refused")
        #expect(try host.ctl("status").output.contains("\nlast reload: refused\n"))
        #expect(try host.ctl("plan").exitCode == 78)
        let more = #", { "id": "apac", "library": "libCounterPlugin.so" }"#
        try host.scene.folder.write(ControlledHost.configuration(entries: more), to: "plugins.json")
        #expect(try host.ctl("plan").output.contains("apac"))
        let stale = try host.ctl("reload", "--expect", "7")
        #expect(stale.exitCode == 78)
        #expect(stale.output.hasSuffix("generation 1 runs on\n"))
        let done = try host.ctl("reload", "--expect", "1")
        #expect(done.output.hasPrefix("generation 2 runs, after "))
        #expect(done.exitCode == 0)
        let status = try host.status()
        #expect(status["generation"] == 2)
        #expect(status["instances"]?.arrayValue?.count == 3)
    }

    @Test func `the metrics are text for Prometheus`() throws {
        let host = try ControlledHost()
        _ = try host.ctl("dispatch", "eu/increment")
        let outcome = try host.ctl("metrics")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first == "# HELP gatehouse_info The version of the host; always 1.")
        for line in [
            "# TYPE gatehouse_actions_total counter", #"gatehouse_actions_total{host="shop"} 1"#,
            #"gatehouse_info{host="shop",version="0.6.0"} 1"#,
            #"gatehouse_instance_gate_active{host="shop",instance="us",plugin="counter"} 1"#,
            #"gatehouse_control_clients{host="shop"} 1"#,
        ] { #expect(lines.contains(Substring(line)), "\(line)") }
        #expect(outcome.output.hasSuffix("\n"))
    }
}
