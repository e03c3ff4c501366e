// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseSupport

/// What children of the host see of its environment.
@Suite(.timeLimit(.minutes(10))) struct ChildEnvironmentTests {
    @Test func `a child sees what every program needs, in the order in which it stands`() {
        let all = [
            "TOKEN=secret", "PATH=/bin", "LC_ALL=C", "LC=x", "TZ=UTC", "HOMES=x", "LD_LIBRARY_PATH=/a=b",
            "AWS_SECRET_ACCESS_KEY=x", "GATEHOUSE_CONFINEMENT=2", "XDG_CACHE_HOME=/c", "PATHS", "",
            "RUST_BACKTRACE=1",
        ]
        #expect(
            ChildEnvironment.visible(of: all) == [
                "PATH=/bin", "LC_ALL=C", "TZ=UTC", "LD_LIBRARY_PATH=/a=b", "GATEHOUSE_CONFINEMENT=2",
                "XDG_CACHE_HOME=/c", "RUST_BACKTRACE=1",
            ])
    }

    @Test(arguments: ["A,REGION", "REGION A", "A, REGION", ",A,,REGION,"])
    func `and what the operator names, by whole names`(names: String) {
        let setting = "GATEHOUSE_CHILD_ENVIRONMENT=" + names
        #expect(
            ChildEnvironment.visible(of: ["A=1", "AB=2", "REGION=eu", "B=A", setting]) == [
                "A=1", "REGION=eu", setting,
            ])
    }

    @Test func `no name stands for more than itself`() {
        for names in ["", "*", "TOKEN*", "=", "TOKEN=secret"] {
            let setting = "GATEHOUSE_CHILD_ENVIRONMENT=" + names
            #expect(ChildEnvironment.visible(of: ["TOKEN=secret", setting]) == [setting])
        }
    }
}
