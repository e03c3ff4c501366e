// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Synchronization

/// One request from its header to its answer.
///
/// `unsafe` because the library suspends a connection by its address.
///
/// `@unchecked Sendable`: the body belongs to the thread that reads it, until it is handed over as a whole. The connection is
/// touched under the lock, by the thread that the library calls for it, or while it is suspended, which keeps it alive.
@safe final class HTTPExchange: @unchecked Sendable {
    /// The contents of the lock.
    private struct State {
        /// The answer; nil until it is known.
        var answer: HTTPResponse?
        /// Whether the connection is suspended until then.
        var isSuspended = false
    }

    /// The request's header.
    let request: HTTPRequest
    /// Its connection.
    private let connection: OpaquePointer
    /// The longest body.
    private let most: Int
    /// The memory for bodies of all requests.
    private let budget: BodyBudget
    /// Makes the answer.
    private let then: @Sendable ([UInt8]) async -> HTTPResponse
    /// The body so far.
    private var body: [UInt8] = []
    /// The bytes taken from the budget.
    private var taken = 0
    /// The number of discarded bytes, and the reason.
    private var dropped: (count: Int, answer: HTTPResponse)?
    /// Whether the body is complete and being answered.
    private(set) var isBegun = false
    /// The answer, guarded by the lock.
    private let state = Mutex(State())

    /// Creates an exchange after the header; takes nothing from the budget before part of the body has come.
    init(
        _ request: HTTPRequest, on connection: OpaquePointer, atMost most: Int, _ budget: BodyBudget,
        then: @escaping @Sendable ([UInt8]) async -> HTTPResponse
    ) {
        self.request = request
        unsafe self.connection = connection
        self.most = most
        self.budget = budget
        self.then = then
    }

    deinit { budget.giveBack(taken, for: request.network) }

    /// Takes a piece of the body; false when there is no point in reading on.
    func append(_ piece: UnsafeRawBufferPointer) -> Bool {
        if dropped == nil {
            let count = body.count + piece.count
            if count > most {
                drop(.refusal(413, "expected at most \(most) bytes, found more; send less at once"))
            } else if count > taken, !reserve(count - taken) {
                drop(.later("the server holds as many bytes of requests as it may; try again"))
            }
        }
        guard let dropped else {
            unsafe body.append(contentsOf: piece)
            return true
        }
        // A client that has sent everything gets the reason; one that continues for long is cut off.
        self.dropped = (dropped.count + piece.count, dropped.answer)
        return dropped.count + piece.count <= max(most, 1 << 20)
    }

    /// Takes this many more bytes from the budget, or at once as many as the array will grow by next; false if not enough are
    /// left.
    private func reserve(_ count: Int) -> Bool {
        let all = min(request.contentLength ?? most, most)
        for more in [max(count, min(taken, all - taken)), count]
        where budget.take(more, for: request.network) {
            taken += more
            return true
        }
        return false
    }

    /// Discards the body.
    private func drop(_ answer: HTTPResponse) {
        dropped = (0, answer)
        body = []
    }

    /// Begins to answer, after the end of the body.
    ///
    /// - Returns: whether the connection is suspended until the answer; otherwise the answer is there already.
    func begin() -> Bool {
        isBegun = true
        if let dropped {
            finish(dropped.answer)
            return false
        }
        let body = body
        self.body = []
        let isSuspended = state.withLock { state in
            // The server ends.
            guard state.answer == nil else { return false }
            state.isSuspended = true
            unsafe MHD_suspend_connection(connection)
            return true
        }
        if isSuspended { Task.detached { [self] in finish(await then(body)) } }
        return isSuspended
    }

    /// Answers, unless it is answered already; callable from any thread.
    func finish(_ answer: HTTPResponse) {
        state.withLock { state in
            guard state.answer == nil else { return }
            state.answer = answer
            guard state.isSuspended else { return }
            state.isSuspended = false
            unsafe MHD_resume_connection(connection)
        }
    }

    /// The answer; nil until it is known.
    var answer: HTTPResponse? { state.withLock { $0.answer } }
}
