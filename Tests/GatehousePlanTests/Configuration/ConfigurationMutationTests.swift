// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import SeededTesting
import Testing

@testable import GatehousePlan
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct ConfigurationMutationTests {
    @Test(arguments: 1...100)
    func `damaged bytes give a configuration or problems inside the file, never a trap`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            var bytes = Array(ConfigurationExample.text.utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) { damage(&bytes, with: &random) }
            let outcome = ConfigurationParser.parse(bytes, file: "f")
            let diagnostics = outcome.diagnostics.all
            let isBroken = diagnostics.contains { $0.severity == .error }
            #expect((outcome.configuration == nil) == isBroken, "seed \(seed)")
            let offsets = diagnostics.compactMap(\.place?.position.offset)
            #expect(offsets.count == diagnostics.count, "seed \(seed)")
            #expect(offsets == offsets.sorted(), "seed \(seed)")
            #expect(offsets.allSatisfy { (0...bytes.count).contains($0) }, "seed \(seed)")
            #expect(diagnostics.allSatisfy { $0.description.hasPrefix("f:") }, "seed \(seed)")
        }
    }

    @Test(arguments: 1...60)
    func `values swapped for others keep the file readable and the problems in order`(seed: UInt64) {
        let replacements = ["null", "true", "-1", "1e400", "\"\"", "\"*\"", "\"host/\"", "[]", "{}", "[{}]"]
        var random = SeededGenerator(seed: seed)
        let pieces = ConfigurationExample.text.split(separator: "\"", omittingEmptySubsequences: false)
        // Odd pieces are the strings between quotes, keys among them.
        var text = ""
        for (index, piece) in pieces.enumerated() {
            if index.isMultiple(of: 2) {
                text += piece
            } else if Int.random(in: 0..<8, using: &random) == 0, !pieces[index + 1].hasPrefix(":") {
                text += replacements.randomElement(using: &random) ?? ""
            } else if Int.random(in: 0..<20, using: &random) == 0 {
                text += "\"" + piece.dropLast() + "\""
            } else {
                text += "\"" + piece + "\""
            }
        }
        let outcome = ConfigurationParser.parse(Array(text.utf8), file: "f")
        let offsets = outcome.diagnostics.all.compactMap(\.place?.position.offset)
        #expect(offsets == offsets.sorted(), "seed \(seed)")
        #expect(offsets.count == outcome.diagnostics.all.count, "seed \(seed)")
        #expect(outcome.readable != nil, "seed \(seed): \(outcome.diagnostics)")
    }

    @Test func `every truncation gives problems`() {
        let bytes = Array(ConfigurationExample.text.utf8)
        for length in bytes.indices {
            let outcome = ConfigurationParser.parse(Array(bytes[..<length]), file: "f")
            #expect(outcome.configuration == nil, "length \(length)")
            #expect(outcome.diagnostics.all.count == 1, "length \(length)")
        }
    }

    @Test(arguments: [509, 510, 600, 100_000])
    func `nesting is read to the parser's limit and refused beyond`(depth: Int) {
        let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let outcome = ConfigurationParser.parse(Array(#"{"state": {"a": \#(nested)}}"#.utf8), file: "f")
        #expect((outcome.configuration != nil) == (depth <= 510))
    }

    /// Flips a bit, overwrites, removes or doubles a stretch, or cuts the end.
    private func damage(_ bytes: inout [UInt8], with random: inout SeededGenerator) {
        guard let index = bytes.indices.randomElement(using: &random) else { return }
        let end = min(bytes.endIndex, index + Int.random(in: 1...20, using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes[index] = Array("{}[]\",:0 *~/".utf8).randomElement(using: &random) ?? 0
        case 3: bytes.removeSubrange(index..<end)
        case 4: bytes.insert(contentsOf: bytes[index..<end], at: index)
        default: if Bool.random(using: &random) { bytes.removeSubrange(index...) }
        }
    }
}
