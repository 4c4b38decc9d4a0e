import type { Problem } from "../events.ts";
import { type Declared, readDeclaration, sameName, type ToolDeclaration } from "./declare.ts";
import { LiveCheck, type Report } from "./live/check.ts";
import { LiveMembers } from "./live/members.ts";
import type { LiveText } from "./live/text.ts";
import { type Node, prepareSchema, type SchemaNode } from "./node.ts";
import { type Checker, checker, type Validation } from "./profiles.ts";

/** A declared tool, prepared for one profile. */
export interface Tool {
  readonly name: string;
  /** The root of the cursor: the arguments object. */
  readonly node: SchemaNode;
  /**
   * The problems of the finished arguments, which are already coerced under `coerce`; none: the call is valid.
   * `argumentsText` is their compact JSON text, of which the kernel profile reads how numbers are written.
   * @throws TypeError where a Standard Schema answers with a promise.
   */
  check(args: Record<string, unknown>, argumentsText: string): Problem[];
  /** The same while the arguments stream, as far as it can be told before their end; null: nothing can. */
  live(report: Report): LiveText | null;
}

/**
 * The tools that are offered, by name. Nothing of a schema is looked at before it is needed, and a declaration that is
 * given again is not prepared again: make a new one instead of changing it.
 */
export class ToolSet {
  readonly names: readonly string[];
  readonly #tools = new Map<string, Tool>();

  /** @throws TypeError for a malformed declaration, or for two tools of one name. */
  constructor(tools: readonly ToolDeclaration[], validation: Validation) {
    tools.forEach((declaration, position) => {
      const tool = prepared(declaration, position, validation);
      if (this.#tools.has(tool.name)) {
        throw sameName(tool.name, position);
      }
      this.#tools.set(tool.name, tool);
    });
    this.names = [...this.#tools.keys()];
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }
}

/**
 * Preparing a schema costs as much as reading a kilobyte of arguments ten times, and the same declarations are given to the
 * parser of every reply. They are taken as they were when they were first used.
 */
const known = new WeakMap<ToolDeclaration, Map<Validation, Tool>>();

function prepared(declaration: ToolDeclaration, position: number, validation: Validation): Tool {
  let profiles = known.get(declaration);
  const tool = profiles?.get(validation);
  if (tool !== undefined) return tool;
  const made = new PreparedTool(readDeclaration(declaration, position), validation);
  if (profiles === undefined) {
    profiles = new Map();
    known.set(declaration, profiles);
  }
  profiles.set(validation, made);
  return made;
}

class PreparedTool implements Tool {
  readonly name: string;
  readonly #declared: Declared;
  readonly #validation: Validation;
  #node: Node | undefined;
  #check: Checker | undefined;

  constructor(declared: Declared, validation: Validation) {
    this.name = declared.name;
    this.#declared = declared;
    this.#validation = validation;
  }

  get node(): SchemaNode {
    return this.#root;
  }

  get #root(): Node {
    this.#node ??= prepareSchema(this.#declared.schema);
    return this.#node;
  }

  check(args: Record<string, unknown>, argumentsText: string): Problem[] {
    return this.#checker(args, argumentsText);
  }

  live(report: Report): LiveText | null {
    const validation = this.#validation;
    if (validation === "none") return null;
    if (validation === "kernel" || validation === "lenient") return new LiveMembers(this.#checker, report);
    const root = this.#root.seeds[0];
    return root === undefined
      ? null
      : new LiveCheck(root, validation === "coerce", report, this.#declared.standard === undefined);
  }

  get #checker(): Checker {
    this.#check ??= checker(this.#declared, this.#root.seeds[0], this.#validation);
    return this.#check;
  }
}
