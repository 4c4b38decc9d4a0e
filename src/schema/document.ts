import { LIST, MAP, ONE } from "./keywords.ts";
import { type Matcher, matcher } from "./pattern.ts";
import { Schema } from "./schema.ts";
import { isObject } from "./value.ts";

/** The part of a document that has a URI of its own: the root, or a schema with `$id`. */
export interface Resource {
  readonly uri: string;
  readonly root: unknown;
  /** Draft-07 and older: `$ref` hides the keywords beside it. */
  readonly old: boolean;
}

interface Place {
  raw: unknown;
  resource: Resource;
}

/** What a scan of the whole document finds. */
interface Index {
  /** Schemas by URI, with their anchors; dynamic anchors once more under `dynamic:`. */
  places: Map<string, Place>;
  rare: boolean;
  tame: boolean;
}

/** Keywords under which schemas stand, those of drafts before 2020-12 among them. */
const SCHEMAS = ["additionalItems", ...ONE, ...LIST];
const MAPS = [...MAP, "definitions"];
/** Keywords that only the full validator decides. */
const RARE = ["$recursiveRef"];

/** A schema document: prepares each schema in it once, when it is reached, and finds what a `$ref` names. */
export class Document {
  readonly root: Schema;
  /** A schema was reached whose reference means something else on each way from the root. */
  dynamic = false;
  readonly others: Readonly<Record<string, unknown>>;
  readonly #schemas = new Map<object, Schema>();
  readonly #patterns = new Map<string, Matcher | null>();
  readonly #resources = new Map<object, Resource>();
  #index: Index | undefined;

  /** @param others Further documents, by URI. Nothing is ever fetched. */
  constructor(raw: unknown, others: Readonly<Record<string, unknown>> = {}) {
    this.others = others;
    this.root = this.schema(raw, resourceOf(raw, "https://schema.invalid/"));
  }

  /** The schema of a raw value that stands in `parent`. */
  schema(raw: unknown, parent: Resource): Schema {
    if (typeof raw !== "object" || raw === null) return new Schema(raw, parent, this);
    let schema = this.#schemas.get(raw);
    if (schema === undefined) {
      schema = new Schema(raw, this.#resource(raw, parent), this);
      this.#schemas.set(raw, schema);
    }
    return schema;
  }

  /** The schema that a reference names, or undefined where it leads nowhere. */
  resolve(reference: string, from: Resource): Schema | undefined {
    if (reference === "#" || reference.startsWith("#/"))
      return this.#walk({ raw: from.root, resource: from }, reference);
    const uri = resolveUri(reference, from.uri);
    const hash = uri.indexOf("#");
    const base = hash < 0 ? uri : uri.slice(0, hash);
    const fragment = hash < 0 ? "#" : uri.slice(hash);
    const { places } = this.#scan();
    if (fragment === "#" || fragment.startsWith("#/")) return this.#walk(places.get(base), fragment);
    const place = places.get(uri);
    return place && this.schema(place.raw, place.resource);
  }

  /** The `$dynamicAnchor` of a name in a resource. */
  anchor(name: string, resource: Resource): Schema | undefined {
    const place = this.#scan().places.get(`dynamic:${resource.uri}#${name}`);
    return place && this.schema(place.raw, place.resource);
  }

  /** The matcher of a `pattern`, or null for one that cannot be used. */
  pattern(source: string): Matcher | null {
    let found = this.#patterns.get(source);
    if (found === undefined) {
      found = matcher(source);
      this.#patterns.set(source, found);
    }
    return found;
  }

  /** True where every pattern in the document can be left to the engine's own regular expressions. */
  get tame(): boolean {
    return this.#scan().tame;
  }

  /** True where the document uses a keyword that our own checks do not decide. */
  get rare(): boolean {
    return this.#scan().rare;
  }

  #resource(raw: object, parent: Resource): Resource {
    const id = (raw as { $id?: unknown }).$id;
    if (typeof id !== "string" || id.startsWith("#") || (parent.old && "$ref" in raw)) return parent;
    let resource = this.#resources.get(raw);
    if (resource === undefined) {
      resource = resourceOf(raw, resolveUri(id, parent.uri).replace(/#.*$/, ""), parent.old);
      this.#resources.set(raw, resource);
    }
    return resource;
  }

  #walk(from: Place | undefined, fragment: string): Schema | undefined {
    if (from === undefined) return undefined;
    let { raw, resource } = from;
    for (const escaped of fragment.split("/").slice(1)) {
      const key = decode(escaped).replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof raw !== "object" || raw === null || !Object.hasOwn(raw, key)) return undefined;
      raw = (raw as Record<string, unknown>)[key];
      if (isObject(raw)) resource = this.#resource(raw, resource);
    }
    return typeof raw === "boolean" || isObject(raw) ? this.schema(raw, resource) : undefined;
  }

  /** Where the URIs and anchors are; made only for a reference that is no plain pointer, or for the first check. */
  #scan(): Index {
    if (this.#index !== undefined) return this.#index;
    const places = new Map<string, Place>();
    let rare = false;
    let tame = true;
    const first = this.root.resource;
    places.set(first.uri, { raw: first.root, resource: first });
    const open: Place[] = [{ raw: this.root.raw, resource: first }];
    for (const [uri, raw] of Object.entries(this.others)) {
      const other = { raw, resource: resourceOf(raw, uri) };
      places.set(uri, other);
      open.push(other);
    }
    const seen = new Set<unknown>();
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      const { raw } = place;
      if (!isObject(raw) || seen.has(raw)) continue;
      seen.add(raw);
      const resource = this.#resource(raw, place.resource);
      if (resource.root === raw) places.set(resource.uri, { raw, resource });
      const here = { raw, resource };
      if (typeof raw.$anchor === "string") places.set(`${resource.uri}#${raw.$anchor}`, here);
      if (typeof raw.$id === "string" && raw.$id.startsWith("#")) places.set(resource.uri + raw.$id, here);
      if (typeof raw.$dynamicAnchor === "string") {
        places.set(`${resource.uri}#${raw.$dynamicAnchor}`, here);
        places.set(`dynamic:${resource.uri}#${raw.$dynamicAnchor}`, here);
      }
      rare ||= RARE.some((keyword) => Object.hasOwn(raw, keyword));
      const patterns = isObject(raw.patternProperties) ? Object.keys(raw.patternProperties) : [];
      if (typeof raw.pattern === "string") patterns.push(raw.pattern);
      tame &&= patterns.every((pattern) => this.pattern(pattern)?.tame === true);
      const add = (raw: unknown): unknown => open.push({ raw, resource });
      for (const keyword of SCHEMAS) if (Object.hasOwn(raw, keyword)) children(raw[keyword]).forEach(add);
      for (const keyword of MAPS) if (isObject(raw[keyword])) Object.values(raw[keyword]).forEach(add);
    }
    this.#index = { places, rare, tame };
    return this.#index;
  }
}

function resourceOf(root: unknown, uri: string, old = false): Resource {
  const dialect = isObject(root) ? root.$schema : undefined;
  return { uri, root, old: dialect === undefined ? old : /draft-0[4-7]/.test(String(dialect)) };
}

function children(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

function resolveUri(reference: string, base: string): string {
  try {
    return new URL(reference, base).href;
  } catch {
    return reference;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
