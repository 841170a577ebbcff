/** The functions, methods and accessors of a file with more than `maxLines` lines: file:line, name and number of lines. */
export function longFunctions(path: string, text: string, maxLines: number): string[];
