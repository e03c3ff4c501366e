// SPDX-License-Identifier: Apache-2.0

import GatehousePlanTesting
import Testing

@testable import GatehousePlan

/// What a plan says about the end of a run.
@Suite struct HostPlanEndingTests {
    @Test func `a plan that nothing holds open ends with its input`() throws {
        #expect(
            try PlanExample.plan("{}", libraries: ["CounterPlugin"]).ending
                == "a run ends when its input does")
    }

    @Test func `all that holds a run open is named, in order`() throws {
        let plan = try PlanExample.plan(
            #"{ "ingress": { "listen": ["unix:in.sock"], "tail": ["one.ndjson", "two.ndjson"] } }"#,
            libraries: ["CounterPlugin"])
        #expect(
            plan.ending
                == "writers connect to in.sock, one.ndjson is followed, two.ndjson is followed: a run continues until it is asked to end"
        )
    }
}
