// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StoreProblemTests {
    @Test(arguments: [
        (
            StoreProblem.duplicateKey("Int", kept: "A", dropped: "B"),
            #"state key "Int": expected one reducer, found A and B; only the first runs, "#
                + "so give one of them another stateKey"
        ),
        (
            .missingState(key: "Int"),
            #"state key "Int": expected a value for its reducer, found none; "#
                + "add the key to the state the store is created or reset with"
        ),
        (
            .wrongStateType(key: "Int", expected: "Int", found: "String"),
            #"state key "Int": expected a value of type Int, found String; "#
                + "reset the key with a value of its reducer's type"
        ),
        (
            .dispatchFromReducer(action: "Add"),
            "action Add: expected a reducer to dispatch nothing, found this action queued by one; "
                + "dispatch it from a middleware or a listener"
        ),
        (
            .asyncActionNotExecuted(action: "Load"),
            "async action Load: expected a middleware to execute it, found it at the reducers; "
                + "add AsyncMiddleware to the store"
        ),
        (
            .dispatchLoop(limit: 2, recent: ["A", "B"], dropped: 1),
            "dispatch: expected at most 2 actions, each in answer to the one before, found 1 more, dropped: A, B; "
                + "look for the listener or middleware that answers each with the next"
        ),
        (
            .tooManyActions(limit: 5, after: "Load", recent: ["A", "B"], dropped: 7),
            "action Load: expected it to lead to at most 5 others, found 7 more, dropped: A, B; "
                + "look for listeners or middlewares that answer one with many"
        ),
        (
            .actionNotTaken(action: "Add"),
            "action Add: expected a form of it for the store behind the middlewares, found none; "
                + "give it one in hostAction, or let a middleware take it"
        ),
        (
            .storeReleased(action: "Add"),
            "action Add: expected a living store, found it released; "
                + "keep the store for as long as actions are dispatched"
        ),
    ])
    func `a problem says what was expected, what was found and what to do`(
        problem: StoreProblem, text: String
    ) {
        #expect(problem.description == text)
    }
}
