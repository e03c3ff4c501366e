// SPDX-License-Identifier: Apache-2.0
//
// usage: swift Scripts/generate-lifts.swift [--check]
//
// Writes the lifts that omit some of their axes, for each kind of middleware and for readers, into the files
// *+Lift.generated.swift of the core. With --check it writes nothing, and fails when a file is out of date.
//
// The lift along all axes is beside them, written by hand. Swift cannot express the others in one function: a default
// argument binds a generic parameter only to a type that does not depend on the middleware (SE-0347), and a parameter
// pack has neither labels nor a fixed place in the result for each of its types.

import Foundation

/// What a middleware is lifted along.
enum Axis: CaseIterable {
    case input, output, state, dependencies

    /// The label of the parameter.
    var label: String {
        switch self {
        case .input: "inputAction"
        case .output: "outputAction"
        case .state: "state"
        case .dependencies: "dependencies"
        }
    }

    /// The word in the comment.
    var word: String {
        switch self {
        case .input: "inputs"
        case .output: "outputs"
        case .state: "state"
        case .dependencies: "dependencies"
        }
    }

    /// The type after the lift, and what it must conform to.
    var global: (name: String, constraint: String) {
        switch self {
        case .input: ("GlobalInput", ": Sendable")
        case .output: ("GlobalOutput", ": Sendable")
        case .state: ("GlobalState", "")
        case .dependencies: ("GlobalDependencies", "")
        }
    }

    /// The type of the map from, or to, the local type.
    func map(_ local: String) -> String {
        switch self {
        case .input: "(GlobalInput) -> \(local)?"
        case .output: "(\(local)) -> GlobalOutput"
        case .state, .dependencies: "(\(global.name)) -> \(local)"
        }
    }
}

/// One kind of middleware, or the readers of one.
struct Lifted {
    /// The extended type.
    let type: String
    /// Its own types, in the order of the axes.
    let locals: [String]
    /// Generic parameters besides those of the axes.
    var own: [String] = []
    /// A requirement on the extended type.
    var requirement = ""
    /// What a lift does where the dependencies stay; takes the maps of its axes, and those of the first three.
    let body: (_ maps: [String], _ all: [String]) -> String
    /// The type after the lift; takes the types after it, in the order of the axes.
    let result: ([String]) -> String

    /// The function that lifts along some axes.
    func lift(_ axes: [Axis]) -> String {
        let words = axes.map(\.word)
        let list =
            words.dropLast().joined(separator: ", ") + (words.count > 1 ? " and " : "") + (words.last ?? "")
        let generics =
            own
            + ([.dependencies] + Axis.allCases.dropLast()).filter(axes.contains).map {
                $0.global.name + $0.global.constraint
            }
        let parameters = zip(Axis.allCases, locals).filter { axes.contains($0.0) }.map { axis, local in
            "\(axis.label): @escaping \(axis.map(local))"
        }
        let types = zip(Axis.allCases, locals).map { axes.contains($0) ? $0.global.name : $1 }
        let maps = axes.filter { $0 != .dependencies }.map { "\($0.label): \($0.label)" }
        let all = Axis.allCases.dropLast().map { "\($0.label): \(axes.contains($0) ? $0.label : "{ $0 }")" }
        return """
            /// Fits \(list) to a whole, and leaves the rest as it is.
            @inlinable public func lift<\(generics.joined(separator: ", "))>(
            \(parameters.joined(separator: ", "))
            ) -> \(result(types))\(requirement) {
            \(axes.contains(.dependencies)
                ? "contramapDependencies(dependencies).lift(\(maps.joined(separator: ", ")))" : body(maps, all))
            }


            """
    }

    /// The extension with the lifts along some sets of axes.
    func `extension`(_ sets: [[Axis]]) -> String {
        "\nextension \(type) {\n\(sets.map(lift).joined().trimmingCharacters(in: .newlines))\n}\n"
    }
}

/// The sets that a middleware is lifted along; the last three axes together are written by hand.
let partial: [[Axis]] = [
    [.output, .state], [.input, .state], [.input, .output], [.input], [.output], [.state],
]
let all: [[Axis]] = [[.input, .output, .state]] + partial

/// The lifts of one kind of middleware.
func middleware(_ type: String, result: @escaping ([String]) -> String) -> String {
    Lifted(
        type: type, locals: ["InputActionType", "OutputActionType", "StateType", "Dependencies"],
        body: { "lift(\($1.joined(separator: ", ")))" }, result: result
    ).extension(partial)
}

/// The lifts of the readers of one kind of middleware.
func reader(
    _ locals: [String], own: [String] = [], requirement: String = "", result: @escaping ([String]) -> String
) -> String {
    Lifted(
        type: "MiddlewareReaderProtocol", locals: locals + ["Dependencies"], own: own,
        requirement: requirement,
        body: { maps, _ in "mapMiddleware { $0.lift(\(maps.joined(separator: ", "))) }" }, result: result
    ).extension(all + all.map { $0 + [.dependencies] })
}

/// The types of the first three axes.
func three(_ types: [String]) -> String { types.prefix(3).joined(separator: ", ") }

let files = [
    "Middleware/MiddlewareProtocol": middleware("MiddlewareProtocol") { "LiftMiddleware<\(three($0)), Self>" }
        + ["AnyMiddleware", "ComposedMiddleware", "IdentityMiddleware"].map { kind in
            middleware(kind) { "\(kind)<\(three($0))>" }
        }.joined(),
    "Effect/EffectMiddleware": middleware("EffectMiddleware") {
        "EffectMiddleware<\(three($0)), Dependencies>"
    },
    "Reader/MiddlewareReader": reader(
        ["InputActionType", "OutputActionType", "StateType"],
        result: { "Lifted<\($0[3]), \(three($0))>" })
        + reader(
            ["Input", "Output", "State"], own: ["Input", "Output", "State"],
            requirement: "\nwhere MiddlewareType == AnyMiddleware<Input, Output, State>",
            result: { "MiddlewareReader<\($0[3]), AnyMiddleware<\(three($0))>>" }),
]

/// Lays out a source as `make format-check` demands.
func formatted(_ source: String) throws -> String {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).swift")
    defer { try? FileManager.default.removeItem(at: scratch) }
    try Data(source.utf8).write(to: scratch)
    let format = Process()
    format.executableURL = URL(filePath: "/usr/bin/env")
    format.arguments = [
        "swift", "format", "format", "--configuration", ".swift-format", "--in-place", scratch.path,
    ]
    try format.run()
    format.waitUntilExit()
    guard format.terminationStatus == 0 else { exit(1) }
    return String(decoding: try Data(contentsOf: scratch), as: UTF8.self)
}

var differences = 0
for (name, lifts) in files.sorted(by: { $0.key < $1.key }) {
    let path = "SDK/Sources/Gatehouse/\(name)+Lift.generated.swift"
    let source = try formatted(
        """
        // SPDX-License-Identifier: Apache-2.0
        // Written by Scripts/generate-lifts; change it there.
        \(lifts)
        """)
    if !CommandLine.arguments.contains("--check") {
        try Data(source.utf8).write(to: URL(filePath: path))
    } else if try Data(contentsOf: URL(filePath: path)) != Data(source.utf8) {
        differences += 1
        print("\(path): this is not what the script writes; run swift Scripts/generate-lifts.swift")
    }
}
exit(differences == 0 ? 0 : 1)
