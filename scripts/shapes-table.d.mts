export function replaceUsers(page: string, sources: Readonly<Record<string, string>>): string;
