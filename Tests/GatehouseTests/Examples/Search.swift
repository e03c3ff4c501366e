// SPDX-License-Identifier: Apache-2.0

import Gatehouse

/// A part of a program, with types of its own: what is looked for and what was found.
enum Search {
    enum Action: Sendable, Equatable {
        case query(String)
        case found([String])
        case failed(String)
    }

    struct State: Sendable, Equatable {
        var query = ""
        var results: [String] = []
    }

    struct Catalog: Sendable {
        var find: @Sendable (String) async throws -> [String]
    }

    static var reducer: Reducer<Action, State> {
        .reducing { action, state in
            switch action {
            case .query(let query): state.query = query
            case .found(let results): state.results = results
            case .failed: return .unchanged
            }
            return .changed
        }
    }

    static var middleware: MiddlewareReader<Catalog, EffectMiddleware<Action, Action, State, Catalog>> {
        .onAction { action, _, context in
            guard case .query(let query) = action else { return .doNothing }
            let catalog = context.dependencies
            return .task(token: "search") {
                do { return .found(try await catalog.find(query)) } catch { return .failed("\(error)") }
            }
        }
    }
}
