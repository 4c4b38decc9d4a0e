import type { ElementTags } from "./nested-elements.ts";

/** A call as a model writes it: `<invoke name="tide_level"><port>Oban</port></invoke>`. */
export function writtenElements(
  tags: ElementTags,
  { name, arguments: args }: { name: string; arguments: Record<string, unknown> },
): string {
  const { token, call } = tags;
  return `${token}<${call} name="${name}">${members(tags, args)}${token}</${call}>`;
}

function members(tags: ElementTags, value: object): string {
  return Object.entries(value)
    .map(([key, member]) => element(tags, key, member))
    .join("");
}

function element(tags: ElementTags, name: string, value: unknown): string {
  const { token, item } = tags;
  const inside = Array.isArray(value)
    ? value.map((one) => element(tags, item, one)).join("")
    : typeof value === "object" && value !== null
      ? members(tags, value)
      : String(value);
  return `${token}<${name}>${inside}${token}</${name}>`;
}
