// SPDX-License-Identifier: Apache-2.0

/// A keyword of JSON Schema (2020-12) that is understood in the schema of settings.
///
/// Every other keyword is refused when a plugin is built: one that is ignored would promise what nobody checks.
enum SchemaKeyword: String, CaseIterable {
    // Kinds and words.
    case type, `enum`, const
    // Numbers.
    case minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf
    // Text.
    case minLength, maxLength, pattern
    // Arrays.
    case items, minItems, maxItems, uniqueItems
    // Objects.
    case properties, required, additionalProperties, propertyNames, minProperties, maxProperties
    case dependentRequired, dependentSchemas
    // Other schemas.
    case allOf, anyOf, oneOf, not
    case reference = "$ref"
    case definitions = "$defs"
    // Words for people and editors; nothing is checked.
    case title, description, `default`, examples, deprecated
    case comment = "$comment"
    case schema = "$schema"

    /// What a keyword takes.
    enum Operand {
        /// A schema.
        case schema
        /// Schemas by name.
        case schemasByName
        /// A list of at least one schema.
        case schemaList
        /// The names of kinds, one or several.
        case kinds
        /// A number.
        case number
        /// A number above 0.
        case positiveNumber
        /// A whole number of at least 0.
        case count
        /// True or false.
        case boolean
        /// Text.
        case text
        /// A pattern.
        case pattern
        /// Texts.
        case names
        /// Texts by name.
        case namesByName
        /// Values of any kind, at least one.
        case values
        /// A place in this schema: `#` and a JSON Pointer.
        case place
        /// Anything.
        case anything
    }

    /// What it takes.
    var operand: Operand {
        switch self {
        case .type: .kinds
        case .enum: .values
        case .minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum: .number
        case .multipleOf: .positiveNumber
        case .minLength, .maxLength, .minItems, .maxItems, .minProperties, .maxProperties: .count
        case .pattern: .pattern
        case .items, .additionalProperties, .propertyNames, .not: .schema
        case .uniqueItems, .deprecated: .boolean
        case .properties, .dependentSchemas, .definitions: .schemasByName
        case .required: .names
        case .dependentRequired: .namesByName
        case .allOf, .anyOf, .oneOf: .schemaList
        case .reference: .place
        case .title, .description, .comment, .schema: .text
        case .const, .default, .examples: .anything
        }
    }
}
