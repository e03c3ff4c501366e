// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// Compares one value with one schema.
struct SchemaCheck {
    /// The whole schema, for references.
    let root: Value

    /// A place in the value, and the way there.
    struct Place {
        /// The place in the whole value.
        let pointer: JSONPointer
        /// Whether a null in an object counts as absent.
        var isPatch: Bool
        /// The references followed since the last step into the value; following one again would never end.
        var references: [String] = []

        /// Returns the place of a part.
        func part(_ token: String, isPatch: Bool) -> Place {
            Place(pointer: pointer.appending(token), isPatch: isPatch)
        }

        /// Creates the only difference at the place.
        func differs(
            about subject: SchemaViolation.Subject = .content, _ sentence: String
        ) -> [SchemaViolation] {
            [SchemaViolation(pointer: pointer, subject: subject, sentence: sentence)]
        }
    }

    /// Returns all differences between a value and a schema.
    func check(_ value: Value, _ schema: Value, _ place: Place) -> [SchemaViolation] {
        switch schema {
        case .bool(false): return place.differs(about: .form, "nothing may stand here; remove it")
        case .object(let keywords):
            let kinds = checkKind(value, keywords, place)
            // A value of the wrong kind breaks other rules only because of that.
            guard kinds.isEmpty else { return kinds }
            return checkValue(value, keywords, place) + checkNumber(value, keywords, place)
                + checkText(value, keywords, place) + checkArray(value, keywords, place)
                + checkObject(value, keywords, place) + checkForms(value, keywords, place)
        default: return []
        }
    }

    // MARK: - Kinds and words

    /// Checks the keyword `type`.
    private func checkKind(_ value: Value, _ keywords: Members, _ place: Place) -> [SchemaViolation] {
        let names = keywords["type"].map { $0.arrayValue ?? [$0] } ?? []
        let kinds = names.compactMap(\.stringValue).compactMap(SchemaKind.init(rawValue:))
        guard !kinds.isEmpty, !kinds.contains(where: { $0.covers(value) }) else { return [] }
        return place.differs(
            about: .form, "expected \(kinds.map(\.phrase).choice), found \(value.quoted); correct it")
    }

    /// Checks the keywords `enum` and `const`.
    private func checkValue(_ value: Value, _ keywords: Members, _ place: Place) -> [SchemaViolation] {
        var choices = keywords["enum"]?.arrayValue
        if let only = keywords["const"] { choices = [only] }
        guard let choices, !choices.contains(value) else { return [] }
        let near = value.stringValue.flatMap {
            NearMiss.suggestion(for: $0, among: choices.compactMap(\.stringValue))
        }
        return place.differs(
            about: .form,
            "expected \(choices.map(\.quoted).choice), found \(value.quoted); "
                + (near.map { "did you mean \"\($0)\"?" } ?? "choose one of them"))
    }

    /// Returns the author's words for the expectation, where a keyword cannot tell.
    private func words(_ keywords: Members) -> String? {
        keywords[SchemaKeyword.message.rawValue]?.stringValue
    }

    // MARK: - Numbers

    /// Checks `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`.
    private func checkNumber(_ value: Value, _ keywords: Members, _ place: Place) -> [SchemaViolation] {
        guard SchemaKind.number.covers(value) else { return [] }
        var differences: [(expected: String, advice: String)] = []
        if let limit = keywords["minimum"], value.isLess(than: limit) == true {
            differences.append(("a number of at least \(limit)", "raise it"))
        }
        if let limit = keywords["maximum"], limit.isLess(than: value) == true {
            differences.append(("a number of at most \(limit)", "lower it"))
        }
        if let limit = keywords["exclusiveMinimum"], limit.isLess(than: value) == false {
            differences.append(("a number above \(limit)", "raise it"))
        }
        if let limit = keywords["exclusiveMaximum"], value.isLess(than: limit) == false {
            differences.append(("a number below \(limit)", "lower it"))
        }
        if let step = keywords["multipleOf"], !Self.isMultiple(value, of: step) {
            differences.append(("a multiple of \(step)", "write the nearest one"))
        }
        return differences.flatMap {
            place.differs("expected \($0.expected), found \(value.quoted); \($0.advice)")
        }
    }

    /// Returns whether a number is a multiple of a step above 0.
    private static func isMultiple(_ number: Value, of step: Value) -> Bool {
        if let number = number.intValue, let step = step.intValue, step > 0 { return number % step == 0 }
        // Beyond the range of Double nobody can tell.
        guard let number = number.doubleValue, let step = step.doubleValue else { return true }
        let quotient = number / step
        // A step such as 0.1 is not exact in base two.
        return !quotient.isFinite || abs(quotient - quotient.rounded()) <= quotient.magnitude * 1e-12
    }

    // MARK: - Text

    /// Checks the keywords `minLength`, `maxLength` and `pattern`.
    private func checkText(_ value: Value, _ keywords: Members, _ place: Place) -> [SchemaViolation] {
        guard case .string(let text) = value else { return [] }
        var violations = checkCount(
            text.unicodeScalars.count, "characters", keywords["minLength"], keywords["maxLength"], place)
        if case .string(let pattern)? = keywords["pattern"], let compiled = try? TextPattern(pattern),
            !compiled.matches(text)
        {
            violations += place.differs(
                "expected \(words(keywords) ?? "text of another form"), found \(value.quoted); correct it")
        }
        return violations
    }

    /// Checks two limits of a count.
    private func checkCount(
        _ count: Int, _ parts: String, _ least: Value?, _ most: Value?, _ place: Place
    ) -> [SchemaViolation] {
        if let least = least?.intValue, count < least {
            return place.differs("expected at least \(least) \(parts), found \(count); add to it")
        }
        if let most = most?.intValue, count > most {
            return place.differs("expected at most \(most) \(parts), found \(count); shorten it")
        }
        return []
    }

