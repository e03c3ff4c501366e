// SPDX-License-Identifier: Apache-2.0

/// Ends the process, and so makes a finding of the input, unless something holds.
///
/// Unlike `precondition` it says its words in optimised builds too.
func expect(_ condition: Bool, _ words: @autoclosure () -> String) {
    if !condition { fatalError(words()) }
}

/// The bytes that the fuzzer gives, which are its own and valid during the call.
typealias Input = UnsafeBufferPointer<UInt8>
