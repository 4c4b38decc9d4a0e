/** The keywords of JSON Schema, as far as writing a schema asks what they are. */

/** Keywords that constrain values of one kind and say nothing about others; a group is read together. */
const GROUPS: readonly [types: string, keywords: string][] = [
  ["string", "minLength"],
  ["string", "maxLength"],
  ["string", "pattern"],
  ["string", "format"],
  ["number", "minimum"],
  ["number", "maximum"],
  ["number", "exclusiveMinimum"],
  ["number", "exclusiveMaximum"],
  ["number", "multipleOf"],
  ["array", "items prefixItems"],
  ["array", "contains minContains maxContains"],
  ["array", "minItems"],
  ["array", "maxItems"],
  ["array", "uniqueItems"],
  ["array", "unevaluatedItems"],
  ["object", "properties patternProperties additionalProperties"],
  ["object", "required"],
  ["object", "minProperties"],
  ["object", "maxProperties"],
  ["object", "propertyNames"],
  ["object", "dependentRequired"],
  ["object", "dependentSchemas"],
  ["object", "dependencies"],
  ["object", "unevaluatedProperties"],
  ["", "type"],
  ["", "enum const"],
  ["", "allOf"],
  ["", "anyOf"],
  ["", "oneOf"],
  ["", "not"],
  ["", "if then else"],
  ["", "$ref"],
];

export interface Group {
  /** The type of the values that are constrained; "" for keywords that constrain all values. */
  readonly type: string;
  /** The keywords that are read together. */
  readonly keywords: readonly string[];
}

const groups: ReadonlyMap<string, Group> = new Map(
  GROUPS.flatMap(([type, names]) => {
    const keywords = names.split(" ");
    return keywords.map((keyword): [string, Group] => [keyword, { type, keywords }]);
  }),
);

/** What a keyword constrains; undefined for one that constrains nothing, such as `description`. */
export function groupOf(keyword: string): Group | undefined {
  return groups.get(keyword);
}
