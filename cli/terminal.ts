/** What a command reads and writes apart from its arguments. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Prints a line to stdout. */
  print(line: string): void;
  /** Prints a line to stderr. */
  printError(line: string): void;
}
