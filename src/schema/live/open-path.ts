import { pointer } from "../value.ts";
import { LiveText } from "./text.ts";

/** Which value of arguments that stream is still open. */
export class OpenPath extends LiveText {
  /** The value to which `keys` leads has not begun, or is over. */
  private settled = true;

  /** JSON Pointer of the innermost value that is open. */
  get path(): string {
    return pointer(this.settled ? this.keys.slice(0, -1) : this.keys);
  }

  protected override open(): void {
    this.settled = true;
  }

  protected override openText(): boolean {
    this.settled = false;
    return true;
  }

  protected override text(): void {}

  protected override closeText(): void {
    this.settled = true;
  }

  protected override scalar(): void {
    this.settled = true;
  }

  protected override key(): void {
    this.settled = true;
  }

  protected override close(): void {
    this.settled = true;
  }
}
