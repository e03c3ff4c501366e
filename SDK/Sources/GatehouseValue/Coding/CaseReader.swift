// SPDX-License-Identifier: Apache-2.0

/// Takes the associated values of an enum case from a payload without Codable's containers.
///
/// For generated code. Plain values are taken from the tape, all others decode themselves at their place. The compiler
/// decides by a value's type which of the two it is, and whether it may be absent. A thrown error only means that
/// `TapeView.decode(_:asCase:)` has to be asked, which finds the words for it.
///
/// All functions take the payload as a parameter, nil for none: storing it would retain it.
public enum CaseReader {
    /// Says only that the payload does not fit.
    @usableFromInline
    struct Misfit: Error {
        /// Creates an error without details.
        @usableFromInline init() {}
    }

    /// Returns the value under a name in the payload.
    @inlinable
    public static func value<Result: PlainValue>(_ name: String, of payload: TapeView?) throws -> Result {
        if let payload {
            guard payload.tape.tag(at: payload.index) == TapeTag.object else { throw Misfit() }
            if let place = payload.tape.find(name, in: payload.index) {
                guard let value = Result(plain: payload.tape, at: place) else { throw Misfit() }
                return value
            }
        }
        guard let absent = Result.absent else { throw Misfit() }
        return absent
    }

    /// Decodes the value under a name in the payload by its type's `init(from:)`.
    @_disfavoredOverload
    @inlinable
    public static func value<Result: Decodable>(_ name: String, of payload: TapeView?) throws -> Result {
        if let payload {
            guard payload.kind == .object else { throw Misfit() }
            if let place = payload[name] { return try place.decode(Result.self) }
        }
        // Casting nil succeeds for optional types only.
        guard let absent = Optional<Any>.none as? Result else { throw Misfit() }
        return absent
    }

    /// Returns the one value without label: the payload itself.
    @inlinable
    public static func whole<Result: PlainValue>(_ payload: TapeView?) throws -> Result {
        guard let payload, !payload.tape.isAbsentPayload,
            let value = Result(plain: payload.tape, at: payload.index)
        else { throw Misfit() }
        return value
    }

    /// Decodes the one value without label by its type's `init(from:)`.
    @_disfavoredOverload
    @inlinable
    public static func whole<Result: Decodable>(_ payload: TapeView?) throws -> Result {
        guard let payload, !payload.tape.isAbsentPayload else { throw Misfit() }
        return try payload.decode(Result.self)
    }
}
