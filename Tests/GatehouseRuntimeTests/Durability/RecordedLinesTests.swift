// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseSQLite
import Testing

@testable import GatehouseRuntime

/// Lines that were kept, and are actions again.
@Suite(.timeLimit(.minutes(10))) struct RecordedLinesTests {
    @Test func `each line is read for itself, whatever came before it`() {
        var lines = RecordedLines()
        let long = String(repeating: "x", count: 5_000)
        for round in 1...2 {
            let texts = [
                #"{"type":"a/long","payload":"\#(long)"}"#, #"{"type":"b","payload":\#(round)}"#, "nothing",
                #"{"type":"c/longer/than/the/one/before"}"#, "", #"{"type":"d"}"#,
            ]
            let actions = texts.map { lines.action(Array($0.utf8)) }
            #expect(
                actions.map { $0?.type.name } == [
                    "a/long", "b", nil, "c/longer/than/the/one/before", nil, "d",
                ])
            #expect(
                actions.map { $0?.payload } == [.string(long), .integer(Int64(round)), nil, nil, nil, nil])
        }
    }
}
