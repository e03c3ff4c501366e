// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

/// What trees and tapes have in common when they are written.
@Suite(.timeLimit(.minutes(10))) struct JSONWriterTests {
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `a tape and its tree are written alike in both layouts`(seed: UInt64) {
        var generator = Generator(seed: seed)
        var value = generator.value()
        for _ in 0..<Int(generator.next() % 40) {
            value = generator.next() % 2 == 0 ? [value, -0.0] : ["": value, generator.text(): 1e300]
        }
        // Inside another document, so that its words and texts begin elsewhere.
        let view = Tape.make(["before": "x", "list": [1, value], "after": 2]).root["list"]?[1]
        for style in [JSONStyle.compact, .pretty] {
            #expect(view?.json(style) == value.json(style), "seed \(seed)")
        }
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `a number has the digits of its description`(seed: UInt64) {
        var generator = Generator(seed: seed)
        for _ in 0..<200 {
            let few =
                Double(generator.next() >> (generator.next() % 64))
                / generator.pick([1, 2, 8, 10, 1000, 1e5])
            let any = Double(bitPattern: generator.next())
            for number in [few, few.nextUp, few.nextDown, -few, any] where number.isFinite {
                #expect(Value.double(number).json() == number.description, "seed \(seed)")
            }
            let whole = Int64(bitPattern: generator.next()) >> Int64(generator.next() % 64)
            #expect(Value.integer(whole).json() == whole.description, "seed \(seed)")
            #expect(Value(whole.magnitude).json() == whole.magnitude.description, "seed \(seed)")
        }
    }

    @Test(
        arguments: [
            0, -0.0, 0.001, 0.0005, 0.0015, 0.1, -0.5, 1, 100, 1e11, 999_999_999_999.999, 1e12, 1e15, 1e16,
            1e17,
            .leastNonzeroMagnitude, 1e-4, 123e-7, .greatestFiniteMagnitude, .leastNormalMagnitude, .pi,
        ] as [Double])
    func `a number at a border has the digits of its description`(number: Double) {
        for number in [number, number.nextUp, number.nextDown] where number.isFinite {
            #expect(Value.double(number).json() == number.description)
            #expect(Tape.make(.double(number)).root.json() == number.description)
        }
    }

    @Test(arguments: [Int64.min, -1, 0, 9, 10, .max])
    func `a whole number at a border has the digits of its description`(number: Int64) {
        #expect(Value.integer(number).json() == number.description)
        #expect(Value.unsigned(UInt64(bitPattern: number)).json() == UInt64(bitPattern: number).description)
    }

    /// Characters on both sides of what has to be escaped, and what stands for each in text.
    static let characters: [(Unicode.Scalar, String)] = [
        ("\u{0}", #"\u0000"#), ("\u{8}", #"\b"#), ("\t", #"\t"#), ("\n", #"\n"#), ("\u{B}", #"\u000b"#),
        ("\u{C}", #"\f"#), ("\r", #"\r"#), ("\u{1F}", #"\u001f"#), (" ", " "), ("!", "!"), ("\"", #"\""#),
        ("#", "#"), ("[", "["), ("\\", #"\\"#), ("]", "]"), ("/", "/"), ("\u{7F}", "\u{7F}"), ("é", "é"),
        ("\u{A2}", "\u{A2}"), ("\u{DC}", "\u{DC}"), ("\u{2028}", "\u{2028}"), ("🚪", "🚪"),
    ]

    @Test(arguments: characters)
    func `a character is escaped or kept at every place of a string`(scalar: Unicode.Scalar, text: String) {
        for length in 0..<20 {
            for place in 0...length {
                let before = String(repeating: "a", count: place)
                let after = String(repeating: "b", count: length - place)
                let value = Value.string(before + String(scalar) + after)
                #expect(value.json() == "\"\(before)\(text)\(after)\"")
                #expect(Tape.make(value).root.json() == value.json())
                #expect(Value.object([before + String(scalar) + after: 1]).json() == value.json().object)
            }
        }
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `a string of any characters is escaped like each of them`(seed: UInt64) {
        var generator = Generator(seed: seed)
        var string = String.UnicodeScalarView()
        var text = ""
        for _ in 0..<Int(generator.next() % 80) {
            let (scalar, escaped) = generator.pick(Self.characters)
            string.append(scalar)
            text += escaped
        }
        let value = Value.string(String(string))
        #expect(Array(value.json().utf8) == Array("\"\(text)\"".utf8), "seed \(seed)")
        #expect(Tape.make(value).root.json() == value.json(), "seed \(seed)")
    }

    /// The numbers of the names that stand in an object on a tape, in order, and its text.
    static let repetitions: [([Int], String)] = [
        ([0, 0], #"{"n0":1}"#), ([0, 1, 0, 2], #"{"n0":2,"n1":1,"n2":3}"#),
        ([1, 0, 0], #"{"n1":0,"n0":2}"#),
    ]

    @Test(arguments: repetitions)
    func `of repeated names on a tape the last value is written at the first place`(
        names: [Int], text: String
    ) {
        #expect(Self.tape(names).root.json() == text)
    }

    @Test(arguments: [2, 15, 16, 17, 18, 40, 1000])
    func `a repeated name is found among many`(count: Int) {
        let names = Array(0..<count)
        #expect(Self.tape(names).root.json() == Self.tape(names).root.value.json())
        #expect(Self.tape(names).root.count == Self.tape(names).root.value.objectValue?.count)
        for place in [0, count / 2, count - 1] {
            let view = Self.tape(names + [place]).root
            #expect(view.json() == view.value.json())
            #expect(view.value.objectValue?.count == count)
            #expect(view.value["n\(place)"] == Value(count))
            #expect(Tape.make(view.value).root.json(.pretty) == view.json(.pretty))
        }
    }

    /// An object with the names `n0`, `n1` and so on in the order given, each with its place as its value.
    private static func tape(_ names: [Int]) -> Tape {
        var words: [UInt64] = [0]
        var strings: [UInt8] = []
        for (place, name) in names.enumerated() {
            words += [0x22 << 56 | UInt64(strings.count), 0x6C << 56, UInt64(place)]
            let text = Array("n\(name)".utf8)
            strings += [UInt8(text.count), 0, 0, 0] + text + [0]
        }
        words.append(0x7D << 56)
        words[0] = 0x7B << 56 | UInt64(names.count) << 32 | UInt64(words.count)
        return unsafe words.withUnsafeBufferPointer { words in
            unsafe strings.withUnsafeBytes { bytes in
                unsafe Tape.copying(words: words, wordBase: 0, strings: bytes, stringBase: 0)
            }
        }
    }
}

extension String {
    /// The text of an object whose only member has this text as its name.
    fileprivate var object: String { "{\(self):1}" }
}
