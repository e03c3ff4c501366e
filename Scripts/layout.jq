# SPDX-License-Identifier: Apache-2.0
#
# Converts a dump of swift-api-digester to one line for each fact that determines memory layout: the stored properties
# of a type in order, the cases of an enum in order, the requirements of a protocol and the overridable members of a
# class.

def own: .children // [];
def types: own | map(.printedName);

def layout($path):
  own[] | select(.kind == "TypeDecl" and .isExternal != true) |
  ($path + [.name]) as $inner | ($inner | join(".")) as $name | .declKind as $kind |
  ("\($kind | ascii_downcase) \($name)" + (if .superclassNames then ": \(.superclassNames[0])" else "" end)),
  (own | map(select(.hasStorage == true and .static != true)) | sort_by(.fixedbinaryorder // 0)[]
    | "\($name) stores \(.name): \(types[0])"),
  (own[] | select(.declKind == "EnumElement")
    | "\($name) case \(.name)" + (types[0] | split(" -> ") | .[1:-1] | map(" " + .) | join(""))),
  (own[] | select(.declKind == "AssociatedType") | "\($name) associates \(.name)"),
  (own[] | select(.protocolReq == true and .reqNewWitnessTableEntry == true)
    | "\($name) requires \(.printedName): \(types | join(", "))"),
  (if $kind == "Class" and (.declAttributes // [] | index("Final") | not) then
    own[] | select((.declKind == "Func" or .declKind == "Var" or .declKind == "Constructor")
        and .static != true and .isFromExtension != true and (.declAttributes // [] | index("Final") | not))
    | "\($name) dispatches \(.printedName): \(types | join(", "))"
  else empty end),
  layout($inner);

.ABIRoot | layout([])
