// SPDX-License-Identifier: Apache-2.0

import GatehouseHost

/// Any bytes may stand in a configuration: they are usable, or give problems in the order of the file and inside it.
@_cdecl("LLVMFuzzerTestOneInput")
public func readConfiguration(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let outcome = ConfigurationParser.parse(Array(Input(start: start, count: count)), file: "f")
    var last = 0
    for problem in outcome.problems {
        expect(problem.description.hasPrefix("f:"), "a problem without its file: \(problem.description)")
        expect((last...count).contains(problem.position.offset), "a problem out of order or outside the file")
        last = problem.position.offset
    }
    if outcome.configuration == nil {
        expect(outcome.problems.contains { $0.severity == .error }, "a broken configuration without an error")
    }
    return 0
}
