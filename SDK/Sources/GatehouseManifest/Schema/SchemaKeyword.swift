// SPDX-License-Identifier: Apache-2.0

/// A keyword of JSON Schema (2020-12) that is understood in the schema of settings.
///
/// Every other keyword is refused when a plugin is built: one that is ignored would promise what nobody checks.
enum SchemaKeyword: String, CaseIterable {
    // Any value.

    /// One or several of the kinds of `SchemaKind`.
    case type
    /// The values that are taken.
    case `enum`
    /// The only value that is taken.
    case const

    // Numbers.

    /// The smallest number.
    case minimum
    /// The greatest number.
    case maximum
    /// What a number must be above.
    case exclusiveMinimum
    /// What a number must be below.
    case exclusiveMaximum
    /// What a number must be a multiple of; decimal fractions to twelve digits.
    case multipleOf

    // Text.

    /// The fewest Unicode scalars.
    case minLength
    /// The most Unicode scalars.
    case maxLength
    /// What must be found in a text.
    case pattern

    // Arrays.

    /// What each element must be.
    case items
    /// The fewest elements.
    case minItems
    /// The most elements.
    case maxItems
    /// Whether each element may come once only.
    case uniqueItems

    // Objects.

    /// What the members of these names must be.
    case properties
    /// Names that must be there.
    case required
    /// What members of other names must be; false for none.
    case additionalProperties
    /// What each name must be, as a text.
    case propertyNames
    /// The fewest members.
    case minProperties
    /// The most members.
    case maxProperties
    /// Names that must be there beside another.
    case dependentRequired
    /// What the whole object must be when a name is there.
    case dependentSchemas

    // Other schemas.

    /// Schemas that must all hold.
    case allOf
    /// Schemas of which one must hold, or several.
    case anyOf
    /// Schemas of which exactly one must hold.
    case oneOf
    /// A schema that must not hold.
    case not
    /// A part of this schema that must hold too.
    case reference = "$ref"
    /// Parts that references name.
    case definitions = "$defs"

    // Words, not checked.

    /// A name for people.
    case title
    /// What the value means; editors show it.
    case description
    /// The value of a setting that is left out; editors fill it in. The plugin's code decides.
    case `default`
    /// Values that make sense.
    case examples
    /// Whether the setting should not be used any more.
    case deprecated
    /// Words for those who maintain the schema.
    case comment = "$comment"
    /// The version of JSON Schema that the author had in mind.
    case schema = "$schema"
    /// What `pattern`, `not`, `anyOf` or `oneOf` beside it expect, as messages say it, such as "a file name".
    case message = "x-message"
    /// Which action types a text names: those that are answered, or what answers them; of one object, each the others.
    case action = "x-action"
    /// Whether a text is an address at which an instance listens, which holds a run open.
    case listens = "x-listens"
    /// What is in the file whose path a text is, so that it can be looked at before a start.
    case file = "x-file"

    /// The forms of operand that a keyword can take.
    enum Operand {
        /// The operand is a schema.
        case schema
        /// The operand is an object whose members are schemas.
        case schemasByName
        /// A list of at least one schema.
        case schemaList
        /// The names of kinds, one or several.
        case kinds
        /// The operand is a number.
        case number
        /// A number above 0.
        case positiveNumber
        /// A whole number of at least 0.
        case count
        /// The operand is true or false.
        case boolean
        /// The operand is a text.
        case text
        /// The operand is a text that is a regular expression.
        case pattern
        /// The operand is an array of texts.
        case names
        /// The operand is an object whose members are arrays of texts.
        case namesByName
        /// Values of any kind, at least one.
        case values
        /// A place in this schema: `#` and a JSON Pointer.
        case place
        /// The name of a `SettingsAnswers.Role`.
        case role
        /// The name of a `SettingsFiles.Content`.
        case content
        /// The operand may be any JSON.
        case anything
    }

    /// The form of operand that the keyword takes.
    var operand: Operand {
        switch self {
        case .type: .kinds
        case .enum: .values
        case .minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum: .number
        case .multipleOf: .positiveNumber
        case .minLength, .maxLength, .minItems, .maxItems, .minProperties, .maxProperties: .count
        case .pattern: .pattern
        case .items, .additionalProperties, .propertyNames, .not: .schema
        case .uniqueItems, .deprecated, .listens: .boolean
        case .properties, .dependentSchemas, .definitions: .schemasByName
        case .required: .names
        case .dependentRequired: .namesByName
        case .allOf, .anyOf, .oneOf: .schemaList
        case .reference: .place
        case .action: .role
        case .file: .content
        case .title, .description, .comment, .schema, .message: .text
        case .const, .default, .examples: .anything
        }
    }
}
