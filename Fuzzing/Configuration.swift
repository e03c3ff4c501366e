// SPDX-License-Identifier: Apache-2.0

import GatehousePlan
import GatehouseValue

/// Any bytes may stand in a configuration: they are usable, or give problems in the order of the file and inside it.
@_cdecl("LLVMFuzzerTestOneInput")
public func readConfiguration(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let outcome = ConfigurationParser.parse(Array(Input(start: start, count: count)), file: "f")
    var last = 0
    for diagnostic in outcome.diagnostics.all {
        expect(
            diagnostic.description.hasPrefix("f:"), "a problem without its file: \(diagnostic.description)")
        guard let offset = diagnostic.place?.position.offset else {
            fatalError("a problem without its place")
        }
        expect((last...count).contains(offset), "a problem out of order or outside the file")
        last = offset
    }
    if outcome.configuration == nil {
        expect(outcome.diagnostics.isFailure, "a broken configuration without an error")
    }
    return 0
}
