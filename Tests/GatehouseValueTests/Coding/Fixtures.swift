// SPDX-License-Identifier: Apache-2.0

import GatehouseValue

/// An action enum with every shape that the compiler synthesizes coding for.
enum Order: Codable, Equatable {
    /// Labelled values of several kinds.
    case placed(id: String, amount: Double, express: Bool)
    /// A case with one unlabelled value.
    case cancelled(Int)
    /// One unlabelled value that is an object.
    case shipped(Address)
    /// One unlabelled value that is any JSON.
    case noted(Value)
    /// One unlabelled value that may be absent.
    case rated(Int?)
    /// A case with several unlabelled values.
    case moved(Int, Int)
    /// A label beside an unlabelled value that may be absent.
    case tagged(String, colour: String?)
    /// A case without values.
    case closed
}

/// An object without required members.
struct Address: Codable, Equatable {
    /// A member that may be absent.
    var street: String?
    /// An array inside an object, which may be absent.
    var lines: [String]?
}

/// A struct with every standard type.
struct Everything: Codable, Equatable {
    var flag = true
    var text = "né\n"
    var double = 0.1
    var float: Float = 0.1
    var int = Int.min
    var int8 = Int8.min
    var int16 = Int16.max
    var int32 = Int32.min
    var int64 = Int64.max
    var int128 = Int128.max
    var uint = UInt.max
    var uint8 = UInt8.max
    var uint16 = UInt16.max
    var uint32 = UInt32.max
    var uint64 = UInt64.max
    var uint128 = UInt128.max
    var absent: Int?
    var present: Int? = 5
    var absentFlag: Bool?
    var presentText: String? = "here"
    var presentDouble: Double? = 2
    var presentFloat: Float? = 2.5
    var presentByte: UInt8? = 7
    var list = [1, 2, 3]
    var gaps: [Int?] = [1, nil, 3]
    var matrix = [[1.5], [], [2]]
    var table = ["one": 1, "two": 2]
    var numbered = [1: "one", 2: "two"]
    var address: Address? = Address(street: "Weg 1", lines: ["a", "b"])
    var kind = Kind.large
    var json: Value = ["a": [1, nil, 2.5], "big": .bigNumber("1e999")]
    var choice: Choice = .second(2)

    /// An enum with raw values.
    enum Kind: String, Codable { case small, large }
    /// A nested enum in the compiler's own form.
    enum Choice: Codable, Equatable { case first, second(Int), third(x: Int, y: [Int]) }
}

/// A list that nests without end.
final class Chain: Codable {
    /// The next link of the chain; nil for the last.
    let next: Chain?
    /// Puts a link in front.
    init(_ next: Chain?) { self.next = next }
}
