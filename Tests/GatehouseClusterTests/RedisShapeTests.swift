// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

@Suite(.timeLimit(.minutes(10))) struct RedisShapeTests {
    @Test func `a shape is a number of partitions in a form`() {
        #expect(RedisShape(partitions: 64).text == "64/2")
        #expect(RedisShape("64/2") == RedisShape(partitions: 64))
        #expect(RedisShape("64").map { [$0.partitions, $0.form] } == [64, 0])
        #expect(RedisShape("64/0")?.text == "64")
        #expect(RedisShape("1")?.partitions == 1)
        #expect(RedisShape("65536/7").map { [$0.partitions, $0.form] } == [65_536, 7])
        for text in ["", "0", "65537", "x", "64/", "/1", "64/x", "64/-1", "64/2/1", "-1/1", "64 /2"] {
            #expect(RedisShape(text) == nil, "\(text)")
        }
    }

    @Test func `a form that this version does not write is objected to`() {
        #expect(RedisShape(partitions: 8).objection == nil)
        #expect(
            RedisShape("8/3")?.objection
                == "is written in form 3 by a newer version of Gatehouse, and this one knows forms up to 2; run the newer version here too"
        )
        #expect(
            RedisShape("8")?.objection
                == "is written in form 0 by an older version of Gatehouse, and this one writes form 2; stop all members, and rewrite it with gatehouse cluster resize 8"
        )
    }

    @Test func `a resize has both shapes and a token, and is no shape`() throws {
        let resize = RedisResize(from: try #require(RedisShape("4")), to: RedisShape(partitions: 8))
        #expect(resize.text == "4>8/2 \(resize.token)")
        #expect(resize.epoch == 0)
        #expect(RedisShape(resize.text) == nil)
        let read = try #require(RedisResize(resize.text))
        #expect([read.old.text, read.new.text, read.token] == ["4", "8/2", resize.token])
        for text in ["4", "4>8", "4>x t", "x>8 t", "4>8 t u", "", "4 8"] {
            #expect(RedisResize(text) == nil, "\(text)")
        }
    }
}
