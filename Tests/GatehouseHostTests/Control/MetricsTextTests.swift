// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseHost

@Suite("Metrics")
struct MetricsTextTests {
    @Test func `what the format does not take in a label is escaped`() {
        var status = ControlStatus()
        status.name = "a\\b\"c\nd"
        status.actions = 1_234_567
        status.uptime = .milliseconds(1_500)
        let lines = MetricsText(status).text.split(separator: "\n")
        #expect(lines.contains(#"gatehouse_actions_total{host="a\\b\"c\nd"} 1234567"#))
        #expect(lines.contains(#"gatehouse_uptime_seconds{host="a\\b\"c\nd"} 1.5"#))
    }

    @Test func `families without samples are left out`() {
        let text = MetricsText(ControlStatus()).text
        #expect(!text.contains("gatehouse_instance_"))
        #expect(!text.contains("gatehouse_control_"))
    }
}
