// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// A running host with one instance of the fixture Planted and a journal of many actions, and candidates with planted regressions.
struct PlantedScene {
    /// The configuration.
    static let configuration = """
        { "name": "shop", "journal": { "directory": "journal" }, "plugins": [{ "id": "planted" }] }
        """

    let scene: Scene
    let host: LiveHost

    /// Starts a host, and sends it actions.
    ///
    /// - Parameter regression: the regression that the running version has already.
    init(_ configuration: String = configuration, running regression: String = "none", lines: Int = 600)
        throws
    {
        scene = try Scene(configuration, libraries: ["PlantedPlugin"])
        try FileSystem.write(
            try Self.library(with: regression), to: scene.folder("plugins/libPlantedPlugin.so"))
        host = try LiveHost(scene, ["--control", "--print", "none"])
        for number in 1...lines { host.write(Self.line(number)) }
        try host.settle()
    }

    /// One line of the past: mostly sales, now and then a return or the wish for a receipt.
    static func line(_ number: Int) -> String {
        if number.isMultiple(of: 50) { return #"{"type":"planted/ask"}"# }
        if number.isMultiple(of: 7) { return #"{"type":"planted/returned","payload":\#(number % 4)}"# }
        let amount = number * 37 % 1_000
        let customer = number.isMultiple(of: 11) ? "" : "customer \(number % 10)"
        return #"{"type":"planted/sold","payload":{"amount":\#(amount),"customer":"\#(customer)"}}"#
    }

    /// Writes a copy of the library with a regression, and returns its path below the scene's folder.
    ///
    /// - Parameters:
    ///   - regression: the name of it; "none" for a sound library.
    ///   - build: the number of the build, from 0 to 9.
    func candidate(_ regression: String, build: Int = 0) throws -> String {
        let path = scene.folder("libCandidate-\(regression)-\(build).so")
        try FileSystem.write(try Self.library(with: regression, build: build), to: path)
        return path
    }

    /// The bytes of the library with a regression.
    static func library(with regression: String, build: Int = 0) throws -> [UInt8] {
        var bytes = try FileSystem.read(BuiltProducts.library("PlantedPlugin"))
        let mark = Array("planted regression: ".utf8)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: mark) }) + mark.count
        let name = Array(regression.utf8) + [UInt8](repeating: 0x20, count: 20 - regression.utf8.count)
        bytes.replaceSubrange(place..<place + name.count, with: name)
        bytes[place + name.count + 9] = UInt8(ascii: "0") + UInt8(build)
        return bytes
    }

    /// Tries a candidate.
    func outcome(of path: String, _ arguments: String...) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: ["ctl", "try", path] + arguments, in: scene.folder.path, environment: scene.environment
        )
    }

    /// Ends the host.
    func finish() throws {
        host.child.closeInput()
        _ = try host.child.finish()
    }
}
