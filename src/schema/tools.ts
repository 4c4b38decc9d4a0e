import type { Problem } from "../events.ts";
import { type Declared, readDeclaration, type ToolDeclaration } from "./declare.ts";
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
}

/** The tools that are offered, by name. Nothing of a schema is looked at before it is needed. */
export class ToolSet {
  readonly names: readonly string[];
  readonly #tools = new Map<string, Tool>();

  /** @throws TypeError for a malformed declaration, or for two tools of one name. */
  constructor(tools: readonly ToolDeclaration[], validation: Validation) {
    tools.forEach((declaration, position) => {
      const declared = readDeclaration(declaration, position);
      if (this.#tools.has(declared.name)) {
        throw new TypeError(`tools[${position}]: there are two tools with the name ${JSON.stringify(declared.name)}.`);
      }
      this.#tools.set(declared.name, new PreparedTool(declared, validation));
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
    this.#check ??= checker(this.#declared, this.#root.seeds[0], this.#validation);
    return this.#check(args, argumentsText);
  }
}
