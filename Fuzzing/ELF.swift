// SPDX-License-Identifier: Apache-2.0

import GatehouseHost

/// Any bytes may stand where a plugin library should: they give a verdict with words, and never a trap.
@_cdecl("LLVMFuzzerTestOneInput")
public func judge(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(Input(start: start, count: count))
    let verdict = Verdict(judging: bytes)
    expect(verdict.isAccepted == verdict.refusals.isEmpty, "a library without reasons against it is refused")
    for refusal in verdict.refusals { expect(!refusal.description.isEmpty, "a reason without words") }
    return 0
}
