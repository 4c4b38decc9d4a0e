export class LiveValue { value: Record<string, unknown> = {}; write(_json: string): void {} }
