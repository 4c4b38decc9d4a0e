import { type ParameterTags, TagSet } from "./tags.ts";

interface Written {
  name: string;
  arguments: Record<string, unknown>;
}

/**
 * Calls as a model writes them, each behind its last tag followed by `line`, as are its opener and its parameters:
 * `<function=tide_level>⏎<parameter=port>Oban</parameter>⏎</function>⏎`.
 */
export function writtenCalls(tags: ParameterTags, calls: readonly Written[], line: string): string {
  const index = (at: number): string => (tags.index ? ` ${tags.index}="${at + 1}"` : "");
  return calls.map((call, at) => writtenCall(tags, call, line, index(at))).join("");
}

function writtenCall(tags: ParameterTags, { name, arguments: args }: Written, line: string, index: string): string {
  const set = new TagSet(tags);
  const parameters = Object.entries(args).map(([key, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const open = openTag(set, tags.parameter.open, key, typeOf(tags, value));
    const inside = tags.cdata && typeof value === "string" && /[<&\n]/.test(value) ? `<![CDATA[${text}]]>` : text;
    return `${open}${inside}${set.marked(tags.parameter.close)}${line}`;
  });
  return `${openTag(set, tags.call.open, name, index)}${line}${parameters.join("")}${set.callClose}${line}`;
}

/** `<function=tide_level>` or `<invoke name="tide_level">` */
function openTag(set: TagSet, open: string, name: string, rest: string): string {
  const quote = open.includes(" ") ? '"' : "";
  const written = set.blanks ? name.replaceAll("&", "&amp;").replaceAll('"', "&quot;") : name;
  return `${set.marked(open)}${quote}${written}${quote}${rest}${set.end}`;
}

/** ` string="true"` */
function typeOf({ type }: ParameterTags, value: unknown): string {
  return type ? ` ${type.attribute}="${type.of(value)}"` : "";
}
