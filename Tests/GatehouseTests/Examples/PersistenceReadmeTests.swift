// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// The page about persistence: actions, state, a controller with one type to specify, and what is made of it.
@Suite(.timeLimit(.minutes(5)))
struct PersistenceReadmeTests {
    typealias State = PersistenceState<Song, SongError, SongRequest>

    private let tea = Song(title: "Tea for Two", artist: "Caesar")
    private let rain = Song(title: "Rain", artist: "Storm")

    /// A store over a shelf, whose actions the test awaits.
    private func scene() -> PersistenceScene<ShelfController<Song>> {
        PersistenceScene(ShelfController(name: "MusicDB"))
    }

    @Test func `a controller makes middleware and reducer, and their types need not be written`() {
        let controller = ShelfController<Song>(name: "MusicDB")
        let middleware = controller.makeMiddleware()
        let reducer = ShelfController<Song>.makeReducer()

        let spelt:
            AnyMiddleware<
                PersistenceAction<Song, SongError, SongRequest>,
                PersistenceAction<Song, SongError, SongRequest>,
                PersistenceState<Song, SongError, SongRequest>
            > = middleware
        var state = State.initial
        reducer.reduce(.request(.all), &state)
        #expect(state == State(request: .loading, live: [nil]))
        let answer = spelt.handle(action: .cancelRequest, from: .here(), state: GetState { state })
        answer.run { (_: DispatchedAction<ShelfController<Song>.Action>) in Issue.record("nothing to tell") }
    }

    @Test func `a song is processing, then saved, and deleted again`() async {
        let scene = scene()
        #expect(scene.state == .initial)
        await scene.send(.save(tea))
        #expect(await scene.next()?.action == .succeeded(.save(tea)))
        #expect(scene.state == State(persist: .succeeded))
        await scene.send(.delete(tea))
        #expect(await scene.next()?.action == .succeeded(.delete(tea)))
        #expect(scene.state == State(persist: .succeeded, delete: .succeeded))
    }

    @Test func `a song that cannot be saved is in the state, with the reason`() async {
        let scene = scene()
        let nameless = Song(title: "")
        await scene.send(.save(nameless))
        #expect(await scene.next()?.action == .failed(.noTitle, .save(nameless)))
        #expect(scene.state == State(persist: .failed(error: .noTitle, element: nameless)))
    }

    @Test func `a request receives the songs it asks for, and each change to them, until it is cancelled`()
        async
    {
        let scene = scene()
        await scene.send(.save(tea))
        _ = await scene.next()
        await scene.send(.request(.artist("Storm")))
        #expect(await scene.next()?.action == .received(.elements([]), .artist("Storm")))
        await scene.send(.save(rain))
        while scene.state.request != .received([rain]), await scene.next() != nil {}
        await scene.send(.cancelRequest)
        #expect(scene.state.request == .canceled)
    }

    @Test func `a request that cannot be served is in the state, with the reason`() async {
        let scene = scene()
        await scene.send(.save(tea))
        _ = await scene.next()
        await scene.send(.request(.artist("")))
        #expect(await scene.next()?.action == .requestFailed(.noArtist, .artist("")))
        #expect(scene.state.request == .failed(error: .noArtist, request: .artist("")))
    }

    @Test func `the songs are one part of a program`() async {
        enum AppAction: Sendable, Equatable {
            case songs(ShelfController<Song>.Action)

            var songs: ShelfController<Song>.Action? {
                switch self {
                case .songs(let action): action
                }
            }
        }
        struct AppState: Sendable {
            var songs = ShelfController<Song>.State.initial
        }
        let controller = ShelfController<Song>(name: "MusicDB")

        let store = Store(
            initialState: AppState(),
            reducer: ShelfController<Song>.makeReducer().lift(
                action: \AppAction.songs, state: \AppState.songs),
            middleware: controller.makeMiddleware().lift(
                inputAction: \AppAction.songs, outputAction: AppAction.songs, state: \AppState.songs))
        let songs = store.mapState { $0.songs.request }.states(.whenDifferent)
        store.dispatch(.songs(.request(.all)))
        store.dispatch(.songs(.save(tea)))

        for await request in songs where request == .received([tea]) { break }
        #expect(store.state.songs.request == .received([tea]))
    }
}
