// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseValue
import Testing

/// Values of Foundation stand in JSON as its own `JSONEncoder` and `JSONDecoder` have them.
@Suite(.timeLimit(.minutes(10)))
struct FoundationFormTests {
    struct Everything: Codable, Equatable {
        var url: URL
        var data: Data
        var amount: Decimal
        var moment: Date
        var id: UUID
        var links: [URL]
        var none: URL?
    }

    enum Action: Codable, Equatable {
        case open(URL)
        case keep(data: Data, price: Decimal?)
    }

    private func everything() throws -> Everything {
        Everything(
            url: try #require(URL(string: "https://example.org/a?b=c#d")), data: Data([1, 2, 255]),
            amount: try #require(Decimal(string: "-12.50")),
            moment: Date(timeIntervalSinceReferenceDate: 5.5),
            id: try #require(UUID(uuidString: "8BB3799D-E3B0-435F-8152-211EF8C80107")),
            links: [try #require(URL(string: "/a%20b"))])
    }

    @Test func `each type has the form that JSONDecoder expects by default`() throws {
        let everything = try everything()
        let value = try Value(encoding: everything)
        #expect(
            value == [
                "url": "https://example.org/a?b=c#d", "data": "AQL/", "amount": -12.5, "moment": 5.5,
                "id": "8BB3799D-E3B0-435F-8152-211EF8C80107", "links": ["/a%20b"],
            ])
        #expect(try value.decode(Everything.self) == everything)
        #expect(try JSONDecoder().decode(Everything.self, from: Data(value.json().utf8)) == everything)
        let theirs = try JSONEncoder().encode(everything)
        #expect(try JSONText.parse(Array(theirs)).decode(Everything.self) == everything)
    }

    @Test func `associated values of cases have it too, with a label and without`() throws {
        let open = Action.open(try #require(URL(string: "https://example.org")))
        let (name, payload) = try Value.encodeCase(open)
        #expect(name == "open")
        #expect(payload == "https://example.org")
        #expect(try Tape.make("https://example.org").root.decode(Action.self, asCase: "open") == open)
        let keep = Action.keep(data: Data([0]), price: Decimal(string: "0.05"))
        #expect(try Value.encodeCase(keep).payload == ["data": "AA==", "price": 0.05])
        #expect(
            try Tape.make(["data": "AA==", "price": 0.05]).root.decode(Action.self, asCase: "keep") == keep)
    }

    @Test func `a value of Foundation may stand alone`() throws {
        #expect(try Value(encoding: Data("any".utf8)) == "YW55")
        #expect(try Value(encoding: Decimal(3)) == 3)
        #expect(try Value("YW55").decode(Data.self) == Data("any".utf8))
        #expect(try Value.array(["YQ==", "YWI="]).decode([Data].self) == [Data("a".utf8), Data("ab".utf8)])
    }

    @Test func `the forms in which they write themselves are taken as well`() throws {
        #expect(try Value.array([1, 2, 255]).decode(Data.self) == Data([1, 2, 255]))
        #expect(try Value.object(["relative": "/a"]).decode(URL.self) == URL(string: "/a"))
        let base = URL(string: "https://example.org/c/")
        let relative = try #require(URL(string: "x", relativeTo: base))
        let value = try Value(encoding: relative)
        #expect(value == ["relative": "x", "base": "https://example.org/c/"])
        #expect(try value.decode(URL.self).absoluteString == "https://example.org/c/x")
    }

    @Test(arguments: [
        "0", "1", "-1", "100", "12.5", "0.05", "-0.001", "1e30", "1e-30", "12345678901.4567",
        "340282366920938463463374607431768211455", "18446744073709551616",
    ])
    func `a decimal number keeps all its digits`(text: String) throws {
        let decimal = try #require(Decimal(string: text))
        #expect(try JSONText.parse(text).decode(Decimal.self) == decimal)
        let value = try Value(encoding: decimal)
        #expect(try value.decode(Decimal.self) == decimal)
    }

    @Test(arguments: [
        (12, 0, "12"), (12, 1, "120"), (12, 2, "1200"), (12, -1, "1.2"), (12, -2, "0.12"), (12, -3, "0.012"),
    ])
    func `a decimal number is written without a power of ten where that is short`(
        mantissa: Int, exponent: Int, text: String
    ) throws {
        let decimal = Decimal(sign: .plus, exponent: exponent, significand: Decimal(mantissa))
        #expect(try Value(encoding: decimal).json() == text)
    }

    @Test func `random decimal numbers come back`() throws {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let mantissa = Int64.random(in: -999_999_999_999_999...999_999_999_999_999, using: &numbers)
            let exponent = Int.random(in: -120...100, using: &numbers)
            let decimal = Decimal(sign: .plus, exponent: exponent, significand: Decimal(mantissa))
            let value = try Value(encoding: decimal)
            #expect(try value.decode(Decimal.self) == decimal, "\(value.json()) \(mantissa)e\(exponent)")
        }
    }

