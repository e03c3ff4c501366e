// SPDX-License-Identifier: Apache-2.0

import Suas

/// Says a word; prints as the word.
struct Say: Action, CustomStringConvertible {
    let word: String

    init(_ word: String) { self.word = word }

    var description: String { word }
}

/// Keeps the last word said in the entry `word`.
struct Word: Reducer {
    var initialState: String = ""
    var stateKey: StateKey { "word" }

    func reduce(state: String, action: any Action) -> String? { (action as? Say)?.word }
}
