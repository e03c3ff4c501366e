// SPDX-License-Identifier: Apache-2.0

extension MiddlewareReader {
    /// A reader of an erased middleware that does nothing, for places where the type is known.
    @inlinable
    public static func doNothing<Input, Output, State>() -> MiddlewareReader
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        MiddlewareReader { _ in AnyMiddleware(IdentityMiddleware()) }
    }
}
