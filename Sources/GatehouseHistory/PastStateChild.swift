// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// Makes a past state in a child of the host, and reports it.
package enum PastStateChild {
    /// The most bytes of an answer.
    static let mostBytes = 4 << 20

    /// Reads a request from standard input, performs it, and ends the process.
    ///
    /// - Parameter descriptor: where the host listens.
    package static func perform(tellingTo descriptor: Int32) -> Never {
        HistoryChild.perform(tellingTo: descriptor) { request, _ in result(of: request) }
    }

    /// Performs a request, and returns the result.
    private static func result(of request: PastStateRequest) -> HistoryEvent {
        do throws(PastFailure) {
            let source = request.source
            let maker = try PastStateMaker(journal: source.journal, isStrict: source.isStrict) {
                () throws(PastFailure) in try HistoryChild.plan(of: source)
            }
            return try answer(request.query, from: maker)
        } catch {
            return .failure(error.sentences)
        }
    }

    /// Returns the requested state, and its changes.
    private static func answer(
        _ query: PastStateQuery, from maker: PastStateMaker
    ) throws(PastFailure) -> HistoryEvent {
        var members: Members = ["pointer": .string("\(query.pointer)"), "at": Value(query.at)]
        let last = try maker.last()
        guard query.at <= last else {
            return .failure(["the journal has no action \(query.at); its last one is \(last)"])
        }
        let before = try query.since.map { since throws(PastFailure) in try maker.state(behind: since) }
        let value = try maker.state(behind: query.at)[query.pointer]
        if let value { ShallowValue(value, depth: query.depth, at: query.pointer).add(to: &members) }
        if let before {
            members["changes"] = .array(
                Value.differences(from: before[query.pointer], to: value, at: query.pointer).map(\.members))
        }
        let event = HistoryEvent.answer(.object(members))
        let count = event.line.utf8.count
        guard count <= mostBytes else {
            return .failure([
                "the answer would have \(count) bytes, more than the limit of \(mostBytes); ask for a part of the state with a pointer"
            ])
        }
        return event
    }
}

extension ValueDifference {
    /// The difference for programs: what `was` there, and what `is`.
    fileprivate var members: Value {
        var members: Members = ["pointer": .string("\(pointer)")]
        members["was"] = old
        members["is"] = new
        return .object(members)
    }
}
