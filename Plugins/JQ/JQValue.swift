// SPDX-License-Identifier: Apache-2.0

internal import CJQ
import GatehouseSDK

/// Conversion of values to libjq and back.
///
/// Unsafe because libjq counts references by hand: its functions take ownership of their arguments, except where marked here.
enum JQValue {
    /// The largest number up to which all whole numbers are exact in jq, 2^53 − 1.
    static let largestInteger: Int64 = 9_007_199_254_740_991

    /// Returns a place as shown in messages.
    private static func shown(_ place: JSONPointer) -> String {
        place.tokens.isEmpty ? "the whole value" : place.description
    }

    /// Returns a value for libjq; the caller owns it. A number that jq would round becomes its digits, noted in `standIns`.
    static func make(_ value: Value, _ standIns: JQStandIns) -> jv {
        switch value {
        case .null: unsafe jv_null()
        case .bool(let isTrue): unsafe jv_bool(isTrue ? 1 : 0)
        case .integer(let number) where number.magnitude <= UInt64(largestInteger):
            unsafe jv_number(Double(number))
        case .double(let number): unsafe jv_number(number)
        case .integer, .unsigned, .bigNumber: unsafe standIns.text(of: value)
        case .string(let text): unsafe make(text)
        case .array(let elements):
            unsafe elements.reduce(jv_array_sized(Int32(clamping: elements.count))) { array, element in
                unsafe jv_array_append(array, make(element, standIns))
            }
        case .object(let members):
            unsafe members.reduce(jv_object()) { object, member in
                unsafe jv_object_set(object, make(member.key), make(member.value, standIns))
            }
        }
    }

    /// Returns a text for libjq; the caller owns it.
    static func make(_ text: String) -> jv {
        var text = text
        return text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else { return unsafe jv_string("") }
                return unsafe jv_string_sized(start, Int32(clamping: characters.count))
            }
        }
    }

    /// Reads a value of libjq, without taking ownership.
    ///
    /// - Parameters:
    ///   - standIns: the texts that become numbers again if they were passed on unchanged.
    ///   - room: the bytes left for texts and elements; reduced by each read.
    static func read(
        _ value: jv, _ standIns: JQStandIns, at place: JSONPointer, depth: Int = 0, room: inout Int
    ) throws(JQFailure) -> Value {
        func spend(_ bytes: Int) throws(JQFailure) {
            room -= bytes
            if room < 0 { throw JQFailure(words: "its outputs are larger than \"maximumSize\" allows") }
        }
        try spend(8)
        guard depth < JSONText.maximumDepth - 8 else {
            throw JQFailure(words: "its output has too many containers inside each other")
        }
        switch unsafe jv_get_kind(value) {
        case JV_KIND_FALSE: return false
        case JV_KIND_TRUE: return true
        case JV_KIND_NUMBER: return try unsafe number(jv_number_value(value), at: place)
        case JV_KIND_STRING:
            let text = unsafe text(value)
            try spend(text.utf8.count)
            return unsafe standIns.number(behind: value, text) ?? .string(text)
        case JV_KIND_ARRAY:
            var elements: [Value] = []
            let count = unsafe jv_array_length(jv_copy(value))
            for index in 0..<count {
                let element = unsafe jv_array_get(jv_copy(value), index)
                defer { unsafe jv_free(element) }
                elements.append(
                    try unsafe read(
                        element, standIns, at: place.appending("\(index)"), depth: depth + 1, room: &room))
            }
            return .array(elements)
        case JV_KIND_OBJECT:
            var members = Members()
            var position = unsafe jv_object_iter(value)
            while unsafe jv_object_iter_valid(value, position) != 0 {
                let key = unsafe jv_object_iter_key(value, position)
                let member = unsafe jv_object_iter_value(value, position)
                defer {
                    unsafe jv_free(key)
                    unsafe jv_free(member)
                }
                let name = unsafe text(key)
                try spend(name.utf8.count)
                members[name] = try unsafe read(
                    member, standIns, at: place.appending(name), depth: depth + 1, room: &room)
                position = unsafe jv_object_iter_next(value, position)
            }
            return .object(members)
        default: return .null
        }
    }

    /// Reads a text, without taking ownership.
    static func text(_ value: jv) -> String {
        let count = unsafe Int(jv_string_length_bytes(jv_copy(value)))
        let bytes = unsafe UnsafeRawBufferPointer(start: jv_string_value(value), count: count)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a number as jq writes it: NaN becomes null, an infinite one the largest number.
    private static func number(_ number: Double, at place: JSONPointer) throws(JQFailure) -> Value {
        if number.isNaN { return .null }
        if number.isInfinite { return .double(.greatestFiniteMagnitude * (number < 0 ? -1 : 1)) }
        guard number == number.rounded(.towardZero), abs(number) < 0x1p64 else { return .double(number) }
        guard let whole = Int64(exactly: number), abs(number) <= Double(largestInteger) else {
            throw JQFailure(
                words:
                    "jq would round \(Value.double(number).json()) at \(shown(place)), because whole numbers are exact up to \(largestInteger) there; hand it on as a text"
            )
        }
        return .integer(whole)
    }
}
