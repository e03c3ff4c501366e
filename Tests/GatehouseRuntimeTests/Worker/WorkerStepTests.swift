// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What a process of a worker tells before its instances run, and what it may do.
@Suite(.timeLimit(.minutes(10))) struct WorkerStepTests {
    @Test func `a step reads back from its line`() {
        for step in [WorkerStep.making(0), .making(12), .made] {
            #expect(WorkerStep(Substring(step.line)) == step)
        }
    }

    @Test(arguments: ["", "mapped", "making", "making ", "making x", "made!", " made", "end"])
    func `another line is no step`(line: String) { #expect(WorkerStep(Substring(line)) == nil) }

    @Test func `a process may do what any of its instances may, each path once`() {
        let access = FileAccess(unionOf: [
            FileAccess(changing: ["/data/a", "/srv"], reading: ["/usr", "/etc/a"]),
            FileAccess(changing: ["/data/b", "/srv"], reading: ["/usr", "/etc/b"]),
        ])
        #expect(access.changed == ["/data/a", "/srv", "/data/b"])
        #expect(access.read == ["/usr", "/etc/a", "/etc/b"])
        #expect(FileAccess(unionOf: [FileAccess(reading: ["/usr"]), FileAccess()]).read == ["/usr", "/"])
    }
}
