/** Where schemas stand in a schema. */

/** Keywords whose value is one schema. */
export const ONE: ReadonlySet<string> = new Set(
  "additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties".split(
    " ",
  ),
);
/** Keywords whose value is a list of schemas. */
export const LIST: ReadonlySet<string> = new Set("allOf anyOf oneOf prefixItems".split(" "));
/** Keywords whose value is a map of schemas. */
export const MAP: ReadonlySet<string> = new Set(
  "$defs dependencies dependentSchemas patternProperties properties".split(" "),
);