    // MARK: - Arrays

    /// Checks `items`, `minItems`, `maxItems`, `uniqueItems`.
    private func checkArray(_ value: Value, _ keywords: Members, _ place: Place) -> [SchemaViolation] {
        guard case .array(let elements) = value else { return [] }
        var violations = checkCount(
            elements.count, "elements", keywords["minItems"], keywords["maxItems"], place)
        if let schema = keywords["items"] {
            for (index, element) in elements.enumerated() {
                violations += check(element, schema, place.part("\(index)", isPatch: false))
            }
        }
        if keywords["uniqueItems"] == true {
            var seen: Set<Value> = []
            for (index, element) in elements.enumerated() where !seen.insert(element).inserted {
                let part = place.part("\(index)", isPatch: false)
                violations += part.differs(
                    "expected each element once, found \(element.quoted) again; remove it")
            }
        }
        return violations
    }

    // MARK: - Objects

    /// Checks `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`,
    /// `maxProperties`, `dependentRequired`, `dependentSchemas`.
    private func checkObject(_ value: Value, _ keywords: Members, _ place: Place) -> [SchemaViolation] {
        guard case .object(let members) = value else { return [] }
        let present = members.filter { !(place.isPatch && $0.value.isNull) }.map(\.key)
        let isPresent = { (key: String) in members[key].map { !(place.isPatch && $0.isNull) } ?? false }
        var violations = checkCount(
            present.count, "members", keywords["minProperties"], keywords["maxProperties"], place)
        violations += names(keywords["required"]).filter { !isPresent($0) }.flatMap {
            place.differs("expected the key \(Value.string($0).quoted), found none; add it")
        }
        for (key, needed) in keywords["dependentRequired"]?.objectValue ?? [:] where isPresent(key) {
            violations += names(needed).filter { !isPresent($0) }.flatMap {
                place.part(key, isPatch: false).differs(
                    "\(Value.string(key).quoted) says nothing without \(Value.string($0).quoted); add it")
            }
        }
        for (key, schema) in keywords["dependentSchemas"]?.objectValue ?? [:] where isPresent(key) {
            violations += check(value, schema, place)
        }
        let properties = keywords["properties"]?.objectValue ?? [:]
        for (key, member) in members {
            let part = place.part(key, isPatch: place.isPatch)
            if let schema = keywords["propertyNames"] { violations += check(.string(key), schema, part) }
            // Removing the default would leave a setting without a value.
            let isAbsent = place.isPatch && member.isNull && properties[key]?["default"] == nil
            if let schema = properties[key] {
                if !isAbsent { violations += check(member, schema, part) }
            } else if keywords["additionalProperties"] == false {
                violations += unknownKey(key, knowing: properties.keys, part)
            } else if let schema = keywords["additionalProperties"], !isAbsent {
                violations += check(member, schema, part)
            }
        }
        return violations
    }

    /// Reports an unknown key, with the known ones.
    private func unknownKey(
        _ key: String, knowing known: [String], _ place: Place
    ) -> [SchemaViolation] {
        let others = known.map { Value.string($0).quoted }.choice
        let advice =
            NearMiss.suggestion(for: key, among: known).map { "; did you mean \"\($0)\"?" }
            ?? (known.isEmpty ? "; remove it" : ", expected \(others); rename or remove it")
        return place.differs(about: .key, "unknown key \(Value.string(key).quoted)" + advice)
    }

    /// Returns the texts of a list.
    private func names(_ list: Value?) -> [String] { list?.arrayValue?.compactMap(\.stringValue) ?? [] }

    // MARK: - Other schemas

    /// Checks `$ref`, `allOf`, `anyOf`, `oneOf`, `not`.
    private func checkForms(_ value: Value, _ keywords: Members, _ place: Place) -> [SchemaViolation] {
        var violations: [SchemaViolation] = []
        if case .string(let reference)? = keywords["$ref"], !place.references.contains(reference),
            let target = Schema.target(of: reference, in: root)
        {
            var place = place
            place.references.append(reference)
            violations += check(value, target, place)
        }
        for schema in keywords["allOf"]?.arrayValue ?? [] { violations += check(value, schema, place) }
        if case .array(let forms)? = keywords["anyOf"] {
            violations += checkAlternatives(value, forms, place, mayBeSeveral: true, words(keywords))
        }
        if case .array(let forms)? = keywords["oneOf"] {
            violations += checkAlternatives(value, forms, place, mayBeSeveral: false, words(keywords))
        }
        if let schema = keywords["not"], check(value, schema, place).isEmpty {
            violations += place.differs(
                words(keywords).map { "expected \($0), found \(value.quoted); correct it" }
                    ?? "\(value.quoted) may not stand here; choose another value")
        }
        return violations
    }

    /// Checks that one of several schemas holds; reports the violations of the likely one.
    private func checkAlternatives(
        _ value: Value, _ forms: [Value], _ place: Place, mayBeSeveral: Bool, _ words: String?
    ) -> [SchemaViolation] {
        let results = forms.map { check(value, $0, place) }
        switch results.count(where: \.isEmpty) {
        case 0: break
        case 1: return []
        default:
            return mayBeSeveral
                ? []
                : place.differs(
                    "expected exactly one of the forms that the schema lists, found several; choose one")
        }
        // The form of the fitting kind is the one that was meant.
        let meant = results.filter { violations in
            !violations.contains { $0.pointer == place.pointer && $0.subject == .form }
        }
        return meant.count == 1
            ? meant[0]
            : place.differs(
                words.map { "expected \($0), found \(value.quoted); correct it" }
                    ?? "expected one of the forms that the schema lists, found another; see its description")
    }
}
