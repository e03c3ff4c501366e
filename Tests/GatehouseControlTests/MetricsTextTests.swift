// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseCluster
@testable import GatehouseControl
@testable import GatehouseMember

@Suite("Metrics", .timeLimit(.minutes(10)))
struct MetricsTextTests {
    @Test func `what the format does not take in a label is escaped`() {
        var status = ControlStatus()
        status.name = "a\\b\"c\nd"
        status.store.actions = 1_234_567
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

    @Test func `a member tells how far those partitions are that it owns`() throws {
        var status = ControlStatus()
        status.name = "a"
        var account = ClusterAccount()
        (account.name, account.member, account.partitions, account.owned) = ("shop", "a", 2, 1)
        account.members = 1
        (account.checkpoints, account.checkpointTime, account.fenced) = (4, .milliseconds(10), 3)
        account.leftEffects.lost = 6
        status.cluster = account
        let survey = ClusterSurvey(
            members: [],
            partitions: ["b", "a"].map {
                ClusterSurvey.Partition(
                    title: ClusterRoll.Title(owner: $0, epoch: 1), offset: .start, lag: 7,
                    waiting: .milliseconds(1_500), checkpointAge: nil)
            }, dead: 5, time: 0)
        let lines = MetricsText(status, survey).text.split(separator: "\n")
            .filter { $0.hasPrefix("gatehouse_cluster_") }
        #expect(
            lines == [
                #"gatehouse_cluster_engine_up{host="a",cluster="shop"} 1"#,
                #"gatehouse_cluster_ready{host="a",cluster="shop"} 1"#,
                #"gatehouse_cluster_members{host="a",cluster="shop"} 1"#,
                #"gatehouse_cluster_partitions{host="a",cluster="shop"} 2"#,
                #"gatehouse_cluster_partitions_owned{host="a",cluster="shop"} 1"#,
                #"gatehouse_cluster_inputs_appended_total{host="a",cluster="shop"} 0"#,
                #"gatehouse_cluster_actions_taken_total{host="a",cluster="shop"} 0"#,
                #"gatehouse_cluster_outputs_total{host="a",cluster="shop"} 0"#,
                #"gatehouse_cluster_duplicates_total{host="a",cluster="shop"} 0"#,
                #"gatehouse_cluster_checkpoints_total{host="a",cluster="shop"} 4"#,
                #"gatehouse_cluster_checkpoint_seconds_total{host="a",cluster="shop"} 0.01"#,
                #"gatehouse_cluster_fenced_total{host="a",cluster="shop"} 3"#,
                #"gatehouse_cluster_hand_overs_total{host="a",cluster="shop"} 0"#,
                #"gatehouse_cluster_effects_taken_total{host="a",cluster="shop"} 0"#,
                #"gatehouse_cluster_effects_left_total{host="a",cluster="shop"} 0"#,
                #"gatehouse_cluster_effects_told_total{host="a",cluster="shop"} 0"#,
                #"gatehouse_cluster_effects_lost_total{host="a",cluster="shop"} 6"#,
                #"gatehouse_cluster_dead_letters{host="a",cluster="shop"} 5"#,
                #"gatehouse_cluster_partition_lag{host="a",cluster="shop",partition="1"} 7"#,
                #"gatehouse_cluster_partition_waiting_seconds{host="a",cluster="shop",partition="1"} 1.5"#,
            ])
        // What the dashboard and the alerts of the examples use of it is there.
        status.cluster?.server = ClusterServer(address: "redis://a", since: .now, replicas: 1)
        var replicated = survey
        replicated.server = .init(
            address: "redis://a", replicas: [.init(address: "b", isOnline: true, behind: 0, silence: .zero)])
        let exported = Set(
            MetricsText(status, replicated).text.split(separator: "\n").filter { !$0.hasPrefix("#") }
                .map { String($0.prefix { $0 != "{" }) })
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        for file in ["grafana-dashboard.json", "alerts.yml"] {
            let text = String(
                decoding: try FileSystem.read("\(root)/Examples/monitoring/\(file)"), as: UTF8.self)
            let used = Set(text.matches(of: /\bgatehouse_cluster_[a-z_]+/).map { String($0.output) })
            #expect(!used.isEmpty)
            #expect(used.subtracting(exported) == [], "\(file)")
        }
    }

    @Test func `a member tells which server it writes to, and how the replicas of that stand`() {
        var status = ControlStatus()
        var account = ClusterAccount()
        account.name = "shop"
        account.server = ClusterServer(
            address: "redis://10.0.0.6:6379", since: .now, replicas: 1, former: "redis://10.0.0.5:6379")
        status.cluster = account
        var survey = ClusterSurvey(members: [], partitions: [], dead: 0, time: 0)
        survey.server = .init(
            address: "redis://10.0.0.6:6379",
            replicas: [
                .init(address: "10.0.0.7:6379", isOnline: true, behind: 12, silence: .zero),
                .init(address: "10.0.0.5:6379", isOnline: false, behind: 4_711, silence: .seconds(3)),
            ])
        let lines = MetricsText(status, survey).text.split(separator: "\n")
            .filter { $0.contains("replica") || $0.contains("engine_info") }.filter { !$0.hasPrefix("#") }
        #expect(
            lines == [
                #"gatehouse_cluster_engine_info{host="",cluster="shop",address="redis://10.0.0.6:6379"} 1"#,
                #"gatehouse_cluster_replicas_needed{host="",cluster="shop"} 1"#,
                #"gatehouse_cluster_replicas{host="",cluster="shop"} 1"#,
                #"gatehouse_cluster_replica_behind_bytes{host="",cluster="shop",replica="10.0.0.7:6379"} 12"#,
                #"gatehouse_cluster_replica_behind_bytes{host="",cluster="shop",replica="10.0.0.5:6379"} 4711"#,
            ])
        // While it does not answer, nothing is known of its replicas.
        let alone = MetricsText(status).text
        #expect(alone.contains("gatehouse_cluster_engine_info{"))
        #expect(!alone.contains("gatehouse_cluster_replicas{"))
    }

    @Test func `while the engine does not answer, a member tells what it knows itself`() {
        var status = ControlStatus()
        var account = ClusterAccount()
        account.name = "shop"
        status.cluster = account
        let text = MetricsText(status).text
        #expect(text.contains(#"gatehouse_cluster_engine_up{host="",cluster="shop"} 0"# + "\n"))
        #expect(text.contains("gatehouse_cluster_checkpoints_total{"))
        #expect(!text.contains("gatehouse_cluster_partition_lag"))
    }
}
