// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// The dashboard and the alerts of Examples/monitoring.
@Suite(.timeLimit(.minutes(10))) struct MonitoringExampleTests {
    /// Prometheus' own tool, where it is installed.
    private static let promtool = "/usr/bin/promtool"

    /// The names of metrics in a file, except those of clusters, which `MetricsTextTests` compares.
    private func names(in file: String) throws -> Set<String> {
        let text = try GuidePage.text("Examples/monitoring/" + file)
        return Set(text.matches(of: /\bgatehouse_[a-z_]+/).map { String($0.output) }).filter {
            !$0.hasPrefix("gatehouse_cluster_")
        }
    }

    @Test func `a host exports each metric that they use`() throws {
        let host = try LiveHost(
            """
            { "control": true, "supervise": { "pause": 0 }, "journal": { "snapshotEvery": 1 },
              "traces": { "endpoint": "http://127.0.0.1:9/v1/traces", "sample": 1 },
              "plugins": [{ "id": "counter", "placement": "worker" }] }
            """, libraries: ["CounterPlugin"], ["--supervise", "--name", "shop", "--print", "none"])
        host.send("counter/increment")
        try host.settle()
        var metrics = try host.ctl("--name", "shop", "metrics").output
        // A snapshot is written beside the run, and has an age from then on.
        while !metrics.contains("gatehouse_journal_snapshot_age_seconds") {
            metrics = try host.ctl("--name", "shop", "metrics").output
        }
        let exported = Set(
            metrics.split(separator: "\n").compactMap {
                $0.firstMatch(of: /^# TYPE (\w+)/).map { String($0.output.1) }
            })
        for file in ["grafana-dashboard.json", "alerts.yml"] {
            let used = try names(in: file)
            #expect(used.count > 10)
            #expect(used.subtracting(exported) == [], "\(file)")
        }
        _ = try host.finish()
    }

    @Test func `the dashboard is one that Grafana takes`() throws {
        let dashboard = try JSONText.parse(GuidePage.text("Examples/monitoring/grafana-dashboard.json"))
        let panels = try #require(dashboard["panels"]?.arrayValue)
        #expect(Set(panels.map { $0["id"] }).count == panels.count)
        for panel in panels where panel["type"] != "row" {
            #expect(panel["description"]?.stringValue?.isEmpty == false, "\(panel["title"] ?? .null)")
            for target in try #require(panel["targets"]?.arrayValue) {
                #expect(target["expr"]?.stringValue?.contains("host=~\"$host\"") == true)
            }
        }
    }

    @Test(.enabled(if: FileSystem.exists(promtool), "promtool comes with Debian's prometheus"))
    func `each alert is raised where it is due, and not where it is not`() throws {
        let folder = try TemporaryFolder()
        for name in ["alerts.yml", "alerts.test.yml", "prometheus.yml"] {
            try folder.write(GuidePage.text("Examples/monitoring/" + name), to: name)
        }
        for arguments in [["test", "rules", "alerts.test.yml"], ["check", "config", "prometheus.yml"]] {
            let outcome = try ChildProcess.run(
                Self.promtool, arguments: arguments, in: folder.path)
            #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
        }
        let rules = try GuidePage.text("Examples/monitoring/alerts.yml")
        let tests = try GuidePage.text("Examples/monitoring/alerts.test.yml")
        for alert in rules.matches(of: /alert: (\w+)/).map(\.output.1) {
            #expect(tests.contains("name: \(alert) is due\n"))
            #expect(tests.contains("name: \(alert) is not due\n"))
        }
    }
}
