// SPDX-License-Identifier: Apache-2.0

import Testing

/// One way in which a plugin can be bad, and what is said of it.
struct BadPlugin: Sendable, CustomTestStringConvertible {
    /// Where it does it, as the fixtures Fatal and ForeignFatal call it.
    let place: String
    /// What it does, as `fatal.h` calls it.
    let deed: String
    /// A part of what is said about it.
    let said: String

    var testDescription: String { "\(deed) at \(place)" }

    /// The fixture that does it.
    var library: String { ["perform", "cancelled"].contains(place) ? "ForeignFatal" : "FatalPlugin" }
    /// The id of the fixture.
    private var plugin: String { library == "ForeignFatal" ? "foreign-fatal" : "fatal" }

    /// The line that makes it do it.
    var line: String {
        library == "ForeignFatal"
            ? #"{"type":"bad/\#(place)","payload":"\#(deed)"}"# + "\n"
            : #"{"type":"bad/act","payload":{"place":"\#(place)","deed":"\#(deed)"}}"# + "\n"
    }

    /// How its place is told.
    private static let places = [
        "intercept": " in its interceptor", "behind": " in its interceptor", "handle": " in its middleware",
        "reduce": " in its reducer", "answer": " in what its middleware answered", "task": " in an effect",
        "effect": "", "thread": " on a thread of its own", "own": " on a thread of its own",
        "cancel": " in what its middleware answered",
        "start": " at its start", "stopping": " in its work at the end of the run",
        "perform": " in work that had waited, begun by the action bad/perform",
        "cancelled": " when its effects were cancelled",
    ]

    /// How its deed is told.
    private static func manner(_ deed: String) -> String? {
        switch deed {
        case "trap", "forkTrap": " died by SIGILL"
        case "abort", "memory": " died by SIGABRT"
        case "exit", "_exit", "quick_exit": " called exit(0)"
        case "pthread_exit": " ended the "
        case "close", "closeOne": " closed descriptors of the host"
        case "loop", "spin": " is"
        case "unheard", "vanish", "kill": " was"
        default: nil
        }
    }

    /// A deed at a place.
    init(_ place: String, _ deed: String) {
        self.place = place
        self.deed = deed
        let who =
            "the plugin \(["perform", "cancelled"].contains(place) ? "foreign-fatal" : "fatal") (instance bad)"
        said =
            switch (place, deed) {
            case ("pool", _): "all task threads have been busy (effects of bad are running) for "
            // The address stands between.
            case (_, "segv"), (_, "overflow"): who + " died by SIGSEGV at 0x"
            case (_, "pthread_exit"): who + " ended the "
            // Nothing but the library is known of what a task hands on.
            case ("effect", _), ("thread", _): who + " died by SIGABRT in an effect or on a thread of its own"
            default: who + (Self.manner(deed) ?? "") + (Self.places[place] ?? "")
            }
    }

    /// All of them.
    static let all: [BadPlugin] =
        [
            ("intercept", ["trap", "abort", "exit", "loop"]), ("behind", ["trap"]),
            (
                "handle",
                [
                    "trap", "abort", "segv", "overflow", "unheard", "exit", "_exit", "quick_exit", "vanish",
                    "pthread_exit", "loop", "spin", "close", "closeOne", "kill", "forkTrap", "memory",
                ]
            ), ("reduce", ["trap", "abort", "segv", "overflow", "exit", "_exit", "loop"]),
            ("answer", ["trap", "exit", "loop"]),
            ("task", ["trap", "abort", "segv", "overflow", "exit", "_exit"]), ("effect", ["abort"]),
            ("own", ["trap", "abort", "segv", "overflow", "exit", "_exit"]), ("thread", ["abort"]),
            ("pool", ["spin"]), ("cancel", ["trap", "exit", "loop"]), ("start", ["trap", "exit", "loop"]),
            ("stopping", ["trap", "exit", "loop"]), ("perform", ["trap", "exit", "loop"]),
            ("cancelled", ["trap", "exit", "loop"]),
        ].flatMap { place, deeds in deeds.map { BadPlugin(place, $0) } }

    /// The fast ones that each run of the tests has.
    static let sample: [BadPlugin] = [
        BadPlugin("handle", "_exit"), BadPlugin("task", "exit"), BadPlugin("own", "abort"),
        BadPlugin("handle", "close"), BadPlugin("perform", "trap"), BadPlugin("stopping", "exit"),
        BadPlugin("handle", "kill"), BadPlugin("pool", "spin"),
    ]
}
