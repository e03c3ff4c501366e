// SPDX-License-Identifier: Apache-2.0

internal import CJQ
import GatehouseSDK

/// One compiled jq program; used by one thread at a time.
///
/// Unsafe because the state of libjq is a pointer, which only this type holds and frees.
///
/// `@unchecked Sendable`: a pool gives it to one thread at a time, and libjq keeps nothing of a thread in it.
@safe final class JQEngine: @unchecked Sendable {
    /// The state of libjq.
    private var state: OpaquePointer?

    /// Collects libjq's messages during compilation.
    private final class CompileErrors {
        /// Its messages, in order.
        var messages: [String] = []
    }

    /// Compiles a program.
    ///
    /// - Throws: the first message of libjq, with its line.
    init(_ program: String) throws(JQFailure) {
        unsafe state = jq_init()
        guard let state = unsafe state else { throw JQFailure(words: "there is no memory for jq") }
        let compileErrors = CompileErrors()
        unsafe jq_set_error_cb(
            state,
            { data, message in
                guard let data = unsafe data else { return unsafe jv_free(message) }
                let text = unsafe jq_format_error(message)
                unsafe Unmanaged<CompileErrors>.fromOpaque(data).takeUnretainedValue().messages.append(
                    JQValue.text(text))
                unsafe jv_free(text)
            }, Unmanaged.passUnretained(compileErrors).toOpaque())
        let isCompiled = unsafe jq_compile(state, program) != 0
        unsafe jq_set_error_cb(state, { _, message in unsafe jv_free(message) }, nil)
        guard isCompiled else {
            unsafe jq_teardown(&self.state)
            throw JQFailure(words: compileErrors.messages.first ?? "jq does not say what is wrong with it")
        }
    }

    deinit {
        if unsafe state != nil { unsafe jq_teardown(&state) }
    }

    /// Returns all outputs for an input.
    ///
    /// - Parameters:
    ///   - input: the input of the program.
    ///   - most: the most outputs.
    ///   - size: the most bytes of all outputs together.
    /// - Throws: the error of the program, or the limit it exceeds.
    func outputs(for input: Value, most: Int, size: Int) throws(JQFailure) -> [Value] {
        let standIns = JQStandIns()
        var room = size
        var outputs: [Value] = []
        unsafe jq_start(state, JQValue.make(input, standIns), 0)
        // Release whatever an unfinished program holds.
        defer { unsafe jq_start(state, jv_null(), 0) }
        while true {
            let output = unsafe jq_next(state)
            guard unsafe jv_is_valid(output) != 0 else {
                if let words = unsafe Self.message(of: output) { throw JQFailure(words: words) }
                return outputs
            }
            defer { unsafe jv_free(output) }
            guard outputs.count < most else {
                throw JQFailure(words: "it has more outputs than \"maximumOutputs\" allows, \(most)")
            }
            outputs.append(try unsafe JQValue.read(output, standIns, at: .whole, room: &room))
        }
    }

    /// Returns a program's error, in jq's words; nil for the end of its outputs. Takes ownership of the value.
    private static func message(of end: jv) -> String? {
        guard unsafe jv_invalid_has_msg(jv_copy(end)) != 0 else {
            unsafe jv_free(end)
            return nil
        }
        let message = unsafe jv_invalid_get_msg(end)
        defer { unsafe jv_free(message) }
        if unsafe jv_get_kind(message) == JV_KIND_STRING { return unsafe JQValue.text(message) }
        let dump = unsafe jv_dump_string(jv_copy(message), 0)
        defer { unsafe jv_free(dump) }
        return unsafe JQValue.text(dump) + " (not a string)"
    }
}
