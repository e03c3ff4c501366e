// SPDX-License-Identifier: Apache-2.0

/// A keyword of JSON Schema (2020-12) that is understood in the schema of settings.
///
/// A plugin with any other keyword does not build: an ignored keyword would promise a check that nobody makes.
enum SchemaKeyword: String, CaseIterable {
    // Any value.

    /// One or several of the kinds of `SchemaKind`.
    case type
    /// The allowed values.
    case `enum`
    /// The only allowed value.
    case const

    // Numbers.

    /// The smallest number.
    case minimum
    /// The greatest number.
    case maximum
    /// A bound that a number must exceed.
    case exclusiveMinimum
    /// A bound that a number must be below.
    case exclusiveMaximum
    /// The divisor of a number; decimal fractions to twelve digits.
    case multipleOf

    // Text.

    /// The fewest Unicode scalars.
    case minLength
    /// The most Unicode scalars.
    case maxLength
    /// A pattern that must be found in a text.
    case pattern

    // Arrays.

    /// The schema of each element.
    case items
    /// The fewest elements.
    case minItems
    /// The most elements.
    case maxItems
    /// Whether each element may occur only once.
    case uniqueItems

    // Objects.

    /// The schemas of members by name.
    case properties
    /// The required names.
    case required
    /// The schema of other members; false for none.
    case additionalProperties
    /// The schema of each name, as a text.
    case propertyNames
    /// The fewest members.
    case minProperties
    /// The most members.
    case maxProperties
    /// Names that another name requires.
    case dependentRequired
    /// Schemas that the object must match if a name is present.
    case dependentSchemas

    // Other schemas.

    /// Schemas that must all hold.
    case allOf
    /// Schemas of which at least one must hold.
    case anyOf
    /// Schemas of which exactly one must hold.
    case oneOf
    /// A schema that must not hold.
    case not
    /// A part of this schema that must hold too.
    case reference = "$ref"
    /// Parts for references.
    case definitions = "$defs"

    // Words, not checked.

    /// A name for people.
    case title
    /// The meaning of the value, for editors.
    case description
    /// The value of an absent setting, for editors to fill in. The plugin's code decides.
    case `default`
    /// Sensible values.
    case examples
    /// Whether the setting is deprecated.
    case deprecated
    /// A note to maintainers of the schema.
    case comment = "$comment"
    /// The author's version of JSON Schema.
    case schema = "$schema"
    /// The expectation of `pattern`, `not`, `anyOf` or `oneOf`, in words for messages, such as "a file name".
    case message = "x-message"
    /// The role of the action types in a text: they are answered, or they answer those in the same object.
    case action = "x-action"
    /// Whether a text is the address of a listening instance, which holds a run open.
    case listens = "x-listens"
    /// The content of the file at the path in a text, so that it can be checked before a start.
    case file = "x-file"
}