    @Test(arguments: ["123456789012345678901234567890.12345678", "0.12345678901234567890", "NaN"])
    func `a decimal number that would be rounded is not written`(text: String) throws {
        let number = text == "NaN" ? Decimal.nan : try #require(Decimal(string: text))
        do {
            _ = try Value(encoding: ["amount": number])
            Issue.record("it was written")
        } catch {
            let failure = CodingFailure(error)
            #expect("\(failure.pointer)" == "/amount")
            #expect(failure.expected == "a whole number, or one of at most 15 digits")
            #expect(failure.found == "\(number)")
        }
    }

    @Test(arguments: [0, 1, 2, 3, 4, 255, 256, 257])
    func `data of any length come back`(count: Int) throws {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) })
        let value = try Value(encoding: data)
        #expect(value == .string(data.base64EncodedString()))
        #expect(try value.decode(Data.self) == data)
    }

    @Test(arguments: [
        (#"{"data": "a"}"#, #"/data: expected base64, found "a""#),
        (#"{"data": "YW=5"}"#, #"/data: expected base64, found "YW=5""#),
        (#"{"data": "YX=="}"#, #"/data: expected base64, found "YX==""#),
        (#"{"data": "YW 5"}"#, #"/data: expected base64, found "YW 5""#),
        (#"{"data": "", "amount": 1e400}"#, "/amount: expected a number that Decimal can hold, found 1e400"),
        (#"{"data": "", "amount": "1"}"#, "/amount: expected a number, found a string"),
        (#"{"data": "", "amount": 1, "url": ""}"#, #"/url: expected a URL, found """#),
        (#"{"data": "", "amount": 1, "url": 5}"#, "/url: expected a string, found an integer"),
    ])
    func `what does not fit is refused at its place`(text: String, sentence: String) throws {
        struct Parts: Codable {
            var data: Data
            var amount: Decimal
            var url: URL
        }
        do {
            _ = try JSONText.parse(text).decode(Parts.self)
            Issue.record("it was taken")
        } catch {
            let failure = CodingFailure(error)
            #expect("\(failure.pointer): expected \(failure.expected), found \(failure.found)" == sentence)
        }
    }

    @Test func `types of one's own that are as large are left as they are`() throws {
        struct ID: Codable, Equatable {
            var text: String
            init(_ text: String) { self.text = text }
            init(from decoder: any Decoder) throws {
                text = try decoder.singleValueContainer().decode(String.self)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(text)
            }
        }
        struct Pair: Codable, Equatable {
            var first: Int
            var second: Int
            init(_ first: Int, _ second: Int) { (self.first, self.second) = (first, second) }
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                first = try container.decode(Int.self)
                second = try container.decode(Int.self)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(first)
                try container.encode(second)
            }
        }
        #expect(try Value(encoding: ID("AQL/")) == "AQL/")
        #expect(try Value("AQL/").decode(ID.self) == ID("AQL/"))
        #expect(try Value(encoding: Pair(1, 2)) == [1, 2])
        #expect(try Value.array([1, 2]).decode(Pair.self) == Pair(1, 2))
    }
}
