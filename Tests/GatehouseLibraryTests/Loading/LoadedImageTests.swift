// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct LoadedImageTests {
    @Test(
        arguments: [(false, [.load, .entry, .names]), (true, [.load, .entry])] as [(Bool, [LoadingStep])])
    func `each step is announced, and names are not compared again where a child has done it`(
        isTried: Bool, expected: [LoadingStep]
    ) throws {
        let file = try SealedFile(path: BuiltProducts.library("CounterPlugin"), trust: nil)
        let note = try #require(unsafe try file.withBytes { unsafe Verdict(judging: $0) }.note)
        var steps: [LoadingStep] = []
        _ = try LoadedImage(
            path: ImagePath.next(for: file.descriptor), name: file.name, note: note, isTried: isTried
        ) { steps.append($0) }
        #expect(steps == expected)
        withExtendedLifetime(file) {}
    }
}
