// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import Testing

@testable import Gatehouse

/// The examples of effect middlewares: a promise, a stream, and cancellation.
@Suite(.timeLimit(.minutes(5)))
struct EffectExamplesTests {
    enum ApiRequestAction: Sendable {
        case users
        case userPicture(userId: Int)
        case cancelImageDownload(userId: Int)
        case somethingIDontCare
    }

    enum ApiResponseAction: Sendable, Equatable {
        case someResponse(String)
        case gotUserList([String])
        case errorRetrievingUserList
        case gotUserPicture(id: Int, data: [UInt8])
    }

    struct SomeState {}

    /// What a server would do.
    struct Session: Sendable {
        /// One element for each answer.
        var users: @Sendable () -> AsyncThrowingStream<String, any Error>
        var picture: @Sendable (Int) -> AsyncStream<[UInt8]>
    }

    typealias ApiFetchMiddlewareDependencies = (
        session: @Sendable () -> Session, decoder: @Sendable () -> @Sendable (String) -> [String]
    )

    /// Runs one action through a middleware; what it emits comes out of the stream.
    private func run<Middleware: MiddlewareProtocol<ApiRequestAction, ApiResponseAction, SomeState>>(
        _ middleware: Middleware, _ action: ApiRequestAction,
        to responses: AsyncStream<ApiResponseAction>.Continuation
    ) {
        middleware.handle(action: action, from: .here(), state: GetState { SomeState() })
            .run { responses.yield($0.action) }
    }

    @Test func `using promises`() async {
        let someMiddleware = EffectMiddleware<ApiRequestAction, ApiResponseAction, SomeState, Void>.onAction {
            action, state, context in
            switch action {
            case .users:
                return .promise { completion in
                    DispatchQueue.global().async {
                        completion(ApiResponseAction.someResponse("42"))
                    }
                }
            default:
                return .doNothing
            }
        }
        let (responses, continuation) = AsyncStream<ApiResponseAction>.makeStream()
        run(someMiddleware, .somethingIDontCare, to: continuation)
        #expect(someMiddleware.runningEffects == 0)
        run(someMiddleware, .users, to: continuation)
        #expect(await responses.first { _ in true } == .someResponse("42"))
    }

    /// The middleware of the other two examples.
    private func apiFetchMiddleware(
        _ session: Session
    ) -> EffectMiddleware<ApiRequestAction, ApiResponseAction, SomeState, ApiFetchMiddlewareDependencies> {
        EffectMiddleware<ApiRequestAction, ApiResponseAction, SomeState, ApiFetchMiddlewareDependencies>
            .onAction {
                action, state, context in
                switch action {
                case .users:
                    let decode = context.dependencies.decoder()
                    return context.dependencies.session()
                        .users()
                        .map { data in decode(data) }
                        .map { users in ApiResponseAction.gotUserList(users) }
                        .asEffect { _ in ApiResponseAction.errorRetrievingUserList }
                case .userPicture(let userId):
                    return context.dependencies.session()
                        .picture(userId)
                        .map { data in ApiResponseAction.gotUserPicture(id: userId, data: data) }
                        .asEffect(cancellationToken: "image-for-user-\(userId)")
                case .cancelImageDownload(let userId):
                    return context.toCancel("image-for-user-\(userId)")
                case .somethingIDontCare:
                    return .doNothing
                }
            }.inject((session: { session }, decoder: { { $0.split(separator: ",").map(String.init) } }))
    }

    @Test(arguments: [false, true])
    func `from a stream, that may fail`(fails: Bool) async {
        let session = Session(
            users: {
                AsyncThrowingStream { continuation in
                    continuation.yield("ada,grace")
                    continuation.finish(throwing: fails ? CancellationError() : nil)
                }
            }, picture: { _ in AsyncStream { $0.finish() } })
        let (responses, continuation) = AsyncStream<ApiResponseAction>.makeStream()
        let middleware = apiFetchMiddleware(session)
        run(middleware, .users, to: continuation)
        var received = responses.makeAsyncIterator()
        #expect(await received.next() == .gotUserList(["ada", "grace"]))
        if fails { #expect(await received.next() == .errorRetrievingUserList) }
        withExtendedLifetime(middleware) {}
    }

    @Test func `cancellation, by replacing and by token`() async {
        let ended = Signal()
        let opened = Opened()
        let session = Session(
            users: { AsyncThrowingStream { $0.finish() } },
            picture: { _ in
                AsyncStream { continuation in
                    continuation.onTermination = { _ in ended.fire() }
                    opened.add(continuation)
                }
            })
        let (responses, continuation) = AsyncStream<ApiResponseAction>.makeStream()
        let middleware = apiFetchMiddleware(session)
        run(middleware, .userPicture(userId: 1), to: continuation)
        run(middleware, .userPicture(userId: 1), to: continuation)
        await ended.wait()
        #expect(middleware.runningEffects == 1, "the second download replaced the first")
        opened.all[0].yield([0])
        opened.all[1].yield([1])
        #expect(await responses.first { _ in true } == .gotUserPicture(id: 1, data: [1]))
        run(middleware, .cancelImageDownload(userId: 1), to: continuation)
        await ended.wait()
        #expect(middleware.runningEffects == 0)
    }
}

/// The downloads that were opened.
private final class Opened: Sendable {
    private let continuations = Lock<[AsyncStream<[UInt8]>.Continuation]>([])

    func add(_ continuation: AsyncStream<[UInt8]>.Continuation) {
        continuations.withLock { $0.append(continuation) }
    }

    /// In the order in which they were opened.
    var all: [AsyncStream<[UInt8]>.Continuation] { continuations.withLock { $0 } }
}
