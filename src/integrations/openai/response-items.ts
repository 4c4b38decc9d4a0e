import { newId } from "../reply/about.ts";
import type { Step } from "../reply/steps.ts";
import type {
  FunctionCallItem,
  ItemStatus,
  MessageItem,
  ReasoningItem,
  ReasoningPart,
  ResponseEventBody,
  ResponseItem,
  TextPart,
} from "./responses-types.ts";

/** The items of a response: each is added, filled and done before the next one begins. */
export class ResponseItems {
  private readonly add: (event: ResponseEventBody) => void;
  private readonly items: ResponseItem[] = [];
  private open: ResponseItem | null = null;
  /** How many items the client was told of. */
  private added = 0;
  private written = "";

  constructor(add: (event: ResponseEventBody) => void) {
    this.add = add;
  }

  /** All items that are done, without the calls that were withdrawn. */
  output(): ResponseItem[] {
    return [...this.items];
  }

  /** All that was answered. */
  text(): string {
    return this.items
      .flatMap((item) => (item.type === "message" ? item.content : []))
      .reduce((all, { text }) => all + text, "");
  }

  take(step: Step): void {
    switch (step.type) {
      case "text": {
        if (this.open?.type !== "message") this.openText(messageItem());
        this.written += step.text;
        return this.add({ type: "response.output_text.delta", ...this.part(), delta: step.text, logprobs: [] });
      }
      case "reasoning": {
        if (this.open?.type !== "reasoning") this.openText(reasoningItem());
        this.written += step.text;
        return this.add({ type: "response.reasoning_text.delta", ...this.part(), delta: step.text });
      }
      case "call":
        return this.begin(callItem(step.id, step.name));
      case "arguments":
        return this.add({ type: "response.function_call_arguments.delta", ...this.place(), delta: step.text });
      case "call-end": {
        const item = { ...(this.open as FunctionCallItem), arguments: step.arguments };
        const { name } = item;
        if (step.outcome !== "withdrawn") {
          this.add({ type: "response.function_call_arguments.done", ...this.place(), name, arguments: step.arguments });
        }
        return this.end(
          { ...item, status: step.outcome === "valid" ? "completed" : "incomplete" },
          step.outcome !== "withdrawn",
        );
      }
    }
  }

  /** Ends the text that is open, if any: the last one of a reply that was cut off is not complete. */
  close(status: ItemStatus): void {
    const { open } = this;
    if (open?.type === "message") {
      const part = textPart(this.written);
      this.add({ type: "response.output_text.done", ...this.part(), text: part.text, logprobs: [] });
      this.add({ type: "response.content_part.done", ...this.part(), part });
      this.end({ ...open, content: [part], status }, true);
    } else if (open?.type === "reasoning") {
      const part = reasoningPart(this.written);
      this.add({ type: "response.reasoning_text.done", ...this.part(), text: part.text });
      this.add({ type: "response.content_part.done", ...this.part(), part });
      this.end({ ...open, content: [part], status }, true);
    }
  }

  private openText(item: MessageItem | ReasoningItem): void {
    this.begin(item);
    this.written = "";
    const part = item.type === "message" ? textPart("") : reasoningPart("");
    this.add({ type: "response.content_part.added", ...this.part(), part });
  }

  private begin(item: ResponseItem): void {
    this.close("completed");
    this.open = item;
    this.added++;
    this.add({ type: "response.output_item.added", output_index: this.added - 1, item });
  }

  private end(item: ResponseItem, stays: boolean): void {
    this.open = null;
    if (stays) this.items.push(item);
    this.add({ type: "response.output_item.done", output_index: this.added - 1, item });
  }

  private place(): { item_id: string; output_index: number } {
    return { item_id: this.open?.id ?? "", output_index: this.added - 1 };
  }

  private part(): { item_id: string; output_index: number; content_index: number } {
    return { ...this.place(), content_index: 0 };
  }
}

function messageItem(): MessageItem {
  return { id: newId("msg_"), type: "message", status: "in_progress", role: "assistant", content: [] };
}

function reasoningItem(): ReasoningItem {
  return { id: newId("rs_"), type: "reasoning", status: "in_progress", summary: [], content: [] };
}

function callItem(call_id: string, name: string): FunctionCallItem {
  return { id: newId("fc_"), type: "function_call", status: "in_progress", call_id, name, arguments: "" };
}

function textPart(text: string): TextPart {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function reasoningPart(text: string): ReasoningPart {
  return { type: "reasoning_text", text };
}
