// SPDX-License-Identifier: Apache-2.0

import Gatehouse

/// A whole program made of parts: lifts the search, gates it, and keeps a journal.
enum App {
    enum Action: Sendable, Equatable {
        case search(Search.Action)
        case goOnline(Bool)

        var search: Search.Action? {
            if case .search(let action) = self { action } else { nil }
        }
    }

    struct State: Sendable, Equatable {
        var search = Search.State()
        var isOnline = true
    }

    struct World: Sendable {
        var catalog: Search.Catalog
        var log: @Sendable (String) -> Void
    }

    static var reducer: Reducer<Action, State> {
        Search.reducer.lift(action: \.search, state: \.search)
            <> .reducing { action, state in
                guard case .goOnline(let isOnline) = action else { return .unchanged }
                state.isOnline = isOnline
                return .changed
            }
    }

    static var middleware: MiddlewareReader<World, ComposedMiddleware<Action, Action, State>> {
        let journal = MiddlewareReader { (world: World) in Journal(log: world.log) }
        let search =
            Search.middleware
            .lift(
                inputAction: \Action.search, outputAction: Action.search,
                state: \State.search, dependencies: \World.catalog
            )
            .mapMiddleware { $0.gated(state: \State.isOnline, onClose: .cancel) }
        return journal <> search
    }
}
