// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

@testable import GatehouseControl

/// Why a member does not do its share.
struct ClusterAccountTests {
    /// The account of a member that has joined.
    private var account: ClusterAccount {
        var account = ClusterAccount()
        (account.member, account.members) = ("a", 2)
        return account
    }

    @Test func `a member that runs some of its partitions is ready, and one to which none falls`() {
        var account = account
        #expect(account.obstacles == [])
        (account.intended, account.running, account.owned) = (3, 1, 1)
        #expect(account.obstacles == [])
        #expect(account.value["ready"] == true)
    }

    @Test func `everything that keeps it from its share is told`() {
        var account = account
        account.intended = 1
        account.trouble = "the engine cannot be reached: no answer came in time"
        #expect(
            account.obstacles == [
                "the engine cannot be reached: no answer came in time",
                "a runs none of the 1 partition that fall to it",
            ])
        account.members = 0
        #expect(account.obstacles.last == "the engine has not confirmed the lease of a yet")
        #expect(account.value["ready"] == false)
        #expect(account.value["obstacles"]?.arrayValue?.count == 2)
    }
}
