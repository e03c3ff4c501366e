// SPDX-License-Identifier: Apache-2.0

/// Takes the associated values of an enum case from a payload without Codable's containers.
///
/// For generated code. Plain values are taken from the tape, all others decode themselves at their place; which of the two a
/// value is, and whether it may be absent, the compiler decides by its type. Whatever is thrown only means that
/// `TapeView.decode(_:asCase:)` has to be asked: it finds the words for what does not fit.
///
/// All functions take the payload as it was handed over, nil for none: whatever kept it would have to retain it.
public enum CaseReader {
    /// Says no more than that the payload does not fit.
    @usableFromInline
    struct Misfit: Error {
        /// An error that knows nothing more.
        @usableFromInline init() {}
    }

    /// The value under a name in the payload.
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

    /// The value under a name in the payload, as its type decodes itself.
    @_disfavoredOverload
    @inlinable
    public static func value<Result: Decodable>(_ name: String, of payload: TapeView?) throws -> Result {
        if let payload {
            guard payload.kind == .object else { throw Misfit() }
            if let place = payload[name] { return try place.decode(Result.self) }
        }
        // The cast of a nil succeeds for optional types only.
        guard let absent = Optional<Any>.none as? Result else { throw Misfit() }
        return absent
    }

    /// The one value without label: the payload itself.
    @inlinable
    public static func whole<Result: PlainValue>(_ payload: TapeView?) throws -> Result {
        guard let payload, !payload.tape.isAbsentPayload,
            let value = Result(plain: payload.tape, at: payload.index)
        else { throw Misfit() }
        return value
    }

    /// The one value without label, as its type decodes itself.
    @_disfavoredOverload
    @inlinable
    public static func whole<Result: Decodable>(_ payload: TapeView?) throws -> Result {
        guard let payload, !payload.tape.isAbsentPayload else { throw Misfit() }
        return try payload.decode(Result.self)
    }
}
