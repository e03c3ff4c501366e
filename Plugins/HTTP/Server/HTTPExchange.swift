// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Synchronization

/// One request from its header to its answer.
///
/// `unsafe` because the library rests a connection by its address.
///
/// `@unchecked Sendable`: the body belongs to the thread that reads it, until it is handed over as a whole. The connection is
/// touched under the lock, by the thread that the library calls for it, or while it is suspended, which keeps it alive.
@safe final class HTTPExchange: @unchecked Sendable {
    /// What is guarded by the lock.
    private struct State {
        /// What it is answered with; nil before that is known.
        var answer: HTTPResponse?
        /// Whether the connection rests until then.
        var isSuspended = false
    }

    /// The request as far as its header says.
    let request: HTTPRequest
    /// The connection on which it came.
    private let connection: OpaquePointer
    /// The longest body.
    private let most: Int
    /// The bytes of bodies that may wait, of all requests together.
    private let budget: BodyBudget
    /// Answers it.
    private let then: @Sendable ([UInt8]) async -> HTTPResponse
    /// What came of the body.
    private var body: [UInt8] = []
    /// What was taken from the budget.
    private var taken = 0
    /// How many bytes came that are not kept, and why.
    private var dropped: (count: Int, answer: HTTPResponse)?
    /// Whether the body is there and somebody answers.
    private(set) var isBegun = false
    /// What it is answered with, guarded by the lock.
    private let state = Mutex(State())

    /// A request whose header is there; nothing is taken from the budget before something of the body has come.
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
        // Who has sent all is told why; who goes on for long is not listened to.
        self.dropped = (dropped.count + piece.count, dropped.answer)
        return dropped.count + piece.count <= max(most, 1 << 20)
    }

    /// Takes so many bytes more from the budget, or at once as many as the array has room for when it grows next; false where there are
    /// not so many left.
    private func reserve(_ count: Int) -> Bool {
        let all = min(request.contentLength ?? most, most)
        for more in [max(count, min(taken, all - taken)), count]
        where budget.take(more, for: request.network) {
            taken += more
            return true
        }
        return false
    }

    /// Keeps nothing of the body any more.
    private func drop(_ answer: HTTPResponse) {
        dropped = (0, answer)
        body = []
    }

    /// Begins to answer, when the body has come to its end.
    ///
    /// - Returns: whether the connection rests until the answer is there; otherwise it is there already.
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

    /// What it is answered with; nil before that is known.
    var answer: HTTPResponse? { state.withLock { $0.answer } }
}
