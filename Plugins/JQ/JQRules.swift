// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The rules of an instance, compiled into one program; used by one thread at a time.
///
/// One program, because libjq compiles its whole library of functions again with each, which takes some 25 ms; instances with the same
/// rules share it.
final class JQRules {
    /// One action for a rule to emit.
    struct Answer: Equatable {
        /// The type given by a program; nil for the one in the settings.
        let type: String?
        /// The payload; nil for none.
        let payload: Value?
    }

    /// The program of all rules; nil when there are none.
    let engines: JQEnginePool?

    /// Compiles the programs of all rules.
    ///
    /// - Parameter path: the place of the rules, for the error about a program that does not compile.
    init(_ rules: [JQRule], at path: [any CodingKey] = []) throws(CodingFailure) {
        guard !rules.isEmpty else {
            engines = nil
            return
        }
        let functions = rules.enumerated().map { $1.function(named: "__rule\($0)") }
        let program =
            Self.safeFunctions + functions.joined() + ".rule as $__rule|" + Self.choice(0..<rules.count)
        do throws(JQFailure) {
            engines = try JQEnginePool.of(program)
        } catch {
            throw Self.mistake(in: rules, at: path, error)
        }
    }

    /// Replacements for functions of libjq 1.6 that would end the process, or never return, for some payloads.
    ///
    /// There a time beyond all years and a format that is no text fail an assertion, and the search for an empty text never
    /// ends.
    private static let safeFunctions = """
        def __strftime(f): strftime(f);\
        def strftime(f): f as $f|if $f|type=="string" then (if type=="number" then gmtime else . end)|__strftime($f) \
        else error("strftime/1 requires a string format") end;\
        def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");def todate: todateiso8601;def date: todateiso8601;\
        def __indices(i): indices(i);\
        def indices(i): i as $i|if $i=="" then [] else __indices($i) end;\
        def index(i): indices(i)|.[0];def rindex(i): indices(i)|.[-1:][0];
        """

    /// Returns the program that selects one rule of several, in as few steps as possible.
    private static func choice(_ rules: Range<Int>) -> String {
        guard rules.count > 1 else { return "__rule\(rules.lowerBound)" }
        let middle = rules.lowerBound + rules.count / 2
        return
            "if $__rule<\(middle) then \(choice(rules.lowerBound..<middle)) else \(choice(middle..<rules.upperBound)) end"
    }

    /// Compiles each program by itself to find the one with the mistake.
    private static func mistake(
        in rules: [JQRule], at path: [any CodingKey], _ failure: JQFailure
    ) -> CodingFailure {
        for (index, rule) in rules.enumerated() {
            for (key, program) in rule.programs {
                let variables = "null as $type|null as $meta|" + (key == .type ? "null as $payload|" : "")
                do throws(JQFailure) {
                    _ = try JQEngine(variables + program.part)
                } catch {
                    return CodingFailure(
                        at: path + [SettingsName(stringValue: "\(index)"), key], expected: "a jq program",
                        found: "one that jq does not take: \(words(error.words, of: program))")
                }
            }
        }
        return CodingFailure(
            at: path + [SettingsName(stringValue: "0")], expected: "a jq program",
            found: "rules that are too much together: \(failure.words)")
    }

    /// Extracts the mistake and its line from libjq's message about a program.
    private static func words(_ message: String, of program: JQProgram) -> String {
        var text = message.split(separator: "\n").first.map(String.init) ?? message
        if text.hasPrefix("jq: error: ") { text.removeFirst("jq: error: ".count) }
        guard let place = text.range(ofLast: " at <top-level>, line ") else { return text }
        let lines = program.text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
        let line = Int(text[place.upperBound...].prefix { $0.isNumber }) ?? 1
        text = String(text[..<place.lowerBound])
        if let advice = text.range(ofLast: " (Unix shell quoting issues?)") { text.removeSubrange(advice) }
        // The bracket that closes the part is not the operator's.
        return line > lines ? "it ends too early" : "\(text) in line \(line)"
    }

    /// Returns the answers of one rule to an action.
    ///
    /// - Throws: why it gives nothing, as a part of a sentence.
    func answers(
        of rule: Int, to action: JQInput, most: Int, size: Int
    ) throws(JQFailure) -> [Answer] {
        guard let engines else { return [] }
        let outputs = try engines.outputs(for: action.value(for: rule), most: most, size: size)
        var answers: [Answer] = []
        for output in outputs {
            let type = output["type"]
            if let type, !(type.stringValue.map(EmittedType.isOne) ?? false) {
                throw JQFailure(
                    words:
                        "its \"type\" gave \(type.quoted), expected the type of an action, a text without *")
            }
            answers.append(Answer(type: type?.stringValue, payload: output["payload"]))
        }
        return answers
    }
}

extension String {
    /// Returns the last occurrence of a text.
    fileprivate func range(ofLast text: String) -> Range<Index>? {
        var start = endIndex
        while start > startIndex {
            formIndex(before: &start)
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
        }
        return nil
    }
}
